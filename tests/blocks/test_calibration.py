"""What a lens says beyond the prior of the options, and when it says nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.calibration import NEAR_TIE, CalibratedLens, Withheld, clear_leader
from core.models.blocks import Trajectory

Rows = list[tuple[float, ...]]
NATS = st.floats(-50, 0)


def lens(rows: Rows, prior: Rows, gold: int | None = 0) -> CalibratedLens:
    return CalibratedLens(tuple(rows), tuple(prior), gold)


EVEN: Rows = [(-1.0, -1.0)] * 3
"""A prior that favours nothing."""


def test_without_a_preference_of_the_prior_the_course_is_the_raw_one() -> None:
    found = lens([(-1, -2), (-1, -2), (-2, -1)], EVEN)
    assert found.trajectory == (Trajectory.LOST, 1)
    assert found.prediction_depth == 2
    assert found.withheld is None
    assert found.leading == (0, 0, 1)


def test_what_early_blocks_say_after_any_prompt_is_no_lead() -> None:
    # The right option leads at first in both readings: that is the prior's doing.
    found = lens([(-1, -4), (-1, -4), (-4, -1)], [(-1, -5), (-1, -5), (-1, -1)])
    assert found.leading == (1, 1, 1)
    assert found.trajectory == (Trajectory.NEVER, None)
    assert found.prediction_depth == 0


@pytest.mark.parametrize(
    ("rows", "prior", "gold", "why"),
    [
        ([(-1, -2), (-1.05, -1)], [(-1, -1)] * 2, 0, Withheld.NEAR_TIE),
        ([(-1, -2), (-1, -3)], [(-1, -2), (-1, -2.95)], 0, Withheld.NEAR_TIE),
        ([(-1, -2), (-2, -1)], [(-1, -1), (-4, -1)], 0, Withheld.PRIOR_DECIDES),
        ([(-5, -1), (-9, -1)], [(-2, -1), (-2, -1)], 0, None),
        ([(-5, -1), (-9, -1)], [(-2, -1), (-2, -1)], 1, None),
        ([(-5, -1), (-9, -1)], [(-2, -1), (-2, -1)], None, None),
        ([(-5, -1), (math.nan, -1)], [(-2, -1), (-2, -1)], 0, Withheld.NEAR_TIE),
    ],
)
def test_a_course_is_withheld_where_it_is_not_the_item_s(
    rows: Rows, prior: Rows, gold: int | None, why: Withheld | None
) -> None:
    found = lens(rows, prior, gold)
    assert found.withheld is why
    if why is not None:
        assert found.trajectory is None
        assert found.prediction_depth is None


@given(st.lists(st.tuples(NATS, NATS, NATS), min_size=1, max_size=8), st.integers(0, 2))
def test_an_item_that_adds_nothing_has_no_course(rows: Rows, gold: int) -> None:
    found = lens(rows, rows, gold)
    assert set(found.leading) == {None}
    assert found.withheld is Withheld.NEAR_TIE


@given(
    st.lists(st.tuples(NATS, NATS, NATS, NATS), min_size=1, max_size=8),
    st.lists(st.floats(-5, 5), min_size=8, max_size=8),
)
def test_what_a_block_adds_to_all_options_changes_no_lead(
    rows: list[tuple[float, ...]], shifts: list[float]
) -> None:
    raw = [row[:2] for row in rows]
    prior = [row[2:] for row in rows]
    moved = [(a + by, b + by) for (a, b), by in zip(prior, shifts, strict=False)]
    before, after = lens(raw, prior), lens(raw, moved)
    for row, one, other in zip(before.scores, before.leading, after.leading, strict=True):
        if abs(abs(row[0] - row[1]) - NEAR_TIE) > 1e-9:
            assert one == other


@given(st.lists(NATS, min_size=2, max_size=5))
def test_a_leader_is_ahead_by_the_least_lead(scores: list[float]) -> None:
    leader = clear_leader(scores)
    best, second = sorted(scores, reverse=True)[:2]
    assert (leader is not None) == (best - second >= NEAR_TIE)
    assert leader is None or scores[leader] == best
