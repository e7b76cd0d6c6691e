"""Reads questions with their pairing templates from a YAML file in our own format.

`questions` is a list; each has `id`, `question`, `choices` (label: text) and `answer` (a label),
and may have `concept`, `language` and `pairings`. A pairing has `skill`, `end` (source or target:
the end of the pairing term), `term` and `surface`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate, check_pairings
from core.benchmarks.accord.sources.qa import QuestionError, QuestionItem
from core.benchmarks.accord.sources.qa_schemas import end_named, with_pairings
from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.text.errors import ConfigError, DataError

SUFFIXES = frozenset({".yaml", ".yml"})
"""How the names of such files end."""
_QUESTION_KEYS = ("id", "question", "choices", "answer", "concept", "language", "pairings")
_NEEDED = ("id", "question", "choices", "answer")
_PAIRING_KEYS = ("skill", "end", "term", "surface", "reviewed")


def read_questions(
    path: Path, skills: Collection[str]
) -> tuple[list[QuestionItem], list[DataError]]:
    """The questions of a file, and the errors of the others.

    A question with a faulty pairing template is kept without templates. `skills` are the names of
    all skills. Raises `DataError` if the file as a whole cannot be read.
    """
    items: list[QuestionItem] = []
    errors: list[DataError] = []
    with strict_yaml.data_errors():
        values = _root(path, "questions").parts()
    for value in values:
        try:
            fields = value.members(
                _QUESTION_KEYS, _NEEDED, "A question has id, question, choices and answer."
            )
            item = _item(value, fields)
        except ConfigError as error:
            errors.append(DataError.of(error))
            continue
        try:
            templates = _pairings(fields["pairings"], item, skills) if "pairings" in fields else ()
            items.append(with_pairings(item, templates, skills))
        except (ConfigError, PairingError) as error:
            items.append(item)
            errors.append(PairingError.of(error, where=error.where or item.origin))
    return items, errors


def read_pairings(path: Path) -> tuple[dict[str, tuple[PairingTemplate, ...]], list[DataError]]:
    """Pairing templates by the id of their question: `pairings` is a mapping of such lists.

    Raises `DataError` if the file as a whole cannot be read.
    """
    by_question: dict[str, tuple[PairingTemplate, ...]] = {}
    errors: list[DataError] = []
    with strict_yaml.data_errors():
        root = _root(path, "pairings").members()
    for question, value in root.items():
        try:
            by_question[question] = tuple(_pairing(part) for part in value.parts())
        except ConfigError as error:
            errors.append(DataError.of(error))
    return by_question, errors


def _root(path: Path, key: str) -> Value:
    root = strict_yaml.read(path, "The file")
    return root.members((key,), (key,), f"It has {key}.")[key]


def _item(value: Value, fields: Mapping[str, Value]) -> QuestionItem:
    choices = tuple(
        (label.strip(), " ".join(text.text().split()))
        for label, text in fields["choices"].members().items()
    )
    texts = {
        name: field.text().strip()
        for name, field in fields.items()
        if name not in ("choices", "pairings")
    }
    try:
        return QuestionItem(
            texts["id"],
            texts["question"],
            choices,
            texts["answer"],
            texts.get("concept", ""),
            language=texts.get("language", "en"),
            origin=f"{value.file}:{value.line}",
        )
    except QuestionError as error:
        raise value.error(error.what, error.hint) from error


def _pairings(
    value: Value, item: QuestionItem, skills: Collection[str]
) -> tuple[PairingTemplate, ...]:
    """The templates; errors name the line of their own template."""
    pairings: list[PairingTemplate] = []
    for part in value.parts():
        pairings.append(_pairing(part))
        try:
            check_pairings(pairings, item.texts, skills)
        except PairingError as error:
            raise part.error(error.what, error.hint) from error
    return tuple(pairings)


def _pairing(value: Value) -> PairingTemplate:
    fields = value.members(
        _PAIRING_KEYS, _PAIRING_KEYS[:4], "A pairing has skill, end, term and surface."
    )
    try:
        return PairingTemplate(
            fields["skill"].text().strip(),
            end_named(fields["end"].text().strip()),
            fields["term"].text().strip(),
            fields["surface"].text().strip(),
            fields["reviewed"].truth() if "reviewed" in fields else True,
        )
    except PairingError as error:
        raise value.error(error.what, error.hint) from error
