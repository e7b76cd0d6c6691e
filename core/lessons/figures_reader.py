"""Reads the texts of a lesson, and the figures over a collection that a step counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.files.strict_yaml import Value
from core.lessons.claim import Asked
from core.lessons.claims import read_asked
from core.lessons.lesson import LANGUAGES, Figures, Words

_MOST_ROWS, _MOST_COLUMNS = 9, 5
_ASKED = ("when", "of", "set")


def read_figures(value: Value, spoken: Sequence[str]) -> Figures:
    """Figures in rows and columns; raises `ConfigError`.

    Each cell counts what its row, its column and the whole say together: values of switches are
    joined, and so are facts of items; the claim is that of the row, the column, or the whole.
    """
    parts = value.members(("caption", "rows", "columns", *_ASKED), ("caption", "rows"))
    rows = parts["rows"].parts()
    columns = parts["columns"].parts() if "columns" in parts else []
    if not 1 <= len(rows) <= _MOST_ROWS or len(columns) > _MOST_COLUMNS:
        raise value.error(f"Figures have 1 to {_MOST_ROWS} rows, and {_MOST_COLUMNS} columns.")
    whole = {name: parts[name] for name in _ASKED if name in parts}
    lines = [_line(row) for row in rows]
    heads = [_line(column) for column in columns]
    return Figures(
        read_words(parts["caption"], spoken),
        tuple(read_words(line["text"], spoken) for line in lines),
        tuple(read_words(head["text"], spoken) for head in heads),
        tuple(tuple(_asked(value, whole, line, head) for head in heads or [{}]) for line in lines),
    )


def _line(value: Value) -> dict[str, Value]:
    return value.members(("text", *_ASKED), ("text",))


def _asked(value: Value, *levels: Mapping[str, Value]) -> Asked:
    """What a cell counts, from what the whole, its row and its column say, in this order."""
    claims = [level["when"] for level in levels if "when" in level]
    if not claims:
        raise value.error("Nothing is counted here.", "Add when: with a claim.")
    each = [
        read_asked({**level, "when": claims[-1]}) for level in levels if level.keys() & set(_ASKED)
    ]
    values = {key: word for asked in each for key, word in asked.values}
    facts = tuple(fact for asked in each for fact in asked.of)
    return Asked(each[-1].claim, facts, tuple(values.items()))


def read_words(value: Value, spoken: Sequence[str] | None) -> Words:
    """A text in the languages of the lesson, which the first text (`spoken` is None) sets."""
    if not value.named:
        if spoken:
            raise value.error(
                f"{value.name} must be there in {' and '.join(spoken)}, as the title is.",
                f"Write {value.name}: with {spoken[0]}: text below it.",
            )
        return Words((("", value.text()),))
    wanted = LANGUAGES if spoken is None else spoken
    parts = value.members(wanted)
    lacking = [language for language in spoken or () if language not in parts]
    if lacking or not parts:
        raise value.error(f"{value.name} lacks {' and '.join(lacking) or 'a text'}.")
    if spoken is not None and not spoken:
        raise value.error(f"{value.name} must be one text, as the title is.")
    return Words(
        tuple((language, parts[language].text()) for language in LANGUAGES if language in parts)
    )
