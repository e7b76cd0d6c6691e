"""A self-contained page: the picture of a view, and all of it in words.

Only our own script and vis-network can run in it. The template escapes all texts, or they are
JSON that the script draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from core.contract.view import Graph, Role
from core.exchange.exporters.arrangement import Arrangement, arrange
from core.exchange.exporters.document import (
    Document,
    ExportError,
    Sheet,
    notes_above,
    setting_line,
    source_lines,
)
from core.exchange.exporters.graph_of_view import graph_of_view
from core.exchange.exporters.graph_tables import link_columns, node_columns
from core.exchange.exporters.heat_html import heat_map_section
from core.exchange.exporters.inline_drawing import drawing_style, inline_drawing, narrow_drawing
from core.exchange.exporters.labels import node_sign
from core.exchange.exporters.looks import legend_words
from core.exchange.exporters.network import network_data
from core.exchange.exporters.page_words import page_words, script_words
from core.exchange.exporters.paths import with_keys
from core.exchange.exporters.self_contained import (
    OWN_FOLDER,
    escape_texts,
    heat_grounds,
    legend,
    package_file,
    policy,
    template,
    variables,
)
from core.exchange.exporters.svg import bounds
from core.layout.rows import SIGNS
from core.text.escaping import escape_control_characters
from core.text.language import ENGLISH, _, ngettext, spoken

_VIS = "templates/lib/vis-9.1.2/vis-network.min.js"
"""vis-network as pyvis 0.3.2 ships it, with the banner of its licence."""
_MOST_DRAWN = 300
"""Most nodes of a drawing for paper and phones; more of them could not be read there."""
_WIDEST_ON_PAPER = 1_000.0
"""Widest drawing, in pixels, whose letters can be read when it is fitted to a sheet of paper."""


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """Addresses of what the pages of a folder share, relative to a page."""

    style: str
    picture: tuple[str, ...]
    """Scripts of a page with a graph."""
    states: tuple[str, ...]
    """Scripts of a page with states, none of which has a graph."""


@dataclass(frozen=True, slots=True)
class PageInFolder:
    """A page's place among the pages of a folder."""

    files: SharedFiles
    links: tuple[tuple[str, str], ...]
    """Words and addresses of the pages before and after it, and of the page that lists them."""


def page(document: Document, place: PageInFolder | None = None) -> str:
    """Every state of a document on one page, with buttons that change from one to the other.

    It stands alone, or shares styles and scripts with the other pages of a folder. Raises
    `ExportError` for a graph that is too large.
    """
    sheets = _all_sheets(document)
    graphs = [graph_of_view(sheet.view) for sheet in sheets]
    drawn = [graph or Graph("", (), ()) for graph in graphs]
    # Nothing moves between the states to compare; what a slider shows is a graph of its own.
    compared = len(document.sheets)
    together = arrange(drawn[:compared])
    arranged = [together] * compared + [arrange([graph]) for graph in drawn[compared:]]
    ids = dict.fromkeys(node.id for graph in drawn for node in graph.nodes)
    numbers = {name: number for number, name in enumerate(ids)}
    data: dict[str, Any] | None = None
    if any(graphs):
        data = network_data(drawn, arranged, numbers)
    elif len(sheets) > 1:
        data = {"states": [{}] * len(sheets)}
    if data is not None:
        data["say"] = script_words()
    vis = vis_network() if any(graphs) else ""
    script = page_script() if any(graphs) else package_file("page.js")
    style = page_style()
    shared: dict[str, Any] | None = None
    if place is not None:
        scripts = place.files.picture if any(graphs) else place.files.states
        shared = {"style": place.files.style, "scripts": scripts, "links": place.links}
    view = document.first.view
    return (
        template("page.html.j2").render(
            policy=OWN_FOLDER
            if shared
            else policy((style,), (vis, script) if vis else (script,) if data else ()),
            shared=shared,
            language=spoken(),
            say=page_words(),
            # A gloss is the English of an item in another language.
            glosses=spoken() == ENGLISH,
            title=escape_control_characters(f"{view.title} · {document.benchmark}"),
            style=style,
            script=script,
            vis=vis,
            data=data,
            document=escape_texts({"benchmark": document.benchmark, "item": document.item}),
            view=escape_texts(asdict(view)),
            readings=[heat_map_section(heat, i) for i, heat in enumerate(document.readings)],
            sheets=[
                _sheet(sheet, graph, arrangement, numbers)
                for sheet, graph, arrangement in zip(sheets, graphs, arranged, strict=True)
            ],
            compared=compared,
            sliders=_sliders(document, sheets),
            summary=_summary(drawn[0]),
            numbers=numbers,
            looks=legend_words(drawn),
            signs={role: sign.strip() for role, sign in SIGNS.items()},
            legend=legend(drawn),
            source_lines=escape_texts(source_lines(document.about)),
        )
        + "\n"
    )


