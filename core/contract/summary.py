"""Figures of a run, each with its count, denominator, interval and baselines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.contract.view import Grid
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
    """The 95 % interval, where that is not Wilson's over `n` independent cases."""
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
    def counted(self) -> str:
        """Count and denominator ("217/356"), or for a mean the denominator ("n=356")."""
        if self.mean is not None and self.right is None:
            return f"n={self.n}"
        return f"{'?' if self.right is None else self.right}/{self.n}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval: its own or else Wilson's; None for other means and unknown values."""
        if self.mean is not None or self.own_interval is not None:
            return self.own_interval
        return wilson(self.right, self.n) if self.right is not None and self.n else None


@dataclass(frozen=True, slots=True)
class Totals:
    """Right answers and questions of a layer of which no single verdicts were recorded."""

    right: int
    n: int


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


def wilson(right: float, n: float, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson score interval of a proportion (Wilson 1927), `z` standard errors wide.

    `n` must be positive; of cases that are not independent it is the effective number. Unlike the
    Wald interval it is never empty at 0 or n.
    """
    p = right / n
    centre = p + z * z / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At 0 and n one end is exact; rounding errors would move it.
    low = (centre - spread) / scale if right else 0.0
    high = (centre + spread) / scale if right < n else 1.0
    return low, high
