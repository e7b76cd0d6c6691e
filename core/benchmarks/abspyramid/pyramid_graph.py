"""Pyramids as a graph: the head event below, its instances on it, ever broader concepts above."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.benchmarks.abspyramid.item import tail
from core.benchmarks.abspyramid.pyramids import Concept, Pyramid
from core.benchmarks.abspyramid.switches import Situation
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.view import Graph, Link, Node, Role
from core.text.language import N_, _

_NOTE = N_(
    "A concept stands above what it covers in this head event; a dashed link leads from one that "
    "does not hold."
)


def pyramid_graph(now: Situation) -> Graph:
    """The components of a situation side by side; the one that is climbed stands out."""
    nodes: list[Node] = []
    links: list[Link] = []
    for place, pyramid in enumerate(now.components):
        head = _head_id(now, pyramid)
        if all(node.id != head for node in nodes):
            nodes.append(Node(head, pyramid.head, Role.MUTED, _("event")))
        climbed = pyramid is now.pyramid
        nodes += _nodes(now, place, pyramid, climbed=climbed)
        links += _links(place, pyramid, head, climbed=climbed)
    return Graph(_("Pyramid"), tuple(nodes), tuple(links), _(_NOTE))


def _head_id(now: Situation, pyramid: Pyramid) -> str:
    heads = list(dict.fromkeys(each.head for each in now.components))
    return f"head-{heads.index(pyramid.head)}"


def _instance_id(place: int) -> str:
    return f"instance-{place}"


def _concept_id(place: int, number: int) -> str:
    return f"concept-{place}-{number}"


def _nodes(now: Situation, place: int, pyramid: Pyramid, *, climbed: bool) -> Iterator[Node]:
    whole = pyramid.relation is Relation.EVENT
    yield Node(
        _instance_id(place),
        _("the whole event") if whole else pyramid.instance,
        Role.FORCED if climbed else Role.MUTED,
        pyramid.relation.value,
        _("What is abstracted: “{instance}”.", instance=pyramid.instance),
    )
    for number, (_rung, concept) in enumerate(pyramid.upward, 1):
        role = Role.PLAIN if climbed else Role.MUTED
        if climbed and number <= now.climbed:
            role = Role.EVIDENCE if number == now.climbed else Role.GOOD
        sign = "?" if concept.label is None else ""
        said = _said(pyramid, concept)
        yield Node(_concept_id(place, number), concept.text, role, sign, said)
    for number, concept in _false(pyramid, climbed=climbed):
        yield Node(
            _concept_id(place, number),
            concept.text,
            Role.ABSENT,
            _("no"),
            _said(pyramid, concept),
            happens=False,
        )


def _false(pyramid: Pyramid, *, climbed: bool) -> Iterator[tuple[int, Concept]]:
    """What does not hold, numbered on: of the pyramid that is climbed only, to keep it readable."""
    if climbed:
        yield from enumerate(pyramid.false, len(pyramid.upward) + 1)


def _said(pyramid: Pyramid, concept: Concept) -> str:
    whether = {
        True: _("Valid: {event}"),
        False: _("Not valid: {event}"),
        None: _("Nobody says whether it is valid: {event}"),
    }
    return whether[concept.label].format(event=tail(pyramid, concept.text))


def _links(place: int, pyramid: Pyramid, head: str, *, climbed: bool) -> Iterator[Link]:
    instance = _instance_id(place)
    yield Link(instance, head, "", Role.MUTED, _("what is abstracted in it"))
    role = Role.CAUSE if climbed else Role.MUTED
    levels: dict[int, list[str]] = {}
    for number, (rung, _concept) in enumerate(pyramid.upward, 1):
        levels.setdefault(rung, []).append(_concept_id(place, number))
    for node in levels.pop(0, []):
        yield Link(node, instance, "", role, _("holds, without an order"))
    for lower, upper in pairwise([[instance], *levels.values()]):
        # One line from each is enough to show its rung; all of them would say no more.
        for node in upper:
            yield Link(node, lower[0], "", role, _(pyramid.ordering))
        for node in lower[1:]:
            yield Link(upper[0], node, "", role, _(pyramid.ordering))
    for number, _concept in _false(pyramid, climbed=climbed):
        yield Link(_concept_id(place, number), instance, "", Role.CUT, _("does not hold"))
