"""Votes: an append-only file of JSON lines for each annotator, in one folder.

Annotators work independently, possibly on different machines. Putting their files into one folder,
or concatenating them, merges them. Duplicate lines count once, and of two votes of one person on
one task in one round the later one counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import IntEnum
from itertools import islice
from pathlib import Path

import msgspec

from core.annotation.append_file import AppendedFile, lines_from
from core.annotation.people import file_stem, key_of
from core.system.typed_values import ready
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.person_name import shown_name

SUFFIX = ".jsonl"


class Round(IntEnum):
    """The round of a vote."""

    QUALIFICATION = 0
    FIRST = 1
    AGAIN = 2
    """The re-annotation of tasks without agreement in the first round."""


class Vote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One choice of one person, as stored in a line."""

    annotator: str
    round: Round
    task: str
    choice: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Ballot:
    """A person's final choice for a task in a round."""

    choice: str
    first: datetime
    """Time of their first vote on it; the earliest ballots of a task count."""
    last: datetime
    """Time of the vote that counts."""


Ballots = Mapping[str, Ballot]
"""By annotator (`people.key_of`)."""
_NOBODY: Ballots = {}


class VoteFolder:
    """All votes in a folder; `refresh` reads new ones."""

    def __init__(self, folder: Path) -> None:
        """Read the votes in a folder, which need not exist; raises `DataError`."""
        self.folder = folder
        self._read: dict[Path, _ReadSoFar] = {}
        self._ballots: dict[tuple[str, Round], dict[str, Ballot]] = {}
        self._names: dict[str, str] = {}
        self._by_annotator: dict[str, dict[tuple[str, Round], Ballot]] = {}
        self._forget()
        self.refresh()

    def on(self, task: str, at: Round) -> Ballots:
        """Everybody's votes on a task in a round."""
        return self._ballots.get((task, at), _NOBODY)

    def of(self, name: str) -> Mapping[tuple[str, Round], Ballot]:
        """One person's votes, by task and round."""
        return self._by_annotator.get(key_of(name), {})

    @property
    def names(self) -> Mapping[str, str]:
        """The name of everybody who voted, as it is shown, by `people.key_of`."""
        return self._names

    @property
    def tasks(self) -> frozenset[str]:
        """Every task with a vote."""
        return frozenset(task for task, _ in self._ballots)

    def refresh(self) -> bool:
        """Read new lines; returns whether there were any.

        Raises `DataError` for the first file that cannot be read, once all others are read.
        """
        try:
            states = {path: _state(path) for path in sorted(self.folder.glob(f"*{SUFFIX}"))}
        except OSError as error:
            raise DataError(
                _("The votes cannot be read: {why}.", why=error.strerror),
                where=self.folder,
            ) from error
        if not all(_is_continued(so_far, states.get(path)) for path, so_far in self._read.items()):
            # A file was removed or replaced: read everything again.
            self._forget()
        added = False
        trouble: DataError | None = None
        for path, (inode, size) in states.items():
            so_far = self._read.get(path, _ReadSoFar(inode, 0, 1))
            if size > so_far.size:
                try:
                    self._read[path] = self._add(path, so_far)
                    added = True
                except DataError as error:
                    trouble = trouble or error
        if trouble is not None:
            raise trouble
        return added

    def add(self, vote: Vote) -> None:
        """Count a vote."""
        key, task_and_round = key_of(vote.annotator), (vote.task, vote.round)
        self._names.setdefault(key, shown_name(vote.annotator))
        ballots = self._ballots.setdefault(task_and_round, {})
        before = ballots.get(key)
        if before is None:
            ballot = Ballot(vote.choice, vote.at, vote.at)
        else:
            # Ties are broken by choice, so the order of the files does not matter.
            later = (vote.at, vote.choice) > (before.last, before.choice)
            ballot = replace(
                before,
                choice=vote.choice if later else before.choice,
                first=min(before.first, vote.at),
                last=max(before.last, vote.at),
            )
        ballots[key] = self._by_annotator[key][task_and_round] = ballot

    def _forget(self) -> None:
        self._read = {}
        self._ballots = {}
        self._names = {}
        self._by_annotator = defaultdict(dict)

    def _add(self, path: Path, so_far: _ReadSoFar) -> _ReadSoFar:
        line, size = so_far.line, so_far.size
        for number, end, raw in lines_from(path, size, line):
            self.add(_decoded(raw, path, number))
            line, size = number + 1, end
        return _ReadSoFar(so_far.inode, size, line)


@dataclass(frozen=True, slots=True)
class _ReadSoFar:
    inode: int
    size: int
    """Bytes read so far."""
    line: int
    """Number of the next line."""


class VoteFile:
    """The file of one person's votes, open for appending."""

    def __init__(self, folder: Path, name: str) -> None:
        """Open or create a person's file; raises `DataError`."""
        self._name = name
        self._file = AppendedFile(
            folder / f"{file_stem(name)}{SUFFIX}", f"{name} is annotating in another window."
        )

    def vote(self, task: str, at: Round, choice: str) -> Vote:
        """Save a vote; it is on the disk when this returns. Raises `DataError`."""
        vote = Vote(self._name, at, task, choice, datetime.now(UTC))
        self._file.append(msgspec.json.encode(vote))
        return vote

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _decoded(raw: bytes, path: Path, line: int) -> Vote:
    try:
        vote = msgspec.json.decode(raw, type=ready(Vote))
    except (ValueError, RecursionError) as error:
        raise DataError(
            _("This is not a vote: {error}.", error=escape_control_characters(str(error))),
            where=f"{path}:{line}",
            hint=_("Take the line out, or restore the file."),
        ) from error
    if not shown_name(vote.annotator):
        raise DataError(
            _("The annotator of this vote has a name that nobody can have."),
            where=f"{path}:{line}",
            hint=_("Take the line out, or restore the file."),
        )
    if vote.at.tzinfo is None:
        raise DataError(
            _("The time of this vote has no time zone."),
            where=f"{path}:{line}",
        )
    return vote


def holds_votes(path: Path) -> bool:
    """Whether the first line of a file is a vote."""
    try:
        return any(_decoded(raw, path, at) for at, _end, raw in islice(lines_from(path, 0, 1), 1))
    except (OSError, DataError):
        return False


def _is_continued(so_far: _ReadSoFar, now: tuple[int, int] | None) -> bool:
    """Whether a file still begins with what was read, judging by its inode and size."""
    return now is not None and now[0] == so_far.inode and now[1] >= so_far.size


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_ino, status.st_size
