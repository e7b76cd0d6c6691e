"""A row of CauseNet: a causal relation and the sources that state it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from core.benchmarks.com2.row_collection import EXPECTED
from core.files.rows import decoding_problem
from core.text.errors import DataError
from core.text.language import _
from core.text.quantities import counted

MARK = b'"causal_relation"'
"""Stands in the beginning of every file of relations and of no other file of Com²."""
LONGEST_CONCEPT = 200
_LONGEST_SENTENCE = 400


class _Concept(msgspec.Struct, gc=False):
    concept: str


class _Ends(msgspec.Struct, gc=False):
    cause: _Concept
    effect: _Concept


class Relation(msgspec.Struct):
    """A decoded row; its sources are decoded when they are needed."""

    causal_relation: _Ends
    sources: list[msgspec.Raw] | None = None


class Source(msgspec.Struct):
    """A source of a relation; a quoted sentence is in the payload."""

    type: str = ""
    payload: dict[str, Any] | None = None


_RELATION = msgspec.json.Decoder(Relation)
_SOURCE = msgspec.json.Decoder(Source)


def relation_of(raw: bytes, where: str) -> Relation:
    """The relation of a row; raises `DataError`."""
    try:
        relation = _RELATION.decode(raw)
    except (ValueError, RecursionError) as error:
        what = _(
            "This is no causal relation: {decoding_problem}.",
            decoding_problem=decoding_problem(error),
        )
        raise DataError(what, where=where, hint=_(EXPECTED)) from error
    ends = relation.causal_relation
    for name in (ends.cause.concept, ends.effect.concept):
        if not name.strip("_ \t\r\n"):
            raise DataError(_("A concept is empty."), where=where)
        if len(name) > LONGEST_CONCEPT:
            raise DataError(
                _(
                    "A concept is longer than {longest_concept} characters.",
                    longest_concept=LONGEST_CONCEPT,
                ),
                where=where,
            )
    return relation


def source_of(raw: msgspec.Raw) -> Source:
    """A decoded source; an empty one where it is not as expected, because it still counts."""
    try:
        return _SOURCE.decode(raw)
    except (ValueError, RecursionError):
        return Source()


def kinds_of(sources: Sequence[Source]) -> str:
    """The number of sources and their types, in words."""
    if not sources:
        return "no source named"
    kinds = Counter(in_words(source.type.strip()) or "of no type" for source in sources)
    listed = ", ".join(
        f"{kind} × {count}" if count > 1 else kind for kind, count in kinds.most_common(5)
    )
    return f"{counted(len(sources), 'source')}: {listed}"


def sentence_of(sources: Sequence[Source]) -> str:
    """The first sentence that a source quotes."""
    for source in sources:
        sentence = (source.payload or {}).get("sentence")
        if isinstance(sentence, str) and sentence.strip():
            text = " ".join(sentence[: 4 * _LONGEST_SENTENCE].split())
            cut = text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE]}…"
            return f"“{cut}”"
    return ""


def in_words(name: str) -> str:
    """A concept's name in words."""
    return name.replace("_", " ")
