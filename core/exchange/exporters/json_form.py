"""JSON with everything that a view contains, for programs."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from math import isfinite
from typing import Any

from core.contract.view import view_document
from core.exchange.exporters.document import Document, Sheet
from core.exchange.exporters.graph_of_view import graph_of_view
from core.layout.heatmap import HeatMap

VERSION = 1
_INVISIBLE = re.compile(
    "[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that JSON allows but that can mislead a terminal or a reader; written as escapes."""


def json_form(document: Document) -> str:
    """The document as JSON.

    `{"format": "commonsense-tui view", "version": 1, "benchmark", "item", "about", "sheets",
    "readings"}`; a sheet is `{"label", "setting": [[switch, value], ..], "view", "graph"}`. The
    view is as `core.contract.view` has it, each section with its `kind`; `graph` is `{"title",
    "note", "nodes": [{"id", "text", "role", "sign", "note", "gloss"}], "links": [{"source",
    "target", "label", "role", "note", "statement", "weight"}]}`, or null for a view without one; a
    weight is how much of a head's attention falls on a link, or null. A reading is a heat map of
    the model's blocks for the first sheet: `{"title", "figure", "columns": [..], "rows": [{"label",
    "role", "values": [..], "note"}], "leading": [row or null, ..], "said": [..], "notes": [..]}`,
    with null for what is no number. Texts are exactly those of the item.
    """
    content = {
        "format": "commonsense-tui view",
        "version": VERSION,
        "benchmark": document.benchmark,
        "item": document.item,
        "about": asdict(document.about),
        "sheets": [_sheet(sheet) for sheet in document.sheets],
        "readings": [_reading(heat) for heat in document.readings],
    }
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"


def _reading(heat: HeatMap) -> dict[str, Any]:
    return {
        "title": heat.title,
        "figure": heat.figure,
        "columns": heat.columns,
        "rows": [
            {
                "label": row.label,
                "role": row.role,
                "values": [
                    value if value is not None and isfinite(value) else None for value in row.values
                ],
                "note": row.note,
            }
            for row in heat.rows
        ],
        "leading": heat.leading,
        "said": heat.column_texts,
        "notes": heat.notes,
    }


def _sheet(sheet: Sheet) -> dict[str, Any]:
    graph = graph_of_view(sheet.view)
    return {
        "label": sheet.label,
        "setting": [list(words) for words in sheet.setting],
        "view": view_document(sheet.view),
        "graph": None
        if graph is None
        else {
            "title": graph.title,
            "note": graph.note,
            "nodes": [
                {
                    "id": node.id,
                    "text": node.text,
                    "role": node.role,
                    "sign": node.sign,
                    "note": node.note,
                    "gloss": node.gloss,
                }
                for node in graph.nodes
            ],
            "links": [asdict(link) for link in graph.links],
        },
    }
