"""Statements under each other: numbers from outside are shown and not obeyed."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core.contract.view import Statement, Statements
from core.layout.rows import plain
from core.layout.statements import draw_statements


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("\x1b[2J1", "␛[2J1"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("1\u202e2", "1⟨RLO⟩2"),
        ("1\x002", "1␀2"),
        ("雨", "雨"),
    ],
)
def test_a_hostile_number_is_shown_in_line_with_the_others(number: str, expected: str) -> None:
    block = Statements(
        "", (Statement("a", "one", number=number), Statement("b", "two", number="7"))
    )
    rows = draw_statements(block, 60, cell_len, airy=False)
    first, second = plain(rows).splitlines()
    assert first.split()[0] == expected
    assert not {c for c in plain(rows) if (ord(c) < 32 and c != "\n") or c == "\u202e"}
    width = cell_len(expected)
    assert second.startswith(f" {'7':>{width}} ")
    assert {cell_len("".join(span.text for span in row)) for row in rows} == {60}
