"""Returns memory to the system that was freed but that the C library still holds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes


def give_back() -> None:
    """Return what was freed to the system; does nothing where the C library is not glibc.

    Otherwise the heap stays as large as it ever was while anything near its end is in use.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> ctypes._FuncPointer | None:
    # Not needed for the first paint.
    import ctypes

    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # Another C library, or Windows.
        return None
