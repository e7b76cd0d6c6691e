"""Where a running lesson is, in one small file per process, for the speaker's second screen.

The running lesson writes it whole at every change and touches it as long as it lives; whoever
follows only reads. Nothing in the file is trusted: one that is damaged or no such file at all is
as good as none.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from core.files import paths
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.text.errors import DataError

BEAT = 1.0
"""Seconds after which a running lesson says again that it is there."""
STALE = 5.0
"""Seconds of silence after which a lesson is taken for ended."""
_LIMIT = 400_000
"""Most bytes of the file."""
_ENDING = ".json"
_DAY = 86_400.0
_LONGEST = 99 * 3600.0
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a lesson is, as far as its speaker has to know. Times are seconds of Unix time."""

    lesson: str
    """The lesson's name."""
    title: str
    step: int
    """Counted from 1."""
    steps: int
    say: str
    """What the audience reads, in Markdown."""
    notes: str
    """What only the speaker sees, in Markdown; empty where the step has none."""
    following: str
    """What comes next, in Markdown; empty in the last step."""
    ask: str
    """What the audience predicts; empty where nothing is asked."""
    options: tuple[str, ...]
    hands: tuple[int, ...]
    """How many hands each option has."""
    revealed: bool
    began: float
    step_began: float


def folder() -> Path:
    """Where running lessons say where they are; it need not exist."""
    return paths.state() / "lessons"


class Beacon:
    """One running lesson's file: nobody else writes it."""

    def __init__(self, place: Path | None = None) -> None:
        """`place` is the folder; the person's own where it is None."""
        self.path = (place or folder()) / f"{os.getpid()}-{time.time_ns()}{_ENDING}"

    def tell(self, progress: Progress) -> None:
        """Write where the lesson is; raises `DataError` where that cannot be stored."""
        try:
            atomic_write(self.path, json.dumps(asdict(progress)))
        except OSError as error:
            raise DataError(
                f"Nobody can follow this lesson: {error.strerror}.", where=str(self.path)
            ) from error

    def beat(self) -> None:
        """Say that the lesson still runs; not where its file is gone or cannot be touched."""
        with suppress(OSError):
            os.utime(self.path)

    def end(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def read(path: Path) -> Progress | None:
    """What a file says; None where it is missing, damaged, or something else."""
    try:
        progress = msgspec.json.decode(read_regular(path, _LIMIT, DataError), type=Progress)
    except (OSError, DataError, ValueError, RecursionError):
        return None
    fits = 1 <= progress.step <= progress.steps and len(progress.hands) == len(progress.options)
    return progress if fits else None


def newest(name: str = "", place: Path | None = None, clock: Clock = time.time) -> Path | None:
    """The file of the lesson begun last, of those that are alive; None where there is none.

    Args:
        name: only lessons of this name; of any where it is empty.
        place: the folder; the person's own where it is None.
        clock: the present in Unix time.
    """
    found: list[tuple[float, Path]] = []
    for path in _files(place or folder()):
        progress = read(path) if alive(path, clock) else None
        if progress is not None and name in {"", progress.lesson}:
            found.append((progress.began, path))
    return max(found)[1] if found else None


def alive(path: Path, clock: Clock = time.time) -> bool:
    """Whether its lesson has said lately that it runs."""
    try:
        return clock() - path.stat().st_mtime < STALE
    except OSError:
        return False


def sweep(place: Path | None = None, clock: Clock = time.time) -> None:
    """Remove what lessons that were killed have left behind a day ago or longer."""
    for path in _files(place or folder()):
        with suppress(OSError):
            if clock() - path.stat().st_mtime > _DAY:
                path.unlink()


def _files(place: Path) -> list[Path]:
    try:
        return [path for path in place.iterdir() if path.suffix == _ENDING]
    except OSError:
        return []


def duration(seconds: float) -> str:
    """A length of time as on a clock: 0:07, 12:30, 1:02:03; from nothing to 99 hours."""
    whole = int(min(max(0.0, seconds), _LONGEST))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
