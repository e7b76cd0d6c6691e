"""Which columns the tables of a graph's nodes and links have on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.contract.view import Role

_NODE_COLUMNS = {"sign": "sign", "what": "role", "why": "note"}
_LINK_COLUMNS = {"link": "label", "what": "role", "note": "note"}
"""Columns by their name in `table_words`, with the field of a node or link that fills them."""


def node_columns(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the columns of a table of nodes; `table_words` has their headings."""
    return ["node", *_filled(_NODE_COLUMNS, nodes)]


def link_columns(links: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the columns of a table of links; `table_words` has their headings."""
    return ["from", "to", *_filled(_LINK_COLUMNS, links)]


def _filled(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns that say something in any row; the others would take the width of a phone."""
    return [
        name
        for name, field in columns.items()
        if any(row[field] not in ("", Role.PLAIN) for row in rows)
    ]
