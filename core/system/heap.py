"""Keeps the C library from holding much memory that was freed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_MOST_HEAPS = -8
"""M_ARENA_MAX of glibc's malloc.h."""


def give_back() -> None:
    """Return what was freed to the system; does nothing where the C library is not glibc.

    Otherwise the heap stays as large as it ever was while anything near its end is in use.
    """
    trim = _function("malloc_trim")
    if trim is not None:
        trim(0)


def share_one_heap() -> None:
    """Let threads that begin from now on share one heap; does nothing where there is no glibc.

    Otherwise each has its own, and what is freed in one lies between what is used there.
    """
    set_option = _function("mallopt")
    if set_option is not None:
        set_option(_MOST_HEAPS, 1)


@cache
def _function(name: str) -> ctypes._FuncPointer | None:
    # Not needed to print a line.
    import ctypes

    try:
        return ctypes.CDLL(None)[name]
    except (AttributeError, OSError, TypeError):  # Another C library, or Windows.
        return None
