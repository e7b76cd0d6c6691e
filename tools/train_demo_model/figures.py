"""What answers add up to: accuracies beside chance and the best constant answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.statistics.cluster_interval import mean_interval
from core.statistics.clusters import cluster_codes, cluster_groups
from core.statistics.jackknife import jackknife_error, log_odds_interval
from tools.train_demo_model.cases import Case

Interval = tuple[float, float] | None
FEWEST = 20
"""With fewer cases no row of the card is given."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A case and the place of the option that the model gave; -1 for a wrong text of its own."""

    case: Case
    said: int

    @property
    def right(self) -> bool:
        return self.said == self.case.gold


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one row of the card.

    Accuracies have 95 % intervals with the clusters of the cases. Balanced accuracy is the mean of
    the shares right by gold answer; always giving one answer has 1 by the number of gold answers.
    It is None where only one answer is ever right, or any text may be written.
    """

    n: int
    clusters: int
    chance: float | None
    constant: float | None
    accuracy: float
    interval: Interval
    even: float | None
    balanced: float | None
    balanced_interval: Interval

    @property
    def compared(self) -> tuple[str, float, Interval, float]:
        """Measure, value and interval, and what the best constant answer has by that measure.

        Balanced accuracy or, where it has no interval, accuracy.
        """
        if self.balanced is not None and self.even is not None and self.balanced_interval:
            return "balanced accuracy", self.balanced, self.balanced_interval, self.even
        return "accuracy", self.accuracy, self.interval, self.constant or 0.0

    @property
    def above(self) -> bool | None:
        """Whether the model is better than any constant answer; None where one is always right."""
        if self.balanced is None:
            return None
        _, _, interval, constant = self.compared
        return interval is not None and interval[0] > constant

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Figures:
        cases = [answer.case for answer in answers]
        right = [float(answer.right) for answer in answers]
        clusters = [case.cluster for case in cases]
        golds = [case.gold for case in cases]
        written = not cases[0].options
        classes = len(set(golds))
        even = balanced = None
        interval: Interval = None
        if classes > 1 and not written:
            even, balanced = 1 / classes, _balanced(golds, right)
            interval = _balanced_interval(golds, right, clusters)
        constant = Counter(golds).most_common(1)[0][1] / len(cases)
        return cls(
            n=len(cases),
            clusters=len(set(clusters)),
            chance=None if written else sum(1 / len(case.options) for case in cases) / len(cases),
            constant=None if written else constant,
            accuracy=sum(right) / len(right),
            interval=mean_interval(zip(clusters, right, strict=True)),
            even=even,
            balanced=balanced,
            balanced_interval=interval,
        )


def _balanced(golds: Sequence[int], right: Sequence[float]) -> float:
    by_gold: dict[int, list[float]] = {}
    for gold, value in zip(golds, right, strict=True):
        by_gold.setdefault(gold, []).append(value)
    return sum(sum(values) / len(values) for values in by_gold.values()) / len(by_gold)


def _balanced_interval(
    golds: Sequence[int], right: Sequence[float], clusters: Sequence[str]
) -> Interval:
    """The delete-a-group jackknife over clusters, on the scale of log odds."""
    groups = cluster_groups(cluster_codes(clusters))
    without: list[float | None] = []
    for group in range(int(groups.max()) + 1):
        kept = np.flatnonzero(groups != group)
        if len({golds[index] for index in kept}) < len(set(golds)):
            without.append(None)
        else:
            without.append(_balanced([golds[i] for i in kept], [right[i] for i in kept]))
    error = jackknife_error(without)
    if error is None:
        return None
    held: dict[int, set[str]] = {}
    for gold, cluster in zip(golds, clusters, strict=True):
        held.setdefault(gold, set()).add(cluster)
    fewest = min(len(names) for names in held.values())
    if fewest < 2:
        return None
    return log_odds_interval(_balanced(golds, right), error, cases=fewest)


def rows(answers: Iterable[Answer]) -> dict[tuple[str, str], Figures]:
    """Figures by the name of a row and language, in the order of the ladders."""
    found: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        for name in _names(answer.case):
            found.setdefault((name, answer.case.language), []).append(answer)
    return {
        key: Figures.of(found[key])
        for key in sorted(found, key=lambda key: (_rank(key[0]), key[1]))
        if len(found[key]) >= FEWEST
    }


def _names(case: Case) -> Iterator[str]:
    """The rows that a case counts for: its own layer and sums in which yes and no are mixed."""
    yield case.layer
    if case.benchmark == "com2" and case.layer != "answer":
        yield "all links"
    if case.benchmark == "abspyramid" and case.layer != "generation":
        yield "all concepts"
        yield f"all concepts, {case.part}"


_ORDER = (
    *("story_class", "conflict_detec", "physical_state", "bare", "all", "link", "hop", "rung"),
    *("broken", "false", "answer", "generation"),
)


def _rank(name: str) -> tuple[int, str]:
    first = name.partition("-")[0].partition(" ")[0]
    return (_ORDER.index(first) if first in _ORDER else len(_ORDER)), name


def grid(answers: Iterable[Answer]) -> dict[tuple[int, int], Figures]:
    """Figures of ACCORD's whole trees by their numbers of hops and of distractors."""
    found: dict[tuple[int, int], list[Answer]] = {}
    for answer in answers:
        if answer.case.layer == "answer":
            hops, distractors = (int(number) for number in answer.case.part.split())
            found.setdefault((hops, distractors), []).append(answer)
    return {size: Figures.of(found[size]) for size in sorted(found)}
