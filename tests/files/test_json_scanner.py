"""Damaged JSON written without blanks: the rows around the damage keep keys, lines and bytes."""

from __future__ import annotations

import json

import pytest

from core.files.json_scanner import Scanner
from core.files.rows import MOST_VALUES, Row, counted_values
from core.text.errors import DataError


def scanned(text: str) -> tuple[list[Row], list[DataError]]:
    errors: list[DataError] = []
    rows = Scanner(text.encode(), "x.json", errors, "", frozenset()).rows()
    return list(rows), errors


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_rows_beside_a_damaged_one_are_read(blank: str) -> None:
    b = blank
    text = f'[{b}{{"a":{b}1}},{b}{{"a":{b}}},{b}{{"a":{b}3}}{b}]'
    rows, errors = scanned(text)
    assert [row.raw for row in rows] == [f'{{"a":{b}{n}}}'.encode() for n in (1, 3)]
    assert [text.encode()[row.start : row.start + len(row.raw)] for row in rows] == [
        row.raw for row in rows
    ]
    assert len(errors) == 1


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_members_with_keys_are_read_beside_a_damaged_one(blank: str) -> None:
    b = blank
    rows, errors = scanned(f'{{{b}"k1":{b}[1],{b}"k2":{b}[,],{b}"k3":{b}{{"a":1}}{b}}}')
    assert [(row.key, row.raw) for row in rows] == [("k1", b"[1]"), ("k3", b'{"a":1}')]
    assert len(errors) == 1


def test_splits_of_very_many_values_are_read_row_by_row() -> None:
    row = {"id": "é", "values": [*range(40)]}
    splits = {"train": [row] * 30_000, "test": {"a": row, "è": row}}
    text = json.dumps(splits, ensure_ascii=False)
    assert counted_values(text.encode()) > MOST_VALUES
    rows, errors = scanned(text)
    assert not errors
    assert len(rows) == 30_002
    assert json.loads(rows[0].raw) == row
    assert [each.key for each in rows[-2:]] == ["a", "è"]
    last = rows[-1]
    assert text.encode()[last.start : last.start + len(last.raw)] == last.raw


@pytest.mark.parametrize("before", ["[", '{"train":['])
def test_very_many_rows_of_a_sign_are_too_many(before: str) -> None:
    closing = "]" if before == "[" else "]}"
    with pytest.raises(DataError, match="more than 300,000 rows"):
        scanned(f"{before}{'1,' * MOST_VALUES}1{closing}")


def test_one_value_of_very_many_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(DataError, match="more than 1,000,000 values"):
        scanned('{"a": {"b": [' + "[]," * MOST_VALUES + "1]}}")


@pytest.mark.parametrize(
    "text", ['{"train":', '{"train": ', '{"test"', '{"a": {}, "test":', "{", "["]
)
def test_a_document_that_ends_before_a_value_is_told(text: str) -> None:
    rows, errors = scanned(text)
    assert len(rows) <= 1
    assert errors
