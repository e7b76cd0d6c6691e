"""Figures of a run: never a value without its count, denominator, interval and baselines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.contract.view import Grid


@dataclass(frozen=True, slots=True)
class Figure:
    """A proportion of a run, or a mean."""

    name: str
    right: int | None
    """How many count; None where that cannot be known."""
    n: int
    """The denominator."""
    baselines: Mapping[str, float] = field(default_factory=dict)
    """What trivial answers reach on the same denominator ("always false": .669)."""
    note: str = ""
    """What was inferred, or why the figure cannot be known."""
    mean: float | None = None
    """A mean that is no count of right answers by n: a soft score, a macro average."""
    own_interval: tuple[float, float] | None = None
    """Its 95 % interval where that is not Wilson's over `n` independent cases."""
    detail: bool = False
    """Whether it tells a part of what another figure tells: drawn after the tables."""

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
        """Its count and denominator: 217/356; of a mean n=356."""
        if self.mean is not None and self.right is None:
            return f"n={self.n}"
        return f"{'?' if self.right is None else self.right}/{self.n}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval: its own, else Wilson's; None for a mean without, or an unknown value."""
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
    """Everything counted on the way: asked, right, ties, by layer."""
    notes: tuple[str, ...] = ()
    """What a reader must know before quoting a figure."""
    tables: tuple[Grid, ...] = ()
    """Figures that belong side by side, each cell with its count."""

    @property
    def not_checkable(self) -> tuple[str, ...]:
        """Names of the figures that cannot be known from what was recorded."""
        return tuple(figure.name for figure in self.figures if figure.value is None)


def interval_of_mean(
    parts: Sequence[tuple[float, tuple[float, float] | None]],
) -> tuple[float, float] | None:
    """The interval of a mean of independent shares, each given with its own interval.

    Their variances are recovered from their intervals, below and above apart, so that it is never
    empty where theirs are not (Zou, Huang and Zhang 2009, for linear functions of proportions).
    None without a part, or where a part has no interval.
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
    # At 0 and at n one end is exact, which rounding would miss by a hair.
    low = (centre - spread) / scale if right else 0.0
    high = (centre + spread) / scale if right < n else 1.0
    return low, high
