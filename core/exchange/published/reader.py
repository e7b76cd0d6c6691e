"""Reads a published table from its YAML file; refuses what it does not know, with file and line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.exchange.published.table import (
    LOST,
    NO_FIGURE,
    PublishedColumn,
    PublishedRow,
    PublishedTable,
    RowKind,
    Unit,
)
from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.text.escaping import quoted
from core.text.suggestions import suggestion

MOST_COLUMNS = 20
MOST_ROWS = 60
MOST_NOTES = 12
LONGEST_TEXT = 400
"""Most characters of a name, a note or any other text."""
CONDITIONS = (
    "task",
    "data",
    "split",
    "training",
    "setting",
    "shots",
    "prompt",
    "form",
    "examples",
    "scoring",
    "profile",
)
_NEEDED = ("benchmark", "paper", "source", "title", "columns", "rows")
_KEYS = (*_NEEDED, "unit", "conditions", "variants", "notes")
_COLUMN_KEYS = ("name", "unit", "layer", "metric")
_ROW_KEYS = ("name", "variant", "kind", "conditions", "values")
_FIGURE = re.compile(r"-?(\d{1,3}(,\d{3})+|\d{1,15})(\.\d{1,20})?", re.ASCII)
_BOUNDS = {Unit.PERCENT: (0, 100), Unit.SHARE: (0, 1), Unit.KAPPA: (-1, 1)}
_WHOLE = frozenset({Unit.COUNT})


def read_table(path: Path) -> PublishedTable:
    """The table of a file; raises `DataError` with file and line."""
    with strict_yaml.data_errors():
        return _table(strict_yaml.read(path, "The published table"), path.stem)


def _table(root: Value, name: str) -> PublishedTable:
    parts = root.members(_KEYS, _NEEDED, f"A published table has {', '.join(_NEEDED)}.")
    unit = parts["unit"].one_of(Unit) if "unit" in parts else None
    columns = tuple(_column(value, unit) for value in _list(parts["columns"], MOST_COLUMNS))
    _refuse_repeated([column.name for column in columns], parts["columns"])
    variants = parts["variants"].members() if "variants" in parts else {}
    of_variants = {variant: _conditions(value) for variant, value in variants.items()}
    rows = tuple(_row(value, columns, of_variants) for value in _list(parts["rows"], MOST_ROWS))
    _refuse_repeated([row.label for row in rows], parts["rows"])
    notes = _list(parts["notes"], MOST_NOTES) if "notes" in parts else []
    return PublishedTable(
        name=name,
        benchmark=_text(parts["benchmark"]),
        paper=_text(parts["paper"]),
        source=_text(parts["source"]),
        title=_text(parts["title"]),
        conditions=_conditions(parts["conditions"]) if "conditions" in parts else {},
        notes=tuple(_text(note) for note in notes),
        columns=columns,
        rows=rows,
    )


def _column(value: Value, unit: Unit | None) -> PublishedColumn:
    parts = value.members(_COLUMN_KEYS, ("name",), "Every column has a name.")
    own = parts["unit"].one_of(Unit) if "unit" in parts else unit
    if own is None:
        raise value.error("A column has no unit.", "Give the column or the table a unit.")
    return PublishedColumn(
        name=_text(parts["name"]),
        unit=own,
        layer=_text(parts["layer"]) if "layer" in parts else None,
        metric=_text(parts["metric"]) if "metric" in parts else None,
    )


def _row(
    value: Value,
    columns: Sequence[PublishedColumn],
    of_variants: Mapping[str, Mapping[str, str]],
) -> PublishedRow:
    parts = value.members(_ROW_KEYS, ("name", "values"), "Every row has a name and values.")
    cells = _list(parts["values"], MOST_COLUMNS)
    if len(cells) != len(columns):
        what = f"This row has {len(cells)} values; the table has {len(columns)} columns."
        raise parts["values"].error(what, f"Write {NO_FIGURE!r} where no figure is printed.")
    variant = _text(parts["variant"]) if "variant" in parts else ""
    if variant and variant not in of_variants:
        hint = suggestion("Variants", of_variants, variant)
        raise parts["variant"].error(f"There is no variant {quoted(variant)}.", hint)
    own = _conditions(parts["conditions"]) if "conditions" in parts else {}
    return PublishedRow(
        name=_text(parts["name"]),
        variant=variant,
        kind=parts["kind"].one_of(RowKind) if "kind" in parts else RowKind.MODEL,
        conditions={**of_variants.get(variant, {}), **own},
        texts=tuple(cell.word() for cell in cells),
        values=tuple(
            _number(cell, column.unit) for cell, column in zip(cells, columns, strict=True)
        ),
    )


def _number(cell: Value, unit: Unit) -> float | None:
    """The figure of a cell, with or without commas between thousands; None without one."""
    text = cell.word()
    if text in {NO_FIGURE, LOST}:
        return None
    if not _FIGURE.fullmatch(text):
        hint = f"Write it in digits as it is printed, {NO_FIGURE!r} for none, {LOST!r} for lost."
        raise cell.error("A value must be a number.", hint)
    value = float(text.replace(",", ""))
    low, high = _BOUNDS.get(unit, (0, float("inf")))
    if not low <= value <= high:
        raise cell.error(f"A value in {unit.value} is from {low} to {high}.")
    if unit in _WHOLE and "." in text:
        raise cell.error("A count is a whole number.")
    return value


def _conditions(value: Value) -> dict[str, str]:
    return {key: _bounded(part, part.word()) for key, part in value.members(CONDITIONS).items()}


def _list(value: Value, most: int) -> list[Value]:
    parts = value.parts()
    if not 1 <= len(parts) <= most:
        raise value.error(f"{value.name} must have 1 to {most} parts.")
    return parts


def _text(value: Value) -> str:
    return _bounded(value, value.text())


def _bounded(value: Value, text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise value.error(f"{value.name} is longer than {LONGEST_TEXT} characters.")
    return " ".join(text.split())


def _refuse_repeated(names: Sequence[str], value: Value) -> None:
    repeated = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if repeated is not None:
        raise value.error(f"{value.name} name {quoted(repeated)} twice.", "Give them variants.")
