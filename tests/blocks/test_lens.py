"""Where an answer settles, and how a failure came about."""

from __future__ import annotations

import math

import pytest

from core.blocks.heatmaps import lens_map, noted
from core.blocks.lens import LensTable
from core.contract.question import OptionScore, Question
from core.models.blocks import BlockAccess, BlockReading, Trajectory
from core.models.protocol import ModelInfo

INFO = ModelInfo("m", "m.gguf", "f", frozenset(), blocks=3, parameters=2_000_000)


def table(rows: list[tuple[float, ...]], gold: int | None = 0, **more: object) -> LensTable:
    scores = tuple(tuple(OptionScore(value) for value in row) for row in rows)
    options = ("yes", "no", "maybe")[: len(rows[0])]
    question = Question("item", "layer", "", "Is it?", options, gold, **more)  # type: ignore[arg-type]
    return LensTable(question, BlockReading(scores, (), 0.0), scores[-1])


@pytest.mark.parametrize(
    ("rows", "fate", "prediction_depth", "words"),
    [
        ([(-1, -2), (-2, -1), (-1, -2)], (Trajectory.WINS, 2), 2, "Settles at block 2, right."),
        ([(-1, -2), (-1, -2)], (Trajectory.WINS, 1), 0, "Settles at block 0, right."),
        ([(-2, -1), (-3, -1)], (Trajectory.NEVER, None), 0, "never led"),
        ([(-1, -2), (-1, -2), (-2, -1)], (Trajectory.LOST, 1), 2, "led until block 1, then lost"),
        (
            [(-1, -2), (-1, -1)],
            (Trajectory.TIE, 0),
            None,
            "A tie at the end: the right answer last",
        ),
        ([(-2, -1), (-1, -1)], (Trajectory.TIE, None), None, "it never led before"),
    ],
)
def test_course_of_the_right_answer(
    rows: list[tuple[float, ...]],
    fate: tuple[Trajectory, int | None],
    prediction_depth: int | None,
    words: str,
) -> None:
    found = table(rows)
    assert (found.trajectory, found.prediction_depth) == (fate, prediction_depth)
    assert words in found.outcome()


def test_without_gold_there_is_no_class() -> None:
    assert table([(-1, -2)], None).trajectory is None
    assert "no gold answer" in table([(-1, -2)], None).outcome()
    assert table([(-2, -1)], None, multiple=True, golds=(1, 2)).gold == 1


def test_the_difference_to_a_plain_request() -> None:
    found = table([(-1.0, -2.0)])
    assert found.deviation == 0
    off = LensTable(found.question, found.reading, (OptionScore(-1.0), OptionScore(-2.5)))
    assert off.deviation == 0.5
    infinite = table([(-1.0, -math.inf)])
    assert infinite.deviation == 0
    broken = LensTable(found.question, found.reading, (OptionScore(math.nan), OptionScore(-9.0)))
    assert math.isnan(broken.deviation)


def test_shares_are_probabilities_among_the_options() -> None:
    for row in table([(-1, -2, -3), (-9, -9, -9)]).shares():
        assert sum(row) == pytest.approx(1)


def test_a_map_says_how_exactly_blocks_are_read_where_that_is_not_to_the_bit() -> None:
    heat = lens_map(table([(-1, -2)]), INFO, 17)
    assert noted(heat, BlockAccess(1)) == heat
    *before, note = noted(heat, BlockAccess(1, deviation=0.00123)).notes
    assert tuple(before) == heat.notes
    assert "in the self-test by up to 0.0012 (logits and nats; up to 0.05 is allowed)" in note


def test_a_map_says_what_it_is() -> None:
    heat = lens_map(table([(-1, -2), (-2, -1), (-1, -2)]), INFO, 17)
    assert heat.leading == (0, 1, 0)
    assert heat.flips == (1, 2)
    notes = " ".join(heat.notes)
    assert "projection, not a belief" in notes
    assert "Model m (2.0M parameters, 3 blocks) on 17 tokens." in notes
