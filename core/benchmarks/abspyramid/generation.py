"""Figures of abstraction generation, as the paper reports them (section 7.1, table 7).

BLEU is over the whole file; ROUGE and METEOR are means over predictions, each with the reference
of the highest score. An empty prediction scores 0 and is counted separately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.benchmarks.abspyramid.bleu import ORDERS, BleuCounts, bleu_counts
from core.benchmarks.abspyramid.detection import TOO_FEW_HEADS
from core.benchmarks.abspyramid.predictions import GenerationPrediction
from core.benchmarks.abspyramid.relation_scores import Scores, score_by_relation
from core.benchmarks.abspyramid.rouge import rouge_l, rouge_recall, rouge_words
from core.contract.summary import Figure
from core.statistics.bootstrap import FEWEST_CLUSTERS, percentile_interval
from core.statistics.cluster_bootstrap import Floats, cluster_codes, drawn_weights

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
        measured, lambda each: each.prediction.relation, lambda own: _scores(own, missing)
    )


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
    rows = np.array([_row(each) for each in measured])
    codes = cluster_codes([each.prediction.head for each in measured])
    by_cluster = np.zeros((int(codes.max()) + 1, rows.shape[1]))
    np.add.at(by_cluster, codes, rows)
    whole = rows.sum(axis=0)
    drawn = [weights @ by_cluster for weights in drawn_weights(codes)]

    def mean_figure(
        name: str, note: str, value: float, interval: tuple[float, float] | None
    ) -> Figure:
        withheld = TOO_FEW_HEADS if len(by_cluster) < FEWEST_CLUSTERS else ""
        return Figure(
            name, None, n, note=note, mean=value, own_interval=interval, withheld=withheld
        )

    figures = []
    summed, resampled = _bleu(whole), [_bleu(row) for row in drawn]
    for name, (note, figure) in _BLEU.items():
        interval = percentile_interval((figure(counts) for counts in resampled), len(by_cluster))
        figures.append(mean_figure(name, note, figure(summed), interval))
    means = whole[_FIRST_MEAN:]
    for position, (name, note) in enumerate(_MEANS.items()):
        if position == len(means):
            figures.append(Figure(name, None, n, note=no_meteor))
            continue
        interval = percentile_interval(
            (float(row[_FIRST_MEAN + position] / row[_COUNT]) for row in drawn), len(by_cluster)
        )
        figures.append(mean_figure(name, note, float(means[position] / n), interval))
    return Scores(
        tuple(figures),
        {
            "empty": sum(not each.prediction.text for each in measured),
            "references": sum(len(each.prediction.references) for each in measured),
            "words": int(summed.length),
            "words_of_shortest_references": int(summed.reference_length),
            "head_events": (
                len(by_cluster) if any(each.prediction.head for each in measured) else 0
            ),
        },
    )


_COUNT = 2 * ORDERS + 2
_FIRST_MEAN = _COUNT + 1


def _row(each: _Measured) -> tuple[float, ...]:
    """Summable row of a prediction: BLEU counts (2 x `ORDERS` + 2), a 1, the means."""
    counts = each.bleu
    lengths = (counts.length, counts.reference_length)
    return (*counts.matches, *counts.possible, *lengths, 1.0, *each.means)


def _bleu(row: Floats) -> BleuCounts:
    """The BLEU counts in such a row."""
    values = [float(value) for value in row[:_COUNT]]
    return BleuCounts(
        tuple(values[:ORDERS]), tuple(values[ORDERS : 2 * ORDERS]), values[-2], values[-1]
    )
