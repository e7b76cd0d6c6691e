"""What is shown of a finished study: the finding, its figures as a table, and how it was got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.layout.heatmap import HeatMap

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class StudyTable:
    """The figures of a study, a row each."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


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


def count_words(counts: Sequence[tuple[str, int]]) -> str:
    """Reasons with how often each was met: "not aligned 3, answered otherwise 12"."""
    return ", ".join(f"{reason} {count}" for reason, count in counts)
