"""A graph in words: every node with what leads to it and where it leads. For screen readers, for
plain text, and where there is no room to draw."""

from __future__ import annotations

from collections.abc import Mapping

from core.contract.view import Graph, Node, Role
from core.layout.rows import SIGNS, Ink, Measure, Row, Span, paragraph, wrap
from core.text.escaping import escape_control_characters
from core.text.language import N_, _

_WORDS = {
    Role.FORCED: N_("set from outside"),
    Role.OBSERVED: N_("observed"),
    Role.IMAGINED: N_("imagined"),
    Role.ABSENT: N_("does not happen"),
    Role.CHANGED: N_("changed"),
    Role.CUT: N_("cut"),
    Role.DISTRACTOR: N_("misleading"),
    Role.HINDERS: N_("prevents it"),
    Role.EVIDENCE: N_("evidence"),
    Role.BREAK: N_("breakpoint"),
    Role.GOOD: N_("right"),
    Role.BAD: N_("wrong"),
}


def _word(role: Role, graph: Graph) -> str:
    """A role of a graph in words; empty for a role that needs none."""
    return _(graph.meanings.get(role) or _WORDS.get(role, ""))


def outline(
    graph: Graph, width: int, measure: Measure, numbers: Mapping[str, str] | None = None
) -> list[Row]:
    """A numbered list of the nodes, in the order of the graph, wrapped to `width` cells.

    `numbers` has the number of each node by its id; they are counted from 1 when it is left out.
    """
    number = numbers or {node.id: str(i) for i, node in enumerate(graph.nodes, 1)}
    into: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    out: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for link in graph.links:
        if link.source not in number or link.target not in number:
            continue
        words = _in_brackets(link.label or _word(link.role, graph), link.note)
        out[link.source].append(f"{number[link.target]}{words}")
        into[link.target].append(f"{number[link.source]}{words}")
    rows: list[Row] = (
        [(Span(f" {escape_control_characters(graph.title)}", Ink.HEADING),)] if graph.title else []
    )
    for node in graph.nodes:
        head = f"{number[node.id]}."
        rows += _wrapped(
            f"{head} {SIGNS[node.role].strip()} ".replace("  ", " "),
            escape_control_characters(node.text)
            + _in_brackets(node.sign, node.note or _word(node.role, graph)),
            node,
            width,
            measure,
        )
        for label, ends in ((_("from"), into[node.id]), (_("to"), out[node.id])):
            if ends:
                rows += _wrapped(f"     {label} ", "; ".join(ends), None, width, measure)
    return rows + paragraph(graph.note, Ink.GLOSS, width, measure)


def _in_brackets(*words: str) -> str:
    """The words that are not empty in brackets, after a blank; empty if all of them are."""
    joined = ", ".join(escape_control_characters(word) for word in words if word)
    return f" ({joined})" if joined else ""


def _wrapped(head: str, text: str, node: Node | None, width: int, measure: Measure) -> list[Row]:
    room = max(8, width - measure(head) - 1)
    ink, ref = (node.role, node.id) if node else (Ink.GLOSS, "")
    return [
        (Span(f" {head if not i else ' ' * measure(head)}", Ink.NUMBER), Span(line, ink, ref))
        for i, line in enumerate(wrap(text, room, measure))
    ]
