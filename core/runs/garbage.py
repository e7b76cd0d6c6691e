"""Pauses the collector of garbage where many objects are made that all are used.

It would look through all of them again and again as they become more: a third of the time that
reading and summarising a large run takes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage in the block, or in the function that this decorates."""
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()
