"""Reads abstraction tuples as they are released, one JSON object a line.

A row has `event` (the head event, in which "<" and ">" mark one instance), `concept` (a text, a
list of texts, or texts with "[SEP]" between them), in detection data `label` (1 valid, 0 invalid)
and, in the merged folders, `type` (noun, verb, event). Elsewhere the folder states the type; an
instance that is the whole sentence can only be an event.

Every row counts here; duplicates and contradictions are found by
`core.benchmarks.abspyramid.tuple_store`. Rows of AbstractATOMIC and of Levy/Holt are read by
`core.benchmarks.abspyramid.transfer_datasets`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from core.benchmarks.abspyramid.dataset_files import TABLES, Layout, TupleSource, layout
from core.benchmarks.abspyramid.predictions import MOST_CHARACTERS, SEPARATOR
from core.benchmarks.abspyramid.transfer_datasets import (
    Abstraction,
    from_premise_and_hypothesis,
    from_sentence_pair,
    from_table_row,
    parse_marked_event,
)
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.files.row_file import RowFile
from core.files.rows import Row, decoding_problem, first_character
from core.files.unreadable import too_many_failures, unreadable_file_error
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from core.text.suggestions import suggestion

EXPECTED = N_(
    "Expected are rows like "
    '{"event": "<a cat> chased a mouse", "concept": "animal", "label": 1, "type": "noun"}.'
)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LABELS: dict[Any, bool | None] = {
    None: None, 0: False, 1: True, "0": False, "1": True, "false": False, "true": True,
}  # fmt: skip
"""What each label means; False and 0.0 are equal to 0, and True and 1.0 to 1."""
_RELATIONS = {relation.value: relation for relation in Relation}


class TupleContent(NamedTuple):
    """The content of a row: a tuple without its position."""

    head: str
    start: int
    end: int
    relation: Relation
    concepts: tuple[str, ...]
    label: bool | None


class _Fields(msgspec.Struct, gc=False):
    """The fields of a row: released, of AbstractATOMIC, or a premise and a hypothesis."""

    event: str = ""
    concept: str | list[str] = ""
    label: bool | int | float | str | None = None
    type: str | None = None
    sent_a: str | None = None
    sent_b: str = ""
    premise: str | None = None
    hypothesis: str = ""


_DECODER = msgspec.json.Decoder(_Fields)


class TupleFile:
    """A file of tuples that stays open; a row can be read again. Several threads may do so."""

    def __init__(self, source: TupleSource) -> None:
        """Open a file; raises `DataError`."""
        self.source = source
        self._is_table = source.path.suffix.lower() in TABLES
        try:
            self.file = RowFile(source.path)
        except FileNotFoundError:
            raise DataError(_("There is no such file."), where=source.path) from None

    def rows(self, errors: list[DataError]) -> Iterator[tuple[Row, TupleContent]]:
        """Every row with its content; errors of rows that cannot be read go to `errors`.

        Raises `DataError` where the file as a whole cannot be read.
        """
        first_errors: list[DataError] = []
        read = 0
        for row in self._rows(errors):
            try:
                content = self.content(row)
            except DataError as error:
                (errors if read else first_errors).append(error)
                if too_many_failures(read, len(first_errors)):
                    raise unreadable_file_error(first_errors[0]) from error
                continue
            if content is not None:
                if not read:
                    errors.extend(first_errors)
                read += 1
                yield row, content
        if not read:
            errors.extend(first_errors)

    def tuples(self, errors: list[DataError]) -> Iterator[AbstractTuple]:
        """Every tuple, in order; errors as of `rows`."""
        for row, content in self.rows(errors):
            yield self._tuple(row, content)

    def read_again(self, row: Row) -> AbstractTuple:
        """The tuple of a row that was read before; raises `DataError` if it was changed since."""
        content = self.content(row)
        if content is None:
            raise DataError(_("This is no tuple any more."), where=self.file.where(row.line))
        return self._tuple(row, content)

    def content(self, row: Row) -> TupleContent | None:
        """The content of a row; None for a line of column names. Raises `DataError`."""
        raw, where = row.raw, self.file.where(row.line)
        if self._is_table:
            abstraction = from_table_row(_columns(raw, where), where)
            if abstraction is None:
                return None
        else:
            abstraction = _abstraction(_decoded(raw, where), where)
        head, start, end, relation, concepts, label = abstraction
        if relation is None:
            relation = self._relation_by_source(abstraction, where)
        if relation is Relation.EVENT and not abstraction.is_whole:
            instance = escape_control_characters(head[start:end], limit=40)
            raise DataError(
                _("The instance of an event is the whole sentence, and here it is a part."),
                where=where,
                hint=_(
                    "Mark the sentence, or say that “{instance}” is a noun or a verb.",
                    instance=instance,
                ),
            )
        if len(raw) > MOST_CHARACTERS:
            _check_lengths(abstraction, where)
        return TupleContent(head, start, end, relation, concepts, label)

    def _tuple(self, row: Row, content: TupleContent) -> AbstractTuple:
        return AbstractTuple(*content, origin=self.file.where(row.line))

    def _relation_by_source(self, abstraction: Abstraction, where: str) -> Relation:
        """The relation according to the folder, or to the instance itself."""
        if self.source.relation is not None:
            return self.source.relation
        if self.source.is_atomic:
            return abstraction.atomic_relation
        if abstraction.is_whole:
            return Relation.EVENT
        raise DataError(
            _("Nothing says whether the instance is a noun or a verb."),
            where=where,
            hint=_("Add “type”, or put the file into noun_dataset or verb_dataset."),
        )

    def _rows(self, errors: list[DataError]) -> Iterator[Row]:
        if self.file.head.startswith(_UTF_16):
            raise DataError(
                _("This text is in UTF-16."), where=self.file.where(1), hint=_("Save it as UTF-8.")
            )
        if self._is_table or first_character(self.file.handle) != b"[":
            # Released .json files hold a row a line, even where the first one is damaged.
            yield from self.file.lines(errors)
        else:
            yield from self.file.rows(errors, _(EXPECTED))


def read_tuples(path: Path) -> Iterator[AbstractTuple]:
    """Every tuple of a file or folder, in the order of the files and their lines.

    Raises `DataError` with file and line at the first row that is none.
    """
    return tuples_in(layout(path))


def tuples_in(dataset: Layout) -> Iterator[AbstractTuple]:
    """Every tuple of some files; raises `DataError` at the first row that is none."""
    for source in dataset.sources:
        errors: list[DataError] = []
        for each in TupleFile(source).tuples(errors):
            if errors:
                break
            yield each
        if errors:
            raise errors[0]


def _check_lengths(abstraction: Abstraction, where: str) -> None:
    if max(len(abstraction.head), *map(len, abstraction.concepts)) > MOST_CHARACTERS:
        raise DataError(
            _(
                "The event or a concept is longer than {most_characters:,} characters.",
                most_characters=MOST_CHARACTERS,
            ),
            where=where,
        )


def _decoded(raw: bytes, where: str) -> _Fields:
    try:
        return _DECODER.decode(raw)
    except (ValueError, RecursionError) as error:
        what = _("This is no tuple: {decoding_problem}.", decoding_problem=decoding_problem(error))
        raise DataError(what, where=where, hint=_(EXPECTED)) from error


def _abstraction(fields: _Fields, where: str) -> Abstraction:
    if fields.event:
        span = parse_marked_event(fields.event, "<", ">", where)
        abstraction = Abstraction(*span, None, _concepts(fields.concept, where))
    elif fields.sent_a is not None:
        abstraction = from_sentence_pair(fields.sent_a, fields.sent_b, where)
    elif fields.premise is not None:
        abstraction = from_premise_and_hypothesis(fields.premise, fields.hypothesis, where)
    else:
        raise DataError(_("There is no event in this row."), where=where, hint=_(EXPECTED))
    relation = abstraction.relation
    if relation is None and fields.type is not None:
        relation = _RELATIONS.get(fields.type) or _relation(fields.type, where)
    return abstraction._replace(relation=relation, label=_label(fields.label, where))


def _concepts(given: str | list[str], where: str) -> tuple[str, ...]:
    if isinstance(given, str) and SEPARATOR not in given and (text := given.strip()):
        return (text,)
    texts = given if isinstance(given, list) else given.split(SEPARATOR)
    concepts = tuple(text for each in texts if (text := each.strip()))
    if not concepts:
        raise DataError(_("There is no concept in this row."), where=where, hint=_(EXPECTED))
    return concepts


def _label(given: bool | float | str | None, where: str) -> bool | None:
    known = given.strip().casefold() if isinstance(given, str) else given
    if known not in _LABELS:
        raise DataError(
            _("“{given}” is not a label.", given=escape_control_characters(str(given), limit=40)),
            where=where,
            hint=_("A label is 1 (valid) or 0 (not valid)."),
        )
    return _LABELS[known]


def _relation(given: str, where: str) -> Relation:
    name = given.strip().casefold()
    relation = _RELATIONS.get(name.removesuffix("-entail"))
    if relation is None:
        raise DataError(
            _(
                "“{given}” is not a type of abstraction.",
                given=escape_control_characters(given, limit=40),
            ),
            where=where,
            hint=suggestion(_("Types"), Relation, name[:40]),
        )
    return relation


def _columns(raw: bytes, where: str) -> list[str]:
    try:
        return [column.strip() for column in raw.decode("utf-8").rstrip("\r\n").split("\t")]
    except UnicodeDecodeError as error:
        raise DataError(_("This line is not UTF-8 text."), where=where) from error
