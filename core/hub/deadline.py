"""How long a server is waited for: while new bytes of a file come, however many others it sends.

Interim answers, trailers and empty pieces may come for ever, and none of them is a byte of a file.
So every step on the network (`core.hub.network`) asks here whether to go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from core.hub.arriving_file import OnBytes
from core.hub.failures import cut_short
from core.text.errors import HubError
from core.text.language import _

STALL_SECONDS = 60.0
"""Until the first byte of a file, and from each to the next."""
_MOST_BEGINNINGS = 6
"""How often a file may begin."""


class Deadline:
    """A deadline for a request, which new bytes put off."""

    def __init__(self, seconds: float, where: str, late: Callable[[], HubError]) -> None:
        """Begin to wait.

        Args:
            seconds: until the first byte, and from each to the next.
            where: what the errors name.
            late: the error for a server that takes longer.
        """
        self.where = where
        self._seconds = seconds
        self._late = late
        self._until = time.monotonic() + seconds
        self._position = 0
        self._beginnings = 1

    def watch(self, on_bytes: OnBytes) -> OnBytes:
        """Put off the deadline at each new byte.

        What is returned raises `HubError` for a file that begins too often.
        """

        def came(position: int) -> None:
            if position <= self._position:
                self._beginnings += 1
            if self._beginnings > _MOST_BEGINNINGS:
                raise cut_short(self.where)
            self._position = position
            self._until = time.monotonic() + self._seconds
            on_bytes(position)

        return came

    def add(self, seconds: float) -> None:
        """Put off the deadline for a server that asked us to wait."""
        self._until += seconds

    def left(self, timeout: float | None) -> float:
        """Seconds that a step may take, at most `timeout`; raises `HubError` for none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise self._late()
        return left if timeout is None else min(timeout, left)


_current: ContextVar[Deadline | None] = ContextVar("_current", default=None)


def current() -> Deadline | None:
    """The deadline of the requests that are made here; None for requests that are not ours."""
    return _current.get()


@contextmanager
def set_deadline(seconds: float, where: str, late: Callable[[], HubError]) -> Iterator[Deadline]:
    """Set a `Deadline` for the requests that are made inside the `with` block."""
    deadline = Deadline(seconds, where, late)
    before = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(before)


@contextmanager
def set_file_deadline(where: str) -> Iterator[Deadline]:
    """Set the deadline of a file's transfer, which each new byte of it puts off."""
    with set_deadline(STALL_SECONDS, where, lambda: _stalled(where)) as deadline:
        yield deadline


def _stalled(where: str) -> HubError:
    return HubError(
        _("Nothing more of the file came for {seconds:g} s.", seconds=STALL_SECONDS),
        where=where,
        hint=_("Look at the network, and get it again; of a model, what arrived is kept."),
    )
