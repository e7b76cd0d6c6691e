"""The view of an item under a setting: pyramid, climb and related facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.benchmarks.abspyramid.item import AbsItem
from core.benchmarks.abspyramid.pyramid_graph import pyramid_graph
from core.benchmarks.abspyramid.pyramids import Pyramid
from core.benchmarks.abspyramid.switches import Situation, apply_setting
from core.benchmarks.abspyramid.tuples import RELATIONS, Relation
from core.contract.setting import Setting
from core.contract.view import Cell, Grid, Note, Role, Section, Statement, Statements, View
from core.text.language import _, ngettext

_MOST_CONTEXTS = 12
_MOST_COVERED = 12


def view(item: AbsItem, setting: Setting) -> View:
    """The pyramid, the head event rewritten step by step, other contexts, other covered tuples.

    Raises `SettingError`.
    """
    situation = apply_setting(item, setting)
    sections: list[Section] = [pyramid_graph(situation), *_tail(situation), _climb(situation)]
    if situation.pyramid.false:
        rows = tuple(
            Statement(f"false-{i}", situation.pyramid.tail(c.text), Role.MUTED, "✗", c.text)
            for i, c in enumerate(situation.pyramid.false, 1)
        )
        sections.append(Statements(_("Not valid here"), rows))
    sections += [*_contexts(situation), *_covered(situation)]
    if remark := _order_note(situation.pyramid):
        sections.append(Note(remark))
    return View(situation.pyramid.head, "", _badges(situation), tuple(sections))


def _badges(situation: Situation) -> tuple[Cell, ...]:
    badges = [Cell(_(RELATIONS[situation.pyramid.relation]), Role.EVIDENCE)]
    if situation.in_other_context:
        badges.append(Cell(_("another context"), Role.CHANGED))
    climbed = _("{climbed} of {steps} climbed")
    badges.append(Cell(climbed.format(climbed=situation.climbed, steps=len(situation.steps))))
    if situation.pyramid.unordered:
        badges.append(
            Cell(_("without an order") if not situation.pyramid.levels else _("partly ordered"))
        )
    return tuple(badges)


def _order_note(pyramid: Pyramid) -> str:
    """A note on how the levels are ordered and which concepts have no level."""
    remarks = []
    if pyramid.ordering:
        ordered = _("Levels are ordered by {ordering}.")
        remarks.append(ordered.format(ordering=_(pyramid.ordering)))
    if pyramid.unordered:
        which = ", ".join(_("“{text}”", text=concept.text) for concept in pyramid.unordered)
        unknown = _("It is not known which of these is the broader: {concepts}.")
        remarks.append(unknown.format(concepts=which))
    return " ".join(remarks)


def _tail(situation: Situation) -> Sequence[Section]:
    """The current tail event, above all steps so that a short pane shows it."""
    if not situation.climbed:
        return ()
    row = _step(situation, situation.climbed, Role.EVIDENCE)
    return (Statements(_("The tail event"), (replace(row, id="tail"),)),)


def _climb(situation: Situation) -> Statements:
    """The head event, then the tail event of each step, from the narrowest to the broadest."""
    pyramid = situation.pyramid
    rows = [
        Statement(
            "climb-0",
            pyramid.head,
            Role.EVIDENCE if not situation.climbed else Role.PLAIN,
            "0",
            pyramid.instance if pyramid.relation is not Relation.EVENT else "",
        )
    ]
    for step in range(1, len(situation.steps) + 1):
        role = Role.PLAIN if step < situation.climbed else Role.MUTED
        rows.append(_step(situation, step, Role.EVIDENCE if step == situation.climbed else role))
    return Statements(_("The climb"), tuple(rows))


def _step(situation: Situation, step: int, role: Role) -> Statement:
    """The row of a step from 1: its tail event, level and concept."""
    level, concept = situation.steps[step - 1]
    note = concept.text if situation.pyramid.relation is not Relation.EVENT else ""
    if concept.label is None:
        note = ", ".join(word for word in (note, _("unlabelled")) if word)
    text = situation.pyramid.tail(concept.text)
    return Statement(f"climb-{step}", text, role, str(level) if level else "·", note)


def _contexts(situation: Situation) -> list[Section]:
    """The same instance in other head events, with the concepts there."""
    others = situation.item.contexts
    if not others:
        return []
    rows = [_context(situation.item.pyramid, situation)]
    rows += [_context(pyramid, situation) for pyramid in others[:_MOST_CONTEXTS]]
    more = len(others) - _MOST_CONTEXTS
    return [
        Grid(
            _("“{instance}” in other events", instance=situation.item.pyramid.instance),
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


def _context(pyramid: Pyramid, situation: Situation) -> tuple[Cell, ...]:
    role = Role.EVIDENCE if pyramid is situation.pyramid else Role.PLAIN
    valid = ", ".join(concept.text for level, concept in pyramid.upward)
    false = ", ".join(concept.text for concept in pyramid.false)
    return Cell(pyramid.head, role), Cell(valid), Cell(false, Role.MUTED)


def _covered(situation: Situation) -> Sequence[Section]:
    """Other tuples of the collection that the current concept covers."""
    concept = situation.concept
    if concept is None:
        return ()
    covered = situation.item.covered(concept.text, situation.pyramid, _MOST_COVERED)
    if not covered.first:
        return ()
    rows = tuple(
        (Cell(each.instance), Cell(_(RELATIONS[each.relation])), Cell(each.head, Role.MUTED))
        for each in covered.first
    )
    more = covered.count - len(covered.first)
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
