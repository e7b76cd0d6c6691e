"""Pairing templates that the program makes itself, from a concept and the relation voted for it.

The paper's are written by hand (section 2.2), because a template must tell the choices apart.
These are drafts: they are marked unreviewed until a person has looked at them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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
)
from core.benchmarks.accord.sources.pairings import variant as chosen
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


@dataclass(frozen=True, slots=True)
class Wordings(Mapping[str, str]):
    """A surface with one `[[positive|negative]]` switch for each skill that has one."""

    _surfaces: Mapping[str, str]

    def __getitem__(self, skill: str) -> str:
        """The surface of a skill; raises `KeyError`."""
        return self._surfaces[skill]

    def __iter__(self) -> Iterator[str]:
        return iter(self._surfaces)

    def __len__(self) -> int:
        return len(self._surfaces)

    @classmethod
    def read(cls, path: Path, skills: Skills) -> Wordings:
        """Read `skill: surface` from a YAML file.

        Raises:
            DataError: for a file or surface that is malformed, a skill that is unknown, and a
                surface that says another thing than its skill when it is not negated.
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
                if chosen(surfaces[name], affirmed=True) != own:
                    raise value.error(
                        _("{name} must read as the skill does when it is not negated.", name=name),
                        _("That is: {own}", own=own),
                    )
        except ConfigError as error:
            raise DataError(error.what, where=error.where, hint=error.hint) from error
        return cls(surfaces)

    @classmethod
    def shipped(cls) -> Wordings:
        """The wordings of the shipped skills."""
        return _shipped()


@cache
def _shipped() -> Wordings:
    return Wordings.read(_FILE, Skills.shipped())


def suggestion(
    ballot: Ballot, skills: Skills, wordings: Mapping[str, str]
) -> PairingTemplate | Unpaired:
    """A template whose term is the question's concept, of the skill that was voted for.

    The positive variant says of a choice what the knowledge base says of the concept. Where the
    question asks for what is *not* so, that would imply the wrong choice, and none is made.

    Args:
        ballot: the question, and which relation won.
        skills: those that there are; one of them may stand for the relation.
        wordings: a surface with a switch for each skill.
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
    made = PairingTemplate(skill, ballot.end, item.concept, wordings[skill], reviewed=False)
    try:
        check_pairings((made,), item.texts, skills)
    except PairingError:
        return Unpaired(item, Refusal.TERM_IS_CHOICE)
    return made


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Questions with pairing templates of the program's own, and those without."""

    items: tuple[QuestionItem, ...]
    """Each with one unreviewed template, in the order of the source."""
    failures: tuple[Unvoted | Unpaired, ...]
    left_over: int
    """Questions that could have a template, beyond what is kept of each relation."""


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

    Only relations that a skill stands for vote, as for the paper's authors, who keep no others.
    Questions are drawn from those that a template fits: the paper draws first and then drops
    those that none fits.

    Args:
        items: questions; what pairing templates they have is left aside.
        knowledge: where links between concepts and choices are looked up.
        skills: those that there are.
        wordings: a surface with a switch for each skill.
        seed: of the subsample.
        per_relation: most questions that are kept of a relation.
    """
    known = {skill.concept_net for skill in skills.values()}
    failures: list[Unvoted | Unpaired] = []
    made: list[tuple[Ballot, PairingTemplate]] = []
    for item in items:
        ballot = vote(item, knowledge, known)
        if isinstance(ballot, Unvoted):
            failures.append(ballot)
            continue
        template = suggestion(ballot, skills, wordings)
        if isinstance(template, Unpaired):
            failures.append(template)
        else:
            made.append((ballot, template))
    drawn = balanced((ballot for ballot, _ in made), seed, per_relation)
    kept = {ballot.item.id for ballot in drawn}
    paired = tuple(
        replace(ballot.item, pairings=(template,))
        for ballot, template in made
        if ballot.item.id in kept
    )
    return Suggestions(paired, tuple(failures), len(made) - len(paired))
