"""How every item came about: one JSON line for each answer of the model, accepted or not.

The file is only ever appended to. A run that is started again finds in it what was already asked,
by item, stage, try and hash of the prompt, and asks only the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from core.files.atomic import make_private
from core.files.regular_file import read_regular
from core.text.errors import DataError

LIMIT = 500_000_000
"""Most bytes of a file that is read back."""


class Plan(msgspec.Struct, frozen=True, tag="plan", forbid_unknown_fields=True):
    """What a run makes and with what; the first line of its file."""

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
    """SHA-256 of the events that examples are drawn from, one a line."""
    tries: int
    thinking: bool


class Attempt(msgspec.Struct, frozen=True, tag="attempt", forbid_unknown_fields=True):
    """One answer of the model."""

    item: str
    stage: str
    number: int
    """Which try, from 1."""
    prompt: str
    """SHA-256 of the prompt as the model got it."""
    output: str
    """What the model wrote, as it came."""
    tokens: int
    complete: bool
    time: str
    reason: str = ""
    """The requirement that it does not meet; empty when it was accepted."""
    detail: str = ""


class Outcome(msgspec.Struct, frozen=True, tag="outcome", forbid_unknown_fields=True):
    """What became of an item."""

    item: str
    accepted: bool
    time: str
    stage: str = ""
    """The stage that gave up."""
    reason: str = ""
    detail: str = ""
    sha256: str = ""
    """Of the item's file as it was written."""


Line = Plan | Attempt | Outcome


class Journal:
    """The provenance file of a folder of items."""

    def __init__(self, path: Path) -> None:
        """Open the file; a last line that a kill cut short is taken away.

        Raises `DataError` for a file with any other defect.
        """
        self.path = path
        self.lines: list[Line] = []
        """Everything in it, in order."""
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
            os.truncate(path, len(whole))

    @property
    def plan(self) -> Plan | None:
        """What the run makes; None for a new file. Raises `DataError` where it is not first."""
        if not self.lines:
            return None
        first = self.lines[0]
        if not isinstance(first, Plan):
            raise DataError("The provenance does not begin with a plan.", where=str(self.path))
        return first

    def attempts(self) -> Iterator[Attempt]:
        """Every answer, in order."""
        return (line for line in self.lines if isinstance(line, Attempt))

    def outcomes(self) -> Iterator[Outcome]:
        """Every item that was settled, in order."""
        return (line for line in self.lines if isinstance(line, Outcome))

    def add(self, line: Line) -> None:
        """Append a line and wait until it is on the disk; raises `DataError`."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_private(self.path)
            with self.path.open("ab") as handle:
                handle.write(msgspec.json.encode(line) + b"\n")
                handle.flush()
                os.fsync(handle.fileno())
        except OSError as error:
            raise DataError(
                f"The provenance cannot be written: {error.strerror}.", where=str(self.path)
            ) from error
        self.lines.append(line)
