"""Statements as a graph: one after the other, what is linked across them, and their states."""

from __future__ import annotations

from core.contract.view import Graph, Link, Node, Role, Statements, View


def graph_of(block: Statements) -> Graph:
    """The statements as nodes, each leading to the next, with the block's own links on top.

    Only those have labels: that one statement comes after another is told by the line. The nodes
    and links of the block's states follow.
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
        for statement in block.statements
    )
    linked = {(link.source, link.target) for link in block.links}
    steps = tuple(
        Link(one.id, other.id, role=Role.PLAIN)
        for one, other in zip(block.statements, block.statements[1:], strict=False)
        if (one.id, other.id) not in linked
    )
    links = (*steps, *block.links)
    if block.states is None:
        return Graph(block.title, nodes, links)
    states = block.states
    return Graph(block.title, (*nodes, *states.nodes), (*links, *states.links), states.note)


def first_graph(view: View, *, statements: bool = False) -> Graph | None:
    """The first graph of a view; of its statements, if it has none and they are wanted."""
    for block in view.blocks:
        if isinstance(block, Graph):
            return block
    if statements:
        for block in view.blocks:
            if isinstance(block, Statements):
                return graph_of(block)
    return None
