"""What a plot shows: points with intervals, by category and by run, with a title and a caption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.contract import registry
from core.contract.task_layer import layer_titles
from core.exchange.exporters.document import ExportError
from core.exchange.exporters.run_conditions import (
    asked_as,
    items_of,
    not_comparable,
    of_several_collections,
)
from core.runs.records import Run

CHANCE = "chance"
CHANCES = frozenset({CHANCE, "random"})
"""Names of baselines that guess; every other baseline is a constant answer."""
MOST_RUNS = 8
"""As many colours can be told apart."""
DEMONSTRATION = "Demonstration: answered by the bundled model, not a result."


class PlotError(ExportError):
    """Runs do not have what a kind of plot shows, or it cannot be drawn."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a plot."""

    value: float
    """A share or a score from 0 to 1, a difference of two, or a number of items."""
    n: int
    """Questions, or items, that the value is over."""
    interval: tuple[float, float] | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)
    """Values of trivial answers, such as `CHANCE`."""
    tokens: float | None = None
    """Mean number of output tokens of an answer, where the plot shows it."""


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one run, or of one part of it."""

    label: str
    points: tuple[Point | None, ...]
    """One for each category; None where the run has nothing there."""
    colour: int = 0
    """Place of its colour and marker in the palette."""
    part: str = ""
    """The part of the run, such as a variant of its items; empty for all of it."""
    is_second: bool = False
    """Whether it is drawn dashed, beside another part of the same run."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot of a kind, before it is drawn."""

    kind: str
    title: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    values: str
    """What the values are, with their unit."""
    caption: tuple[str, ...]
    """Who answered and how, then what the marks mean; a paragraph each."""
    across: str = ""
    """What the categories are; empty where their names say it."""
    rows: tuple[str, ...] = ()
    """In a grid, the categories down; the points of a series are its rows one after another."""
    down: str = ""
    """What `rows` are."""


def title_of(run: Run) -> str:
    """The title of the benchmark of a run."""
    benchmark = registry.installed(run.plan.benchmark)
    return run.plan.benchmark if benchmark is None else benchmark.title


def layers_in_order(run: Run, asked: Iterable[str]) -> dict[str, str]:
    """Titles of asked layers by their ids, in the order of the ladder."""
    benchmark = registry.installed(run.plan.benchmark)
    titles = layer_titles(benchmark.layers) if benchmark is not None else {}
    names = dict.fromkeys(asked)
    ordered = {layer: title for layer, title in titles.items() if layer in names}
    return ordered | {name: name for name in names if name not in ordered}


def labels(runs: Sequence[Run]) -> list[str]:
    """A short name of each run: its model without the owner, or its id where two would be alike."""
    models = [run.plan.model.rpartition("/")[2] for run in runs]
    often = Counter(models)
    return [
        (run.id if often[model] > 1 else model) + (" (demonstration)" if run.plan.demo else "")
        for run, model in zip(runs, models, strict=True)
    ]


def caption(runs: Sequence[Run], *notes: str, paired: bool = False) -> tuple[str, ...]:
    """Models with the conditions under which they were asked, a warning or two, and the notes.

    `paired` says that only the questions that all runs answered count.
    """
    several = of_several_collections(runs)
    by_condition: dict[str, list[str]] = {}
    for run, label in zip(runs, labels(runs), strict=True):
        short = label.removesuffix(" (demonstration)")
        is_named = run.plan.model.rpartition("/")[2] == short
        name = run.plan.model if is_named else f"{short} ({run.plan.model})"
        words = f"{asked_as(run)}, {items_of(run, collection=several)}"
        by_condition.setdefault(words, []).append(name)
    lines = [f"{', '.join(names)}: {words}." for words, names in by_condition.items()]
    if len(set(map(asked_as, runs))) > 1 and len({run.plan.fingerprint for run in runs}) == 1:
        lines.append("One model, asked in different ways.")
    if why := not_comparable(runs, paired=paired):
        lines.append(why)
    if any(run.plan.demo for run in runs):
        lines.append(DEMONSTRATION)
    return " ".join(lines), *notes
