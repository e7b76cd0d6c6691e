"""Options that are left out are told of, and none is while there is a line for it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.answers.scoring import score_answer
from core.contract.question import Answer, OptionScore, Question, Scoring, shares
from core.contract.rungs import Phase, Rung
from core.contract.task_layer import TaskLayer
from core.layout.ladder import draw_ladder, options_fitting
from core.layout.rows import plain

WIDTH = 60


def rung(number: int, scores: tuple[int, ...], gold: int, written: bool) -> Rung:
    layer = TaskLayer(f"layer-{number}", f"Title {number}", "Asks.")
    options = tuple(f"option-{number}-{i}" for i in range(len(scores)))
    scoring = Scoring.GENERATED if written else Scoring.LOGLIKELIHOOD
    asked = Question("i", layer.id, "", "", options, gold, scoring=scoring)
    said = f"Answer: {options[scores.index(max(scores))]}"
    answer = (
        Answer(text=said, scoring=scoring, tokens=9)
        if written
        else Answer(tuple(OptionScore(float(score)) for score in scores))
    )
    return Rung(layer, asked, score_answer(asked, answer), Phase.ANSWERED)


RUNGS = st.lists(
    st.lists(st.integers(-9, 0), min_size=2, max_size=14).flatmap(
        lambda scores: st.tuples(
            st.just(tuple(scores)), st.integers(0, len(scores) - 1), st.booleans()
        )
    ),
    min_size=1,
    max_size=5,
).map(lambda several: [rung(number, *one) for number, one in enumerate(several, 1)])


def left_out(lines: list[str]) -> list[int]:
    return [int(found[1]) for line in lines if (found := re.search(r"(\d+) more option", line))]


@given(RUNGS, st.integers(2, 60), st.booleans())
def test_every_line_there_is_shows_an_option(rungs: list[Rung], height: int, airy: bool) -> None:
    most = options_fitting(rungs, WIDTH, cell_len, height, airy=airy)
    lines = plain(draw_ladder(rungs, WIDTH, cell_len, most=most, airy=airy)).split("\n")
    least = len(draw_ladder(rungs, WIDTH, cell_len, most=1, airy=airy))
    assert len(lines) <= max(height, least)
    if left_out(lines):
        assert len(lines) == max(height, least)


@given(RUNGS, st.integers(2, 60))
def test_what_is_left_out_is_counted(rungs: list[Rung], height: int) -> None:
    most = options_fitting(rungs, WIDTH, cell_len, height, airy=True)
    for state, many in zip(rungs, most, strict=True):
        drawn = plain(draw_ladder([state], WIDTH, cell_len, most=many))
        assert state.question is not None
        names = state.question.options
        lines = drawn.split("\n")
        shown = [
            i
            for i, name in enumerate(names)
            if any(re.search(rf"^ +▸? *([A-Z] )?{name}( |$)", line) for line in lines)
        ]
        assert sum(left_out(lines)) + len(shown) == len(names)
        assert 1 not in left_out(lines)


def test_what_is_left_out_is_said_with_what_it_comes_to() -> None:
    state = rung(1, (-1, -1, -1, -1, -1), 1, written=False)
    assert state.verdict is not None
    drawn = plain(draw_ladder([state], WIDTH, cell_len, most=1))
    assert sum(shares(state.verdict.scores)[2:]) == pytest.approx(0.6)
    assert "3 more options, .60 together" in drawn


def test_a_single_option_is_drawn_rather_than_counted() -> None:
    drawn = plain(draw_ladder([rung(1, (0, -3, -9), 0, written=False)], WIDTH, cell_len, most=2))
    assert "option-1-2" in drawn
    assert "more option" not in drawn


@pytest.mark.parametrize("width", [24, 29, 32, 60])
def test_no_line_is_cut_in_a_narrow_ladder(width: int) -> None:
    state = rung(1, (-1, -1, -1, -1, -1), 1, written=False)
    (line,) = (
        line
        for line in plain(draw_ladder([state], width, cell_len, most=1)).split("\n")
        if "more options" in line
    )
    assert cell_len(line) <= width
    assert "3 more options, .60" in line
