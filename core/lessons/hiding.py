"""Hides in a view what a step reveals later: marks, and what explains the item."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from core.contract.view import Graph, Grid, Note, Role, Section, Statements, View
from core.lessons.lesson import Hidden


def without(view: View, hidden: Set[Hidden]) -> View:
    """The view without what is hidden; the same view where nothing is."""
    sections = view.sections
    if Hidden.MARKS in hidden:
        sections = tuple(map(_unmarked, sections))
    if Hidden.WHY in hidden:
        kept = (section for section in sections if not isinstance(section, (Grid, Note)))
        return replace(view, subtitle="", badges=(), sections=tuple(kept))
    return replace(view, sections=sections)


def _unmarked(section: Section) -> Section:
    if isinstance(section, Statements):
        statements = tuple(
            replace(statement, role=Role.PLAIN, note="", weight="")
            for statement in section.statements
        )
        return replace(section, statements=statements, links=(), states=None)
    if isinstance(section, Graph):
        nodes = tuple(
            replace(node, role=Role.PLAIN, sign="", note="", happens=True, weight="")
            for node in section.nodes
        )
        links = tuple(
            replace(link, role=Role.CAUSE, note="", weight=None) for link in section.links
        )
        return replace(section, nodes=nodes, links=links, note="")
    return section
