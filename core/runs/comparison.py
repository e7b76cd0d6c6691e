"""Two runs beside each other, question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.registry import BrokenBenchmarkError
from core.runs.figure_comparison import FigureComparison, compare_figures
from core.runs.outcomes import Outcome
from core.runs.records import Plan, Run
from core.runs.store import Store
from core.statistics.paired import (
    PairedDifference,
    detectable_difference,
    mcnemar,
    paired_difference,
    permutation_p,
)
from core.text.errors import NotFoundError, RunError
from core.text.language import N_, _

ALL_RIGHT = N_("all right")
"""Stands for the first wrong layer of an item that has none."""


class Pair(NamedTuple):
    """A question that both runs answered."""

    first: Outcome
    second: Outcome

    @property
    def flipped(self) -> bool:
        """Whether one answer is right and the other wrong."""
        return {self.first.right, self.second.right} == {True, False}


@dataclass(frozen=True, slots=True)
class LayerComparison:
    """Two runs in one task layer, over the questions that both answered and whose gold is known."""

    layer: str
    both_right: int
    first_only: int
    """Questions that only the first run has right."""
    second_only: int
    both_wrong: int
    difference: PairedDifference
    """Difference of the shares of right answers, its interval clustered as the benchmark says."""
    p: float | None
    """p-value of the exact McNemar test; None where scipy is not installed."""
    soft: PairedDifference | None
    """Difference of the soft scores, in a layer of multiple select."""
    soft_p: float | None
    """p-value of a paired permutation test by cluster, for the soft scores."""
    holm_p: float | None = None
    """`p` adjusted for all tests that are shown; None where it is not adjusted."""
    soft_holm_p: float | None = None
    """`soft_p`, adjusted in the same way."""

    @property
    def n(self) -> int:
        """The number of questions."""
        return self.difference.n

    @property
    def detectable(self) -> float | None:
        """The smallest difference that these questions would show with a power of 80 %."""
        return detectable_difference(self.n, self.first_only + self.second_only)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the questions that both answered."""

    first: Run
    second: Run
    layers: tuple[LayerComparison, ...]
    figures: tuple[FigureComparison, ...]
    """The benchmark's own; none where it is not installed, or the runs are too large."""
    flips: tuple[Pair, ...]
    """The questions that one run has right and the other wrong, in run order."""
    first_failures: Mapping[tuple[str, str], int]
    """Items by the first wrong layer in the first run and in the second, or `ALL_RIGHT`."""
    unlike: tuple[str, ...]
    """What else but the model makes the runs unlike, each in a few words."""
    only_first: int
    """Questions that only the first run answered; they are not compared."""
    only_second: int


def compare(store: Store, first_id: str, second_id: str) -> Comparison:
    """Compare two runs of a store.

    Questions are the same when layer, item, text, setting and options are. Raises `NotFoundError`
    for an unknown run, and `RunError` for runs of two benchmarks or without a common question.
    """
    first, second = store.run(first_id), store.run(second_id)
    if first.plan.benchmark != second.plan.benchmark:
        raise RunError(
            f"These are runs of two benchmarks: {first.plan.benchmark} and "
            f"{second.plan.benchmark}.",
            hint="Name two runs of one benchmark: `commonsense-tui runs list`.",
        )
    benchmark = _benchmark(first.plan.benchmark)
    tag = benchmark.cluster_tag if benchmark else ""
    asked_first = store.outcomes(first.id, tag)
    asked_second = store.outcomes(second.id, tag)
    same_place = {(outcome.layer, outcome.item): outcome for outcome in asked_second}
    pairs = [
        Pair(outcome, other)
        for outcome in asked_first
        if (other := same_place.get((outcome.layer, outcome.item))) is not None
        and outcome.digest == other.digest
        and outcome.options == other.options
        and outcome.setting == other.setting
    ]
    if not pairs:
        raise RunError(
            "These runs share no question.",
            hint="Name two runs over the same items with the same setting.",
        )
    by_layer: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.first.right is not None and pair.second.right is not None:
            by_layer.setdefault(pair.first.layer, []).append(pair)
    counted = [layer.id for layer in benchmark.layers if not layer.aside] if benchmark else []
    shared = {pair.first.item for pair in pairs}
    return Comparison(
        first=first,
        second=second,
        layers=tuple(_compare_layer(layer, asked) for layer, asked in by_layer.items()),
        figures=compare_figures(store, benchmark, (first, second)) if benchmark else (),
        flips=tuple(pair for pair in pairs if pair.flipped),
        first_failures=_first_failures(
            counted or list(by_layer), shared, asked_first, asked_second
        ),
        unlike=tuple(_unlike(first.plan, second.plan)),
        only_first=len(asked_first) - len(pairs),
        only_second=len(asked_second) - len(pairs),
    )


def _benchmark(name: str) -> Benchmark | None:
    """The benchmark of the runs; None where it is not installed or does not work."""
    try:
        return registry.load(name)
    except (NotFoundError, BrokenBenchmarkError):
        return None


def _compare_layer(layer: str, pairs: Sequence[Pair]) -> LayerComparison:
    cells = Counter((bool(first.right), bool(second.right)) for first, second in pairs)
    clusters = [first.cluster for first, _second in pairs]
    first_right = [float(bool(first.right)) for first, _second in pairs]
    second_right = [float(bool(second.right)) for _first, second in pairs]
    first_credit = [first.credit or 0.0 for first, _second in pairs]
    second_credit = [second.credit or 0.0 for _first, second in pairs]
    is_soft = (first_credit, second_credit) != (first_right, second_right)
    return LayerComparison(
        layer=layer,
        both_right=cells[True, True],
        first_only=cells[True, False],
        second_only=cells[False, True],
        both_wrong=cells[False, False],
        difference=paired_difference(first_right, second_right, clusters),
        p=mcnemar(cells[True, False], cells[False, True]),
        soft=paired_difference(first_credit, second_credit, clusters) if is_soft else None,
        soft_p=permutation_p(first_credit, second_credit, clusters) if is_soft else None,
    )


def _first_failures(
    layers: Sequence[str], items: Set[str], *runs: Sequence[Outcome]
) -> Counter[tuple[str, str]]:
    """How many of the items have each pair of first wrong layers."""
    order = {layer: index for index, layer in enumerate(layers)}
    firsts: list[dict[str, str]] = []
    for run in runs:
        first = dict.fromkeys(items, ALL_RIGHT)
        wrong = (o for o in run if o.right is False and o.layer in order)
        for outcome in sorted(wrong, key=lambda o: order[o.layer], reverse=True):
            if outcome.item in first:
                first[outcome.item] = outcome.layer
        firsts.append(first)
    return Counter((firsts[0][item], firsts[1][item]) for item in items)


def _unlike(first: Plan, second: Plan) -> Iterator[str]:
    """In which conditions two plans differ; their models are expected to."""
    conditions = {
        N_("prompt form"): (first.form, second.form),
        N_("worked examples"): (first.shots, second.shots),
        N_("choice of worked examples"): (first.shot_rule, second.shot_rule),
        N_("seed"): (first.seed, second.seed),
        N_("setting"): (first.setting, second.setting),
        N_("scoring"): (first.scoring, second.scoring),
        N_("limit of items"): (first.limit, second.limit),
    }
    for name, (one, other) in conditions.items():
        if one != other:
            yield f"{_(name)}: {_value(one)} / {_value(other)}"


def _value(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(f"{key}={each}" for key, each in value)
    return str(value) if value not in {None, ""} else _("none")
