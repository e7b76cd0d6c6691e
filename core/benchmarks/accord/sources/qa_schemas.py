"""Converts the JSON forms in which data sets keep questions to `QuestionItem`.

Known are CommonsenseQA as released (the question is an object with `stem` and `choices`) and as
on the Hugging Face hub (`choices` is an object of lists), OpenBookQA in both forms, the QA data of
ACCORD's authors, and plain `{id, question, choices, answer}`.

Blanks around a text are dropped, and numbers are read as texts. A null is not a text, while the
words "null", "None" and "NA" are texts like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate, check_pairings
from core.benchmarks.accord.sources.qa import QuestionError, QuestionItem
from core.benchmarks.accord.trees.skills import End
from core.files.rows import decoding_problem
from core.system.typed_values import ready
from core.text.errors import DataError
from core.text.escaping import quoted

_Form = TypeVar("_Form", bound=msgspec.Struct)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FORM = "Expected is {id, question, choices, answer}, or CommonsenseQA's or OpenBookQA's form."


def question_item(
    record: Any, skills: Collection[str], *, origin: str = ""
) -> tuple[QuestionItem, tuple[DataError, ...]]:
    """The question in a JSON value, and the errors of its pairing templates.

    A question with a faulty pairing template is kept, without pairing templates.

    Args:
        record: the value, in any of the known forms.
        skills: the names of the skills that a pairing template may have.
        origin: its `file:line`.

    Raises:
        QuestionError: for a value that is no question, or a question that cannot be used.
    """
    if not isinstance(record, Mapping):
        raise QuestionError("This is no question.", hint=_FORM)
    if "answer_choices" in record:
        item, form = _authors(record, origin), authors_pairing
        raw = record.get("pairing_templates")
    else:
        item, form = _plain(record, origin), _own_pairing
        raw = record.get("pairings")
    if raw is None:
        return item, ()
    try:
        if not isinstance(raw, Sequence) or isinstance(raw, str):
            raise PairingError("The pairing templates are no list.")
        templates = tuple(form(value) for value in raw)
        return with_pairings(item, templates, skills), ()
    except PairingError as error:
        return item, (PairingError.of(error, where=origin),)


def with_pairings(
    item: QuestionItem, pairings: Sequence[PairingTemplate], skills: Collection[str]
) -> QuestionItem:
    """The question with these pairing templates; raises `PairingError` if it cannot have them."""
    check_pairings(pairings, item.texts, skills)
    return replace(item, pairings=tuple(pairings))


def _plain(record: Mapping[str, Any], origin: str) -> QuestionItem:
    """CommonsenseQA and OpenBookQA as released and on the hub, and plain questions."""
    inner = record["question"] if isinstance(record.get("question"), Mapping) else record
    choices = _choices(_present(inner, "choices"))
    answer = record.get("answer")
    return QuestionItem(
        _text(_present(record, "id"), "The id"),
        _text(_present(inner, "question", "question_stem", "stem"), "The question"),
        choices,
        _key(record) if answer is None else _answer(answer, choices),
        _optional(inner, "question_concept", "concept"),
        language=_optional(record, "language") or "en",
        origin=origin,
    )


def _authors(record: Mapping[str, Any], origin: str) -> QuestionItem:
    """ACCORD's QAData (`converted/*.jsonl`)."""
    extra = record.get("kwargs")
    return QuestionItem(
        _text(_present(record, "identifier"), "The id"),
        _text(_present(record, "question"), "The question"),
        _choices(_present(record, "answer_choices")),
        _text(_present(record, "correct_answer_label"), "The answer"),
        _optional(extra, "csqa_question_concept") if isinstance(extra, Mapping) else "",
        origin=origin,
    )


def _choices(raw: Any) -> tuple[tuple[str, str], ...]:
    """Label and text of each choice: of texts, `{label: text}`, or objects with both fields."""
    if isinstance(raw, Mapping):
        pairs = _columns(raw) if set(raw) == {"label", "text"} else iter(raw.items())
    elif isinstance(raw, Sequence) and not isinstance(raw, str):
        pairs = _rows(raw)
    else:
        raise QuestionError("The choices are neither a list nor an object.", hint=_FORM)
    return tuple(
        (_text(label, "The label of a choice"), " ".join(_text(text, "A choice").split()))
        for label, text in pairs
    )


