"""The provenance of every item: one JSON line for each reply of the model, accepted or not.

The file is only ever appended to. A resumed run finds in it what was already asked, by item, stage,
attempt and hash of the prompt, and asks only the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from core.files.line_file import append_line, cut_incomplete_line
from core.files.regular_file import open_own, read_regular
from core.text.errors import DataError

LIMIT = 500_000_000
"""Most bytes of a file that is read back."""


class Plan(msgspec.Struct, frozen=True, tag="plan", forbid_unknown_fields=True):
    """What a run makes, and how; the first line of its file."""

    kind: str
    seed: int
    form: str
    model: str
    fingerprint: str
    source: str
    quantisation: str
    parameters: int
    wordings: dict[str, str]
    """SHA-256 of the texts of every stage."""
    shots: str
    """SHA-256 of the pool that worked examples are drawn from."""
    tries: int
    thinking: bool


class Attempt(msgspec.Struct, frozen=True, tag="attempt", forbid_unknown_fields=True):
    """One reply of the model."""

    item: str
    stage: str
    number: int
    """Number of the attempt, from 1."""
    prompt: str
    """SHA-256 of the prompt as the model got it."""
    output: str
    """The raw reply."""
    tokens: int
    complete: bool
    time: str
    reason: str = ""
    """The requirement that is not met; empty for an accepted reply."""
    detail: str = ""


class Outcome(msgspec.Struct, frozen=True, tag="outcome", forbid_unknown_fields=True):
    """The outcome of an item."""

    item: str
    accepted: bool
    time: str
    stage: str = ""
    """The stage that failed."""
    reason: str = ""
    detail: str = ""
    sha256: str = ""
    """SHA-256 of the item's file; empty for a rejected item."""


Line = Plan | Attempt | Outcome


class Section:
    """The lines of one item. Made by `Journal.section`."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        """All lines that it got."""
        self.ended = False
        """Whether it gets no more."""
        self.journal: Journal | None = None
        """Where its lines are written at once; None while they wait."""

    def add(self, line: Line) -> None:
        """Append a line; raises `DataError`."""
        self.lines.append(line)
        if self.journal is not None:
            self.journal.add(line)

    def write_to(self, journal: Journal) -> None:
        """Write the lines so far; later ones are written as they come. Raises `DataError`."""
        for line in self.lines:
            journal.add(line)
        self.journal = journal


class Journal:
    """The provenance file of a folder of items."""

    def __init__(self, path: Path) -> None:
        """Open the file; a last line that was cut short by a kill is removed.

        Raises `DataError` for a file with any other defect.
        """
        self.path = path
        self.lines: list[Line] = []
        """All lines, in order."""
        self._sections: deque[Section] = deque()
        try:
            raw = read_regular(path, LIMIT, DataError, name="The provenance")
        except FileNotFoundError:
            return
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self.lines.append(msgspec.json.decode(line, type=Line))
            except (msgspec.MsgspecError, RecursionError) as error:
                raise DataError(
                    f"This is no provenance of synthesis: {error}.", where=f"{path}:{number}"
                ) from error
        if len(whole) < len(raw):
            with self._opened() as handle:
                cut_incomplete_line(handle)

    @property
    def plan(self) -> Plan | None:
        """The plan of the run; None for a new file. Raises `DataError` where it is not first."""
        if not self.lines:
            return None
        first = self.lines[0]
        if not isinstance(first, Plan):
            raise DataError("The provenance does not begin with a plan.", where=self.path)
        return first

    def attempts(self) -> Iterator[Attempt]:
        """Every reply, in order."""
        return (line for line in self.lines if isinstance(line, Attempt))

    def outcomes(self) -> Iterator[Outcome]:
        """The outcome of every finished item, in order."""
        return (line for line in self.lines if isinstance(line, Outcome))

    @contextmanager
    def section(self) -> Iterator[Section]:
        """The lines of one item; in the file sections stand in the order of their beginnings.

        What the oldest section gets is written at once. What others get waits for its end, so a
        section that fails keeps those after it from being written.
        """
        section = Section()
        section.journal = None if self._sections else self
        self._sections.append(section)
        yield section
        section.ended = True
        while self._sections and self._sections[0].ended:
            self._sections.popleft()
            if self._sections:
                self._sections[0].write_to(self)

    def add(self, line: Line) -> None:
        """Append a line and sync it to disk; raises `DataError`."""
        with self._opened() as handle:
            append_line(handle, msgspec.json.encode(line), sync=True)
        self.lines.append(line)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The open file; raises `DataError`, also where it cannot be written."""
        try:
            with open_own(self.path, private=True) as handle:
                yield handle.fileno()
        except OSError as error:
            raise DataError(
                f"The provenance cannot be written: {error.strerror}.", where=self.path
            ) from error
