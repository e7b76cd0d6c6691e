"""Gathers what the plots of any benchmark show from the verdicts and figures of runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.contract import registry
from core.contract.question import Verdict
from core.contract.summary import Figure
from core.exchange.plots import accord
from core.exchange.plots.plot import (
    CHANCE,
    MOST_RUNS,
    Plot,
    PlotError,
    Point,
    Series,
    caption,
    labels,
    layers_in_order,
    title_of,
)
from core.runs.comparison import LayerComparison, compare
from core.runs.quick_figures import layer_totals
from core.runs.records import Run
from core.runs.store import Store
from core.runs.summaries import summarise
from core.statistics.cluster_interval import mean_interval
from core.statistics.paired import PairedDifference
from core.statistics.proportion import proportion_interval
from core.text.language import in_english

BEST_CONSTANT = "best constant"
_CLUSTERED = "Bars: 95 % Wilson intervals, over the effective n of clustered questions."

_MAIN_FIGURES = ("overall", "main average", "hard average", "anti-factual", "factual")
"""The figure that stands for a whole run: the first of these that it has, else its first figure."""

Verdicts = Sequence[Verdict]
Gather = Callable[[Store, Sequence[Run]], Plot]


@in_english()
def gather(store: Store, kind: str, names: Sequence[str]) -> Plot:
    """What a plot of a kind shows of the named runs.

    Raises `NotFoundError` for an unknown run, and `PlotError` for an unknown kind, for runs of two
    benchmarks and for runs that do not have what the kind shows.
    """
    if kind not in KINDS:
        raise PlotError(f"There is no plot “{kind}”.", hint=f"Kinds: {', '.join(KINDS)}.")
    runs = [store.run(name) for name in dict.fromkeys(names)]
    benchmarks = list(dict.fromkeys(run.plan.benchmark for run in runs))
    if len(benchmarks) > 1:
        raise PlotError(
            f"These are runs of several benchmarks: {', '.join(benchmarks)}.",
            hint="Name runs of one benchmark: `commonsense-tui runs list`.",
        )
    if kind in accord.KINDS and benchmarks != [accord.BENCHMARK]:
        others = ", ".join(name for name in KINDS if name not in accord.KINDS)
        raise PlotError(
            f"A plot “{kind}” shows ACCORD's numbers of hops; these are runs of {benchmarks[0]}.",
            hint=f"Kinds for {benchmarks[0]}: {others}.",
        )
    if len(runs) > MOST_RUNS:
        raise PlotError(
            f"{len(runs)} runs cannot be told apart in one plot.",
            hint=f"Name {MOST_RUNS} at most.",
        )
    plot = KINDS[kind](store, runs)
    if not any(point for series in plot.series for point in series.points):
        raise PlotError(
            "These runs have no answers that this plot could show.", where=f"run {names[0]}"
        )
    return replace(plot, caption=(*plot.caption, *_unread(store, runs)))


def _unread(store: Store, runs: Sequence[Run]) -> tuple[str, ...]:
    """Which runs have written answers that could not be read, and how many, in a sentence."""
    totals = layer_totals(store)
    words = [
        f"{label} {unread:,} of {run.verdicts:,} answers"
        for label, run in zip(labels(runs), runs, strict=True)
        if (unread := sum(each.unread for each in totals.get(run.id, {}).values()))
    ]
    return (f"Not read, and counted as wrong: {', '.join(words)}.",) if words else ()


def layers(store: Store, runs: Sequence[Run]) -> Plot:
    """The share right in each task layer, over the questions that were asked of it."""
    tag = _cluster_tag(runs[0])
    asked = [_by_layer(store.verdicts(run.id)) for run in runs]
    recorded = [name for each in asked for name in each]
    titles = layers_in_order(runs[0], [*recorded, *(name for run in runs for name in run.totals)])
    columns = [
        tuple(layer_point(each.get(name, ()), tag) or _total(run, name) for name in titles)
        for run, each in zip(runs, asked, strict=True)
    ]
    return _plot(
        "layers", "right answers by task layer", runs, tuple(titles.values()), columns,
        "Right answers (%)", _CLUSTERED,
    )  # fmt: skip


def layer_point(verdicts: Verdicts, cluster_tag: str) -> Point | None:
    """The share right of one layer, with chance and the best constant answer."""
    known = [verdict for verdict in verdicts if verdict.right is not None]
    if not known:
        return None
    right, n = sum(bool(verdict.right) for verdict in known), len(known)
    interval = mean_interval(
        (v.tags.get(cluster_tag) or v.item, float(bool(v.right))) for v in known
    )
    return Point(right / n, n, interval, _baselines(known))


def _baselines(verdicts: Verdicts) -> dict[str, float]:
    """Chance, and the share of the option that is right most often, by its place."""
    if not all(verdict.options for verdict in verdicts):
        return {}
    chances = [_chance(verdict) for verdict in verdicts]
    baselines = {CHANCE: math.fsum(chances) / len(verdicts)}
    if not any(verdict.multiple for verdict in verdicts):
        golds = Counter(verdict.gold for verdict in verdicts)
        baselines[BEST_CONSTANT] = max(golds.values()) / len(verdicts)
    return baselines


def _chance(verdict: Verdict) -> float:
    """The probability that a random option, or non-empty set of options, is right."""
    options = len(verdict.options)
    return 1 / (2**options - 1) if verdict.multiple else 1 / options


def _total(run: Run, layer: str) -> Point | None:
    """The share right of a layer whose single verdicts were not recorded."""
    total = run.totals.get(layer)
    if total is None or not total.n:
        return None
    return Point(total.right / total.n, total.n, proportion_interval(total.right, total.n))


def figures(store: Store, runs: Sequence[Run]) -> Plot:
    """The benchmark's own figures under the default profile, without their parts."""
    summaries = [summarise(store, run) for run in runs]
    known: list[Mapping[str, Figure]] = [
        {f.name: f for f in summary.figures if f.value is not None and not f.detail}
        for summary in summaries
    ]
    names = list(dict.fromkeys(name for each in known for name in each))
    columns = [tuple(_figure_point(each.get(name)) for name in names) for each in known]
    profile = summaries[0].profile
    return _plot(
        "figures", "the benchmark’s own figures", runs, tuple(names), columns, "Value (%)",
        f"Profile {profile}. Bars: 95 % intervals, where a figure has one.",
    )  # fmt: skip


