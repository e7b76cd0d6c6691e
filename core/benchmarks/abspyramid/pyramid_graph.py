"""Pyramids as a graph: the head event at the bottom, then instances, then broader concepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from core.benchmarks.abspyramid.pyramids import Concept, Pyramid
from core.benchmarks.abspyramid.switches import Situation
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.view import Graph, Link, Node, Role
from core.text.language import N_, _

_MEANINGS: Mapping[Role, str] = {
    Role.CAUSE: N_("a valid abstraction"),
    Role.EVIDENCE: N_("the step shown"),
    Role.GOOD: N_("a step below it"),
    Role.FORCED: N_("what is abstracted"),
    Role.ABSENT: N_("does not hold"),
    Role.CUT: N_("no abstraction"),
}
_NOTE = N_(
    "A concept stands above what it covers in this head event; a dashed link leads from one that "
    "does not hold."
)


def pyramid_graph(situation: Situation) -> Graph:
    """The graph of the components side by side, with the selected one highlighted."""
    nodes: list[Node] = []
    links: list[Link] = []
    for index, pyramid in enumerate(situation.components):
        head = _head_id(situation, pyramid)
        if all(node.id != head for node in nodes):
            nodes.append(Node(head, pyramid.head, Role.MUTED, _("event")))
        selected = pyramid is situation.pyramid
        nodes += _nodes(situation, index, pyramid, selected=selected)
        links += _links(index, pyramid, head, selected=selected)
    return Graph(_("Pyramid"), tuple(nodes), tuple(links), _(_NOTE), meanings=_MEANINGS)


def _head_id(situation: Situation, pyramid: Pyramid) -> str:
    heads = list(dict.fromkeys(each.head for each in situation.components))
    return f"head-{heads.index(pyramid.head)}"


def _concept_id(index: int, number: int) -> str:
    return f"concept-{index}-{number}"


def _nodes(situation: Situation, index: int, pyramid: Pyramid, *, selected: bool) -> Iterator[Node]:
    whole = pyramid.relation is Relation.EVENT
    yield Node(
        f"instance-{index}",
        _("the whole event") if whole else pyramid.instance,
        Role.FORCED if selected else Role.MUTED,
        _(pyramid.relation.value),
        _("What is abstracted: “{instance}”.", instance=pyramid.instance),
    )
    for number, (_level, concept) in enumerate(pyramid.upward, 1):
        role = Role.PLAIN if selected else Role.MUTED
        if selected and number <= situation.climbed:
            role = Role.EVIDENCE if number == situation.climbed else Role.GOOD
        sign = "?" if concept.label is None else ""
        description = _description(pyramid, concept)
        yield Node(_concept_id(index, number), concept.text, role, sign, description)
    for number, concept in _numbered_false_concepts(pyramid, selected=selected):
        yield Node(
            _concept_id(index, number),
            concept.text,
            Role.ABSENT,
            _("no"),
            _description(pyramid, concept),
            happens=False,
        )


def _numbered_false_concepts(pyramid: Pyramid, *, selected: bool) -> Iterator[tuple[int, Concept]]:
    """Invalid concepts with their numbers; only of the selected pyramid, to keep it readable."""
    if selected:
        yield from enumerate(pyramid.false, len(pyramid.upward) + 1)


def _description(pyramid: Pyramid, concept: Concept) -> str:
    whether = {
        True: _("Valid: {event}"),
        False: _("Not valid: {event}"),
        None: _("Nobody has labelled whether it holds: {event}"),
    }
    return whether[concept.label].format(event=pyramid.tail(concept.text))


def _links(index: int, pyramid: Pyramid, head: str, *, selected: bool) -> Iterator[Link]:
    instance = f"instance-{index}"
    yield Link(instance, head, "", Role.MUTED, _("what is abstracted in it"))
    role = Role.CAUSE if selected else Role.MUTED
    levels: dict[int, list[str]] = {}
    for number, (level, _concept) in enumerate(pyramid.upward, 1):
        levels.setdefault(level, []).append(_concept_id(index, number))
    for node in levels.pop(0, []):
        yield Link(node, instance, "", role, _("holds, without an order"))
    for lower, upper in pairwise([[instance], *levels.values()]):
        # One link per concept shows its level; all pairs would add nothing.
        for node in upper:
            yield Link(node, lower[0], "", role, _(pyramid.ordering))
        for node in lower[1:]:
            yield Link(upper[0], node, "", role, _(pyramid.ordering))
    for number, _concept in _numbered_false_concepts(pyramid, selected=selected):
        yield Link(_concept_id(index, number), instance, "", Role.CUT, _("does not hold"))
