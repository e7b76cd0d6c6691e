"""Generation figures: how single scores become the figures of a file."""

from __future__ import annotations

import statistics
from dataclasses import replace

import pytest
from rouge_score.rouge_scorer import RougeScorer

from core.benchmarks.abspyramid.generation import score_generation
from core.benchmarks.abspyramid.meteor import meteor
from core.benchmarks.abspyramid.predictions import GenerationPrediction
from core.benchmarks.abspyramid.relation_scores import Scores
from core.benchmarks.abspyramid.tuples import Relation

PREDICTIONS = [
    GenerationPrediction(
        ("living thing", "animal", "small animal"), "animals", Relation.NOUN, "a cat sat"
    ),
    GenerationPrediction(
        ("going after prey", "hunting"), "hunt for prey", Relation.VERB, "a cat chased a mouse"
    ),
    GenerationPrediction(
        ("a hunt", "an animal hunting its prey"), "an animal hunting", Relation.EVENT
    ),
    GenerationPrediction(("a place to hide in",), "", Relation.NOUN, "a cat sat"),
]


def figures(scores: Scores):
    return {figure.name: figure for figure in scores.figures}


def values(name: str = "all", predictions=PREDICTIONS):
    scores = score_generation(predictions, None, "no WordNet")[name]
    return {name: figure.value for name, figure in figures(scores).items()}


def test_the_best_reference_counts_and_the_mean_is_over_predictions():
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    found = values()
    for name, kind, part in (
        ("rouge_1_recall", "rouge1", "recall"),
        ("rouge_2_recall", "rouge2", "recall"),
        ("rouge_l_f", "rougeL", "fmeasure"),
    ):
        best = [
            max(getattr(scorer.score(each, one.text)[kind], part) for each in one.references)
            for one in PREDICTIONS
        ]
        assert 0 < statistics.mean(best) < 1
        assert found[name] == pytest.approx(statistics.mean(best))


def test_both_definitions_of_bleu_2_are_reported():
    # Of the words "a b c d" and "e f" all but f occur in a reference, of 4 bigrams 2 do.
    predictions = [
        GenerationPrediction(("a b c d", "x"), "a b d c"),
        GenerationPrediction(("e", "x y z w v"), "e f"),
    ]
    found = values(predictions=predictions)
    assert found["bleu_1_precision"] == pytest.approx(5 / 6)
    assert found["bleu_2_precision"] == pytest.approx(1 / 4)
    assert found["bleu_1_cumulative"] == pytest.approx(5 / 6)
    assert found["bleu_2_cumulative"] == pytest.approx((5 / 6 * 1 / 4) ** 0.5)
    assert found["bleu_4_cumulative"] == 0


def test_relations_are_scored_apart_and_together():
    scores = score_generation(PREDICTIONS, None)
    assert {name: each.n for name, each in scores.items()} == {
        "all": 4,
        "noun": 2,
        "verb": 1,
        "event": 1,
    }
    assert scores["all"].counts["empty"] == scores["noun"].counts["empty"] == 1
    assert scores["all"].counts["references"] == 8
    assert scores["all"].counts["head_events"] == 3
    assert values("event")["rouge_2_recall"] == pytest.approx(2 / 4)


def test_meteor_is_not_computed_without_a_wordnet():
    found = figures(score_generation(PREDICTIONS, None, "no WordNet")["all"])["meteor"]
    assert found.value is None
    assert found.interval is None
    assert found.note == "not computed: no WordNet"


def test_meteor_takes_synonyms_from_the_wordnet_it_is_given():
    def synonyms(word: str) -> list[str]:
        return {"hunt": ["hunt", "chase", "track down"], "felid": ["cat"]}.get(word, [])

    def score(prediction: str, *references: str) -> float:
        return meteor(prediction, references, synonyms)

    # One word that matches: precision, recall and their mean 1, one chunk of one word.
    assert score("cat", "cat") == score("Cats", "cat") == score("felid", "cat") == 0.5
    assert score("hunt", "chase") == 0.5
    assert score("hunt", "track") == score("", "cat") == 0
    assert score("cat", "dog", "felid cat", "cat") == 0.5
    # Two words in one chunk: the penalty is 0.5 · (1/2)³.
    assert score("hunt cat", "chase cat") == pytest.approx(1 - 0.5 / 8)


def test_meteor_is_the_mean_where_it_is_computed():
    by_text = {each.text: i / 10 for i, each in enumerate(PREDICTIONS)}
    scores = score_generation(PREDICTIONS, lambda text, _: by_text[text])
    found = figures(scores["all"])["meteor"]
    assert found.value == pytest.approx(0.15)
    assert figures(scores["event"])["meteor"].value == pytest.approx(0.2)


def test_the_same_predictions_give_the_same_intervals():
    few = figures(score_generation(PREDICTIONS, None)["all"])
    for name, figure in few.items():
        if name.startswith("bleu"):
            assert figure.interval is None
            assert figure.withheld == "too few head events"
    many = [replace(each, head=f"{each.head} {i}") for i in range(4) for each in PREDICTIONS]
    once, again = (figures(score_generation(many, None)["all"]) for _ in range(2))
    for name, figure in once.items():
        assert figure.interval == again[name].interval
        if figure.value:  # Of 4-grams, none matches.
            assert figure.interval is not None
            assert figure.interval[0] <= figure.value <= figure.interval[1]
            assert figure.interval[0] < figure.interval[1]
