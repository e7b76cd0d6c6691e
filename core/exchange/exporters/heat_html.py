"""A heat map as a section of a page: a table whose cells have figures, and grounds besides.

It needs no script. Texts reach it as text only, escaped by the template.
"""

from __future__ import annotations

from typing import Any

from core.exchange.exporters.self_contained import template
from core.layout.heatmap import BEYOND, HeatMap, HeatRow, proportion_of_all, shade, sign_meanings
from core.layout.rows import SIGNS
from core.text.escaping import escape_control_characters
from core.text.language import _

_LEADS = "▸"
_KINDS = {sign: f"h{step}" for step, sign in enumerate("·░▒▓█")} | {"▲": "h4 beyond"}
"""The classes of a cell by the shade that a terminal has for its figure."""


def heat_map_section(heat: HeatMap, number: int = 0, level: int = 2) -> str:
    """A `<section>` of HTML with a heading of a level; `number` tells it from the page's others.

    It wants the classes `heat`, `h0` to `h4`, `beyond`, `leads`, `said` and `unseen` of the page's
    style.
    """
    return template("heat.html.j2").render(
        number=number,
        level=level,
        title=escape_control_characters(heat.title),
        found=escape_control_characters(heat.notes[0]) if heat.notes else "",
        notes=[escape_control_characters(note) for note in heat.notes[1:]],
        legend=escape_control_characters(heat_legend(heat)),
        columns=[
            {
                "name": escape_control_characters(name),
                "flips": _("another leads from here on") if place in heat.flips else "",
            }
            for place, name in enumerate(heat.columns)
        ],
        rows=[
            {
                "sign": SIGNS[row.role].strip(),
                "label": escape_control_characters(row.label),
                "note": escape_control_characters(row.note),
                "cells": [_cell(heat, place, row, column) for column in range(len(heat.columns))],
            }
            for place, row in enumerate(heat.rows)
        ],
        said=[escape_control_characters(text) for text in heat.said],
        saying=escape_control_characters(heat.saying),
    )


def heat_legend(heat: HeatMap) -> str:
    """What the figures and signs of a written heat map are."""
    parts = []
    if heat.figure:
        parts.append(_("Each figure: {figure}, from 0, none, to 1, all", figure=heat.figure))
    return " · ".join([*parts, *sign_meanings(heat)])


def heat_figures(heat: HeatMap, place: int) -> list[str]:
    """The figures of a row as text, with their signs."""
    cells = (_cell(heat, place, heat.rows[place], column) for column in range(len(heat.columns)))
    return [f"{cell['sign']} {cell['figure']}".strip() for cell in cells]


def _cell(heat: HeatMap, place: int, row: HeatRow, column: int) -> dict[str, Any]:
    if row.note:
        return {}
    value = row.values[column]
    shaded = shade(value)[0]
    beyond = _(BEYOND.get(shaded, ""))
    first = column < len(heat.leading) and heat.leading[column] == place
    said = [words for words in (_("leads") if first else "", beyond) if words]
    figure = proportion_of_all(value)
    return {
        "kind": _KINDS.get(shaded, "beyond"),
        "leads": first,
        "sign": f"{_LEADS if first else ''}{shaded if beyond and shaded != figure else ''}",
        "figure": figure,
        "said": ", ".join(said),
    }
