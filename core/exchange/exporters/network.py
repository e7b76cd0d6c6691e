"""The graph of a page: a pyvis `Network` of all states, and what each state shows of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.contract.view import Graph, Role
from core.exchange.exporters.arrangement import Arrangement
from core.exchange.exporters.labels import label_of, link_label
from core.exchange.exporters.looks import HEAVIER, LOOKS, legend_words
from core.exchange.exporters.paths import Box, arrow_head, curve_path, outline_paths, with_keys
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


def network_data(
    graphs: Sequence[Graph], arranged: Sequence[Arrangement], numbers: Mapping[str, int]
) -> dict[str, Any]:
    """The data for the page's script, ready for JSON.

    `nodes` and `options` are as pyvis gives them, for all graphs together. `arrangements` have for
    every node its place and size in pixels, and for every link its ends, `line`, `head` and
    `place`. `states` have for each graph its arrangement, and the nodes and edges that it shows;
    `outlines` are the paths that these name by position, `looks` the lines of each role.

    Args:
        graphs: the graph of each state.
        arranged: the arrangement of each; states that share one have the same object.
        numbers: the number of each node, by its id.
    """
    # It imports IPython, which takes long, so only an export waits for it.
    from pyvis.network import Network

    different = {id(arrangement): arrangement for arrangement in arranged}
    network = Network(directed=True, cdn_resources="in_line")
    texts = {
        node.id: escape_control_characters(node.text) for graph in graphs for node in graph.nodes
    }
    boxes = {name: box for each in reversed(different.values()) for name, box in each.boxes.items()}
    for name, number in numbers.items():
        place = _place(boxes[name])
        network.add_node(number, label=texts[name], shape="custom", **place)
    network.set_options(json.dumps(_OPTIONS))
    nodes, _edges, _heading, _height, _width, options = network.get_network_data()
    outlines: dict[str, int] = {}
    order = list(different)
    states = [
        {"arrangement": order.index(id(arrangement))}
        | _state(graph, arrangement, numbers, outlines)
        for graph, arrangement in zip(graphs, arranged, strict=True)
    ]
    return {
        "nodes": nodes,
        "options": json.loads(options),
        "arrangements": [_arrangement(each, numbers) for each in different.values()],
        "states": states,
        "outlines": list(outlines),
        "looks": {role.value: _look(role, word) for role, word in legend_words(graphs).items()},
    }


def _place(box: Box) -> dict[str, float]:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}


def _arrangement(arrangement: Arrangement, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "places": {numbers[name]: _place(box) for name, box in arrangement.boxes.items()},
        "ways": [
            {
                "from": numbers[key[0]],
                "to": numbers[key[1]],
                "line": curve_path(path),
                "head": arrow_head(path),
                "place": arrangement.label(key),
            }
            for key, path in arrangement.paths.items()
        ],
    }


def _state(
    graph: Graph, arrangement: Arrangement, number: Mapping[str, int], outlines: dict[str, int]
) -> dict[str, list[dict[str, Any]]]:
    """The nodes and edges of one graph; adds new paths to `outlines`."""
    nodes = []
    for node in graph.nodes:
        look, label = LOOKS[node.role], label_of(node, arrangement.line_cells)
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


def _look(role: Role, word: str) -> Mapping[str, Any]:
    look = LOOKS[role]
    sign = SIGNS[role].strip()
    return {"word": word, "sign": sign, "dash": look.dash, "weight": look.weight}
