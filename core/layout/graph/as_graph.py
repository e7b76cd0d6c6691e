"""Statements as a graph: their order, the links between them, and their states."""

from __future__ import annotations

from core.contract.view import Graph, Link, Node, Role, Statements, View


def graph_of(section: Statements) -> Graph:
    """The statements as nodes, each linked to the next, and the section's own links.

    Links from one statement to the next have no label. The nodes and links of the section's
    states follow.
    """
    nodes = tuple(
        Node(
            statement.id,
            f"{statement.number}. {statement.text}" if statement.number else statement.text,
            statement.role,
            note=statement.note,
            gloss=statement.gloss,
            weight=statement.weight,
        )
        for statement in section.statements
    )
    linked = {(link.source, link.target) for link in section.links}
    steps = tuple(
        Link(before.id, after.id, role=Role.PLAIN)
        for before, after in zip(section.statements, section.statements[1:], strict=False)
        if (before.id, after.id) not in linked
    )
    links = (*steps, *section.links)
    if section.states is None:
        return Graph(section.title, nodes, links)
    states = section.states
    return Graph(section.title, (*nodes, *states.nodes), (*links, *states.links), states.note)


def first_graph(view: View, *, statements: bool = False) -> Graph | None:
    """The first graph of a view, or with `statements` the first statements as a graph."""
    for section in view.sections:
        if isinstance(section, Graph):
            return section
    if statements:
        for section in view.sections:
            if isinstance(section, Statements):
                return graph_of(section)
    return None
