"""Reads assertions from the formats that knowledge bases come in.

* A ConceptNet 5.x dump: `uri, /r/Relation, /c/en/source, /c/en/target, metadata` with tabs.
* ConceptNet-100K (Li et al., 2016): `Relation, head, tail` with tabs.
* One CSV per relation: `source,target` in `AtLocation.csv`, as the authors of ACCORD prepare the
  dump, with or without those two words as a first line. Terms are plain or paths (`/c/en/cat`).

Only assertions within one language are read, because a drawn term has to fit the language of the
question. An assertion between two languages is counted.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from core.benchmarks.accord.knowledge import terms
from core.benchmarks.accord.knowledge.source_files import Layout, LineReader, Source
from core.benchmarks.accord.trees.skills import RELATION
from core.files.rows import BOM
from core.files.unreadable import too_many_failures
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.quantities import counted

MOST_REPORTED = 5
"""How many malformed lines are reported; all are counted."""
MOST_RELATIONS = 1000
"""Different names in a source; ConceptNet 5.7 has 50."""
_HEADING = (b"source", b"target")


class Assertion(NamedTuple):
    """One row; its terms are keys that are not checked yet by `terms.checked`."""

    relation: str
    language: str
    source: bytes
    target: bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which assertions of a source are read."""

    languages: tuple[str, ...] = ("en",)
    """Codes as in ConceptNet. Terms that are not paths belong to the first language."""
    relations: frozenset[str] = frozenset()
    """Names; empty for all."""


class Tally(msgspec.Struct):
    """Counts of the lines of a source by what was done with them."""

    lines: int = 0
    """Lines that are not blank."""
    elsewhere: int = 0
    """Lines of other languages, between two languages, or about something other than a term."""
    unwanted: int = 0
    """Lines of other relations."""
    repeated: int = 0
    """Lines with an assertion that came before."""
    malformed: int = 0
    reports: list[str] = msgspec.field(default_factory=list)
    """The first malformed lines: `file:line: what`."""

    def report(self, where: str, what: str) -> None:
        """Count a malformed line."""
        self.malformed += 1
        if len(self.reports) < MOST_REPORTED:
            self.reports.append(f"{where}: {what}")


@dataclass(slots=True)
class Reader:
    """Reads a source once, row by row, and keeps the tally."""

    source: Source
    wanted: Wanted
    on_progress: Callable[[int, int], None] = lambda done, rows: None
    """Is called with the numbers of bytes and lines that were read, about once a megabyte."""
    tally: Tally = field(default_factory=Tally)
    sha256: str = ""
    """SHA-256 of the source, after it was read to its end."""
    _relations: dict[bytes, str | None] = field(default_factory=dict)
    _languages: dict[bytes, str] = field(default_factory=dict)

    def assertions(self, take: Callable[[Assertion], None]) -> None:
        """Call `take` with every assertion that is wanted.

        A row that cannot be read, and one for which `take` raises `ValueError`, counts as
        malformed. Raises `DataError` where a file cannot be read, or no row could be.
        """
        self._languages = {language.encode(): language for language in self.wanted.languages}
        tally = self.tally
        lines = LineReader(self.source, lambda done: self.on_progress(done, tally.lines))
        row = {Layout.DUMP: _dump, Layout.TRIPLES: _triple, Layout.PAIRS: _pair}
        read = row[self.source.layout]
        for line in lines:
            if not line or line.isspace():
                continue
            tally.lines += 1
            try:
                assertion = read(self, line, lines)
                if assertion is not None:
                    take(assertion)
            except ValueError as error:
                tally.report(lines.where, str(error))
                if too_many_failures(tally.lines - tally.malformed, tally.malformed):
                    break
        if tally.malformed == tally.lines:
            raise DataError(
                f"Nothing could be read as {self.source.layout}.",
                where=self.source.path,
                hint=f"The first line: {tally.reports[0]}" if tally.reports else "It is empty.",
            )
        self.sha256 = lines.sha256

    def relation(self, name: bytes) -> str | None:
        """A relation's name; None if it is not wanted. Raises `ValueError` for an invalid name."""
        try:
            return self._relations[name]
        except KeyError:
            pass
        text = name.decode("ascii", "replace")
        if not RELATION.fullmatch(text):
            raise ValueError(f"“{escape_control_characters(text, limit=60)}” is no relation.")
        if len(self._relations) == MOST_RELATIONS:
            raise ValueError(f"There are more than {MOST_RELATIONS} relations.")
        wanted = not self.wanted.relations or text in self.wanted.relations
        self._relations[name] = text if wanted else None
        return self._relations[name]

    def kept(self, relation: str | None, source: bytes, target: bytes) -> Assertion | None:
        """The assertion, if it is wanted; otherwise it is counted. Ends are paths without `/c/`."""
        language, _, source = source.partition(b"/")
        other, _, target = target.partition(b"/")
        if language != other or language not in self._languages:
            self.tally.elsewhere += 1
            return None
        if relation is None:
            self.tally.unwanted += 1
            return None
        return Assertion(
            relation,
            self._languages[language],
            terms.key_of_path(source),
            terms.key_of_path(target),
        )

    def path(self, end: bytes) -> bytes:
        """An end, which may be plain text, as a path without `/c/`."""
        if end.startswith(b"/c/"):
            return end[3:]
        text = terms.normalise(terms.decoded(end))
        key = terms.key(text)
        return self.wanted.languages[0].encode() + b"/" + key


def _dump(reader: Reader, line: bytes, _: LineReader) -> Assertion | None:
    columns = line.split(b"\t")
    if len(columns) != 5:
        raise ValueError(f"It has {counted(len(columns), 'column')}, not 5.")
    relation, source, target = columns[1:4]
    if not relation.startswith(b"/r/"):
        raise ValueError("The second column is no relation.")
    if source.startswith(b"/c/") and target.startswith(b"/c/"):
        return reader.kept(reader.relation(relation[3:]), source[3:], target[3:])
    if not source or not target:
        raise ValueError("A term is empty.")
    reader.tally.elsewhere += 1
    return None


def _triple(reader: Reader, line: bytes, _: LineReader) -> Assertion | None:
    columns = line.split(b"\t")
    if len(columns) != 3:
        raise ValueError(f"It has {counted(len(columns), 'column')}, not 3.")
    relation, head, tail = columns
    if not relation.removeprefix(b"/r/")[:1].isupper():
        raise ValueError("The first of three columns is a relation, such as AtLocation.")
    name = reader.relation(relation.removeprefix(b"/r/"))
    return reader.kept(name, reader.path(head), reader.path(tail))


def _pair(reader: Reader, line: bytes, lines: LineReader) -> Assertion | None:
    if lines.number == 1:
        line = line.removeprefix(BOM)
    columns = _quoted(line) if b'"' in line else line.split(b",")
    if len(columns) != 2:
        raise ValueError(f"It has {counted(len(columns), 'column')}, not 2.")
    if lines.number == 1 and tuple(part.strip() for part in columns) == _HEADING:
        reader.tally.lines -= 1
        return None
    name = reader.relation(_stem(lines.file).encode("utf-8", "replace"))
    return reader.kept(name, *(reader.path(end.strip()) for end in columns))


def _quoted(line: bytes) -> list[bytes]:
    try:
        return [part.encode() for part in next(csv.reader([terms.decoded(line)], strict=True))]
    except csv.Error as error:
        raise ValueError(f"It is no CSV: {error}.") from error


def _stem(file: Path) -> str:
    return file.name.removesuffix(".gz").removesuffix(".csv")
