"""A probe finds what was planted and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="probes need scikit-learn")

from core.studies import probe_cases as probing
from core.studies.probe import ProbeVerdict, probe
from core.studies.probe_fits import grouped_folds, held_out
from core.studies.probe_words import bag_of_words
from core.studies.ranking import area, draws, ranked
from tests.cli.support import ok
from tests.studies.planted_states import states

REAL = Path(__file__).parents[3] / "shared" / "data" / "gita4calamita" / "gita.json"


def test_an_answer_that_stands_in_a_block_and_not_in_the_margin_is_found_there() -> None:
    finding = probe(states(0, planted=1.5))
    assert finding.verdict is ProbeVerdict.ENCODED_NOT_USED
    assert set(finding.chosen) == {1}
    assert finding.probe.value > 0.9
    assert finding.blocks[1].auc.value == finding.probe.value
    assert all(
        block.auc.low < 0.5 < block.auc.high for block in (finding.blocks[0], finding.blocks[2])
    )
    assert all(abs(block.shuffled - 0.5) < 0.15 for block in finding.blocks)
    assert finding.over_margin.low > 0


def test_what_the_model_says_itself_is_no_finding() -> None:
    finding = probe(states(0, said=1.5))
    assert finding.verdict is ProbeVerdict.NOT_MORE_THAN_SAID
    assert finding.margin.value > 0.9


def test_an_answer_that_the_words_hold_too_is_not_the_models_work() -> None:
    cases = states(0, planted=1.5)
    finding = probe(replace(cases, surfaces={"words": cases.blocks[1]}))
    assert finding.verdict is ProbeVerdict.IN_THE_WORDS


def test_a_perfect_ranking_is_beyond_chance_and_has_no_interval_to_show() -> None:
    labels = np.arange(40, dtype=np.int64) % 2
    clusters = np.arange(40, dtype=np.int64) // 2
    pairs = ranked(labels.astype(float), labels, clusters, np.zeros(40, dtype=np.int64))
    auc = area(pairs, draws(20))
    assert (auc.value, auc.low, auc.interval) == (1.0, 1.0, None)


def test_a_base_rate_lets_accuracy_win_and_is_not_reported() -> None:
    finding = probe(states(0, families=117, base_rate=0.33))
    assert finding.naive.low > 0.1
    assert finding.base_rate > 0.6
    assert finding.verdict is ProbeVerdict.NOT_ENCODED


def test_nothing_is_found_where_nothing_is_planted() -> None:
    # performance/probe_false_findings.py tries 200 seeds.
    assert probe(states(1)).verdict is not ProbeVerdict.ENCODED_NOT_USED


def test_a_cluster_is_never_on_both_sides_of_a_fold() -> None:
    cases = states(1)
    folds = grouped_folds(cases.labels, cases.clusters, 5, 0)
    assert all(len(set(folds[cases.clusters == one])) == 1 for one in np.unique(cases.clusters))


def test_the_area_is_that_of_scikit_learn_in_one_fold_with_ties() -> None:
    from sklearn.metrics import roc_auc_score

    generator = np.random.default_rng(2)
    scores = generator.integers(0, 6, 60).astype(float)
    labels = generator.integers(0, 2, 60)
    pairs = ranked(scores, labels, np.arange(60) // 3, np.zeros(60, dtype=np.int64))
    assert pairs.whole == pytest.approx(roc_auc_score(labels, scores))


def test_a_wide_fit_is_the_same_as_one_without_the_smaller_basis() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    generator = np.random.default_rng(0)
    features = generator.normal(size=(30, 90))
    labels = generator.integers(0, 2, 30)
    folds = np.arange(30, dtype=np.int64) % 2
    expected = np.zeros(30)
    for fold in (0, 1):
        fit = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, tol=1e-8))
        fit.fit(features[folds != fold], labels[folds != fold])
        expected[folds == fold] = fit.decision_function(features[folds == fold])
    assert held_out(features, labels, folds) == pytest.approx(expected, abs=1e-4)


def test_too_few_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="clusters"):
        probe(states(0, families=4))


def test_words_are_counted_whatever_their_order() -> None:
    one, other, third = bag_of_words(["Tom è qui.", "qui è TOM", "Tom non è qui"])
    assert np.array_equal(one, other)
    assert not np.array_equal(one, third)


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
@pytest.mark.skipif(not REAL.exists(), reason="the published GITA is not there")
def test_the_base_rate_of_the_published_stories_is_not_reported_as_knowledge(
    tmp_path: Path,
) -> None:
    document = ok(
        "study", "probe", "gita", "--data", REAL, "--model", "demo",
        "--store", tmp_path / "runs.sqlite", "--json",
    ).json  # fmt: skip
    assert (document["n"], document["groups"]) == (356, 117)
    low, _high = document["naive_difference_interval"]
    assert low > 0.05
    assert document["base_rate"] > 0.66
    assert not document["encoded_not_used"]
    assert document["difference_interval"][0] < 0 or document["over_bag_of_words_interval"][0] < 0
    assert "That is no finding" in document["findings"][1]


def test_fits_are_computed_by_one_thread_and_the_threads_are_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from threadpoolctl import threadpool_info

    def threads() -> list[int]:
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    seen: list[int] = []
    fitted = probing.held_out

    def noted(features: Any, labels: Any, folds: Any) -> Any:
        seen.extend(threads())
        return fitted(features, labels, folds)

    monkeypatch.setattr(probing, "held_out", noted)
    before = threads()
    probe(states(0))
    assert set(seen) == {1}
    assert threads() == before
