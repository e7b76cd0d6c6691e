"""The single graph of a view, whatever its sections are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.contract.view import Graph, Statements, View
from core.exchange.exporters.document import ExportError
from core.layout.graph.as_graph import graph_of
from core.text.language import _


def graph_of_view(view: View) -> Graph | None:
    """The graphs of a view joined into one, or its statements as a graph if it has no graph.

    None for a view of tables and notes only.
    """
    graphs = [section for section in view.sections if isinstance(section, Graph)]
    if not graphs:
        graphs = [graph_of(section) for section in view.sections if isinstance(section, Statements)]
    if not graphs:
        return None
    return _checked(graphs[0] if len(graphs) == 1 else _joined(graphs))


def needed_graph(view: View, title: str) -> Graph:
    """The graph of a view for the format called `title`; raises `ExportError` without one."""
    graph = graph_of_view(view)
    if graph is None:
        raise ExportError(
            _("This view has no graph, so there is nothing to write as {title}.", title=title),
            hint=_("Tables and remarks can be written as html, json, md or text."),
        )
    return graph


def _joined(graphs: Sequence[Graph]) -> Graph:
    """All graphs as one; the number of its graph is put before the id of each node."""
    nodes, links = [], []
    for number, graph in enumerate(graphs, 1):
        nodes += [replace(node, id=f"{number}:{node.id}") for node in graph.nodes]
        links += [
            replace(link, source=f"{number}:{link.source}", target=f"{number}:{link.target}")
            for link in graph.links
        ]
    notes = dict.fromkeys(graph.note for graph in graphs if graph.note)
    title = " · ".join(graph.title for graph in graphs)
    return Graph(title, tuple(nodes), tuple(links), " ".join(notes))


def _checked(graph: Graph) -> Graph:
    """The graph, if ids are unique and links join nodes; raises `ExportError`."""
    ids = {node.id for node in graph.nodes}
    if len(ids) < len(graph.nodes):
        raise ExportError(_("Two nodes of this graph have the same id."), where=graph.title)
    for link in graph.links:
        for end in (link.source, link.target):
            if end not in ids:
                raise ExportError(
                    _("A link names “{end}”, which is no node.", end=end), where=graph.title
                )
    return graph
