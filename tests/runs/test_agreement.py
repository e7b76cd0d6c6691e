"""Agreement of several answerers, against a published table and other programs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.exchange.importers.lm_eval import read
from core.runs.agreement import LayerAgreement, agreement
from core.statistics.kappa import Ratings

# Fleiss (1971) is usually shown with this table: 14 raters, 10 subjects, 5 categories, kappa .210.
COUNTS = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)


def verdict(
    item: int,
    answer: int | None,
    gold: int | None = 0,
    digest: str = "q",
    layer: str = "answer",
    options: str = "abcde",
) -> Verdict:
    return Verdict(
        item=str(item),
        layer=layer,
        setting=Setting(),
        options=tuple(options),
        scores=(),
        answer=answer,
        gold=gold,
        status=Status.NO_ANSWER if answer is None else Status.OK,
        scoring=Scoring.GENERATED,
        digest=f"{digest}{item}",
    )


def only(layer: LayerAgreement) -> Ratings:
    (each,) = layer.by_options
    return each.ratings


def test_kappa_is_the_published_one() -> None:
    raters = [[] for _ in range(14)]
    for subject, counts in enumerate(COUNTS):
        answers = [answer for answer, count in enumerate(counts) for _ in range(count)]
        for rater, answer in enumerate(answers):
            raters[rater].append(verdict(subject, answer))
    found = agreement(raters)
    assert found is not None
    (layer,) = found.layers
    assert (found.n, layer.layer, layer.n) == (10, "answer", 10)
    assert found.observed == layer.observed == pytest.approx(0.378, abs=5e-4)
    assert only(layer).expected == pytest.approx(0.213, abs=5e-4)
    assert only(layer).kappa == pytest.approx(0.210, abs=5e-4)


def test_every_layer_has_a_kappa_of_its_own() -> None:
    """Answers without any agreement beyond chance, whose places in two layers are unlike."""
    generator = random.Random(5)
    answers = {
        "first": [(generator.randrange(2), generator.randrange(2)) for _ in range(400)],
        "second": [(generator.randrange(3, 5), generator.randrange(3, 5)) for _ in range(400)],
    }
    runs = [
        [
            verdict(item, pair[side], layer=layer)
            for layer, pairs in answers.items()
            for item, pair in enumerate(pairs)
        ]
        for side in (0, 1)
    ]
    found = agreement(runs)
    assert found is not None
    assert [layer.layer for layer in found.layers] == ["first", "second"]
    for layer in found.layers:
        expected = cohen_kappa_score(*zip(*answers[layer.layer], strict=True))
        assert only(layer).kappa == pytest.approx(expected)
        assert abs(expected) < 0.15
    # One kappa over both, as there was, finds agreement that there is not.
    together = [pair for pairs in answers.values() for pair in pairs]
    assert cohen_kappa_score(*zip(*together, strict=True)) > 0.3


def test_questions_with_other_numbers_of_options_are_apart() -> None:
    runs = [
        [verdict(0, 0), verdict(1, 1), verdict(2, 0, options="ab"), verdict(3, 1, options="ab")]
        for _ in range(3)
    ]
    found = agreement(runs)
    assert found is not None
    (layer,) = found.layers
    assert [(each.options, each.ratings.items) for each in layer.by_options] == [(2, 2), (5, 2)]


def test_options_in_another_order_are_not_compared() -> None:
    one = [verdict(0, 0), verdict(1, 0), verdict(2, 0)]
    other = [verdict(0, 0, options="abced"), verdict(1, 0, options="abcd"), verdict(2, 0)]
    found = agreement([one, other])
    assert found is not None
    assert (found.n, found.other_options) == (1, 2)
    assert agreement([one[:2], other[:2]]) is None


def test_only_questions_that_all_were_asked_count() -> None:
    one = [verdict(0, 1), verdict(1, 1), verdict(2, 1)]
    other = [verdict(1, 1), verdict(2, 2), verdict(3, 1), verdict(0, 1, digest="another")]
    found = agreement([one, other])
    assert found is not None
    assert (found.n, found.observed) == (2, 0.5)
    assert agreement([one]) is None
    assert agreement([one, [verdict(9, 0)]]) is None


def test_unread_answers_are_an_answer_of_their_own() -> None:
    found = agreement([[verdict(0, None), verdict(1, 0)], [verdict(0, None), verdict(1, None)]])
    assert found is not None
    assert found.observed == 0.5


def test_free_texts_and_answers_of_which_little_is_known_are_left_out() -> None:
    free = verdict(0, None, layer="words")._replace(status=Status.OK)
    hit = verdict(1, 0, layer="words")
    inferred = verdict(2, 0)._replace(scoring=Scoring.INFERRED)
    run = [free, hit, inferred, verdict(3, 1)]
    found = agreement([run, run])
    assert found is not None
    assert [(layer.layer, layer.n) for layer in found.layers] == [("answer", 1)]


def test_the_majority_is_right_only_without_a_tie() -> None:
    runs = [[verdict(0, 0), verdict(1, 0)], [verdict(0, 0), verdict(1, 2)]]
    found = agreement(runs)
    assert found is not None
    assert (found.majority_right, found.with_gold) == (1, 2)
    same = agreement([[verdict(0, 3)], [verdict(0, 3)]])
    assert same is not None
    assert only(same.layers[0]).kappa is None


MODELS = ("gemma-2-9b", "Meta-Llama-3.1-8B", "gemma-2-27b")


@pytest.mark.parametrize("models", [MODELS[:2], MODELS])
def test_released_models_agree_as_other_programs_find(
    shared_data: Path, models: tuple[str, ...]
) -> None:
    logs = shared_data / "gita4calamita" / "logs"
    runs = [read(logs / model).verdicts for model in models]
    found = agreement(runs)
    assert found is not None
    for layer in found.layers:
        answers = [{v.item: v.answer for v in run if v.layer == layer.layer} for run in runs]
        items = sorted(set.intersection(*map(set, answers)))
        rows = [[of[item] for of in answers] for item in items]
        assert layer.n == len(items) > 0
        if len(models) == 2:
            expected = cohen_kappa_score(*zip(*rows, strict=True))
        else:
            expected = fleiss_kappa(aggregate_raters(rows)[0])
        assert only(layer).kappa == pytest.approx(expected, abs=1e-9)
    assert found.layers[0].n == 356
