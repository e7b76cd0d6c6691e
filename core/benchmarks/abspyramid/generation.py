"""Figures of abstraction generation, as the paper reports them (section 7.1, table 7).

BLEU is over the whole file; ROUGE and METEOR are means over predictions, each with the reference
of the highest score. An empty prediction scores 0 and is counted separately.

Predictions for one head event are not independent. Means have the interval of clustered scores,
BLEU that of a jackknife over head events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.benchmarks.abspyramid.bleu import ORDERS, BleuCounts, bleu_counts
from core.benchmarks.abspyramid.detection import TOO_FEW_HEADS
from core.benchmarks.abspyramid.predictions import GenerationPrediction
from core.benchmarks.abspyramid.relation_scores import Scores, score_by_relation
from core.benchmarks.abspyramid.rouge import rouge_l, rouge_recall, rouge_words
from core.contract.summary import Figure
from core.statistics.cluster_interval import mean_interval
from core.statistics.clusters import cluster_codes, cluster_groups
from core.statistics.jackknife import jackknife_error, log_odds_interval

Meteor = Callable[[str, Sequence[str]], float]
"""METEOR of a prediction against its references, from 0 to 1."""

_BLEU: Mapping[str, tuple[str, Callable[[BleuCounts], float]]] = {
    "bleu_1_precision": ("generated words that the references cover", lambda c: c.precision(1)),
    "bleu_1_cumulative": ("the same times the brevity penalty", lambda c: c.cumulative(1)),
    "bleu_2_precision": (
        "generated bigrams that the references cover: how the paper's text reads its BLEU-2",
        lambda c: c.precision(2),
    ),
    "bleu_2_cumulative": (
        "geometric mean of both precisions times the brevity penalty: BLEU-2 elsewhere",
        lambda c: c.cumulative(2),
    ),
    "bleu_4_cumulative": ("what `evaluate` calls bleu", lambda c: c.cumulative(ORDERS)),
}
_MEANS = {
    "rouge_1_recall": "of stemmed words",
    "rouge_2_recall": "of stemmed bigrams; recall, as in the authors' code",
    "rouge_l_f": "longest common subsequence of stemmed words; F measure",
    "meteor": "",
}


@dataclass(frozen=True, slots=True)
class _Measured:
    """The measures of one prediction."""

    prediction: GenerationPrediction
    bleu: BleuCounts
    means: tuple[float, ...]
    """Values in the order of `_MEANS`; without METEOR if it is not computed."""


def score_generation(
    predictions: Sequence[GenerationPrediction], meteor: Meteor | None, why_not: str = ""
) -> dict[str, Scores]:
    """The figures over all predictions ("all") and for each relation that occurs.

    Args:
        predictions: at least one.
        meteor: computes METEOR; None if it is not available.
        why_not: why METEOR cannot be computed, for the figure's note.
    """
    measured = [_measure(each, meteor) for each in predictions]
    missing = "" if meteor is not None else f"not computed: {why_not}"
    return score_by_relation(
        measured,
        lambda relation: [each for each in measured if each.prediction.relation is relation],
        lambda own: _scores(own, missing),
    )


# Intervals and comparisons of runs ask for the same predictions dozens of times.
@lru_cache(maxsize=20_000)
def _measure(each: GenerationPrediction, meteor: Meteor | None) -> _Measured:
    words = rouge_words(each.text)
    references = [rouge_words(reference) for reference in each.references]
    means: tuple[float, ...] = (
        max(rouge_recall(words, reference, 1) for reference in references),
        max(rouge_recall(words, reference, 2) for reference in references),
        max(rouge_l(words, reference) for reference in references),
    )
    if meteor is not None:
        means += (meteor(each.text, each.references),)
    return _Measured(each, bleu_counts(each.text, each.references), means)


def _scores(measured: Sequence[_Measured], no_meteor: str) -> Scores:
    n = len(measured)
    codes = cluster_codes([each.prediction.head for each in measured])
    groups, clusters = cluster_groups(codes), len(np.unique(codes))
    rows = np.array([_bleu_row(each.bleu) for each in measured])
    summed = _bleu(rows.sum(axis=0))
    without = [_bleu(rows[groups != group].sum(axis=0)) for group in np.unique(groups)]

    figures = []
    for name, (note, of_counts) in _BLEU.items():
        value, error = of_counts(summed), jackknife_error([of_counts(each) for each in without])
        # Where no word sequence matches without any of the groups, the error is not known.
        interval = log_odds_interval(value, error, cases=clusters) if error else None
        withheld = TOO_FEW_HEADS if error is None else ""
        figures.append(
            Figure(name, None, n, {}, note, mean=value, own_interval=interval, withheld=withheld)
        )
    for position, (name, note) in enumerate(_MEANS.items()):
        if position == len(measured[0].means):
            figures.append(Figure(name, None, n, note=no_meteor))
            continue
        scores = [each.means[position] for each in measured]
        interval = mean_interval(zip(codes.tolist(), scores, strict=True))
        withheld = TOO_FEW_HEADS if interval is None else ""
        mean = sum(scores) / n
        figures.append(
            Figure(name, None, n, {}, note, mean=mean, own_interval=interval, withheld=withheld)
        )
    return Scores(
        tuple(figures),
        {
            "empty": sum(not each.prediction.text for each in measured),
            "references": sum(len(each.prediction.references) for each in measured),
            "words": int(summed.length),
            "words_of_shortest_references": int(summed.reference_length),
            "head_events": clusters if any(each.prediction.head for each in measured) else 0,
        },
    )


def _bleu_row(counts: BleuCounts) -> tuple[float, ...]:
    """BLEU counts as numbers that can be summed, 2 x `ORDERS` + 2."""
    return (*counts.matches, *counts.possible, counts.length, counts.reference_length)


def _bleu(row: NDArray[np.float64]) -> BleuCounts:
    """The BLEU counts in such a row."""
    values: list[float] = row.tolist()
    return BleuCounts(
        tuple(values[:ORDERS]), tuple(values[ORDERS : 2 * ORDERS]), values[-2], values[-1]
    )
