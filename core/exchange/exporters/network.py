"""The graph of a page: a pyvis `Network` of all states, and what each state shows of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.contract.view import Graph, Role
from core.exchange.exporters.arrangement import Arrangement, arrange
from core.exchange.exporters.labels import label_of, link_label
from core.exchange.exporters.looks import HEAVIER, LOOKS
from core.exchange.exporters.paths import (
    Box,
    arrow_head,
    curve_path,
    label_place,
    outline_paths,
    with_keys,
)
from core.layout.graph.weights import heavy_links
from core.layout.rows import SIGNS
from core.text.escaping import escape_control_characters

_OPTIONS = {
    "autoResize": True,
    "physics": {"enabled": False},
    "layout": {"improvedLayout": False, "randomSeed": 1},
    "interaction": {
        "dragNodes": False,
        "hover": False,
        "keyboard": {"enabled": False, "bindToWindow": False},
        "navigationButtons": False,
        "selectConnectedEdges": False,
    },
    # The page draws links itself, along the paths of the arrangement.
    "edges": {"smooth": False, "hidden": True},
}


def network_data(graphs: Sequence[Graph]) -> dict[str, Any]:
    """The data for the page's script, ready for JSON.

    `nodes`, `edges` and `options` are as pyvis gives them, for all graphs together and numbered
    from 0; a node has its place and size in pixels, an edge its `line`, `head` and `place`.
    `states` has for each graph the nodes and edges that it shows; `outlines` are the paths that
    these name by position, `looks` the lines of each role. Raises `ExportError` for a graph that
    is too large.
    """
    # It imports IPython, which takes long, so only an export waits for it.
    from pyvis.network import Network

    arrangement = arrange(graphs)
    network = Network(directed=True, cdn_resources="in_line")
    texts = {
        node.id: escape_control_characters(node.text) for graph in graphs for node in graph.nodes
    }
    for i, (name, box) in enumerate(arrangement.boxes.items()):
        position = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
        network.add_node(i, label=texts[name], shape="custom", **position)
    number = {name: i for i, name in enumerate(arrangement.boxes)}
    for i, (key, path) in enumerate(arrangement.paths.items()):
        drawn = {"line": curve_path(path), "head": arrow_head(path), "place": label_place(path)}
        network.add_edge(number[key[0]], number[key[1]], id=i, **drawn)
    network.set_options(json.dumps(_OPTIONS))
    nodes, edges, _, _, _, options = network.get_network_data()
    outlines: dict[str, int] = {}
    states = [_state(graph, arrangement, outlines) for graph in graphs]
    return {
        "nodes": nodes,
        "edges": edges,
        "options": json.loads(options),
        "states": states,
        "outlines": list(outlines),
        "looks": {role.value: _look(role) for role in Role},
    }


def _state(
    graph: Graph, arrangement: Arrangement, outlines: dict[str, int]
) -> dict[str, list[dict[str, Any]]]:
    """The nodes and edges of one graph; adds new paths to `outlines`."""
    number = {name: i for i, name in enumerate(arrangement.boxes)}
    nodes = []
    for node in graph.nodes:
        look, label = LOOKS[node.role], label_of(node)
        box = arrangement.boxes[node.id]
        paths = outline_paths(look, Box(0.0, 0.0, box.width, box.height))
        nodes.append(
            {
                "id": number[node.id],
                "role": node.role.value,
                "rows": label.rows,
                "head": bool(label.head),
                "outlines": [outlines.setdefault(path, len(outlines)) for path in paths],
                "text": escape_control_characters(node.text),
                "note": escape_control_characters(node.note),
            }
        )
    order = {key: i for i, key in enumerate(arrangement.paths)}
    edges: list[dict[str, Any]] = [
        {
            "id": order[key],
            "role": link.role.value,
            "label": escape_control_characters(link_label(link)),
        }
        for key, link in with_keys(graph.links)
    ]
    for index in heavy_links(graph.links):
        edges[index]["heavier"] = HEAVIER
    return {"nodes": nodes, "edges": edges}


def _look(role: Role) -> Mapping[str, Any]:
    look = LOOKS[role]
    sign = SIGNS[role].strip()
    return {"word": look.word, "sign": sign, "dash": look.dash, "weight": look.weight}