def _figure_point(figure: Figure | None) -> Point | None:
    if figure is None or figure.measured is None:
        return None
    baselines = {name: baseline.value for name, baseline in figure.baselines.items()}
    return Point(figure.measured, figure.n, figure.interval, baselines)


def funnel(store: Store, runs: Sequence[Run]) -> Plot:
    """How many items have no wrong answer up to each layer of the ladder."""
    benchmark = registry.installed(runs[0].plan.benchmark)
    ladder = [layer for layer in benchmark.layers if not layer.aside] if benchmark else []
    gated = any(layer.gated for layer in ladder)
    verdicts = [store.verdicts(run.id) for run in runs]
    asked = {verdict.layer for each in verdicts for verdict in each}
    names = [layer.id for layer in ladder if layer.id in asked] or list(
        layers_in_order(runs[0], asked)
    )
    optional = {layer.id for layer in ladder if layer.optional}
    titles = layers_in_order(runs[0], names)
    note = "Items whose layers were all asked; a layer that has nothing to ask is passed."
    if benchmark and gated:
        # The others leave the ladder without being wrong, where nothing more is to be asked.
        verdicts = [[v for v in each if benchmark.meets_every_layer(v)] for each in verdicts]
        note = (
            "A layer is asked only about items that were right before. Items about which some "
            "layer has nothing to ask are left out."
        )
    columns = [survivors(each, names, optional, gated=gated) for each in verdicts]
    return _plot(
        "funnel", "items without a wrong answer", runs, ("Asked", *titles.values()), columns,
        "Items (count, and share of those asked)", note,
    )  # fmt: skip


def survivors(
    verdicts: Verdicts, names: Sequence[str], optional: set[str], *, gated: bool
) -> tuple[Point | None, ...]:
    """The items at the start, then those without a wrong answer after each layer.

    In a gated ladder the start is every item of the first layer, and an item that is not asked is
    out. Otherwise the start is the items that were asked all layers but the optional ones.
    """
    right = {name: {v.item: v.right for v in verdicts if v.layer == name} for name in names}
    if not names:
        return (None,)
    if gated:
        remaining = set(right[names[0]])
    else:
        remaining = {verdict.item for verdict in verdicts if verdict.layer in right}
        for name in names:
            if name not in optional:
                remaining &= set(right[name])
    remaining = {
        item for item in remaining if all(right[name].get(item, 1) is not None for name in names)
    }
    start = len(remaining)
    if not start:
        return (None,) * (len(names) + 1)
    points = [Point(start, start)]
    for name in names:
        remaining = {item for item in remaining if right[name].get(item, not gated)}
        points.append(Point(len(remaining), start))
    return tuple(points)


