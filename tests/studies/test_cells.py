"""The figures of a map are those of its items, and a control is another item's prompt."""

from __future__ import annotations

import numpy as np
import pytest

from core.contract.setting import Setting
from core.statistics.cluster_errors import unbounded_mean_interval
from core.studies.cell_report import finding
from core.studies.cells import MeasuredCase, cell_figures, found_cells, split_figures
from core.studies.head_attribution import attribution_figures
from core.studies.heads import _top
from core.studies.pairs import Donors, KeptPair, Pair, Pairs
from core.studies.subject import Case
from tests.studies.planted_model import LAYER, Doors, DoorsBenchmark

ROWS = ("key", "other")


def measured(items: int, *, effect: float, seed: int = 0) -> list[MeasuredCase]:
    """Items of which the key's second block does something; some lack a part or a control."""
    drawn = np.random.default_rng(seed)

    def rows(centre: float, *, other: bool) -> dict[str, list[float | None]]:
        values: dict[str, list[float | None]] = {
            "key": [float(drawn.normal()), float(drawn.normal(centre, 0.3))]
        }
        if other:
            values["other"] = [float(drawn.normal()), None]
        return values

    return [
        MeasuredCase(
            str(index),
            str(index // 2),
            rows(effect, other=index % 3 > 0),
            None if index % 5 == 0 else rows(0.0, other=True),
            "first" if index % 4 else "second",
        )
        for index in range(items)
    ]


def test_a_finding_says_its_pairs_and_which_way_its_control_goes() -> None:
    cases = measured(60, effect=-2.0)
    items = [{"cluster": case.cluster, "valid": True, "control": case.control} for case in cases]
    figures = cell_figures(cases, ROWS, 2) | {
        "control": [[None, 0.3], [None, None]], "n": 60, "items": items,
    }  # fmt: skip
    said = finding(figures, ROWS, ("0", "1"), "Copying {row} in block {column}")
    assert said.startswith("Copying key in block 1 lowers the right option by 2.")
    assert " over 60 valid pairs; its control changes it by +0.30 (adjusted p" in said
    assert said.endswith(". 1 of the 3 cells that have a control differs from it.")


def test_figures_are_means_over_the_items_that_have_one() -> None:
    cases = measured(30, effect=2.0)
    figures = cell_figures(cases, ROWS, 2)
    keys = [case.effects["key"][1] for case in cases]
    assert figures["effect"][0][1] == pytest.approx(np.mean([key for key in keys if key]))
    others = [case for case in cases if "other" in case.effects]
    assert figures["n_by_row"] == [30, len(others)]
    assert figures["effect"][1][1] is None
    both = [case for case in others if case.control is not None]
    beyond = [
        (case.effects["other"][0] or 0.0) - (case.control["other"][0] or 0.0)
        for case in both
        if case.control is not None
    ]
    assert figures["difference"][1][0] == pytest.approx(np.mean(beyond))
    assert figures["n_control"] == [24, 24]
    assert found_cells(figures) == [(0, 1)]
    groups = split_figures(cases, ROWS, 2)
    assert [(group["group"], group["n"]) for group in groups] == [("first", 22), ("second", 8)]


def test_a_small_effect_is_not_named_however_certain() -> None:
    cases = [
        MeasuredCase(str(index), str(index), {"key": [0.05 + index / 1e4]}, {"key": [0.0]})
        for index in range(20)
    ]
    figures = cell_figures(cases, ("key",), 1)
    assert figures["p"][0][0] < 0.001
    assert found_cells(figures) == []


def test_a_head_whose_control_does_as_much_is_not_among_those_that_do_most() -> None:
    effects = {"0": [1.97, 1.0, -0.5, 0.0]}
    controls = {"0": [2.48, 0.25, -0.125, 0.0]}
    cases = [MeasuredCase(f"{n}", f"{n}", effects, controls) for n in range(7)]
    figures = cell_figures(cases, ["0"], 4) | attribution_figures(cases, {}, 1, 4)
    named = _top(figures)
    assert [(head["head"], head["effect"]) for head in named] == [(1, 1.0), (2, -0.5)]


def test_without_enough_controls_there_is_no_p_value() -> None:
    cases = [
        MeasuredCase(str(index), str(index), {"key": [5.0 + index]}, {"key": [0.0]})
        for index in range(5)
    ]
    cases += [MeasuredCase(f"{index}+", str(index), {"key": [5.0]}, None) for index in range(5, 20)]
    assert cell_figures(cases, ("key",), 1)["p"] == [[None]]


def test_an_interval_of_independent_items_is_student_s() -> None:
    from scipy import stats

    values = np.random.default_rng(0).normal(3, 2, 12)
    low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    interval = unbounded_mean_interval((index, float(value)) for index, value in enumerate(values))
    assert interval == pytest.approx((low, high))
    pairs = [(index // 2, float(value)) for index, value in enumerate(np.repeat(values, 2))]
    doubled = unbounded_mean_interval(pairs)
    assert doubled == pytest.approx((low, high))
    assert unbounded_mean_interval([(0, 1.0), (1, 2.0)]) is None
    assert unbounded_mean_interval([(0, 1.0), (1, 1.0), (2, 1.0)]) is None


def test_a_control_is_a_prompt_of_another_cluster_with_the_same_length_and_answer() -> None:
    benchmark, doors = DoorsBenchmark(), Doors(6)
    cases = []
    for index in range(len(doors)):
        item = doors.item(index)
        question = benchmark.question(item, Setting(), LAYER)
        cases.append(Case(item, Setting(), question, question.text, item.family))
    kept = {
        case.item.id: KeptPair(
            answer="yes" if case.question.gold == 0 else "no",
            tokens=20 + (case.cluster in "45"),
            setting=(("state", "closed" if case.question.gold == 0 else "open"),),
            layer=LAYER,
            options=(0, 1) if case.question.gold == 0 else (1, 0),
            parts=(("door", int(case.cluster) % 2, 9), ("question", 9, 20)),
        )
        for case in cases
    }
    pairs = []
    for case in cases:
        pair = kept[case.item.id]
        contrast = benchmark.question(
            doors.item(doors.find(case.item.id)), Setting(pair.setting), LAYER
        )
        pairs.append(Pair(case, pair, contrast))
    donors = Donors(cases, Pairs(tuple(pairs), {}, kept), seed=1)
    again = Donors(cases, Pairs(tuple(pairs), {}, kept), seed=1)
    others = Donors(cases, Pairs(tuple(pairs), {}, kept), seed=2)
    drawn = [donors.of(pair) for pair in pairs]
    for pair, donor in zip(pairs, drawn, strict=True):
        assert donor is not None
        giver = kept[donor.item]
        assert donor.item.partition("-")[0] != pair.case.cluster
        assert giver.tokens == pair.kept.tokens
        # It asks about a door in the state that the contrast prompt has.
        assert (" open " in donor.question.text) is (" open " in pair.contrast.text)
        if pair.case.cluster in "0123":
            assert donor.parts == pair.kept.parts
    assert [each and each.item for each in drawn] == [
        each and each.item for each in map(again.of, pairs)
    ]
    assert [each and each.item for each in drawn] != [
        each and each.item for each in map(others.of, pairs)
    ]
    alone = Donors(cases[:2], Pairs(tuple(pairs[:2]), {}, kept), seed=0)
    assert alone.of(pairs[0]) is None
