"""A probe finds what was planted and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="probes need scikit-learn")

from core.studies.probe import Verdict, grouped_folds, probed
from core.studies.ranking import ranked
from tests.studies.planted_states import states


def test_an_answer_that_stands_in_a_block_and_not_in_the_margin_is_found_there() -> None:
    found = probed(states(0, planted=1.5))
    assert found.verdict is Verdict.ENCODED_NOT_USED
    assert set(found.chosen) == {1}
    assert found.probe.value > 0.9
    assert found.over_margin.low > 0


def test_what_the_model_says_itself_is_no_finding() -> None:
    found = probed(states(0, said=1.5))
    assert found.verdict is Verdict.NOT_MORE_THAN_SAID


def test_an_answer_that_the_words_hold_too_is_not_the_models_work() -> None:
    cases = states(0, planted=1.5)
    found = probed(replace(cases, surfaces=(cases.blocks[1],)))
    assert found.verdict is Verdict.IN_THE_WORDS


def test_a_base_rate_lets_accuracy_win_and_is_not_reported() -> None:
    cases = states(0, families=117, base_rate=0.33)
    found = probed(cases)
    own = float(((cases.margins > 0) == (cases.labels == 1)).mean())
    assert found.accuracy - own > 0.1
    assert found.verdict is Verdict.NOT_ENCODED


@pytest.mark.parametrize("said", [0.0, 1.0])
def test_nothing_is_found_where_nothing_is_planted(said: float) -> None:
    assert all(
        probed(states(seed, said=said)).verdict is not Verdict.ENCODED_NOT_USED for seed in range(3)
    )


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
    assert pairs.area(np.ones((1, 20)))[0] == pytest.approx(roc_auc_score(labels, scores))


def test_too_few_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="clusters"):
        probed(states(0, families=4))
