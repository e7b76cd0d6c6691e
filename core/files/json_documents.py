"""Finding the documents inside a JSON file, with their lines and byte positions.

Shapes: JSON lines, one story or one evaluation-harness sample a line; a JSON object of stories
by key; the same inside splits (`{"test": {…}}`, as GITA v1 and TRIP are released); a JSON list;
a single story. A key that occurs twice is found twice, which `json.load` would not do. A part
that is not JSON is reported with its line and skipped; what follows it is still found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

import msgspec

from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

SPLITS = frozenset({"train", "dev", "valid", "validation", "test"})
"""Keys under which GITA v1 and TRIP keep their stories."""

LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
DOCUMENT_LIMIT = 512 * 2**20
"""Largest file, in bytes, that is read as one JSON document; JSON lines have no limit."""

EXPECTED = "Expected are GITA stories: a JSON object of stories by key, a JSON list, or JSON lines."
BOM = b"\xef\xbb\xbf"
_DEEPEST = 10_000
"""Brackets in brackets up to which the end of a broken part is looked for."""
_MOST_KEYS = 1000
"""Most keys of a document that is a single story."""
_GAP = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|[{}\[\]]')
_SCALAR_END = re.compile(r"[,}\]\n]|\Z")


class Document(NamedTuple):
    """One JSON value that should be a story."""

    key: str | None
    """Its key in the object that holds it; None in lists and JSON lines."""
    line: int
    """Line at which it, or its key, begins; from 1."""
    start: int
    """Position of its first byte in the file."""
    raw: bytes


class Shape(NamedTuple):
    """How a file holds its documents."""

    lines: bool
    opening: str
    """The first character that is not blank; empty for an empty file."""


def shape(handle: BinaryIO, name: str) -> Shape:
    """How the file open in `handle` holds its documents; raises `DataError` if it is no text."""
    handle.seek(0)
    start = handle.read(2)
    # JSON begins with a character of ASCII: one of its two bytes is null in UTF-16 without a mark.
    if start in {b"\xff\xfe", b"\xfe\xff"} or (len(start) == 2 and start.count(0) == 1):
        where = f"{escape_control_characters(name)}:1"
        raise DataError(_("This text is in UTF-16."), where=where, hint=_("Save it as UTF-8."))
    handle.seek(0)
    first = handle.readline().removeprefix(BOM)
    while first and not first.strip():
        first = handle.readline()
    head = first.lstrip()
    opening = head[:1].decode("latin-1")
    if opening != "{":
        return Shape(lines=False, opening=opening)
    try:
        msgspec.json.decode(head, type=msgspec.Raw)
    except (ValueError, RecursionError):
        # A line that is one brace begins an indented document, whatever the file is called.
        named = name.lower().endswith(tuple(LINE_SUFFIXES)) and head.strip() != b"{"
        return Shape(lines=named, opening=opening)
    return Shape(lines=any(line.strip() for line in handle), opening=opening)


def documents(handle: BinaryIO, name: str, errors: list[DataError]) -> Iterator[Document]:
    """Yield the documents of the file open in `handle`, in file order.

    What is not JSON is appended to `errors`, with `name` as the file's name.
    """
    found = shape(handle, name)
    handle.seek(0)
    if found.lines:
        yield from _lines(handle)
        return
    data = handle.read(DOCUMENT_LIMIT + 1)
    if len(data) > DOCUMENT_LIMIT:
        raise DataError(
            _("This JSON document is larger than {most} MiB.", most=DOCUMENT_LIMIT // 2**20),
            where=escape_control_characters(name),
            hint=_("Write it as JSON lines, one story a line."),
        )
    if found.opening not in {"{", "["}:
        what = _("This is not JSON.") if found.opening else _("This file is empty.")
        errors.append(DataError(what, where=f"{escape_control_characters(name)}:1", hint=EXPECTED))
        return
    yield from _Scanner(data, name, errors).documents()


def _lines(handle: BinaryIO) -> Iterator[Document]:
    start = 0
    for number, whole in enumerate(handle, 1):
        size = len(whole)
        raw = whole.removeprefix(BOM) if number == 1 else whole
        if not raw.isspace():
            yield Document(None, number, start + size - len(raw), raw)
        start += size


@dataclass(frozen=True, slots=True)
class _Member:
    key: str | None
    place: int
    """Position of its key, or of its value in a list."""
    start: int
    end: int
    problem: str
    at: int
    """Position of the problem, if there is one."""


class _Scanner:
    """Walks one JSON document member by member, in characters, and counts lines and bytes."""

    def __init__(self, data: bytes, name: str, errors: list[DataError]) -> None:
        # Bytes that are not UTF-8 must spoil only the story that they stand in.
        self._text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
        self._name = escape_control_characters(name)
        self._errors = errors
        self._place = 0
        self._byte = len(data) - len(data.removeprefix(BOM))
        self._line = 1
        # Only the ends of values are wanted, and a number may have thousands of digits.
        self._decoder = json.JSONDecoder(parse_int=str)

    def documents(self) -> Iterator[Document]:
        top = self._gap(0)
        opening = len(self._errors)
        members = self._read(top)
        if self._text[top] == "{":
            first = list(islice(members, _MOST_KEYS))
            if {"sentences", "story_id", "doc"} & {member.key for member in first}:
                whole = [*first, *members]
                if len(self._errors) == opening and self._sound(whole):
                    end = self._gap(whole[-1].end) + 1
                    yield self._document(None, top, top, end)
                return
            members = chain(first, members)
        for member in members:
            if member.key in SPLITS and self._text[member.start] in "{[":
                for inner in self._read(member.start):
                    if self._sound((inner,)):
                        yield self._document(inner.key, inner.place, inner.start, inner.end)
            elif self._sound((member,)):
                yield self._document(member.key, member.place, member.start, member.end)

    def _document(self, key: str | None, place: int, start: int, end: int) -> Document:
        line = self._advance(place)
        self._advance(start)
        raw = self._text[start:end].encode("utf-8", "surrogateescape")
        return Document(key, line, self._byte, raw)

    def _advance(self, place: int) -> int:
        passed = self._text[self._place : place]
        self._line += passed.count("\n")
        self._byte += len(passed.encode("utf-8", "surrogateescape"))
        self._place = place
        return self._line

    def _fail(self, what: str, at: int) -> None:
        line = self._line + self._text.count("\n", self._place, at)
        self._errors.append(DataError(f"{what}.", where=f"{self._name}:{line}", hint=EXPECTED))

    def _sound(self, members: tuple[_Member, ...] | list[_Member]) -> bool:
        broken = [member for member in members if member.problem]
        for member in broken:
            self._fail(member.problem, member.at)
        return not broken

    def _gap(self, at: int) -> int:
        found = _GAP.match(self._text, at)
        return found.end() if found else at

    def _read(self, at: int) -> Iterator[_Member]:
        try:
            yield from self._members(at)
        except json.JSONDecodeError as error:
            self._fail(f"The JSON breaks off: {error.msg}", error.pos)

    def _members(self, at: int) -> Iterator[_Member]:
        text = self._text
        keyed = text[at] == "{"
        closing = "}" if keyed else "]"
        at = self._gap(at + 1)
        while at < len(text) and text[at] != closing:
            key, place = None, at
            if keyed:
                if text[at] != '"':
                    raise json.JSONDecodeError("a key in double quotes was expected", text, at)
                key, at = self._decoder.raw_decode(text, at)
                at = self._gap(at)
                if text[at : at + 1] != ":":
                    raise json.JSONDecodeError("a colon was expected", text, at)
                at = self._gap(at + 1)
            start, problem, fault = at, "", at
            try:
                _, end = self._decoder.raw_decode(text, at)
            except json.JSONDecodeError as error:
                problem, fault = f"This is not JSON: {error.msg}", error.pos
                end = self._balanced(at)
            except RecursionError:
                problem, end = "This is nested too deeply", self._balanced(at)
            yield _Member(key, place, start, end, problem, fault)
            at = self._gap(end)
            if text[at : at + 1] == ",":
                at = self._gap(at + 1)
            elif text[at : at + 1] != closing:
                raise json.JSONDecodeError("a comma was expected", text, at)
        if at >= len(text):
            raise json.JSONDecodeError(f"“{closing}” was expected", text, len(text))

    def _balanced(self, at: int) -> int:
        """Where the value at `at` ends if its brackets are balanced, however broken it is."""
        if self._text[at : at + 1] not in {"{", "["}:
            found = _SCALAR_END.search(self._text, at)
            return found.start() if found else len(self._text)
        depth = 0
        for token in _TOKEN.finditer(self._text, at):
            sign = token.group()
            if sign in {"{", "["}:
                depth += 1
                if depth > _DEEPEST:
                    break
            elif sign in {"}", "]"}:
                depth -= 1
                if not depth:
                    return token.end()
        return len(self._text)
