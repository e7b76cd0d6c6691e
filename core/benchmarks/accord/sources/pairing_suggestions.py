"""Suggested pairing templates, made from a question's concept and the relation voted for it.

The paper's templates are written by hand (section 2.2), because a template must distinguish the
choices. Suggestions are drafts: they are marked unreviewed until a person confirms them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate, check_pairings
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.relations import (
    PER_RELATION,
    Ballot,
    Reason,
    balanced,
    vote,
)
from core.benchmarks.accord.trees.skills import Skills
from core.files.prompt_files import read_wording
from core.text.escaping import escape_control_characters

_FILE = Path(__file__).with_name("pairings.yaml")
_NEGATED = re.compile(r"\b(?:not|never|except|least)\b|n['’]t\b", re.IGNORECASE)
_ENGLISH = "en"


@cache
def wordings() -> Mapping[str, str]:
    """By skill: a surface with one `[[positive|negative]]` switch."""
    return read_wording(_FILE, dict[str, str])


def suggestion(ballot: Ballot, skills: Skills) -> PairingTemplate | Reason:
    """A template whose term is the question's concept and whose skill was voted for.

    The positive variant relates a choice to the concept. A negated question would make that imply
    a wrong choice, so none is suggested there.
    """
    item = ballot.item
    skill = next((s.name for s in skills.values() if s.concept_net == ballot.relation), "")
    if skill not in wordings():
        return Reason.NO_SKILL
    if item.language != _ENGLISH:
        return Reason.NOT_ENGLISH
    if _NEGATED.search(item.question):
        return Reason.NEGATED
    if escape_control_characters(item.concept) != item.concept:
        return Reason.CONTROL
    template = PairingTemplate(skill, ballot.end, item.concept, wordings()[skill], reviewed=False)
    try:
        check_pairings((template,), item.texts, skills)
    except PairingError:
        return Reason.TERM_IS_CHOICE
    return template


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Questions with suggested pairing templates, and those without."""

    items: tuple[QuestionItem, ...]
    """Each with one unreviewed template, in the order of the source."""
    failures: tuple[Reason, ...]
    left_over: int
    """Number of questions with a template that the subsample leaves out."""


def suggested(
    items: Iterable[QuestionItem],
    knowledge: KnowledgeBase,
    skills: Skills,
    *,
    seed: int,
    per_relation: int = PER_RELATION,
) -> Suggestions:
    """Vote, suggest and subsample: the paper's way from a data set to its questions (section 3).

    Only relations that a skill represents have votes, as in the paper. The subsample is drawn from
    questions that have a template; the paper draws first and then drops those without one.
    Pairing templates that the questions already have are ignored.

    Args:
        items: the questions.
        knowledge: the source of links between concepts and choices.
        skills: all skills.
        seed: of the subsample.
        per_relation: maximum number of questions kept per relation.
    """
    failures: list[Reason] = []
    paired: list[tuple[Ballot, PairingTemplate]] = []
    for item in items:
        outcome = suggested_pairing(item, knowledge, skills)
        if isinstance(outcome, Reason):
            failures.append(outcome)
        else:
            paired.append(outcome)
    drawn = balanced((ballot for ballot, _ in paired), seed, per_relation)
    kept = {ballot.item.id for ballot in drawn}
    kept_items = tuple(
        replace(ballot.item, pairings=(template,))
        for ballot, template in paired
        if ballot.item.id in kept
    )
    return Suggestions(kept_items, tuple(failures), len(paired) - len(kept_items))


def suggested_pairing(
    item: QuestionItem, knowledge: KnowledgeBase, skills: Skills
) -> tuple[Ballot, PairingTemplate] | Reason:
    """The vote on a question and the template that follows from it, or why there is none."""
    ballot = vote(item, knowledge, {skill.concept_net for skill in skills.values()})
    if isinstance(ballot, Reason):
        return ballot
    template = suggestion(ballot, skills)
    return template if isinstance(template, Reason) else (ballot, template)
