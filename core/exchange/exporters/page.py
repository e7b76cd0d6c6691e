"""A self-contained page: the picture of a view, and all of it in words.

Only our own script and vis-network can run in it. The template escapes all texts, or they are
JSON that the script draws.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.resources import files
from typing import Any

from core.contract.view import Graph, Role
from core.exchange.exporters.document import (
    Document,
    ExportError,
    Sheet,
    notes_above,
    setting_line,
    source_lines,
)
from core.exchange.exporters.graph_of_view import graph_of_view
from core.exchange.exporters.heat_html import heat_map_section
from core.exchange.exporters.labels import node_sign
from core.exchange.exporters.looks import LOOKS
from core.exchange.exporters.network import network_data
from core.exchange.exporters.self_contained import (
    escape_texts,
    heat_grounds,
    legend,
    package_file,
    policy,
    template,
    variables,
)
from core.layout.rows import SIGNS
from core.text.escaping import escape_control_characters

_VIS = "templates/lib/vis-9.1.2/vis-network.min.js"
"""vis-network as pyvis 0.3.2 ships it, with the banner of its licence."""


def page(document: Document) -> str:
    """Every sheet of a document on one page, with buttons that change from one to the other.

    Raises `ExportError` for a graph that is too large.
    """
    graphs = [graph_of_view(sheet.view) for sheet in document.sheets]
    drawn = [graph or Graph("", (), ()) for graph in graphs]
    data = network_data(drawn) if any(graphs) else None
    style, script, vis = _style(), package_file("page.js"), _vis_network()
    view = document.first.view
    numbers = {
        name: i for i, name in enumerate(dict.fromkeys(n.id for g in drawn for n in g.nodes))
    }
    return (
        template("page.html.j2").render(
            policy=policy((style,), (vis, script)),
            title=escape_control_characters(f"{view.title} · {document.benchmark}"),
            style=style,
            script=script,
            vis=vis,
            data=data,
            document=escape_texts({"benchmark": document.benchmark, "item": document.item}),
            view=escape_texts(asdict(view)),
            readings=[heat_map_section(heat, i) for i, heat in enumerate(document.readings)],
            sheets=[_sheet(*pair) for pair in zip(document.sheets, graphs, strict=True)],
            summary=_summary(drawn[0]),
            numbers=numbers,
            looks=LOOKS,
            signs={role: sign.strip() for role, sign in SIGNS.items()},
            legend=legend(drawn),
            source_lines=escape_texts(source_lines(document.about)),
        )
        + "\n"
    )


def _sheet(sheet: Sheet, graph: Graph | None) -> dict[str, Any]:
    """A sheet for the template, without control characters; the template escapes markup."""
    view = sheet.view
    above = notes_above(view)
    below = view.sections[len(above) :]
    sections = [{"kind": type(b).__name__.lower(), "note": ""} | asdict(b) for b in below]
    return {
        "label": escape_control_characters(sheet.label),
        "setting": escape_control_characters(setting_line(sheet)),
        "view": escape_texts(asdict(view)),
        "above": escape_texts([asdict(note) for note in above]),
        "blocks": escape_texts(sections),
        "graph": None if graph is None else _with_shown_texts(graph),
        "names": {node.id: escape_control_characters(node.text) for node in graph.nodes}
        if graph
        else {},
    }


def _with_shown_texts(graph: Graph) -> dict[str, Any]:
    """A graph for the template; ids stay as they are, because they are only looked up."""
    nodes = [
        escape_texts(asdict(node) | {"sign": node_sign(node)}) | {"id": node.id}
        for node in graph.nodes
    ]
    links = [
        escape_texts(asdict(link)) | {"source": link.source, "target": link.target}
        for link in graph.links
    ]
    return {"nodes": nodes, "links": links}


def _summary(graph: Graph) -> str:
    title = f"{escape_control_characters(graph.title)}: " if graph.title else ""
    return f"{title}a graph of {len(graph.nodes)} nodes and {len(graph.links)} links"


def _style() -> str:
    """The style sheet, with the colours of a light and of a dark theme."""
    inks = "".join(f".{role} path{{stroke:var(--cs-{role})}}" for role in Role)
    return f"{variables()}\n{package_file('page.css')}{inks}{heat_grounds()}"


def _vis_network() -> str:
    """The script of vis-network; raises `ExportError` where pyvis has none that can be inlined."""
    try:
        text = (files("pyvis") / _VIS).read_text(encoding="utf-8")
    except OSError as error:
        raise ExportError(
            "The installed pyvis has no vis-network 9.1.2.", hint="Install pyvis 0.3.2."
        ) from error
    # A page ends a script at the first such text, wherever it stands.
    if "</script" in text.lower() or "<!--" in text:
        raise ExportError("vis-network cannot stand in a page: it would end its own script.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
