"""Memory that was freed, and which the C library keeps for what comes next."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes


def give_back() -> None:
    """Give the system what was freed of the heap; nothing where the C library cannot, as glibc can.

    Without it a heap stays as large as it ever was where anything near its end is still in use.
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
