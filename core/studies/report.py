"""What is shown of a finished study: the finding, its figures as a table, and how it was got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.contract import registry
from core.contract.task_layer import layer_titles
from core.layout.heatmap import HeatMap
from core.studies.plan import StudyPlan
from core.text.language import _
from core.text.shown_number import ShownNumber

Cell = str | int | float | bool | None


def cell_text(cell: Cell) -> str:
    """A cell as tables show it, numbers with three decimals."""
    if cell is None:
        return ""
    return f"{ShownNumber(cell):.3f}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """The figures of a study, a row each."""

    columns: tuple[str, ...]
    """Names of the columns in English, as files have them; screens translate them."""
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure by block, with its intervals."""

    name: str
    values: tuple[float | None, ...]
    """One for each block."""
    intervals: tuple[tuple[float, float] | None, ...] = ()
    """One for each block; empty for a curve without."""


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Several curves over the blocks of a model."""

    title: str
    figure: str
    """What is drawn upwards, with its unit."""
    curves: tuple[Curve, ...]
    lines: tuple[tuple[str, float], ...] = ()
    """Figures that are the same for every block, by name."""


@dataclass(frozen=True, slots=True)
class StudyReport:
    """A finished study as a person sees it."""

    title: str
    findings: tuple[str, ...]
    """What was found, or why nothing is said, in sentences; the first is the finding."""
    method: tuple[str, ...]
    """The method in words: n, exclusions, seeds, fingerprint, kind of interval, control."""
    table: StudyTable
    picture: HeatMap | CurvePlot
    """What is drawn of it."""
    groups: tuple[tuple[str, HeatMap], ...] = ()
    """The same map for each group of items, by its name."""
    side_effects: StudyTable | None = None
    """What else was measured, for a second table below the first; None without rows."""

    @property
    def exported(self) -> StudyTable:
        """The rows of both tables under the columns of both; equal names are one column."""
        if self.side_effects is None:
            return self.table
        columns = tuple(dict.fromkeys((*self.table.columns, *self.side_effects.columns)))
        rows = (
            dict(zip(table.columns, row, strict=True))
            for table in (self.table, self.side_effects)
            for row in table.rows
        )
        return StudyTable(columns, tuple(tuple(map(row.get, columns)) for row in rows))


def layer_shown(benchmark: str, layer: str) -> str:
    """The title of a task layer; its id where the benchmark cannot be used or has it no longer."""
    known = registry.installed(benchmark)
    return layer if known is None else layer_titles(known.layers).get(layer, layer)


def origin(plan: StudyPlan) -> tuple[str, ...]:
    """Where the figures of a study come from: seed, model and collection, in sentences."""
    return (
        _(
            "Seed {seed}; model {model}, fingerprint {fingerprint}; collection {collection}.",
            seed=plan.seed,
            model=plan.model,
            fingerprint=plan.fingerprint[:12],
            collection=plan.collection_hash[:12],
        ),
        *demo_warning(plan),
    )


def demo_warning(plan: StudyPlan) -> tuple[str, ...]:
    """That the figures of the bundled model are no results; empty for any other model."""
    if not plan.demo:
        return ()
    return (_("The bundled model is a demonstration: its figures are no results."),)


def auc_text(result: Mapping[str, Any], name: str) -> str:
    """A figure of a result with its interval: `.550 [.480, .621]`."""
    interval = result[f"{name}_interval"]
    ends = "" if interval is None else f" [{short(interval[0])}, {short(interval[1])}]"
    return short(result[name]) + ends


def short(number: float) -> str:
    """A figure between -1 and 1 with three decimals: `.550`."""
    return f"{number:.3f}".replace("0.", ".", 1)


def interval_ends(interval: Sequence[float] | None) -> tuple[float, float] | None:
    """The ends of an interval as it stands in a result."""
    return None if interval is None else (interval[0], interval[1])


def count_words(counts: Sequence[tuple[str, int]]) -> str:
    """Reasons with how often each was met: "not aligned 3, answered otherwise 12"."""
    return ", ".join(f"{reason} {count}" for reason, count in counts)
