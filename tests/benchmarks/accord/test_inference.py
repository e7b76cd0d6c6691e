"""The gap between variants and the model of ACCORD's answers, by hand and on simulated answers."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from statsmodels.discrete.discrete_model import Logit

from core.benchmarks.accord.inference import infer
from core.contract.question import Status, Verdict
from core.contract.setting import Setting
from core.contract.summary import Estimate, Inference

OPTIONS = ("A", "B", "C")


def answer(
    tree: str,
    *,
    right: bool,
    anti: bool,
    pairing: str = "p",
    hops: int = 1,
    distractors: int = 0,
    layer: str = "answer",
) -> Verdict:
    """An answer to a whole tree; factual ones imply A, anti-factual ones B."""
    gold = int(anti)
    tags = {
        "variant": "anti-factual" if anti else "factual",
        "pairing": pairing,
        "hops": str(hops),
        "distractors": str(distractors),
        "tree": tree,
    }
    return Verdict(
        f"{tree}{gold}", layer, Setting(), OPTIONS, (), gold if right else 2, gold, Status.OK,
        scoring="log-likelihood", tags=tags,
    )  # fmt: skip


def inferred(verdicts: list[Verdict]) -> Inference:
    made = infer(verdicts, "paper")
    assert made is not None
    return made


def named(inference: Inference) -> dict[str, Estimate]:
    return {estimate.name: estimate for estimate in inference.estimates}


def pairs(rows: list[tuple[str, bool, bool]]) -> list[Verdict]:
    """Both variants of one tree for each pairing, factual right, anti-factual right."""
    made = []
    for index, (pairing, factual, anti) in enumerate(rows):
        made += [
            answer(f"t{index}", right=factual, anti=False, pairing=pairing, hops=1 + index % 2),
            answer(f"t{index}", right=anti, anti=True, pairing=pairing, hops=1 + index % 2),
        ]
    return made


ROWS = [
    ("a", True, False), ("a", True, True), ("b", True, False),
    ("b", False, False), ("c", True, True), ("c", False, True),
]  # fmt: skip


def test_the_gap_is_that_of_pairs_by_hand() -> None:
    """Differences 1, 0 | 1, 0 | 0, -1: mean 1/6; sums of residuals 2/3, 2/3 and -4/3."""
    gap = named(inferred(pairs(ROWS)))["factual − anti-factual"]
    assert (gap.n, gap.clusters) == (6, 3)
    assert gap.value == pytest.approx(1 / 6)
    error = math.sqrt((4 / 9 + 4 / 9 + 16 / 9) * 3 / 2) / 6
    half = 4.302652729911275 * error
    assert gap.interval == pytest.approx((max(-1, 1 / 6 - half), min(1, 1 / 6 + half)))


def test_gaps_by_hops_and_choice_are_those_of_their_pairs() -> None:
    estimates = named(inferred(pairs(ROWS)))
    assert estimates["gap, 1 hop"].value == pytest.approx(2 / 3)
    assert estimates["gap, 2 hops"].value == pytest.approx(-1 / 3)
    assert estimates["gap, trees of size 2"].n == 3
    assert estimates["gap, choice B implied"].n == 6


def test_answers_without_a_partner_are_left_out_and_counted() -> None:
    lonely = answer("other", right=True, anti=True)
    untagged = lonely._replace(tags={k: v for k, v in lonely.tags.items() if k != "hops"})
    inference = inferred([*pairs(ROWS), lonely, untagged])
    assert named(inference)["factual − anti-factual"].n == 6
    assert "6 pairs" in inference.notes[0]
    assert "Left out: 1 anti-factual answer" in inference.notes[0]
    assert "1 answer without size" in inference.notes[0]


def test_the_factual_twin_is_the_partner_of_an_anti_factual_item() -> None:
    twin = answer("t", right=True, anti=False, layer="twin")
    inference = inferred([answer("t", right=False, anti=True), twin])
    gap = named(inference)["factual − anti-factual"]
    assert (gap.value, gap.interval) == (1, None)
    assert gap.why


def simulated(
    number: int, hop: float, distractor: float, anti: float, seed: int = 0
) -> list[Verdict]:
    """Answers with these log odds; those of a pairing are alike."""
    generator = np.random.default_rng(seed)
    made = []
    for pairing in range(number):
        ease = generator.normal(1.5, 0.4)
        for tree in range(20):
            hops, distractors = 1 + tree % 4, tree // 4 % 4
            for is_anti in (False, True):
                log_odds = ease + hop * (hops - 1) + distractor * distractors + anti * is_anti
                right = bool(generator.random() < 1 / (1 + math.exp(-log_odds)))
                made.append(
                    answer(
                        f"{pairing} {tree}",
                        right=right,
                        anti=is_anti,
                        pairing=str(pairing),
                        hops=hops,
                        distractors=distractors,
                    )
                )
    return made


def test_the_odds_ratios_are_those_of_logit_and_cover_the_simulated_ones() -> None:
    verdicts = simulated(40, -0.5, -0.2, -0.8)
    estimates = named(inferred(verdicts))
    design = np.array(
        [
            [1, int(v.tags["distractors"]), int(v.tags["hops"]), v.tags["variant"] != "factual"]
            for v in verdicts
        ],
        dtype=float,
    )
    groups = np.unique([v.tags["pairing"] for v in verdicts], return_inverse=True)[1]
    theirs = Logit([float(bool(v.right)) for v in verdicts], design).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": groups}
    )
    labels = ["one more distractor", "one more hop", "anti-factual"]
    for index, (label, truth) in enumerate(zip(labels, (-0.2, -0.5, -0.8), strict=True), 1):
        estimate = estimates[f"odds ratio, {label}"]
        assert estimate.value == pytest.approx(math.exp(theirs.params[index]))
        low, high = estimate.interval or (1, 0)
        assert low < math.exp(truth) < high
        # The jackknife is close to statsmodels' clustered errors, and no narrower.
        width = math.log(high / low) / (2 * theirs.bse[index])
        assert 1.9 < width < 2.4
    difference = estimates["log odds, hop − distractor"]
    assert difference.value == pytest.approx(theirs.params[2] - theirs.params[1])
    low, high = difference.interval or (0, 0)
    assert low < -0.3 < high < 0


def test_separation_is_caught_and_said() -> None:
    separated = [
        v._replace(answer=2 if v.tags["variant"] == "anti-factual" else v.answer)
        for v in simulated(12, -0.5, -0.2, 0)
    ]
    inference = inferred(separated)
    assert named(inference)["odds ratio, one more hop"].value is None
    assert "separates" in " ".join(inference.notes)


def test_equal_answers_or_equal_trees_have_no_model() -> None:
    rows = [(str(index), True, True) for index in range(12)]
    assert "all answers are alike" in " ".join(inferred(pairs(rows)).notes)
    alike = [
        answer(f"t{index}", right=index % 2 > 0, anti=True, pairing=str(index))
        for index in range(12)
    ]
    assert "all trees are alike" in " ".join(inferred(alike).notes)


def test_few_pairings_have_ratios_without_intervals() -> None:
    estimate = named(inferred(simulated(5, -0.5, -0.2, -0.5)))["odds ratio, one more hop"]
    assert estimate.value is not None
    assert (estimate.interval, estimate.why) == (None, "too few pairings")


def test_without_statsmodels_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "core.statistics.logistic", None)
    inference = inferred(simulated(12, -0.5, -0.2, -0.5))
    assert "factual − anti-factual" in named(inference)
    assert "commonsense-tui[stats]" in " ".join(inference.notes)


def test_no_whole_tree_has_no_estimates() -> None:
    assert infer([], "paper") is None
