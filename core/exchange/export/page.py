"""A page that needs nothing but itself: the picture of a view, and all of it in words.

No script and no style but our own and vis-network's can run in it: the policy names their hashes.
Texts reach the page as text only, escaped by the template or as JSON that the script draws.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from core.exchange.export.arrangement import Box
from core.exchange.export.colours import DARK, LIGHT, colours
from core.exchange.export.document import Document, ExportError, Sheet, setting_line, source_lines
from core.exchange.export.graph_of_view import graph_of_view
from core.exchange.export.heat_colours import STEPS, heat_variables
from core.exchange.export.heat_html import heat_map_section
from core.exchange.export.looks import LOOKS
from core.exchange.export.network import network_data
from core.exchange.export.outlines import outline
from core.exchange.export.ways import closed
from core.layout.rows import SIGNS
from core.view import Graph, Role
from core.visible import visible

_VIS = "templates/lib/vis-9.1.2/vis-network.min.js"
"""vis-network as pyvis 0.3.2 ships it, with the banner of its licence."""


def page(document: Document) -> str:
    """Every sheet of a document on one page, with buttons that change from one to the other.

    Raises `ExportError` for a graph that is too large.
    """
    from jinja2 import Environment, StrictUndefined

    graphs = [graph_of_view(sheet.view) for sheet in document.sheets]
    drawn = [graph or Graph("", (), ()) for graph in graphs]
    data = network_data(drawn) if any(graphs) else None
    style, script, vis = _style(), _own("page.js"), _vis_network()
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    view = document.first.view
    numbers = {
        name: i for i, name in enumerate(dict.fromkeys(n.id for g in drawn for n in g.nodes))
    }
    return (
        environment.from_string(_own("page.html.j2")).render(
            policy=_policy((style,), (vis, script)),
            title=visible(f"{view.title} · {document.benchmark}"),
            style=style,
            script=script,
            vis=vis,
            data=data,
            document={"benchmark": visible(document.benchmark), "item": visible(document.item)},
            view=_shown(asdict(view)),
            readings=[heat_map_section(heat, i) for i, heat in enumerate(document.readings)],
            sheets=[_sheet(*pair) for pair in zip(document.sheets, graphs, strict=True)],
            summary=_summary(drawn[0]),
            numbers=numbers,
            looks=LOOKS,
            signs={role: sign.strip() for role, sign in SIGNS.items()},
            legend=_legend(drawn),
            source_lines=[(name, visible(value)) for name, value in source_lines(document.about)],
        )
        + "\n"
    )


def _sheet(sheet: Sheet, graph: Graph | None) -> dict[str, Any]:
    """A sheet for the template; nothing in its texts acts but markup, which that escapes."""
    view = sheet.view
    blocks = [{"kind": type(b).__name__.lower(), "note": ""} | asdict(b) for b in view.blocks]
    return {
        "label": visible(sheet.label),
        "setting": visible(setting_line(sheet)),
        "view": _shown(asdict(view)),
        "blocks": _shown(blocks),
        "graph": None if graph is None else _with_shown_texts(graph),
        "names": {node.id: visible(node.text) for node in graph.nodes} if graph else {},
    }


def _with_shown_texts(graph: Graph) -> dict[str, Any]:
    """A graph for the template; ids stay, for they are only looked up."""
    nodes = [_shown(asdict(node)) | {"id": node.id} for node in graph.nodes]
    links = [
        _shown(asdict(link)) | {"source": link.source, "target": link.target}
        for link in graph.links
    ]
    return {"nodes": nodes, "links": links}


def _shown(value: Any) -> Any:
    """The same lists and mappings with every text made visible."""
    match value:
        case Role():
            return value
        case str():
            return visible(value)
        case dict():
            return {key: _shown(part) for key, part in value.items()}
        case list() | tuple():
            return [_shown(part) for part in value]
        case _:
            return value


def _summary(graph: Graph) -> str:
    title = f"{visible(graph.title)}: " if graph.title else ""
    return f"{title}a graph of {len(graph.nodes)} nodes and {len(graph.links)} links"


def _legend(graphs: Sequence[Graph]) -> list[dict[str, Any]]:
    used = {node.role for graph in graphs for node in graph.nodes}
    used |= {link.role for graph in graphs for link in graph.links}
    entries = []
    for role in (role for role in Role if role in used):
        look = LOOKS[role]
        box = Box(29.0, 15.0, 52.0, 24.0)
        entries.append(
            {
                "role": role,
                "word": look.word,
                "paths": [closed(outline(look.outline, box, inset)) for inset in look.insets],
                "weight": look.weight,
                "dash": " ".join(map(str, look.dash)),
            }
        )
    return entries


def _style() -> str:
    """The style sheet, with the colours of a light and of a dark theme."""
    inks = "".join(f".{role} path{{stroke:var(--cs-{role})}}" for role in Role)
    inks += "".join(
        f".heat .h{step}{{background:var(--heat-{step});color:var(--heat-ink-{step})}}"
        for step in range(STEPS)
    )
    light, dark = (_variables(theme) for theme in (LIGHT, DARK))
    dark = f"@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f":root{{{light}}}{dark}\n{_own('page.css')}{inks}"


def _variables(theme: str) -> str:
    known = colours(theme)
    return "".join(f"--{n}:{colour};" for n, colour in {**known, **heat_variables(known)}.items())


def _policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """A content security policy under which nothing but these texts runs, and nothing is loaded."""
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)


def _own(name: str) -> str:
    return (files("core.exchange.export") / name).read_text(encoding="utf-8")


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
