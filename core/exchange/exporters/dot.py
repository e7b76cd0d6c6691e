"""DOT, the language of Graphviz."""

from __future__ import annotations

from core.exchange.exporters.document import Document, notes_above, setting_line
from core.exchange.exporters.graph_of_view import needed_graph
from core.exchange.exporters.labels import link_words, node_sign
from core.exchange.exporters.looks import HEAVIER, LOOKS, Look
from core.layout.graph.weights import heavy_links
from core.layout.plain_text import cells
from core.layout.rows import SIGNS, wrap
from core.text.escaping import escape_control_characters

_NOTE_WIDTH = 90
"""Cells of a line of the notes under the graph."""
_PENWIDTH = f', penwidth="{1 + HEAVIER:g}"'
_SHAPES = {
    "round": "box",
    "square": "box",
    "pill": "ellipse",
    "hexagon": "hexagon",
    "cut": "octagon",
}


def dot(document: Document) -> str:
    """The graph of the first sheet. Nodes are n0, n1, …; `ref` and `role` say what they are."""
    graph = needed_graph(document.first.view, "DOT")
    names = {node.id: f"n{i}" for i, node in enumerate(graph.nodes)}
    heavy = heavy_links(graph.links)
    notes = [
        line
        for note in notes_above(document.first.view)
        for line in wrap(
            escape_control_characters(note.text, limit=len(note.text)), _NOTE_WIDTH, cells
        )
    ]
    lines = [
        "digraph view {",
        f"  label={quoted(document.first.view.title, *notes)};",
        f"  tooltip={quoted(setting_line(document.first))};",
        f"  comment={quoted(f'{document.about.title}, licence {document.about.licence}')};",
        '  charset="UTF-8"; rankdir="TB";',
        '  node [fontname="sans-serif"]; edge [fontname="sans-serif"];',
    ]
    for node in graph.nodes:
        look = LOOKS[node.role]
        head = f"{SIGNS[node.role]} {node_sign(node)}".strip()
        shown = f"{head} {node.text}" if head else node.text
        lines.append(
            f"  {names[node.id]} [label={quoted(shown)}, ref={quoted(node.id)}, "
            f"role={quoted(node.role)}, tooltip={quoted(node.note or look.word)}, "
            f'shape="{_SHAPES[look.outline]}", style="{_style(look)}", '
            f'penwidth="{look.weight:g}", peripheries="{1 + look.double}"];'
        )
    lines += [
        f"  {names[link.source]} -> {names[link.target]} [label={quoted(link_words(link))}, "
        f"role={quoted(link.role)}, tooltip={quoted(link.note)}, "
        f'style="{"dashed" if LOOKS[link.role].dash else "solid"}"'
        f"{_PENWIDTH if index in heavy else ''}];"
        for index, link in enumerate(graph.links)
    ]
    return "\n".join([*lines, "}"]) + "\n"


def quoted(*lines: str) -> str:
    r"""Lines of text as a string of DOT that means just this text.

    In labels Graphviz reads backslash escapes (`\n`, `\N`) and entities (`&lt;`), so both are
    replaced by the escape of the character itself.
    """
    safe = (
        escape_control_characters(text, limit=len(text))
        .replace("&", "&amp;")
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        for text in lines
    )
    return '"' + "\\n".join(safe) + '"'


def _style(look: Look) -> str:
    rounded = "rounded," if look.outline == "round" else ""
    return f"{rounded}{'dashed' if look.dash else 'solid'}"
