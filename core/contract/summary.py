"""Figures of a run, each with its count, denominator, interval and baselines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.contract.view import Grid
from core.statistics.proportion import proportion_interval
from core.text.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a trivial way of answering reaches, on the denominator of its figure."""

    value: float
    answers: str
    """What it answers, in words ("always yes")."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A proportion of a run, or a mean."""

    name: str
    right: int | None
    """The number of right answers; None where it cannot be known."""
    n: int
    """The denominator."""
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    """What trivial answers reach, by a name in two or three words ("always false")."""
    note: str = ""
    """An inference that was made, or the reason why the figure cannot be known."""
    mean: float | None = None
    """A mean other than right answers by n: a soft score, a macro average."""
    own_interval: tuple[float, float] | None = None
    """The 95 % interval, where that is not the one of `n` independent cases."""
    withheld: str = ""
    """Why there is no interval, where there could be one ("too few head events")."""
    detail: bool = False
    """Whether it is a part of another figure; such figures are drawn after the tables."""

    @property
    def value(self) -> float | None:
        """The mean or the proportion; 0 where nothing can count because the denominator is 0."""
        if self.mean is not None:
            return self.mean
        if self.right is None:
            return None
        return self.right / self.n if self.n else 0.0

    @property
    def measured(self) -> float | None:
        """The value; None where it is unknown or where there are no items to measure it on."""
        return self.value if self.n else None

    @property
    def counted(self) -> str:
        """Count and denominator ("217/356"), or for a mean the denominator ("n=356")."""
        if self.mean is not None and self.right is None:
            return f"n={self.n}"
        return f"{'?' if self.right is None else self.right}/{self.n}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval: its own, else `proportion_interval`; None for other means and unknown
        values, and where it is withheld."""
        if self.mean is not None or self.own_interval is not None or self.withheld:
            return self.own_interval
        if self.right is None or not self.n:
            return None
        return proportion_interval(self.right, self.n)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is inferred from a run beyond its figures: a difference, an odds ratio."""

    name: str
    value: float | None
    """None where the verdicts do not determine it."""
    interval: tuple[float, float] | None
    """The 95 % interval."""
    n: int
    """Number of pairs, or of verdicts, that it is estimated from."""
    clusters: int
    """Number of clusters among them."""
    why: str = ""
    """Why the value or the interval is missing; empty where both are there."""


@dataclass(frozen=True, slots=True)
class Inference:
    """Estimates with the conditions under which they hold."""

    title: str
    estimates: tuple[Estimate, ...] = ()
    notes: tuple[str, ...] = ()
    """What was left out, what is assumed, and what is missing for more."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Right answers and questions of a layer, where its single verdicts are not at hand."""

    right: int
    n: int
    unread: int = 0
    """Written answers that could not be read; they count as wrong."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A run's figures under one scoring profile."""

    profile: str
    figures: tuple[Figure, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    """Further counts, such as questions, right answers and ties by layer."""
    notes: tuple[str, ...] = ()
    """Notes that belong to every quotation of the figures."""
    tables: tuple[Grid, ...] = ()
    """Tables of figures, each cell with its count."""
    estimates: tuple[Estimate, ...] = ()
    """What was inferred beyond the figures; a table shows them too."""

    @property
    def not_checkable(self) -> tuple[str, ...]:
        """Names of the figures that do not follow from the recorded verdicts."""
        return tuple(figure.name for figure in self.figures if figure.value is None)

    @property
    def trivial_answers(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The names of figures by what a baseline of theirs is called and what it answers."""
        figures: dict[tuple[str, str], list[str]] = {}
        for figure in self.figures:
            for name, baseline in figure.baselines.items():
                figures.setdefault((name, baseline.answers), []).append(figure.name)
        return figures


def check_profile(profile: str, known: Iterable[str]) -> None:
    """Raise `NotFoundError` for a scoring profile that is not known."""
    profiles = list(known)
    if profile not in profiles:
        raise NotFoundError(
            f"There is no scoring profile “{profile}”.", hint=f"There are {', '.join(profiles)}."
        )


def interval_of_mean(
    parts: Sequence[tuple[float, tuple[float, float] | None]],
) -> tuple[float, float] | None:
    """The interval of a mean of independent shares, each given with its own interval.

    The variances are recovered from the intervals, separately below and above (Zou, Huang and
    Zhang 2009, for linear functions of proportions). None without a part, or where a part has no
    interval.
    """
    mean = sum(value for value, _ in parts) / len(parts) if parts else 0.0
    below = above = 0.0
    for value, interval in parts:
        if interval is None:
            return None
        below += (value - interval[0]) ** 2
        above += (interval[1] - value) ** 2
    if not parts:
        return None
    low, high = mean - math.sqrt(below) / len(parts), mean + math.sqrt(above) / len(parts)
    return max(0.0, low), min(1.0, high)
