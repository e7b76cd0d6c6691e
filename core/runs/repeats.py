"""Repeats of a run: the same questions in other words, orders or with other worked examples.

Each repeat is a run of its own, with the same plan but for the seed of its worked examples, the
order of its options and a person's own wording of the prompts.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from core.contract import registry
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.figures import proportion
from core.runs.position_bias import LetterCounts, letter_counts, letters_table
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store
from core.runs.summaries import summary_of
from core.text.language import _

_Key = tuple[Any, ...]


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
    """Finished runs that are alike but for their seed, their order or their wording."""

    runs: Sequence[Run]
    seeds: int
    """How many seeds they have: of worked examples, and of answers that are drawn."""
    orders: int
    """How many orders of options they have."""
    wordings: int = 1
    """How many wordings of the prompts they have."""

    @property
    def title(self) -> str:
        """What differs between them, in a few words."""
        if self.wordings > 1:
            wordings = _("{n} wordings of the prompts", n=self.wordings)
            if self.seeds == self.orders == 1:
                return wordings
            other = replace(self, wordings=1).title
            return _("{wordings}, each with {others}", wordings=wordings, others=other)
        if self.seeds == 1:
            return _("{n} orders of the options", n=self.orders)
        drawn = not self.runs[0].plan.shots
        if self.orders == 1:
            if drawn:
                return _("{n} draws of answers", n=self.seeds)
            return _("{n} draws of worked examples", n=self.seeds)
        if drawn:
            return _(
                "{seeds} draws of answers, each in {orders} orders of the options",
                seeds=self.seeds,
                orders=self.orders,
            )
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

    First those that differ from it in the order alone, then in the seed, then in the wording, then
    all combinations of these where each was asked. Of equal repeats the latest counts.
    """
    if run.state is not RunState.DONE:
        return []
    alike = same_but_repeated(run.plan)
    return repeats_among(run, Alike(r for r in runs if same_but_repeated(r.plan) == alike))


class Alike:
    """Runs that ask the same but for wording, seed and order, given the oldest first."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.finished = {_key(run.plan): run for run in runs if run.state is RunState.DONE}
        """By wording, seed and order; of equal repeats the latest."""
        self._values: dict[tuple[int, _Key], list[Any]] = {}
        for key in self.finished:
            for axis in range(len(key)):
                self._values.setdefault((axis, _without(key, axis)), []).append(key[axis])

    def values(self, key: _Key, axis: int) -> list[Any]:
        """What runs have on one axis that have the same as a key on the others, in their order."""
        return self._values.get((axis, _without(key, axis)), [])


def repeats_among(run: Run, alike: Alike) -> list[Repeats]:
    """The repeats of a finished run, as `repeats_of` gives them, among runs that are alike."""
    own = _key(run.plan)
    known, axes = alike.finished, [alike.values(own, axis) for axis in range(len(own))]
    if own not in known:
        axes = [[*values, value] for values, value in zip(axes, own, strict=True)]
    if known.get(own) is not run:
        known = known | {own: run}
    # Seeds and orders are numbers; wordings stay in the order in which they were asked.
    wordings, seeds, orders = axes[0], sorted(axes[1]), sorted(axes[2])
    alone: list[tuple[list[Any], ...]] = [
        ([own[0]], [own[1]], orders),
        ([own[0]], seeds, [own[2]]),
        (wordings, [own[1]], [own[2]]),
    ]
    varied = [values for values in alone if max(map(len, values)) > 1]
    if len(varied) > 1:
        varied.append((wordings, seeds, orders))
    return [
        Repeats(
            [known[key] for key in product(*values)],
            len(values[1]),
            len(values[2]),
            len(values[0]),
        )
        for values in varied
        if all(key in known for key in product(*values))
    ]


def _key(plan: Plan) -> _Key:
    """In what repeats differ: wording, seed, order."""
    return plan.prompts, plan.seed, plan.order


def _without(key: _Key, axis: int) -> _Key:
    """The key without what one axis has."""
    return (*key[:axis], None, *key[axis + 1 :])


def repeated_figures(
    store: Store, run: Run, profile: str, among: Collection[str] | None = None
) -> list[RepeatedFigures]:
    """The figures of a run's repeats under a profile; `among` limits them to runs of these ids."""
    if run.state is not RunState.DONE:
        return []
    runs = [other for other in store.runs() if among is None or other.id in among]
    benchmark = registry.installed(run.plan.benchmark)
    layers = benchmark.lettered_layers if benchmark is not None else ()
    figures = []
    for repeats in repeats_of(run, runs):
        verdicts = [store.verdicts(each.id) for each in repeats.runs]
        values: dict[str, list[float | None]] = {}
        for index, (each, answers) in enumerate(zip(repeats.runs, verdicts, strict=True)):
            for figure in summary_of(each, answers, profile).figures:
                of_runs = values.setdefault(figure.name, [None] * len(repeats.runs))
                of_runs[index] = figure.measured
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
            Cell("" if figure.measured is None else proportion(figure.measured)),
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


def same_but_repeated(plan: Plan) -> Plan:
    """The plan without what differs between repeats, and without what equal plans may differ in."""
    same = replace(plan, model="", collection="", origin="", server="", skipped=None)
    return replace(same, seed=0, order=0, prompts=())