def tokens(store: Store, runs: Sequence[Run]) -> Plot:
    """The main figure of each run against the mean number of output tokens of its answers."""
    known = []
    lengths = []
    for run in runs:
        benchmark = registry.installed(run.plan.benchmark)
        ladder = benchmark.layers if benchmark is not None else ()
        main = {layer.id for layer in ladder if not (layer.aside or layer.optional)}
        written = [
            verdict.output_tokens
            for verdict in store.verdicts(run.id)
            if verdict.output_tokens and (not main or verdict.layer in main)
        ]
        if not written:
            raise PlotError(
                "No output tokens were recorded: the answers were not generated, or come from a "
                "log without them.",
                where=f"run {run.id}",
                hint="Evaluate with --scoring generated.",
            )
        lengths.append(sum(written) / len(written))
        summary = summarise(store, run)
        known.append({f.name: f for f in summary.figures if f.value is not None and not f.detail})
    shared = [name for name in known[0] if all(name in each for each in known)]
    if not shared:
        raise PlotError("These runs share no figure.", where=f"run {runs[0].id}")
    name = next((name for name in _MAIN_FIGURES if name in shared), shared[0])
    columns = []
    for each, length in zip(known, lengths, strict=True):
        point = _figure_point(each[name])
        assert point is not None
        columns.append((Point(point.value, point.n, point.interval, {}, length),))
    return _plot(
        "tokens", f"{name} by length of answers", runs, (name,), columns, f"{name} (%)",
        "Bars: 95 % intervals.", across="Output tokens per answer (mean)",
    )  # fmt: skip


def forest(store: Store, runs: Sequence[Run]) -> Plot:
    """Paired differences of every other run to the first, layer by layer."""
    if len(runs) < 2:
        raise PlotError("A plot “forest” compares runs.", hint="Name two runs or more.")
    comparisons = [compare(store, runs[0].id, other.id) for other in runs[1:]]
    rows: list[dict[str, PairedDifference]] = []
    for comparison in comparisons:
        titles = layers_in_order(runs[0], (layer.layer for layer in comparison.layers))
        by_layer = {layer.layer: layer for layer in comparison.layers}
        rows.append(
            {
                title: difference
                for name, layer_title in titles.items()
                for title, difference in _differences(layer_title, by_layer[name])
            }
        )
    names = list(dict.fromkeys(name for row in rows for name in row))
    first, *others = labels(runs)
    series = tuple(
        Series(label, tuple(_difference_point(row.get(name)) for name in names), colour)
        for colour, (label, row) in enumerate(zip(others, rows, strict=True), 1)
    )
    return Plot(
        "forest",
        f"{title_of(runs[0])}: difference to {first}",
        tuple(names),
        series,
        "Difference of right answers (percentage points)",
        caption(
            runs,
            "Over the questions that both runs answered. Bars: 95 % intervals by clustered "
            "standard errors.",
            paired=True,
        ),
    )


def _differences(title: str, layer: LayerComparison) -> list[tuple[str, PairedDifference]]:
    soft = [(f"{title}, soft score", layer.soft)] if layer.soft is not None else []
    return [(title, layer.difference), *soft]


def _difference_point(each: PairedDifference | None) -> Point | None:
    return None if each is None else Point(each.difference, each.n, each.interval)


def _by_layer(verdicts: Verdicts) -> dict[str, list[Verdict]]:
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.right is not None:
            groups.setdefault(verdict.layer, []).append(verdict)
    return groups


def _cluster_tag(run: Run) -> str:
    benchmark = registry.installed(run.plan.benchmark)
    return benchmark.cluster_tag if benchmark is not None else ""


def _plot(
    kind: str, subject: str, runs: Sequence[Run], categories: tuple[str, ...],
    columns: Sequence[tuple[Point | None, ...]], values: str, note: str, *, across: str = "",
) -> Plot:  # fmt: skip
    """A plot with one series for each run."""
    series = tuple(
        Series(label, points, colour)
        for colour, (label, points) in enumerate(zip(labels(runs), columns, strict=True))
    )
    title = f"{title_of(runs[0])}: {subject}"
    return Plot(kind, title, categories, series, values, caption(runs, note), across)


KINDS: Mapping[str, Gather] = {
    "layers": layers,
    "figures": figures,
    "hops": accord.hops,
    "grid": accord.grid,
    "funnel": funnel,
    "tokens": tokens,
    "forest": forest,
}
"""What gathers each kind of plot."""
