"""The progress of a running lesson, in one small file per lesson, for the speaker's second screen.

The running lesson rewrites the file at every change and touches it every second; followers only
read it. A damaged or foreign file counts as none.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.files import paths
from core.files.state_file import read_state, write_state
from core.lessons.lesson import MOST_OPTIONS
from core.text.errors import DataError

BEAT = 1.0
"""Seconds between two touches of the file of a running lesson."""
STALE = 5.0
"""Seconds without a touch after which a lesson counts as ended."""
_LIMIT = 400_000
"""Most bytes of the file."""
_ENDING = ".json"
_DAY = 86_400.0
_LONGEST = 99 * 3600.0


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a lesson for its speaker. Times are seconds of Unix time."""

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
    """The folder of the progress files; it need not exist."""
    return paths.state() / "lessons"


class ProgressFile:
    """The file of one running lesson."""

    def __init__(self, directory: Path | None = None) -> None:
        """`directory` is the folder; the person's own where it is None."""
        self.path = (directory or folder()) / f"{os.getpid()}-{time.time_ns()}{_ENDING}"

    def write(self, progress: Progress) -> None:
        """Write the progress; raises `DataError` where it cannot be stored."""
        try:
            write_state(self.path, progress)
        except OSError as error:
            raise DataError(
                f"Nobody can follow this lesson: {error.strerror}.", where=self.path
            ) from error

    def touch(self) -> None:
        """Show that the lesson still runs; nothing happens where the file is gone."""
        with suppress(OSError):
            os.utime(self.path)

    def remove(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def read(path: Path) -> Progress | None:
    """The progress in a file; None where the file is missing, damaged, or something else."""
    progress = read_state(path, _LIMIT, Progress)
    if progress is None:
        return None
    fits = (
        1 <= progress.step <= progress.steps
        and len(progress.hands) == len(progress.options) <= MOST_OPTIONS
        and all(hands >= 0 for hands in progress.hands)
    )
    return progress if fits else None


def newest(name: str = "", directory: Path | None = None) -> Path | None:
    """The file of the running lesson that began last; None where no lesson runs.

    Args:
        name: only lessons of this name; any where it is empty.
        directory: the folder; the person's own where it is None.
    """
    running: list[tuple[float, Path]] = []
    for path in _files(directory or folder()):
        progress = read(path) if alive(path) else None
        if progress is not None and name in {"", progress.lesson}:
            running.append((progress.began, path))
    return max(running)[1] if running else None


def alive(path: Path) -> bool:
    """Whether the lesson of a file still runs: it has touched the file lately."""
    try:
        return time.time() - path.stat().st_mtime < STALE
    except OSError:
        return False


def remove_old(directory: Path | None = None) -> None:
    """Remove the files that killed lessons left behind a day ago or longer."""
    for path in _files(directory or folder()):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()


def _files(directory: Path) -> list[Path]:
    try:
        return [path for path in directory.iterdir() if path.suffix == _ENDING]
    except OSError:
        return []


def clock_time(seconds: float) -> str:
    """A length of time as on a clock, at most 99 hours: 0:07, 12:30, 1:02:03."""
    whole = int(min(max(0.0, seconds), _LONGEST))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
