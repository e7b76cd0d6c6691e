"""Statements as a graph: one after the other, what is linked across them, and their states."""

from __future__ import annotations

from core.contract.view import Graph, Link, Node, Role, Statements, View


def graph_of(section: Statements) -> Graph:
    """The statements as nodes, each leading to the next, with the section's own links on top.

    Only those have labels: that one statement comes after another is told by the line. The nodes
    and links of the section's states follow.
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
        Link(one.id, other.id, role=Role.PLAIN)
        for one, other in zip(section.statements, section.statements[1:], strict=False)
        if (one.id, other.id) not in linked
    )
    links = (*steps, *section.links)
    if section.states is None:
        return Graph(section.title, nodes, links)
    states = section.states
    return Graph(section.title, (*nodes, *states.nodes), (*links, *states.links), states.note)


def first_graph(view: View, *, statements: bool = False) -> Graph | None:
    """The first graph of a view; of its statements, if it has none and they are wanted."""
    for section in view.sections:
        if isinstance(section, Graph):
            return section
    if statements:
        for section in view.sections:
            if isinstance(section, Statements):
                return graph_of(section)
    return None