def _columns(raw: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    labels, texts = raw["label"], raw["text"]
    if isinstance(labels, str) and isinstance(texts, str):
        # Two choices whose labels are “label” and “text”.
        return iter(raw.items())
    if not (isinstance(labels, list) and isinstance(texts, list) and len(labels) == len(texts)):
        raise QuestionError("There are not as many labels as texts of choices.")
    return zip(labels, texts, strict=True)


def _rows(raw: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    if len(raw) > len(_LETTERS):
        raise QuestionError(f"There are more than {len(_LETTERS)} choices.")
    for letter, value in zip(_LETTERS, raw, strict=False):
        if isinstance(value, Mapping):
            yield value.get("label", letter), _present(value, "text")
        else:
            yield letter, value


def _key(record: Mapping[str, Any]) -> str:
    """The label of the right choice according to the data set."""
    key = record.get("answerKey")
    if key is None or key == "":
        raise QuestionError(
            "The question has no answer.",
            hint="Test splits are released without answers; use the development split.",
        )
    return _text(key, "The answer")


def _answer(raw: Any, choices: Sequence[tuple[str, str]]) -> str:
    """The label of the right choice, which is given by its label, its text or its index.

    Raises `QuestionError` where it could mean different choices.
    """
    text = _text(raw, "The answer")
    wanted = " ".join(text.split())
    labels = {label for label, _ in choices if label == text}
    labels |= {label for label, choice in choices if choice == wanted}
    if isinstance(raw, int) and 0 <= raw < len(choices):
        labels.add(choices[raw][0])
    if len(labels) > 1:
        raise QuestionError(
            f"The answer {quoted(text)} can mean several of the choices.",
            hint="A label in quotes is never a position; call no choice by another one's label.",
        )
    return labels.pop() if labels else text


class _OwnPairing(msgspec.Struct):
    skill: str
    end: str
    term: str
    surface: str
    reviewed: bool = True


class _AuthorsEnd(msgspec.Struct):
    term: str | None = None


class _AuthorsRelation(msgspec.Struct):
    type_: str
    surface_form: str


class _AuthorsPairing(msgspec.Struct):
    source: _AuthorsEnd
    relation: _AuthorsRelation
    target: _AuthorsEnd


def _own_pairing(raw: Any) -> PairingTemplate:
    fields = _converted(raw, _OwnPairing)
    end, term = end_named(fields.end.strip()), fields.term.strip()
    skill, surface = fields.skill.strip(), fields.surface.strip()
    return PairingTemplate(skill, end, term, surface, fields.reviewed)


def authors_pairing(raw: Any) -> PairingTemplate:
    """A pairing template in the authors' form: two ends, one with a term, and their relation."""
    fields = _converted(raw, _AuthorsPairing)
    source, target = fields.source.term, fields.target.term
    if (source is None) == (target is None):
        raise PairingError("Exactly one end of a pairing template must have a term.")
    end, term = (End.SOURCE, source) if target is None else (End.TARGET, target)
    relation = fields.relation
    return PairingTemplate(relation.type_, end, (term or "").strip(), relation.surface_form.strip())


def _converted(raw: Any, form: type[_Form]) -> _Form:
    try:
        return msgspec.convert(raw, ready(form))
    except msgspec.ValidationError as error:
        what = f"A pairing template is not as expected: {decoding_problem(error)}."
        hint = f"Expected are {', '.join(form.__struct_fields__)}."
        raise PairingError(what, hint=hint) from error


def end_named(name: str) -> End:
    """The end of a template that a file names; raises `PairingError`."""
    try:
        return End(name.casefold())
    except ValueError:
        raise PairingError(
            f"{quoted(name)} is no end of a template.",
            hint="Write source or target.",
        ) from None


def _present(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is not null."""
    for name in names:
        if record.get(name) is not None:
            return record[name]
    raise QuestionError(f"The question has no {names[0]}.", hint=_FORM)


def _optional(record: Mapping[str, Any], *names: str) -> str:
    for name in names:
        if record.get(name) is not None:
            return _text(record[name], f"The {name}")
    return ""


def _text(value: Any, name: str) -> str:
    """A text or a number as a text, without blanks around it."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise QuestionError(f"{name} is no text.", hint='A word such as null needs quotes: "null".')
