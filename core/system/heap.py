"""Limits how much freed memory the C library keeps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_M_ARENA_MAX = -8
"""The option of glibc's `mallopt` that limits the number of heaps; see malloc.h."""


def give_back() -> None:
    """Return what was freed to the system; does nothing where the C library is not glibc.

    Otherwise the heap stays as large as it ever was while anything near its end is in use.
    """
    trim = _c_function("malloc_trim")
    if trim is not None:
        trim(0)


def share_one_heap() -> None:
    """Let threads that start later share one heap; does nothing where there is no glibc.

    By itself glibc gives each thread a heap of its own, and in each of them memory that was freed
    is kept between memory that is in use.
    """
    set_option = _c_function("mallopt")
    if set_option is not None:
        set_option(_M_ARENA_MAX, 1)


@cache
def _c_function(name: str) -> ctypes._FuncPointer | None:
    # Most commands start no threads and need none of it.
    import ctypes

    try:
        return ctypes.CDLL(None)[name]
    except (AttributeError, OSError, TypeError):  # Another C library, or Windows.
        return None
