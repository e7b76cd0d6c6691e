"""Keeps Python's garbage collector from looking through what stays in use.

It would look through all of it again and again as it grows: a third of the time that reading and
summarising a large run takes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OLDEST_GENERATION_THRESHOLD = 500
"""Garbage-collector threshold of the oldest generation; Python's own is 10."""


def freeze_lasting_objects() -> None:
    """Leave all objects made until now out of collections, and seldom look at the oldest later.

    The objects of the program stay to the end, and so do the verdicts of a run.
    """
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], _OLDEST_GENERATION_THRESHOLD)
    gc.enable()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Collect no garbage in the block, or in the function that this decorates."""
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()
