"""Reads the texts of a lesson, and the figures over a collection that a step counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.files.strict_yaml import Value
from core.lessons.claim import Asked, Claim
from core.lessons.claims import read_claim, read_facts, read_set
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
    whole = _level(parts)
    lines = [row.members(("text", *_ASKED), ("text",)) for row in rows]
    heads = [column.members(("text", *_ASKED), ("text",)) for column in columns]
    in_rows = [_level(line) for line in lines]
    in_columns = [_level(head) for head in heads] or [_Level()]
    return Figures(
        read_words(parts["caption"], spoken),
        tuple(read_words(line["text"], spoken) for line in lines),
        tuple(read_words(head["text"], spoken) for head in heads),
        tuple(
            tuple(_asked(value, (whole, row, column)) for column in in_columns) for row in in_rows
        ),
    )


@dataclass(frozen=True, slots=True)
class _Level:
    """What the whole, a row or a column says of what is counted; read once for all its cells."""

    claims: tuple[Claim, ...] = ()
    """At most one."""
    of: tuple[Claim, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)


def _level(parts: Mapping[str, Value]) -> _Level:
    claims = (read_claim(parts["when"]),) if "when" in parts else ()
    return _Level(claims, read_facts(parts), read_set(parts))


def _asked(value: Value, levels: Sequence[_Level]) -> Asked:
    """What a cell counts, from what the whole, its row and its column say, in this order."""
    claims = [claim for level in levels for claim in level.claims]
    if not claims:
        raise value.error("Nothing is counted here.", "Add when: with a claim.")
    values = {key: word for level in levels for key, word in level.values.items()}
    facts = tuple(fact for level in levels for fact in level.of)
    return Asked(claims[-1], facts, tuple(values.items()))


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
