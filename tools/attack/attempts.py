"""Makes attempts, and counts those in which the program failed."""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import ClassVar

from core.text.errors import CommonsenseError

MOST_SECONDS = 5.0
"""Most processor time that the program may take over one attempt."""
MOST_MIB = 300.0
"""Most memory, in MiB, that it may take beyond what it had before."""
_TOO_LONG = 2 * MOST_SECONDS
"""Processor time after which an attempt is ended."""
_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")
_SHOWN = 20


@dataclass
class Tally:
    """What came of the attempts of one attack."""

    attack: str
    tried: int = 0
    refused: int = 0
    """Attempts that ended in a typed error."""
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    """The most processor time of one attempt, or wall time where other processes work."""
    mib: float = 0.0
    slowest: str = ""
    largest: str = ""
    endings: Counter[str] = field(default_factory=Counter)
    """How many attempts ended in which way, where an attack tells them apart."""
    begun: ClassVar[list[Tally]] = []
    """The tallies of this process, for an attack that is stopped early."""

    def __post_init__(self) -> None:
        self.begun.append(self)

    @contextmanager
    def attempt(self, name: str, *, measured: bool = True) -> Iterator[None]:
        """Count the block as an attempt; it fails by an untyped error and beyond a limit."""
        self.tried += 1
        before, started = peak(reset=True), time.process_time()
        try:
            with _ended_after(_TOO_LONG):
                yield
        except CommonsenseError:
            self.refused += 1
        except Exception as error:
            self.failures.append(f"{name}: {_in_one_line(error)}")
        if measured:
            self.measure(name, time.process_time() - started, peak() - before)

    def measure(self, name: str, seconds: float, mib: float = 0.0) -> None:
        """Keep the most that an attempt took; more than the limits is a failure."""
        if seconds > self.seconds:
            self.seconds, self.slowest = seconds, name
        if mib > self.mib:
            self.mib, self.largest = mib, name
        if seconds > MOST_SECONDS:
            self.failures.append(f"{name}: took {seconds:.1f} s")
        if mib > MOST_MIB:
            self.failures.append(f"{name}: took {mib:.0f} MiB")

    def fail(self, name: str, why: str) -> None:
        """Count a failure that raised no exception."""
        self.failures.append(f"{name}: {why}")

    def add(self, other: Tally) -> None:
        """Add the attempts of another tally."""
        self.tried += other.tried
        self.refused += other.refused
        self.failures += other.failures
        self.endings.update(other.endings)
        if other.seconds > self.seconds:
            self.seconds, self.slowest = other.seconds, other.slowest
        if other.mib > self.mib:
            self.mib, self.largest = other.mib, other.largest

    def report(self) -> str:
        """The figures, and the first failures."""
        lines = [
            f"{self.attack}: tried {self.tried:,}, failed {len(self.failures):,}, "
            f"typed errors {self.refused:,}, "
            f"worst memory {self.mib:.0f} MiB ({self.largest or 'none'}), "
            f"worst time {self.seconds:.2f} s ({self.slowest or 'none'})"
        ]
        lines += [f"  {count:,} × {ending}" for ending, count in self.endings.most_common()]
        lines += [f"  FAILED {failure}" for failure in self.failures[:_SHOWN]]
        if len(self.failures) > _SHOWN:
            lines.append(f"  and {len(self.failures) - _SHOWN:,} more failures")
        return "\n".join(lines)


class TooLongError(Exception):
    """An attempt has used too much processor time."""


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Raise `TooLongError` in the block when it has had so much processor time."""

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _in_one_line(error: Exception) -> str:
    """Which error, and the innermost places that it came through."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:200]!r} at {places}"


def memory_limit(mib: int) -> None:
    """Limit this process's memory: an attack that succeeds must not fill the machine."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (mib * 2**20, mib * 2**20))


def note(text: str) -> None:
    """Show how far an attack is, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def peak(*, reset: bool = False) -> float:
    """The most memory of this process in MiB, since it was last reset; 0 where it is not known."""
    try:
        if reset:
            _RESET.write_text("5", encoding="ascii")
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0
