"""Suggested pairing templates, made from a question's concept and the relation voted for it.

The paper's templates are written by hand (section 2.2), because a template must distinguish the
choices. Suggestions are drafts: they are marked unreviewed until a person confirms them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.sources.pairings import (
    PairingError,
    PairingTemplate,
    check_pairings,
    check_surface,
    variant,
)
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.relations import PER_RELATION, Ballot, Unvoted, balanced, vote
from core.benchmarks.accord.trees.skills import Skills
from core.files import strict_yaml
from core.text.errors import ConfigError, DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

_FILE = Path(__file__).with_name("pairings.yaml")
_NEGATED = re.compile(r"\b(?:not|never|except|least)\b|n['’]t\b", re.IGNORECASE)
_ENGLISH = "en"


class Refusal(StrEnum):
    """Why no pairing template is suggested for a question."""

    NO_SKILL = "no skill stands for its relation"
    NO_WORDING = "its skill has no negated wording"
    NEGATED = "the question may ask for what is not so"
    NOT_ENGLISH = "there is no wording in its language"
    CONTROL = "its concept holds a line break or another control character"
    TERM_IS_CHOICE = "its concept is an answer choice"


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A question for which no pairing template is suggested."""

    item: QuestionItem
    reason: Refusal


def read_wordings(path: Path, skills: Skills) -> dict[str, str]:
    """By skill: a surface with one `[[positive|negative]]` switch, from a YAML file.

    Raises:
        DataError: for a malformed file or surface, an unknown skill, and a surface whose positive
            variant differs from that of its skill.
    """
    surfaces = {}
    try:
        root = strict_yaml.read(path, "The wording of pairings")
        for name, value in (root.members(tuple(skills)) if root else {}).items():
            surfaces[name] = value.text().strip()
            try:
                check_surface(surfaces[name])
            except PairingError as error:
                raise value.error(error.what, error.hint) from error
            own = skills[name].surface
            if variant(surfaces[name], affirmed=True) != own:
                raise value.error(
                    _("{name} must read as the skill does when it is not negated.", name=name),
                    _("That is: {own}", own=own),
                )
    except ConfigError as error:
        raise DataError.of(error) from error
    return surfaces


@cache
def shipped_wordings() -> Mapping[str, str]:
    """The wordings of the shipped skills."""
    return read_wordings(_FILE, Skills.shipped())


def suggestion(
    ballot: Ballot, skills: Skills, wordings: Mapping[str, str]
) -> PairingTemplate | Unpaired:
    """A template whose term is the question's concept and whose skill was voted for.

    The positive variant relates a choice to the concept. A negated question would make that imply
    a wrong choice, so none is suggested there.

    Args:
        ballot: the question and the relation that won.
        skills: all skills; one of them may represent the relation.
        wordings: by skill, a surface with a switch.
    """
    item = ballot.item
    skill = next((s.name for s in skills.values() if s.concept_net == ballot.relation), "")
    if not skill:
        return Unpaired(item, Refusal.NO_SKILL)
    if skill not in wordings:
        return Unpaired(item, Refusal.NO_WORDING)
    if item.language != _ENGLISH:
        return Unpaired(item, Refusal.NOT_ENGLISH)
    if _NEGATED.search(item.question):
        return Unpaired(item, Refusal.NEGATED)
    if escape_control_characters(item.concept) != item.concept:
        return Unpaired(item, Refusal.CONTROL)
    template = PairingTemplate(skill, ballot.end, item.concept, wordings[skill], reviewed=False)
    try:
        check_pairings((template,), item.texts, skills)
    except PairingError:
        return Unpaired(item, Refusal.TERM_IS_CHOICE)
    return template


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Questions with suggested pairing templates, and those without."""

    items: tuple[QuestionItem, ...]
    """Each with one unreviewed template, in the order of the source."""
    failures: tuple[Unvoted | Unpaired, ...]
    left_over: int
    """Number of questions with a template that the subsample leaves out."""


def suggested(
    items: Iterable[QuestionItem],
    knowledge: KnowledgeBase,
    skills: Skills,
    wordings: Mapping[str, str],
    *,
    seed: int,
    per_relation: int = PER_RELATION,
) -> Suggestions:
    """Vote, suggest and subsample: the paper's way from a data set to its questions (section 3).

    Only relations that a skill represents have votes, as in the paper. The subsample is drawn from
    questions that have a template; the paper draws first and then drops those without one.

    Args:
        items: questions; pairing templates that they already have are ignored.
        knowledge: the source of links between concepts and choices.
        skills: all skills.
        wordings: by skill, a surface with a switch.
        seed: of the subsample.
        per_relation: maximum number of questions kept per relation.
    """
    failures: list[Unvoted | Unpaired] = []
    paired: list[tuple[Ballot, PairingTemplate]] = []
    for item in items:
        outcome = suggested_pairing(item, knowledge, skills, wordings)
        if isinstance(outcome, Unvoted | Unpaired):
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
    item: QuestionItem, knowledge: KnowledgeBase, skills: Skills, wordings: Mapping[str, str]
) -> tuple[Ballot, PairingTemplate] | Unvoted | Unpaired:
    """The vote on a question and the template that follows from it, or why there is none."""
    ballot = vote(item, knowledge, {skill.concept_net for skill in skills.values()})
    if isinstance(ballot, Unvoted):
        return ballot
    template = suggestion(ballot, skills, wordings)
    return template if isinstance(template, Unpaired) else (ballot, template)
