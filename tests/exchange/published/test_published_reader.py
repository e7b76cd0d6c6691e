"""The reader of published tables: what it reads, and that nothing wrong goes without its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.exchange.published.reader import LONGEST_TEXT, MOST_COLUMNS, MOST_NOTES, MOST_ROWS
from core.exchange.published.reader import read_table as read
from core.exchange.published.table import RowKind, Unit
from core.files.strict_yaml import LIMIT
from core.text.errors import DataError

WHOLE = """\
benchmark: gita
paper: Someone (2020), "Something"
source: Table 9
title: Two models
unit: percent
conditions: {task: guessing, shots: 0}
variants:
  tuned: {training: fine-tuned}
notes: [One note.]
columns:
  - {name: Acc, layer: story_class, metric: Accuracy}
  - {name: Items, unit: count}
rows:
  - {name: A, values: [50.00, "1,234"]}
  - {name: A, variant: tuned, conditions: {shots: 3}, values: ["-", 7]}
  - {name: People, kind: human, values: [100, "?"]}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "gita-table-9.yaml"


def test_a_table_is_read_whole(file: Path) -> None:
    file.write_text(WHOLE, encoding="utf-8")
    table = read(file)
    assert (table.name, table.benchmark, table.source) == ("gita-table-9", "gita", "Table 9")
    assert table.notes == ("One note.",)
    accuracy, items = table.columns
    assert (accuracy.unit, accuracy.layer, accuracy.metric) == (
        Unit.PERCENT,
        "story_class",
        "Accuracy",
    )
    assert (items.unit, items.layer, items.metric) == (Unit.COUNT, None, None)
    assert [row.label for row in table.rows] == ["A", "A, tuned", "People"]
    assert table.rows[0].texts == ("50.00", "1,234")
    assert table.rows[0].values == (50.0, 1234.0)
    assert table.rows[1].values == (None, 7.0)
    assert table.rows[2].kind is RowKind.HUMAN
    assert [(f.row, f.column, f.text) for f in table.figures()] == [
        ("A", "Acc", "50.00"),
        ("A", "Items", "1,234"),
        ("A, tuned", "Items", "7"),
        ("People", "Acc", "100"),
    ]
    tuned = [figure for figure in table.figures() if figure.row == "A, tuned"]
    assert tuned[0].conditions == {"task": "guessing", "shots": "3", "training": "fine-tuned"}


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("benchmark: gita\n", "", 1, "lacks benchmark"),
        ("title:", "titel:", 4, "Did you mean “title”?"),
        ("unit: percent\n", "", 10, "no unit"),
        ("unit: percent", "unit: percents", 5, "Did you mean “percent”?"),
        ("unit: count", "unit: weight", 12, "unit cannot be “weight”"),
        ("kind: human", "kind: dog", 16, "kind cannot be “dog”"),
        ("variant: tuned", "variant: turned", 15, "Did you mean “tuned”?"),
        ("shots: 3", "shot: 3", 15, "Did you mean “shots”?"),
        ("{training: fine-tuned}", "[fine-tuned]", 8, "names with values"),
        ("variant: tuned, ", "", 14, "“A” twice"),
        ("name: Items", "name: Acc", 11, "“Acc” twice"),
        ("[50.00,", "[50.00, 1,", 14, "3 values; the table has 2 columns"),
        ("50.00", "50.00.1", 14, "must be a number"),
        ("50.00", "5e1", 14, "must be a number"),
        ("50.00", ".nan", 14, "must be a number"),
        ("50.00", "5_0", 14, "must be a number"),
        ("50.00", '"12,34"', 14, "must be a number"),
        ("50.00", "null", 14, "must be a text, a number"),
        ("50.00", "[50.00]", 14, "must be a text, a number"),
        ("50.00", "100.01", 14, "from 0 to 100"),
        ("50.00", "-1", 14, "from 0 to 100"),
        ('"1,234"', "1.5", 14, "whole number"),
        ("rows:", "rows: []\nmore:", 14, "has no “more”"),
        ("notes: [One note.]", "notes: []", 9, f"1 to {MOST_NOTES} parts"),
        ("One note.", f'"{"a" * (LONGEST_TEXT + 1)}"', 9, f"{LONGEST_TEXT} characters"),
        ("Two models", "[Two, models]", 4, "must be a text"),
        ("title: Two models", "title: Two models\ntitle: Three", 5, "twice"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    file: Path, old: str, new: str, line: int, says: str
) -> None:
    assert old in WHOLE
    file.write_text(WHOLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read(file)
    assert says in str(error.value)
    assert error.value.where == f"{file}:{line}"


def test_a_table_has_a_bounded_number_of_rows_and_columns(file: Path) -> None:
    rows = "".join(f"  - {{name: r{i}, values: [1, 1]}}\n" for i in range(MOST_ROWS + 1))
    file.write_text(WHOLE[: WHOLE.index("rows:")] + f"rows:\n{rows}", encoding="utf-8")
    with pytest.raises(DataError, match=f"1 to {MOST_ROWS} parts"):
        read(file)
    columns = ", ".join(f"{{name: c{i}}}" for i in range(MOST_COLUMNS + 1))
    head, tail = WHOLE[: WHOLE.index("columns:")], WHOLE[WHOLE.index("rows:") :]
    file.write_text(f"{head}columns: [{columns}]\n{tail}", encoding="utf-8")
    with pytest.raises(DataError, match=f"1 to {MOST_COLUMNS} parts"):
        read(file)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"- a\n", "names with values"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a: [b\n", "not YAML"),
        (b"#" * (LIMIT + 1), "larger|more than"),
    ],
)
def test_what_is_no_table_is_a_typed_error(file: Path, content: bytes, says: str) -> None:
    file.write_bytes(content)
    with pytest.raises(DataError, match=says):
        read(file)


def test_a_missing_file_is_a_typed_error(file: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read(file)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.integers(0, len(WHOLE)), length=st.integers(0, 12), new=st.text("[]{}:,-\"' \n0a?#&*")
)
def test_a_damaged_file_is_read_or_is_a_typed_error(
    file: Path, start: int, length: int, new: str
) -> None:
    file.write_text(WHOLE[:start] + new + WHOLE[start + length :], encoding="utf-8")
    try:
        table = read(file)
    except DataError:
        return
    assert all(len(row.values) == len(table.columns) for row in table.rows)
