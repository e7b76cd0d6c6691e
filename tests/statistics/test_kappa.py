"""Fleiss' kappa over counts of ratings, and Cohen's over pairs."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from core.statistics.kappa import paired_ratings, ratings

RATED = st.integers(2, 6).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from("viu"), min_size=raters, max_size=raters), min_size=1, max_size=8
    )
)


@given(RATED)
def test_observed_agreement_is_the_share_of_agreeing_pairs(items: list[list[str]]) -> None:
    pairs = [a == b for item in items for a, b in combinations(item, 2)]
    found = ratings(Counter(item) for item in items)
    assert found is not None
    assert found.observed == pytest.approx(sum(pairs) / len(pairs))
    assert (found.items, found.raters) == (len(items), len(items[0]))


@given(RATED)
def test_kappa_is_one_for_full_agreement_and_undefined_for_a_single_answer(
    items: list[list[str]],
) -> None:
    found = ratings(Counter({item[0]: len(item)}) for item in items)
    assert found is not None
    if len({item[0] for item in items}) == 1:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(1)


def test_two_raters_by_hand() -> None:
    # 4 items, 3 agreed on; 5 of 8 ratings are "v": chance gives 25/64 + 9/64 = 34/64.
    found = ratings([{"v": 2}, {"v": 2}, {"i": 2}, {"v": 1, "i": 1}])
    assert found is not None
    assert found.observed == 0.75
    assert found.kappa == pytest.approx((0.75 - 34 / 64) / (30 / 64))


def kappa_by_items(items: list[dict[str, int]], draws: int) -> list[float]:
    """The plain bootstrap of another program's figure: items drawn one by one."""
    generator = random.Random(7)
    table = [[item.get("v", 0), item.get("i", 0)] for item in items]
    return sorted(fleiss_kappa(generator.choices(table, k=len(table))) for _ in range(draws))


def test_the_interval_agrees_with_a_plain_bootstrap() -> None:
    draws = 2000
    items = [{"v": 5}] * 30 + [{"v": 4, "i": 1}] * 20 + [{"i": 5}] * 25 + [{"v": 2, "i": 3}] * 25
    found = ratings(items)
    assert found is not None
    assert found.interval is not None
    low, high = found.interval
    assert found.kappa is not None
    assert low < found.kappa < high
    drawn = kappa_by_items(items, draws)
    tail = draws // 40
    assert low == pytest.approx(drawn[tail], abs=0.02)
    assert high == pytest.approx(drawn[-tail - 1], abs=0.02)
    again = ratings(items)
    assert again is not None
    assert again.interval == found.interval


def test_the_interval_narrows_with_more_items() -> None:
    items = [{"v": 3}, {"v": 2, "i": 1}, {"i": 3}, {"v": 1, "i": 2}]
    few, many = ratings(items * 5), ratings(items * 500)
    assert few is not None
    assert many is not None
    assert few.interval is not None
    assert many.interval is not None
    widths = [high - low for low, high in (few.interval, many.interval)]
    assert widths[1] == pytest.approx(widths[0] / 10, rel=0.3)


@pytest.mark.parametrize("items", [[{"v": 2}], [{"v": 1, "i": 1}], [{"v": 3}] * 9])
def test_one_item_or_one_answer_has_no_interval(items: list[dict[str, int]]) -> None:
    found = ratings(items)
    assert found is not None
    assert found.interval is None


def test_single_ratings_have_no_kappa_and_uneven_ones_are_refused() -> None:
    assert ratings([]) is None
    assert ratings([{"v": 1}, {"i": 1}]) is None
    with pytest.raises(ValueError, match="equally often"):
        ratings([{"v": 2}, {"v": 3}])


PAIRS = st.lists(st.tuples(st.sampled_from("viu"), st.sampled_from("viu")), min_size=2, max_size=30)


@given(PAIRS)
def test_cohens_kappa_is_that_of_scikit_learn(items: list[tuple[str, str]]) -> None:
    found = paired_ratings(items)
    assert found is not None
    first, second = zip(*items, strict=True)
    if len({*first, *second}) == 1:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@given(RATED)
def test_fleiss_kappa_is_that_of_statsmodels(items: list[list[str]]) -> None:
    found = ratings(Counter(item) for item in items)
    assert found is not None
    table = [[item.count(category) for category in "viu"] for item in items]
    if found.kappa is not None:
        assert found.kappa == pytest.approx(fleiss_kappa(table), abs=1e-9)


def test_the_interval_of_cohens_kappa_agrees_with_a_plain_bootstrap() -> None:
    items = [("v", "v")] * 40 + [("i", "i")] * 25 + [("v", "i")] * 30 + [("i", "v")] * 5
    found = paired_ratings(items)
    assert found is not None
    assert found.interval is not None
    generator = random.Random(11)
    drawn = sorted(
        cohen_kappa_score(*zip(*generator.choices(items, k=len(items)), strict=True))
        for _ in range(400)
    )
    assert found.interval == pytest.approx((drawn[10], drawn[-11]), abs=0.03)


def test_a_pair_of_raters_needs_an_item_and_two_for_an_interval() -> None:
    assert paired_ratings([]) is None
    alone = paired_ratings([("v", "i")])
    assert alone is not None
    assert (alone.kappa, alone.interval) == (0.0, None)
