"""A heat map as data: figures in rows and columns, the sign of every figure, and the legend."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.contract.view import Role
from core.layout.rows import Ink
from core.text.language import N_, _

_SHADES = "·░▒▓█"
_BELOW = "▽"
_ABOVE = "▲"
_NOTHING = "–"
_NO_NUMBER = "?"
BEYOND = {
    _BELOW: N_("a quarter or more below nothing"),
    _ABOVE: N_("a quarter or more above all"),
    _NOTHING: N_("nothing to say"),
    _NO_NUMBER: N_("not a number"),
}
"""The meaning of each sign that is not a shade between nothing and all."""
HATCHED = "╱"
LEADS = "▸"
FLIP = "△"
MARK = "*"
_EDGE = 0.1
"""Least figure that is drawn as more than nothing."""
MARKED_FROM = 0.25
"""Least distance from 0 and from 1 at which a figure is marked as below or above them."""
Cell = tuple[int, int]
"""A row and a column of a heat map, both from 0."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One row of a heat map: a name and a figure for every column."""

    label: str
    values: tuple[float | None, ...]
    """0 is nothing, 1 is all; None where there is no figure."""
    ref: str = ""
    role: Role = Role.PLAIN
    """The row's role; its sign is drawn before the name."""
    lead: Role = Role.EVIDENCE
    """The role of its cells in the columns in which the row leads."""
    note: str = ""
    """Drawn instead of the figures ("not comparable"); empty where there are figures."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Figures in rows and columns, with notes on how to read them."""

    title: str
    rows: tuple[HeatRow, ...]
    columns: tuple[str, ...]
    leading: tuple[int | None, ...] = ()
    """The row that leads in each column; empty where rows do not compete."""
    figure: str = ""
    """What a shade stands for ("share among the options")."""
    notes: tuple[str, ...] = ()
    """How to read it, a sentence or two each; the first note is the finding."""
    column_texts: tuple[str, ...] = ()
    """A text for each column, drawn below it if it fits; empty for none."""
    column_texts_name: str = ""
    """The name of the row of these texts."""
    across: str = ""
    """What the columns count ("block"), drawn before their numbers."""
    by_construction: frozenset[Cell] = frozenset()
    """Cells whose figure says nothing about the model; they are hatched."""
    marked: frozenset[Cell] = frozenset()
    """Cells with a `*`."""
    mark_meaning: str = ""
    """What the `*` means ("differs from its control")."""
    full: float = 1.0
    """The figure that fills a cell."""

    def shade(self, value: float | None) -> tuple[str, Role | Ink]:
        """The sign of a figure and its ink; see `shade`."""
        return shade(value if value is None else value / self.full)

    @property
    def flips(self) -> tuple[int, ...]:
        """The columns whose leader differs from that of the column before."""
        pairs = zip(self.leading, self.leading[1:], strict=False)
        return tuple(column for column, (before, leader) in enumerate(pairs, 1) if before != leader)


def proportion_of_all(value: float | None) -> str:
    """A figure in at most four characters: .81; 0 and 1 are exact."""
    if value is None:
        return _NOTHING
    if math.isnan(value):
        return _NO_NUMBER
    if not 0 <= value <= 1:
        return _beyond(value)
    if value >= 0.995:
        return "1" if value == 1 else ">.99"
    if value < 0.005:
        return "0" if value == 0 else "<.01"
    return f"{value:.2f}".removeprefix("0")


def _beyond(value: float) -> str:
    """A figure below 0 or above 1, never rounded to 0 or 1."""
    if abs(value) >= 9.95:
        return f"{max(-999, min(9999, value)):.0f}"
    if value <= -0.995:
        return f"{value:.1f}"
    text = f"{value:.2f}".replace("-0.", "-.")
    return {"-.00": "<0", "1.00": ">1"}.get(text, text)


def shade(value: float | None) -> tuple[str, Role | Ink]:
    """The sign of a figure of which 1 is all, one cell wide, and its ink."""
    if value is None:
        return _NOTHING, Role.MUTED
    if math.isnan(value):
        return _NO_NUMBER, Role.BAD
    if value <= -MARKED_FROM:
        return _BELOW, Role.BAD
    if value >= 1 + MARKED_FROM:
        return _ABOVE, Role.CHANGED
    level = 0 if value < _EDGE else min(len(_SHADES) - 1, 1 + int(value * (len(_SHADES) - 1)))
    return _SHADES[level], Ink.LINK if level else Ink.TRACK


def legend(heat: HeatMap, scale: str = N_("· none ░ ▒ ▓ █ all: {figure}")) -> str:
    """The legend: what the shades mean, as `scale` says it, and the other signs of a map."""
    parts = [_(scale, figure=heat.figure)] if heat.figure else []
    signs = {heat.shade(value)[0] for row in heat.rows for value in row.values if not row.note}
    parts += [f"{sign} {_(meaning)}" for sign, meaning in BEYOND.items() if sign in signs]
    if heat.marked:
        parts.append(f"{MARK} {heat.mark_meaning}")
    if heat.by_construction:
        parts.append(f"{HATCHED} {_('by construction')}")
    if any(leader is not None for leader in heat.leading):
        parts.append(f"{LEADS} {_('leads')}")
    if heat.flips:
        parts.append(f"{FLIP} {_('another option leads from here on')}")
    return " · ".join(parts)
