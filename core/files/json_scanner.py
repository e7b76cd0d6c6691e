"""Finds the rows of a JSON document that may be damaged, with their lines and positions.

A key that occurs twice gives two rows, of which `json.load` would drop one. A part that is not JSON
is reported with its line and skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from core.files.rows import BOM, MOST_VALUES, Row, at_line, counted_values, too_many_values
from core.text.errors import DataError
from core.text.language import _

SPLITS = frozenset({"train", "dev", "valid", "validation", "test"})
"""Keys of an object that holds the rows of each split, as in GITA v1 and TRIP."""
MOST_ROWS = 300_000
"""Most rows of a document that holds more than `MOST_VALUES` values."""
_BOM = BOM.decode("latin-1")
_MOST_TOKENS = 10_000_000
"""The end of a split is looked for among so many strings and brackets, and no more."""
_DEEPEST = 10_000
"""Most nested brackets through which the end of a broken part is searched."""
_MOST_KEYS = 1000
"""Most keys of a document that is a single row."""
_GAP = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|[{}\[\]]')
_SCALAR_END = re.compile(r"[,}\]\n]|\Z")


@dataclass(frozen=True, slots=True)
class _Member:
    key: str | None
    begin: int
    """Position of its key; in an array, of its value."""
    start: int
    """Position of its value."""
    end: int
    problem: str
    """What is wrong with it; empty if nothing is."""
    problem_at: int


class Scanner:
    """Reads a JSON document member by member, and counts lines and bytes."""

    def __init__(
        self,
        data: bytes,
        name: str,
        errors: list[DataError],
        expected: str,
        single_keys: frozenset[str],
    ) -> None:
        """Arguments as of `core.files.row_file.rows`; `data` is the whole file."""
        # Brackets, commas and quotes are ASCII, so each byte can be read as one character: texts of
        # any language take no more memory then, and bytes that are not UTF-8 spoil only their row.
        self._text = data.decode("latin-1")
        self._name = name
        self._errors = errors
        self._expected = expected
        self._single_keys = single_keys
        self._position = 0
        self._line = 1
        self._is_dense = counted_values(data) > MOST_VALUES
        self._found = 0
        """Members so far."""
        # Values are not used here, and converting a number of thousands of digits would fail.
        self._decoder = json.JSONDecoder(parse_int=str)

    def rows(self) -> Iterator[Row]:
        """Every row, in order.

        Raises `DataError` for a value of more than `MOST_VALUES` others, and where a document of so
        many has more than `MOST_ROWS` rows.
        """
        top = self._gap(len(BOM) if self._text.startswith(_BOM) else 0)
        opening = len(self._errors)
        members = self._read(top)
        if self._text[top] == "{":
            first = list(islice(members, _MOST_KEYS))
            if self._single_keys & {member.key for member in first}:
                whole = [*first, *members]
                if len(self._errors) == opening and self._sound(whole):
                    end = self._gap(whole[-1].end) + 1
                    yield self._row(None, top, top, end)
                return
            members = chain(first, members)
        for member in members:
            if member.key in SPLITS and self._text[member.start : member.start + 1] in {"{", "["}:
                for inner in self._read(member.start):
                    if self._sound((inner,)):
                        yield self._row(inner.key, inner.begin, inner.start, inner.end)
            elif self._sound((member,)):
                yield self._row(member.key, member.begin, member.start, member.end)

    def _row(self, key: str | None, begin: int, start: int, end: int) -> Row:
        return Row(self._advance(begin), start, self._text[start:end].encode("latin-1"), key)

    def _advance(self, position: int) -> int:
        """Advance to a position, and return its line."""
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line

    def _fail(self, what: str, at: int) -> None:
        line = self._line + self._text.count("\n", self._position, at)
        where = at_line(self._name, line)
        self._errors.append(DataError(f"{what}.", where=where, hint=self._expected))

    def _sound(self, members: tuple[_Member, ...] | list[_Member]) -> bool:
        broken = [member for member in members if member.problem]
        for member in broken:
            self._fail(member.problem, member.problem_at)
        return not broken

    def _gap(self, at: int) -> int:
        gap = _GAP.match(self._text, at)
        return gap.end() if gap else at

    def _read(self, at: int) -> Iterator[_Member]:
        try:
            yield from self._members(at)
        except json.JSONDecodeError as error:
            self._fail(_("The JSON breaks off: {why}", why=error.msg), error.pos)

    def _members(self, at: int) -> Iterator[_Member]:
        text = self._text
        keyed = text[at] == "{"
        closing = "}" if keyed else "]"
        at = self._gap(at + 1)
        while at < len(text) and text[at] != closing:
            key, begin = None, at
            self._found += 1
            if self._is_dense and self._found > MOST_ROWS:
                raise DataError(
                    _("This JSON document has more than {most:,} rows.", most=MOST_ROWS),
                    where=self._name,
                    hint=_("Write it as JSON lines, one item a line."),
                )
            if keyed:
                if text[at] != '"':
                    raise json.JSONDecodeError(_("a key in double quotes was expected"), text, at)
                key, at = self._key(at)
                at = self._gap(at)
                if text[at : at + 1] != ":":
                    raise json.JSONDecodeError(_("a colon was expected"), text, at)
                at = self._gap(at + 1)
            start, problem, fault = at, "", at
            opens = self._is_dense and text[at : at + 1] in {"{", "["}
            if opens and key not in SPLITS:
                self._check_values(at)
            try:
                if opens and key in SPLITS:
                    end = self._balanced(at, _MOST_TOKENS)  # Its rows are looked at one by one.
                else:
                    _value, end = self._decoder.raw_decode(text, at)
            except json.JSONDecodeError as error:
                problem, fault = _("This is not JSON: {why}", why=error.msg), error.pos
                end = self._balanced(at)
            except RecursionError:
                problem, end = _("This is nested too deeply"), self._balanced(at)
            yield _Member(key, begin, start, end, problem, fault)
            at = self._gap(end)
            if text[at : at + 1] == ",":
                at = self._gap(at + 1)
            elif text[at : at + 1] != closing:
                raise json.JSONDecodeError(_("a comma was expected"), text, at)
        if at >= len(text):
            raise json.JSONDecodeError(
                _("“{closing}” was expected", closing=closing), text, len(text)
            )

    def _key(self, at: int) -> tuple[str, int]:
        """The key at a place, and where it ends."""
        key, end = self._decoder.raw_decode(self._text, at)
        if key.isascii():
            return key, end
        written = self._text[at:end].encode("latin-1").decode("utf-8", "surrogateescape")
        return json.loads(written), end

    def _check_values(self, at: int) -> None:
        """Raise `DataError` for a value at a place that holds too many others to be decoded."""
        end = self._balanced(at, 2 * MOST_VALUES)
        line = self._line + self._text.count("\n", self._position, at)
        problem = too_many_values(self._text[at:end].encode("latin-1"), self._name, line)
        if problem is not None:
            raise problem

    def _balanced(self, at: int, most: int | None = None) -> int:
        """The end of a value that may be broken, found by its balanced brackets.

        That of its first `most` strings and brackets, where it has more.
        """
        if self._text[at : at + 1] not in {"{", "["}:
            end = _SCALAR_END.search(self._text, at)
            return end.start() if end else len(self._text)
        depth = 0
        token = None
        for token in islice(_TOKEN.finditer(self._text, at), most):
            sign = token.group()
            if sign in {"{", "["}:
                depth += 1
                if depth > _DEEPEST:
                    break
            elif sign in {"}", "]"}:
                depth -= 1
                if not depth:
                    return token.end()
        return len(self._text) if most is None or token is None else token.end()
