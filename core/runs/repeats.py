"""Repeats of a run: the same questions with other worked examples, or options in other orders.

Each repeat is a run of its own, with the same plan but for the seed of its worked examples and the
order of its options.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.figures import proportion
from core.runs.position_bias import LetterCounts, letter_counts, letters_table
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store
from core.runs.summaries import benchmark_of, summary_of
from core.text.language import _


@dataclass(frozen=True, slots=True)
class Spread:
    """What a figure is over several repeats."""

    values: Sequence[float]
    """At least two."""

    @property
    def mean(self) -> float:
        """The mean over the repeats."""
        return statistics.fmean(self.values)

    @property
    def sd(self) -> float:
        """The standard deviation between the repeats, with one degree of freedom less than them."""
        return statistics.stdev(self.values)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Finished runs that are alike but for their seed or their order."""

    runs: Sequence[Run]
    seeds: int
    """How many seeds of worked examples they have."""
    orders: int
    """How many orders of options they have."""

    @property
    def title(self) -> str:
        """What differs between them, in a few words."""
        if self.seeds == 1:
            return _("{n} orders of the options", n=self.orders)
        if self.orders == 1:
            return _("{n} draws of worked examples", n=self.seeds)
        return _(
            "{seeds} draws of worked examples, each in {orders} orders of the options",
            seeds=self.seeds,
            orders=self.orders,
        )


@dataclass(frozen=True, slots=True)
class RepeatedFigures:
    """The figures of repeats under one scoring profile."""

    repeats: Repeats
    values: Mapping[str, Sequence[float | None]]
    """By the name of a figure: what it is in each of the runs; None where there is none."""
    letters: LetterCounts
    """Over all of the runs."""

    @property
    def spreads(self) -> Mapping[str, Spread]:
        """By the name of a figure: its spread, where at least two runs have it."""
        known = {
            name: [value for value in values if value is not None]
            for name, values in self.values.items()
        }
        return {name: Spread(values) for name, values in known.items() if len(values) > 1}


def repeats_of(run: Run, runs: Iterable[Run]) -> list[Repeats]:
    """The repeats of a finished run among `runs`, given the oldest first.

    First those with its seed in other orders, then those with its order and other seeds, then all
    combinations of these seeds and orders where each was asked. Of equal repeats the latest counts.
    """
    alike = same_but_seed_and_order(run.plan)
    known = {
        (other.plan.seed, other.plan.order): other
        for other in runs
        if other.state is RunState.DONE and same_but_seed_and_order(other.plan) == alike
    }
    seed, order = run.plan.seed, run.plan.order
    if run.state is not RunState.DONE:
        return []
    known[seed, order] = run
    orders = sorted(other for own, other in known if own == seed)
    seeds = sorted(own for own, other in known if other == order)
    return [
        Repeats(
            [known[key] for key in keys], len({s for s, _o in keys}), len({o for _s, o in keys})
        )
        for keys in (
            [(seed, each) for each in orders],
            [(each, order) for each in seeds],
            [(s, o) for s in seeds for o in orders] if len(orders) > 1 and len(seeds) > 1 else [],
        )
        if len(keys) > 1 and all(key in known for key in keys)
    ]


def repeated_figures(
    store: Store, run: Run, profile: str, among: Collection[str] | None = None
) -> list[RepeatedFigures]:
    """The figures of a run's repeats under a profile; `among` limits them to runs of these ids."""
    runs = [other for other in store.runs() if among is None or other.id in among]
    benchmark, _trouble = benchmark_of(run)
    layers = benchmark.lettered_layers if benchmark is not None else ()
    figures = []
    for repeats in repeats_of(run, runs):
        verdicts = [store.verdicts(each.id) for each in repeats.runs]
        values: dict[str, list[float | None]] = {}
        for index, (each, answers) in enumerate(zip(repeats.runs, verdicts, strict=True)):
            for figure in summary_of(each, answers, profile).figures:
                of_runs = values.setdefault(figure.name, [None] * len(repeats.runs))
                of_runs[index] = figure.value if figure.n else None
        letters = letter_counts([v for answers in verdicts for v in answers], layers)
        figures.append(RepeatedFigures(repeats, values, letters))
    return figures


def with_repeats(summary: Summary, repeated: Sequence[RepeatedFigures]) -> Summary:
    """The summary with tables of the repeats before its own."""
    tables: list[Grid] = []
    for each in repeated:
        tables.append(_table(summary, each))
        if each.letters.questions:
            title = _("Letters over {repeats}", repeats=each.repeats.title)
            tables.append(letters_table(each.letters, title))
    return replace(summary, tables=(*tables, *summary.tables))


def _table(summary: Summary, repeated: RepeatedFigures) -> Grid:
    spreads = repeated.spreads
    rows = tuple(
        (
            Cell(figure.name),
            Cell("" if figure.value is None or not figure.n else proportion(figure.value)),
            Cell(proportion(spread.mean)),
            Cell(proportion(spread.sd)),
            Cell(f"{proportion(min(spread.values))} – {proportion(max(spread.values))}"),
            Cell(str(len(spread.values))),
        )
        for figure in summary.figures
        if not figure.detail and (spread := spreads.get(figure.name)) is not None
    )
    return Grid(
        _("Over {repeats}", repeats=repeated.repeats.title),
        (
            _("figure"),
            _("this run"),
            _("mean"),
            _("standard deviation"),
            _("lowest – highest"),
            _("repeats"),
        ),
        rows,
        _(
            "How far the figures depend on what differs between the repeats, not on which items "
            "were asked. Runs: {runs}.",
            runs=", ".join(run.id for run in repeated.repeats.runs),
        ),
    )


def same_but_seed_and_order(plan: Plan) -> Plan:
    """The plan without what differs between repeats, and without what equal plans may differ in."""
    return replace(plan, seed=0, order=0, model="", collection="", skipped=None)
