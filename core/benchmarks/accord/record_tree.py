"""Checks that an item's record is a tree with a path, and measures distances in it.

The search that generates items does not use it.
"""

from __future__ import annotations

from core.benchmarks.accord.grounding.records import Record
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.skill_names import size_in_words
from core.benchmarks.accord.trees.matrix import Matrix
from core.text.escaping import QUOTED, escape_control_characters
from core.text.language import _


def malformed(record: Record, matrix: Matrix, knowledge: KnowledgeBase) -> str:
    """Why the record is not a tree with terms and a path; empty if it is."""
    size = len(record.templates)
    labels = [choice.label for choice in record.question.choices]
    skills = sorted({template.skill for template in record.templates})
    for skill in skills:
        if skill not in matrix.skills:
            shown = escape_control_characters(skill, limit=QUOTED)
            return _("There is no skill “{skill}”.", skill=shown)
        if matrix.skills[skill].concept_net not in knowledge.relations:
            missing = _("The knowledge base has no relation {relation}.")
            return missing.format(relation=matrix.skills[skill].concept_net)
    if any(not 0 <= v <= size for t in record.templates for v in (t.source, t.target)):
        return _("A template names a variable that does not exist.")
    if sorted(record.terms) != sorted(labels) or len(set(labels)) != len(labels):
        return _("The copies are not those of the answer choices.")
    if record.chosen not in labels or record.question.answer not in labels:
        return _("The implied or the default answer is not one of the choices.")
    if any(len(terms) != size + 1 for terms in record.terms.values()):
        return _("A copy does not have a term for every variable.")
    if len(distances_to(record, 0)) != size + 1:
        return _("The templates do not connect all variables without a cycle.")
    route = _route(record)
    if not route or tuple(route) != record.path:
        return _("The path is not the templates between pairing variable and answer variable.")
    if (record.hops, record.distractors) != (len(route), size - len(route)):
        counts = size_in_words(len(route), size - len(route))
        return _("There are {counts}, not as recorded.", counts=counts)
    return ""


def distances_to(record: Record, *starts: int) -> dict[int, int]:
    """By variable: its distance in templates to the nearest of `starts`."""
    distances = dict.fromkeys(starts, 0)
    edge = list(distances)
    while edge:
        further = []
        for template in record.templates:
            for near, far in (
                (template.source, template.target),
                (template.target, template.source),
            ):
                if near in edge and far not in distances:
                    distances[far] = distances[near] + 1
                    further.append(far)
        edge = further
    return distances


def _route(record: Record) -> list[int]:
    """Indices of the templates from the pairing variable to the answer variable; empty if none."""
    from_pairing = distances_to(record, record.pairing_variable)
    to_answer = distances_to(record, record.answer_variable)
    hops = from_pairing.get(record.answer_variable, 0)
    by_distance = {
        from_pairing[near]: index
        for index, template in enumerate(record.templates if hops else ())
        for near, far in (
            (template.source, template.target),
            (template.target, template.source),
        )
        if from_pairing[near] + 1 + to_answer[far] == hops
    }
    return [by_distance[distance] for distance in range(hops)]
