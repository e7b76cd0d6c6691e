"""Keeps counts over collections between two showings of a lesson, in one small file.

The file is of the program's state and may be deleted. A damaged one counts as empty.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from core.files import paths
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.text.errors import DataError

_LIMIT = 400_000
"""Most bytes of the file."""
_MOST = 500
"""Most counts that are kept; older ones make room."""


@dataclass(frozen=True, slots=True)
class Count:
    """For how many items of a collection a claim holds."""

    held: int
    n: int
    """Items of which it was found out."""
    interval: tuple[float, float] | None
    """The 95 % interval of the share, by clusters; None for too few of them."""
    complete: bool
    """Whether these are all items of the collection that the claim can be made of."""

    def __str__(self) -> str:
        """The count in words."""
        if not self.n:
            return "no item"
        within = ""
        if self.interval is not None:
            low, high = self.interval
            within = f", 95 % interval {low:.2f} to {high:.2f}"
        return f"{self.held} of {self.n} items ({self.share:.2f}{within})"

    @property
    def share(self) -> float:
        """The share of the items for which it holds; `n` must be positive."""
        return self.held / self.n

    @property
    def rare(self) -> bool:
        """Whether it holds for fewer than half: an item where it does is an exception."""
        return self.n > 0 and 2 * self.held < self.n


def store_key(*parts: str) -> str:
    """The key of a count: all that it depends on, as one hash."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def counts_file() -> Path:
    """The file of the counts; it need not exist."""
    return paths.state() / "counts.json"


def stored_count(key: str) -> Count | None:
    """The count that was kept under a key, if any."""
    return _read().get(key)


def store_count(key: str, count: Count) -> None:
    """Keep a count; where it cannot be written, it is counted again the next time."""
    counts = _read()
    counts.pop(key, None)
    kept = dict([*counts.items(), (key, count)][-_MOST:])
    with suppress(OSError):
        body = json.dumps({name: asdict(each) for name, each in kept.items()})
        atomic_write(counts_file(), body, private=True)


def _read() -> dict[str, Count]:
    try:
        content = read_regular(counts_file(), _LIMIT, DataError)
        counts = msgspec.json.decode(content, type=dict[str, Count])
    except (OSError, DataError, ValueError, RecursionError):
        return {}
    return {key: count for key, count in counts.items() if 0 <= count.held <= count.n}
