"""The benchmark's own figures of two runs, over the questions that both answered."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from core.contract.benchmark import Benchmark
from core.contract.question import MissingTagError, Verdict
from core.contract.summary import Figure
from core.runs.records import Run
from core.runs.store import Store
from core.statistics.bootstrap import SEED
from core.statistics.jackknife import GROUPS, jackknife_interval
from core.text.language import _

MOST_VERDICTS = 50_000
"""Most verdicts of two runs whose figures are computed again and again for intervals."""
_MOST_COUNTED = 200_000
"""Most verdicts that are counted for intervals where this allows more than `GROUPS` groups."""


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """One figure of two runs."""

    name: str
    first: float | None
    second: float | None
    interval: tuple[float, float] | None
    """The 95 % interval of the difference, by the delete-a-group jackknife over clusters; None
    where `jackknife_interval` gives none."""
    detail: bool = False
    """Whether it belongs to a part, such as one kind of item; tables leave it out."""
    n: tuple[int | None, int | None] = (None, None)
    """The denominators in the first and the second run; None where a run has no such figure."""

    @property
    def difference(self) -> float | None:
        """The second minus the first; None where one of them is not known."""
        if self.first is None or self.second is None:
            return None
        return self.second - self.first


def compare_figures(
    store: Store, benchmark: Benchmark, runs: tuple[Run, Run], *, by_item: bool = False
) -> tuple[tuple[FigureComparison, ...], str]:
    """The figures of two runs under the default profile, each over the items that both answered.

    Of these only the questions that both answered count. Those of gated layers all do: which of
    them a run was asked follows from its own answers, and a figure that lacks some is not known.
    With `by_item` questions are what both asked about an item in a layer, whatever it was, and
    only figures of equally many cases are compared. None of them where the runs have more than
    `MOST_VERDICTS` verdicts together, or lack a tag that the benchmark needs; the reason is
    returned beside, otherwise an empty text. Recorded totals are of other items and are not used.
    """
    if sum(run.verdicts for run in runs) > MOST_VERDICTS:
        why = _(
            "The benchmark's own figures are not compared: the runs have more than {most:,} "
            "answers together.",
            most=MOST_VERDICTS,
        )
        return (), why
    first, second = (store.verdicts(run.id) for run in runs)
    shared = {v.item for v in first} & {v.item for v in second}
    if not by_item:
        shared &= _same_items(first, second)
    gated = {layer.id for layer in benchmark.layers if layer.gated}
    first, second = _shared(first, second, shared, gated), _shared(second, first, shared, gated)
    most_groups = max(GROUPS, _MOST_COUNTED // max(1, len(first) + len(second)))
    group_of = _groups(first, benchmark.cluster_tag, most_groups)

    def summary(verdicts: Sequence[Verdict]) -> dict[str, Figure]:
        figures = benchmark.summarise(verdicts, benchmark.profiles[0]).figures
        return {figure.name: figure for figure in figures}

    def figures(verdicts: Sequence[Verdict], without: int | None = None) -> dict[str, float | None]:
        kept = [verdict for verdict in verdicts if group_of[verdict.item] != without]
        return {name: figure.value for name, figure in summary(kept).items() if name in counted}

    groups = sorted(set(group_of.values()))
    try:
        summaries = summary(first), summary(second)
        counted = _of_equally_many(*summaries) if by_item else {*summaries[0], *summaries[1]}
        whole = figures(first), figures(second)
        parts = [(figures(first, group), figures(second, group)) for group in groups]
    except MissingTagError as error:
        why = _(
            "The benchmark's own figures are not compared: they need the “{tag}” of every answer, "
            "which one of these runs does not record.",
            tag=error.tag,
        )
        return (), why
    known = {**summaries[0], **summaries[1]}
    compared = []
    for name in dict.fromkeys([*whole[0], *whole[1]]):
        left_value, right_value = (each.get(name) for each in whole)
        left_n, right_n = (each[name].n if name in each else None for each in summaries)
        figure = FigureComparison(
            name, left_value, right_value, None, known[name].detail, (left_n, right_n)
        )
        if figure.difference is not None:
            without = [
                None if (a := left.get(name)) is None or (b := right.get(name)) is None else b - a
                for left, right in parts
            ]
            interval = jackknife_interval(figure.difference, without)
            figure = replace(figure, interval=interval)
        compared.append(figure)
    return tuple(compared), ""


def _of_equally_many(first: Mapping[str, Figure], second: Mapping[str, Figure]) -> set[str]:
    """The names of figures that count as many cases in both runs.

    Under another setting a figure may be of other items: ACCORD's *factual* is of those whose
    implied answer is the gold one.
    """
    return {name for name in first.keys() & second.keys() if first[name].n == second[name].n}


def _same_items(first: Sequence[Verdict], second: Sequence[Verdict]) -> set[str]:
    """The items about which both runs answered, and were asked the same wherever both were.

    An id may stand for another item in another file.
    """
    asked = {(v.item, v.layer): (v.digest, v.setting, v.options) for v in first}
    same: dict[str, bool] = {}
    for v in second:
        if (known := asked.get((v.item, v.layer))) is not None:
            same[v.item] = same.get(v.item, True) and known == (v.digest, v.setting, v.options)
    return {item for item, is_same in same.items() if is_same}


def _shared(
    verdicts: Sequence[Verdict], others: Sequence[Verdict], items: Set[str], gated: Set[str]
) -> list[Verdict]:
    """The verdicts on some items, outside the gated layers only where the others have one too."""
    answered = {(v.item, v.layer) for v in others}
    return [
        v
        for v in verdicts
        if v.item in items and (v.layer in gated or (v.item, v.layer) in answered)
    ]


def _groups(verdicts: Sequence[Verdict], cluster_tag: str, most: int) -> dict[str, int]:
    """The group of each item: each cluster is one, or with more than `most` clusters these are
    dealt at random, with `SEED`, into as many groups.

    Without groups the error of a mean is the clustered one; with few it depends on how clusters
    are dealt.
    """
    clusters = {v.item: v.tags.get(cluster_tag) or v.item for v in reversed(verdicts)}
    order = sorted(set(clusters.values()))
    random.Random(SEED).shuffle(order)
    group = {cluster: index % most for index, cluster in enumerate(order)}
    return {item: group[cluster] for item, cluster in clusters.items()}
