"""Mermaid flowcharts, for Markdown pages that draw them."""

from __future__ import annotations

from core.exchange.exporters.document import Document, notes_above
from core.exchange.exporters.graph_of_view import needed_graph
from core.exchange.exporters.labels import link_words, node_sign
from core.exchange.exporters.looks import LOOKS
from core.layout.graph.weights import heavy_links
from core.layout.rows import SIGNS
from core.text.escaping import escape_control_characters

_AS_IT_IS = frozenset(" ,!?'")
_MARKERS = frozenset("°¶")
"""Mermaid marks entities with these while it works."""
_BRACKETS = {
    "round": ("(", ")"),
    "square": ("[", "]"),
    "pill": ("([", "])"),
    "hexagon": ("{{", "}}"),
    "cut": ("[/", "/]"),
}


def mermaid(document: Document) -> str:
    """The graph of the first sheet, from top to bottom. Nodes are n0, n1, …

    The notes above the view become a node of their own, `told`, because Mermaid has no caption.
    """
    graph = needed_graph(document.first.view, "Mermaid")
    names = {node.id: f"n{i}" for i, node in enumerate(graph.nodes)}
    lines = ["flowchart TB"]
    for node in graph.nodes:
        opening, closing = _BRACKETS[LOOKS[node.role].outline]
        shown = " ".join(f"{SIGNS[node.role]} {node_sign(node)} {node.text}".split())
        lines.append(f'  {names[node.id]}{opening}"{entities(shown) or " "}"{closing}')
    heavy = heavy_links(graph.links)
    for index, link in enumerate(graph.links):
        arrow = "-.->" if LOOKS[link.role].dash else "==>" if index in heavy else "-->"
        words = entities(link_words(link))
        label = f'|"{words}"|' if words else ""
        lines.append(f"  {names[link.source]} {arrow}{label} {names[link.target]}")
    notes = " ".join(note.text for note in notes_above(document.first.view))
    if notes:
        lines.append(f'  told["{entities(notes)}"]')
    return "\n".join(lines) + "\n"


def entities(text: str) -> str:
    """A text in which no character means anything to Mermaid.

    Everything but letters, digits and a few signs is written as `#code;`: Mermaid removes comments
    and directives (`%%`) and rewrites `style…:` wherever they stand, reads labels as Markdown, and
    hands what is left to a page.
    """
    return "".join(
        f"#{ord(c)};"
        if (c.isascii() and not c.isalnum() and c not in _AS_IT_IS) or c in _MARKERS
        else c
        for c in escape_control_characters(text, limit=len(text))
    )