def _all_sheets(document: Document) -> list[Sheet]:
    """The states to compare, then those that only a slider shows."""
    sliding = [sheet for slider in document.sliders for sheet in slider.sheets]
    return list({id(sheet): sheet for sheet in (*document.sheets, *sliding)}.values())


def _sliders(document: Document, sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """The sliders for the template: label, values, the number of the state for each, the start."""
    number = {id(sheet): i for i, sheet in enumerate(sheets)}
    return [
        {
            "label": escape_control_characters(slider.label),
            "shown": slider.values,
            "states": [number[id(sheet)] for sheet in slider.sheets],
            "start": [id(sheet) for sheet in slider.sheets].index(id(document.first)),
        }
        for slider in document.sliders
    ]


def _sheet(
    sheet: Sheet, graph: Graph | None, arrangement: Arrangement, numbers: Mapping[str, int]
) -> dict[str, Any]:
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
        "drawings": _drawings(graph, arrangement, numbers),
        "graph": None if graph is None else _with_shown_texts(graph),
    }


def _drawings(
    graph: Graph | None, arrangement: Arrangement, numbers: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Drawings of a state that need no script, each with the places that it is for."""
    if graph is None or not 0 < len(graph.nodes) <= _MOST_DRAWN:
        return []
    narrow = narrow_drawing(graph, numbers)
    own = _only(graph, arrangement)
    left, _top, right, _bottom = bounds(own)
    if right - left > _WIDEST_ON_PAPER:
        return [("narrow paper", narrow)]
    return [("narrow", narrow), ("paper", inline_drawing(graph, own, numbers))]


def _only(graph: Graph, arrangement: Arrangement) -> Arrangement:
    """The part of an arrangement that one of its graphs shows."""
    return Arrangement(
        {node.id: arrangement.boxes[node.id] for node in graph.nodes},
        {key: arrangement.paths[key] for key, _link in with_keys(graph.links)},
    )


def _with_shown_texts(graph: Graph) -> dict[str, Any]:
    """A graph for the template, with the texts of the ends of links instead of their ids.

    Those of nodes stay as they are, because they are only looked up.
    """
    names = {node.id: escape_control_characters(node.text) for node in graph.nodes}
    nodes = [
        escape_texts(asdict(node) | {"sign": node_sign(node)}) | {"id": node.id}
        for node in graph.nodes
    ]
    links = [
        escape_texts(asdict(link)) | {"source": names[link.source], "target": names[link.target]}
        for link in graph.links
    ]
    return {
        "nodes": nodes,
        "node_columns": node_columns(nodes),
        "links": links,
        "link_columns": link_columns(links),
        "nodes_said": _nodes_said(graph),
        "links_said": _links_said(graph),
    }


def _summary(graph: Graph) -> str:
    title = f"{escape_control_characters(graph.title)}: " if graph.title else ""
    graph_of = _("a graph: {nodes}, {links}", nodes=_nodes_said(graph), links=_links_said(graph))
    return f"{title}{graph_of}"


def _nodes_said(graph: Graph) -> str:
    n = len(graph.nodes)
    return ngettext("{n} node", "{n} nodes", n, n=n)


def _links_said(graph: Graph) -> str:
    n = len(graph.links)
    return ngettext("{n} link", "{n} links", n, n=n)


@cache
def page_style() -> str:
    """The style sheet of a page with a picture, with the colours of a light and a dark theme."""
    inks = "".join(f".legend .{role} path{{stroke:var(--cs-{role})}}" for role in Role)
    sheets = package_file("page.css") + drawing_style() + package_file("states.css")
    return f"{variables()}\n{sheets}{inks}{heat_grounds()}"


@cache
def page_script() -> str:
    """Our own script of a page with a picture."""
    return package_file("picture.js") + package_file("page.js")


@cache
def vis_network() -> str:
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
