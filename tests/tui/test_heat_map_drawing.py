"""The drawn heat map of items by runs: it fits, and its columns can be told apart anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.contract import registry
from core.layout.rows import plain
from core.runs.comparison import ALL_RIGHT
from core.runs.heat_map import HeatMapRow
from tui.runs.heat_map_drawing import draw_heat_map

LETTERS = "ABCDEFGHIJKLM"


def drawn(runs: int, items: int, width: int) -> list[str]:
    cells = ("story_class", ALL_RIGHT, None)
    rows = [
        HeatMapRow(f"{item}-C0", tuple(cells[(item + run) % 3] for run in range(runs)))
        for item in range(items)
    ]
    return plain(draw_heat_map(rows, registry.load("gita").layers, width, LETTERS[:runs])).split(
        "\n"
    )


@pytest.mark.parametrize(("runs", "width"), [(2, 36), (13, 56), (13, 136)])
def test_every_column_is_in_sight_under_its_letter(runs: int, width: int) -> None:
    lines = drawn(runs, 5, width)
    heading = next(line for line in lines if line.split()[:2] == ["A", "B"])
    assert heading.split() == list(LETTERS[:runs])
    starts = [heading.index(letter) for letter in LETTERS[:runs]]
    rows = [line for line in lines if "-C0" in line]
    assert len(rows) == 5
    for row in rows:
        assert len(row.rstrip()) <= width
        assert [row[start] for start in starts] == [cell[0] for cell in row.split()[1:]]


def test_the_letters_stand_again_between_many_rows() -> None:
    lines = drawn(3, 100, 60)
    at = [place for place, line in enumerate(lines) if line.split() == ["A", "B", "C"]]
    assert len(at) == 5
    assert {second - first for first, second in pairwise(at)} == {21}


def test_one_item_is_a_map_too() -> None:
    assert sum("-C0" in line for line in drawn(2, 1, 60)) == 1
