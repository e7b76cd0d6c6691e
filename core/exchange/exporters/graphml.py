"""GraphML, for networkx, Gephi, yEd and others."""

from __future__ import annotations

import re
from io import BytesIO

from core.exchange.exporters.document import Document, ExportError, notes_above
from core.exchange.exporters.graph_of_view import needed_graph
from core.exchange.exporters.labels import node_sign
from core.text.escaping import escape_control_characters
from core.text.language import _

_NOT_XML = re.compile("[\ufffe\uffff]")
"""Characters that XML 1.0 forbids and `escape_control_characters` lets pass (its section 2.2,
production 2)."""


def graphml(document: Document) -> str:
    """The graph of the first sheet as a directed multigraph.

    Nodes keep their ids. Each has `label`, `role`, `sign`, `note` and `gloss`, each link
    `label`, `role` and `note`, and `weight` where it has one; the graph has `title`, `benchmark`,
    `item`, `licence` and `note`.
    """
    import networkx

    graph = needed_graph(document.first.view, "GraphML")
    notes = [note.text for note in notes_above(document.first.view)]
    network = networkx.MultiDiGraph(
        title=xml_text(document.first.view.title),
        benchmark=xml_text(document.benchmark),
        item=xml_text(document.item),
        licence=xml_text(document.about.licence),
        note=xml_text(" ".join(filter(None, [*notes, graph.note]))),
    )
    names = {node.id: xml_text(node.id) for node in graph.nodes}
    if len(set(names.values())) < len(names):
        raise ExportError(
            _("Two nodes have ids that GraphML cannot tell apart."), hint=_("Write dot or json.")
        )
    for node in graph.nodes:
        network.add_node(
            names[node.id],
            label=xml_text(node.text),
            role=node.role.value,
            sign=xml_text(node_sign(node)),
            note=xml_text(node.note),
            gloss=xml_text(node.gloss),
        )
    for link in graph.links:
        network.add_edge(
            names[link.source],
            names[link.target],
            label=xml_text(link.label),
            role=link.role.value,
            note=xml_text(link.note),
            **({} if link.weight is None else {"weight": link.weight}),
        )
    written = BytesIO()
    # The writer without lxml, so that the bytes are the same wherever it is installed.
    networkx.write_graphml_xml(network, written)
    return written.getvalue().decode("utf-8") + "\n"


def xml_text(text: str) -> str:
    """A text without control characters and characters that XML forbids; markup is not escaped."""
    return _NOT_XML.sub("\ufffd", escape_control_characters(text, limit=len(text)))
