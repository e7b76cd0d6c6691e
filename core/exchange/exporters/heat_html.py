"""A heat map as a section of a page: a table of figures with coloured backgrounds.

It needs no script. The template escapes all texts.
"""

from __future__ import annotations

from typing import Any

from core.exchange.exporters.self_contained import escape_texts, template
from core.layout.heatmap import BEYOND, LEADS, MARK, HeatMap, HeatRow, legend, proportion_of_all
from core.layout.rows import SIGNS
from core.text.language import N_, _

_SHARES = N_("Each figure: {figure}, from 0, none, to 1, all")
_FIGURES = N_("Each figure: {figure}")
_KINDS = {sign: f"h{step}" for step, sign in enumerate("·░▒▓█")} | {"▲": "h4 beyond"}
"""The CSS classes of a cell by the shade that is drawn in a terminal."""


def heat_map_section(heat: HeatMap, number: int = 0, level: int = 2) -> str:
    """An HTML `<section>` with a heading of `level`; `number` must be unique on the page.

    The style of the page must define the classes `heat`, `h0` to `h4`, `beyond`, `leads`, `said`
    and `unseen`.
    """
    flips = _("another option leads from here on")
    content = {
        "number": number,
        "level": level,
        "title": heat.title,
        "found": heat.notes[0] if heat.notes else "",
        "notes": heat.notes[1:],
        "legend": heat_legend(heat),
        "columns": [
            {"name": name, "flips": flips if index in heat.flips else ""}
            for index, name in enumerate(heat.columns)
        ],
        "rows": [
            {
                "sign": SIGNS[row.role].strip(),
                "label": row.label,
                "note": row.note,
                "cells": [_cell(heat, index, row, column) for column in range(len(heat.columns))],
            }
            for index, row in enumerate(heat.rows)
        ],
        "said": heat.column_texts,
        "saying": heat.column_texts_name,
    }
    return template("heat.html.j2").render(escape_texts(content))


def heat_legend(heat: HeatMap) -> str:
    """What the figures and signs of an exported map mean."""
    return legend(heat, _SHARES if heat.full == 1 else _FIGURES)


def heat_figures(heat: HeatMap, index: int) -> list[str]:
    """The figures of a row as text, with their signs."""
    cells = (_cell(heat, index, heat.rows[index], column) for column in range(len(heat.columns)))
    return [f"{cell['sign']} {cell['figure']}".strip() for cell in cells]


def _cell(heat: HeatMap, index: int, row: HeatRow, column: int) -> dict[str, Any]:
    if row.note:
        return {}
    value = row.values[column]
    shaded = heat.shade(value)[0]
    beyond = _(BEYOND.get(shaded, ""))
    leads = column < len(heat.leading) and heat.leading[column] == index
    marked = (index, column) in heat.marked
    meanings = (_("leads") if leads else "", heat.mark_meaning if marked else "", beyond)
    figure = proportion_of_all(value)
    return {
        "kind": _KINDS.get(shaded, "beyond"),
        "leads": leads,
        "sign": f"{LEADS if leads else ''}{MARK if marked else ''}"
        f"{shaded if beyond and shaded != figure else ''}",
        "figure": figure,
        "said": ", ".join(words for words in meanings if words),
    }
