"""What an AbsPyramid item looks like under a setting: pyramid, climb and neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.benchmarks.abspyramid.item import AbsItem, tail
from core.benchmarks.abspyramid.pyramid_graph import pyramid_graph
from core.benchmarks.abspyramid.pyramids import Pyramid
from core.benchmarks.abspyramid.relation_names import RELATIONS
from core.benchmarks.abspyramid.switches import Situation, situation
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.setting import Setting
from core.contract.view import Cell, Grid, Note, Role, Section, Statement, Statements, View
from core.text.language import _, ngettext

_MOST_CONTEXTS = 12
_MOST_COVERED = 12


def view(item: AbsItem, setting: Setting) -> View:
    """The pyramid, the head event rewritten step by step, other contexts, what else is covered.

    Raises `SettingError`.
    """
    now = situation(item, setting)
    sections: list[Section] = [pyramid_graph(now), *_tail(now), _climb(now)]
    if now.pyramid.false:
        rows = tuple(
            Statement(f"false-{i}", tail(now.pyramid, c.text), Role.MUTED, "✗", c.text)
            for i, c in enumerate(now.pyramid.false, 1)
        )
        sections.append(Statements(_("Not valid here"), rows))
    sections += [*_contexts(now), *_covered(now)]
    if remark := _order(now.pyramid):
        sections.append(Note(remark))
    return View(now.pyramid.head, "", _badges(now), tuple(sections))


def _badges(now: Situation) -> tuple[Cell, ...]:
    badges = [Cell(RELATIONS[now.pyramid.relation], Role.EVIDENCE)]
    if now.elsewhere:
        badges.append(Cell(_("another context"), Role.CHANGED))
    climbed = _("{climbed} of {steps} climbed")
    badges.append(Cell(climbed.format(climbed=now.climbed, steps=len(now.steps))))
    if now.pyramid.loose:
        badges.append(Cell(_("without an order") if not now.pyramid.rungs else _("partly ordered")))
    return tuple(badges)


def _order(pyramid: Pyramid) -> str:
    """By what the rungs are ordered, and which concepts have none."""
    remarks = []
    if pyramid.ordering:
        ordered = _("Rungs are ordered by {ordering}.")
        remarks.append(ordered.format(ordering=_(pyramid.ordering)))
    if pyramid.loose:
        which = ", ".join(_("“{text}”", text=concept.text) for concept in pyramid.loose)
        unknown = _("Nothing tells which of them is the broader: {concepts}.")
        remarks.append(unknown.format(concepts=which))
    return " ".join(remarks)


def _tail(now: Situation) -> Sequence[Section]:
    """The tail event that was climbed to, above all steps: a short pane shows no more."""
    if not now.climbed:
        return ()
    row = _step(now, now.climbed, Role.EVIDENCE)
    return (Statements(_("The tail event"), (replace(row, id="tail"),)),)


def _climb(now: Situation) -> Statements:
    """The head event, then the tail event of each step, from the narrowest to the broadest."""
    pyramid = now.pyramid
    rows = [
        Statement(
            "climb-0",
            pyramid.head,
            Role.EVIDENCE if not now.climbed else Role.PLAIN,
            "0",
            pyramid.instance if pyramid.relation is not Relation.EVENT else "",
        )
    ]
    for step in range(1, len(now.steps) + 1):
        role = Role.PLAIN if step < now.climbed else Role.MUTED
        rows.append(_step(now, step, Role.EVIDENCE if step == now.climbed else role))
    return Statements(_("The climb"), tuple(rows))


def _step(now: Situation, step: int, role: Role) -> Statement:
    """A step up, from 1: its tail event, its rung, its concept."""
    rung, concept = now.steps[step - 1]
    note = concept.text if now.pyramid.relation is not Relation.EVENT else ""
    if concept.label is None:
        note = ", ".join(word for word in (note, _("unlabelled")) if word)
    text = tail(now.pyramid, concept.text)
    return Statement(f"climb-{step}", text, role, str(rung) if rung else "·", note)


def _contexts(now: Situation) -> list[Section]:
    """The same instance in other head events, with what holds there."""
    others = now.item.elsewhere.contexts(now.item.pyramid)
    if not others:
        return []
    rows = [_context(now.item.pyramid, now)]
    rows += [_context(pyramid, now) for pyramid in others[:_MOST_CONTEXTS]]
    more = len(others) - _MOST_CONTEXTS
    return [
        Grid(
            _("“{instance}” in other events", instance=now.item.pyramid.instance),
            (_("event"), _("valid"), _("not valid")),
            tuple(rows),
            ngettext(
                "{more:,} more event is not shown.",
                "{more:,} more events are not shown.",
                more,
                more=more,
            )
            if more > 0
            else "",
        )
    ]


def _context(pyramid: Pyramid, now: Situation) -> tuple[Cell, ...]:
    role = Role.EVIDENCE if pyramid is now.pyramid else Role.PLAIN
    valid = ", ".join(concept.text for rung, concept in pyramid.upward)
    false = ", ".join(concept.text for concept in pyramid.false)
    return Cell(pyramid.head, role), Cell(valid), Cell(false, Role.MUTED)


def _covered(now: Situation) -> Sequence[Section]:
    """What else the concept that was climbed to covers, in the whole collection."""
    concept = now.concept
    if concept is None:
        return ()
    found = now.item.elsewhere.covered(concept.text, now.pyramid, _MOST_COVERED)
    if not found.first:
        return ()
    rows = tuple(
        (Cell(each.instance), Cell(RELATIONS[each.relation]), Cell(each.head, Role.MUTED))
        for each in found.first
    )
    more = found.count - len(found.first)
    return (
        Grid(
            _("“{concept}” covers also", concept=concept.text),
            (_("instance"), _("relation"), _("event")),
            rows,
            ngettext("{more:,} more is not shown.", "{more:,} more are not shown.", more, more=more)
            if more > 0
            else "",
        ),
    )
