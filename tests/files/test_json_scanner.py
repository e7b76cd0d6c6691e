"""Damaged JSON written without blanks: the rows around the damage keep keys, lines and bytes."""

from __future__ import annotations

import pytest

from core.files.json_scanner import Scanner
from core.files.rows import Row
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
