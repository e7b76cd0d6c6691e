"""Keeps counts over collections between two showings of a lesson, in one small file.

The file is of the program's state and may be deleted. A damaged one counts as empty.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from core.files import paths
from core.files.state_file import read_state, write_state
from core.statistics.count import Count

_LIMIT = 400_000
"""Most bytes of the file."""
_MOST = 500
"""Most counts that are kept; older ones make room."""


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
        write_state(counts_file(), kept)


def _read() -> dict[str, Count]:
    counts = read_state(counts_file(), _LIMIT, dict[str, Count]) or {}
    return {key: count for key, count in counts.items() if 0 <= count.held <= count.n}
