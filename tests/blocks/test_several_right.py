"""Where an answer settles that may be several options, and who leads where a number is missing."""

from __future__ import annotations

import math

import pytest

from core.blocks.lens import LensTable
from core.contract.question import OptionScore, Question
from core.models.blocks import BlockReading, Trajectory, leader

FIRST_TWO = (-1.0, -1.0, -9.0)
ONLY_FIRST = (-1.0, -9.0, -9.0)
LEVEL = (-1.0, -1.0, -1.0)


def table(*rows: tuple[float, ...], golds: tuple[int, ...] = (0, 1)) -> LensTable:
    scores = tuple(tuple(map(OptionScore, row)) for row in rows)
    question = Question("i", "l", "", "Which?", ("a", "b", "c"), None, golds=golds, multiple=True)
    return LensTable(question, BlockReading(scores, (), 0.0), scores[-1])


@pytest.mark.parametrize(
    ("found", "prediction_depth", "fate", "words"),
    [
        (table(ONLY_FIRST, FIRST_TWO), 1, (Trajectory.WINS, 1), "right."),
        (table(FIRST_TWO, FIRST_TWO), 0, (Trajectory.WINS, 1), "right."),
        (table(FIRST_TWO, ONLY_FIRST), 1, (Trajectory.LOST, 0), "led until block 0, then lost"),
        (table(ONLY_FIRST, ONLY_FIRST), 0, (Trajectory.NEVER, None), "never led"),
        (table(ONLY_FIRST, golds=(0,)), 0, (Trajectory.WINS, 0), "right."),
        (table(FIRST_TWO, LEVEL), None, (Trajectory.TIE, 0), "last led at block 0"),
    ],
)
def test_of_several_right_options_all_and_no_other_are_the_right_answer(
    found: LensTable, prediction_depth: int | None, fate: tuple[Trajectory, int | None], words: str
) -> None:
    assert (found.prediction_depth, found.trajectory) == (prediction_depth, fate)
    assert words in found.outcome()


def test_without_right_options_nothing_is_right_or_wrong() -> None:
    found = table(ONLY_FIRST, FIRST_TWO, golds=())
    assert found.trajectory is None
    assert found.prediction_depth == 1


@pytest.mark.parametrize(
    ("numbers", "first"),
    [
        ((-2.0, -1.0), 1),
        ((-1.0, -1.0), None),
        ((-1.0, math.nan), 0),
        ((math.nan, -1.0), 1),
        ((math.nan, math.nan), None),
        ((-math.inf, -math.inf), None),
        ((), None),
    ],
)
def test_what_is_no_number_never_leads(numbers: tuple[float, ...], first: int | None) -> None:
    assert leader([OptionScore(number) for number in numbers]) == first
