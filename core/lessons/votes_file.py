"""The votes of a room on a running lesson, in a file beside the one of its progress.

The room's server rewrites the file at every change and touches it every second; the lesson only
reads it. A damaged or foreign file counts as none. It is removed when either of the two ends.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.files.state_file import read_state, write_state
from core.lessons.progress_file import alive

_LIMIT = 100_000
_ENDING = ".votes"
_MOST = 100_000
"""More votes than this for an option are none of ours."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes of a room, by step."""

    address: str
    """The address at which is voted, with its token."""
    counts: Mapping[str, Sequence[int]]
    """By the number of a step from 1, how many voted for each option of its prediction."""

    def of(self, step: int, options: int) -> tuple[int, ...]:
        """The votes for each option of a step; none where they do not fit its options."""
        counts = tuple(self.counts.get(str(step), ()))
        fits = len(counts) == options and all(0 <= count <= _MOST for count in counts)
        return counts if fits else (0,) * options


def votes_path(progress: Path) -> Path:
    """The file of the votes on the lesson whose progress is in a file."""
    return progress.with_suffix(_ENDING)


def write_votes(progress: Path, votes: Votes) -> None:
    """Write the votes; the next change is written where this one cannot be."""
    with suppress(OSError):
        write_state(votes_path(progress), votes)


def touch_votes(progress: Path) -> None:
    """Show that the room is still open."""
    with suppress(OSError):
        os.utime(votes_path(progress))


def remove_votes(progress: Path) -> None:
    """Forget the votes."""
    with suppress(OSError):
        votes_path(progress).unlink(missing_ok=True)


def read_votes(progress: Path) -> Votes | None:
    """The votes on a lesson; None where no room is open."""
    path = votes_path(progress)
    return read_state(path, _LIMIT, Votes) if alive(path) else None
