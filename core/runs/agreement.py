"""How far several answerers, people or models, agree on the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.contract.question import Scoring, Status, Verdict
from core.statistics.kappa import Ratings, paired_ratings, ratings


@dataclass(frozen=True, slots=True)
class OptionAgreement:
    """Agreement in one task layer, on the questions with the same number of options."""

    options: int
    ratings: Ratings
    """A rating is the place, among the options, of what one answerer picked for one question;
    no place is one, too. For two answerers kappa is Cohen's, for more it is Fleiss'."""


@dataclass(frozen=True, slots=True)
class LayerAgreement:
    """Agreement in one task layer."""

    layer: str
    n: int
    """The number of questions."""
    observed: float
    """The share of pairs of answers that are equal."""
    by_options: tuple[OptionAgreement, ...]
    """By number of options, ascending, because chance agreement depends on that number."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two or more answerers on the questions that all of them answered."""

    layers: tuple[LayerAgreement, ...]
    """In the order of the first run. There is no kappa over several layers: the first option of
    one layer is not that of another, and chance agrees less often where there are more options."""
    majority_right: int
    """Questions whose most frequent answer is right; ties count as wrong."""
    with_gold: int
    """Questions whose right answer is known."""
    other_options: int
    """Questions that are left out because their options, or the order of these, differ."""

    @property
    def n(self) -> int:
        """The number of questions."""
        return sum(layer.n for layer in self.layers)

    @property
    def observed(self) -> float:
        """The share of pairs of answers that are equal, over all questions."""
        return sum(layer.n * layer.observed for layer in self.layers) / self.n


def agreement(runs: Sequence[Sequence[Verdict]]) -> Agreement | None:
    """Compare runs question by question; None where no two share one.

    Questions are the same when layer, item and text are, and are compared where all runs had the
    same options in the same order. Unreadable answers count as an answer of their own. Layers that
    any text may answer are left out, and so are answers of which only right or wrong is recorded.
    """
    answered = [[v for v in run if v.scoring is not Scoring.INFERRED] for run in runs]
    free = {v.layer for run in answered for v in run if _names_no_option(v)}
    known = [
        {(v.layer, v.item, v.digest): v for v in run if v.layer not in free} for run in answered
    ]
    shared = [key for key in known[0] if all(key in run for run in known)] if known[1:] else []
    answers = [[run[key] for run in known] for key in shared]
    comparable = [each for each in answers if len({v.options for v in each}) == 1]
    if not comparable:
        return None
    by_layer: dict[str, list[list[Verdict]]] = {}
    for each in comparable:
        by_layer.setdefault(each[0].layer, []).append(each)
    with_gold = [each for each in comparable if each[0].right is not None]
    return Agreement(
        tuple(_layer(layer, asked) for layer, asked in by_layer.items()),
        sum(map(_majority_right, with_gold)),
        len(with_gold),
        len(answers) - len(comparable),
    )


def _names_no_option(verdict: Verdict) -> bool:
    """Whether an answer was read and is none of the options."""
    return not verdict.multiple and verdict.status is Status.OK and verdict.answer is None


def _layer(layer: str, asked: Sequence[Sequence[Verdict]]) -> LayerAgreement:
    by_options: dict[int, list[Sequence[Verdict]]] = {}
    for each in asked:
        by_options.setdefault(len(each[0].options), []).append(each)
    rated = tuple(
        OptionAgreement(options, _ratings(of)) for options, of in sorted(by_options.items())
    )
    equal = sum(each.ratings.items * each.ratings.observed for each in rated)
    return LayerAgreement(layer, len(asked), equal / len(asked), rated)


def _ratings(asked: Iterable[Sequence[Verdict]]) -> Ratings:
    picks = [tuple(verdict.picked_options for verdict in each) for each in asked]
    if len(picks[0]) == 2:
        rated = paired_ratings((first, second) for first, second in picks)
    else:
        rated = ratings(Counter(each) for each in picks)
    assert rated is not None  # There is an item, and more than one answer to each.
    return rated


def _majority_right(verdicts: Sequence[Verdict]) -> bool:
    """Whether the most frequent answer is right and no other is as frequent."""
    (best, most), *others = Counter(v.picked_options for v in verdicts).most_common(2)
    tied = bool(others) and others[0][1] == most
    return not tied and next(v.right for v in verdicts if v.picked_options == best) is True
