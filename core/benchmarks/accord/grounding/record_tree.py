"""Whether an item's record makes a tree with a path, and how far its variables are from the seeds.

Like all of what checks items, this uses nothing of what generates them.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.benchmarks.accord.grounding.records import Record
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.trees.matrix import Matrix
from core.text.escaping import escape_control_characters
from core.text.language import _

_SHOWN = 60
"""Most characters of a skill's name that are told."""


def malformed(record: Record, matrix: Matrix, knowledge: KnowledgeBase) -> str:
    """Why the record is no tree with terms and a path; empty where it is."""
    size = len(record.templates)
    labels = [choice.label for choice in record.question.choices]
    skills = sorted({template.skill for template in record.templates})
    for skill in skills:
        if skill not in matrix.skills:
            return _(
                "There is no skill “{skill}”.", skill=escape_control_characters(skill, limit=_SHOWN)
            )
        if matrix.skills[skill].concept_net not in knowledge.relations:
            missing = _("The knowledge base has no relation {relation}.")
            return missing.format(relation=matrix.skills[skill].concept_net)
    if any(not 0 <= v <= size for t in record.templates for v in (t.source, t.target)):
        return _("A template names a variable that there is not.")
    if sorted(record.terms) != sorted(labels) or len(set(labels)) != len(labels):
        return _("The copies are not those of the answer choices.")
    if record.chosen not in labels or record.question.answer not in labels:
        return _("The implied answer or the default one is no choice.")
    if any(len(terms) != size + 1 for terms in record.terms.values()):
        return _("A copy has not a term for every variable.")
    reached = _reached(record, {0})
    if len(reached) != size + 1:
        return _("The templates do not connect all variables without a cycle.")
    route = _route(record)
    if route is None or tuple(route) != record.path:
        return _("The path is not the templates between pairing variable and answer variable.")
    if (record.hops, record.distractors) != (len(route), size - len(route)):
        other = _("There are {hops} hops and {distractors} distractors, not as recorded.")
        return other.format(hops=len(route), distractors=size - len(route))
    return ""


def _reached(record: Record, starts: Iterable[int]) -> dict[int, int]:
    """By variable: its distance to the nearest of `starts`."""
    found = dict.fromkeys(starts, 0)
    edge = list(found)
    while edge:
        further = []
        for template in record.templates:
            for here, there in (
                (template.source, template.target),
                (template.target, template.source),
            ):
                if here in edge and there not in found:
                    found[there] = found[here] + 1
                    further.append(there)
        edge = further
    return found


def _route(record: Record) -> list[int] | None:
    """Indices of the templates from the pairing variable to the answer variable."""
    distances = _reached(record, [record.answer_variable])
    here = record.pairing_variable
    if here not in distances or not distances[here]:
        return None
    route = []
    while here != record.answer_variable:
        for index, template in enumerate(record.templates):
            ends = (template.source, template.target)
            there = ends[0] if here == ends[1] else ends[1]
            if here in ends and distances[there] < distances[here]:
                route.append(index)
                here = there
                break
    return route


def depths_of(record: Record) -> dict[int, int]:
    """By variable: its distance in templates to the pairing or answer variable, the nearer one."""
    return _reached(record, [record.pairing_variable, record.answer_variable])
