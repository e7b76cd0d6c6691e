"""The constraints on a term while a tree is grounded; `soundness` checks finished items.

ACCORD (Roewer-Després et al., 2024), sections 2.2 and 3: a term occurs in the column of each
template's relation, and the statement with its partner is not a fact. Beyond the paper, no term
occurs twice in an item: two copies with the same statement about the pairing term would affirm and
deny it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import normalise, plain
from core.benchmarks.accord.trees.path import Path
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Tree
from core.text.language import N_


class Constraint(StrEnum):
    """Why a candidate is rejected."""

    RELATION = N_("the knowledge base lacks the relation")
    COLUMN = N_("no assertion of the relation has it there")
    FACT = N_("the statement would be a fact")
    NO_FACT = N_("the statement would be no fact")
    REPEATED = N_("it stands elsewhere in the item")
    CHOICE = N_("it is an answer choice")
    PAIRING = N_("it is the pairing term")
    CONCEPT = N_("it is what the question is about")


@dataclass(frozen=True, slots=True)
class Tie:
    """A template as seen from a variable whose neighbour across it is already grounded."""

    template: int
    """Its index in the tree."""
    relation: str
    """Its name in the knowledge base."""
    end: End
    """The candidate's end."""
    variable: int
    """The variable across."""
    partner: str
    """The term across, as spelled in the knowledge base, without its sense."""
    factual: bool
    """Whether the statement must be a fact; otherwise it must not be one."""
    anywhere: bool = False
    """Whether the candidate may come from outside the relation's column, because it is grounded
    with facts of another neighbour."""


def compared(term: str) -> str:
    """A term of a knowledge base as it is compared: without case and sense."""
    return plain(term).casefold()


def compared_text(text: str) -> str:
    """A text of a question as it is compared with terms; it has no sense to drop."""
    return normalise(text).casefold()


def reserved(structure: Structure) -> dict[str, Constraint]:
    """The terms that no variable may have, as `compared`, each with the reason."""
    question = structure.question
    reasons = (
        {compared_text(question.concept): Constraint.CONCEPT} if question.concept.strip() else {}
    )
    reasons[compared_text(structure.pairing.term)] = Constraint.PAIRING
    return reasons | {compared_text(text): Constraint.CHOICE for text in question.texts}


def rounds(tree: Tree, path: Path) -> tuple[int, ...]:
    """By variable: the round in which it is grounded, 0 for the two seeds.

    Each round grounds all variables with a grounded neighbour, so this is the distance to a seed.
    """
    incident = tree.incident()
    order = [path.pairing_variable, path.answer_variable]
    depths = dict.fromkeys(order, 0)
    for variable in order:
        for index in incident[variable]:
            far = tree.templates[index].far(variable)
            if far not in depths:
                depths[far] = depths[variable] + 1
                order.append(far)
    return tuple(depths[variable] for variable in tree.variables)


def broken_by(
    knowledge: KnowledgeBase, tie: Tie, term: str, *, drawn: bool = False
) -> Constraint | None:
    """The constraint of a tie that a term breaks; None if it breaks none.

    `drawn` says that the term was drawn from the tie's column, so the column is not looked up.
    """
    term = plain(term)
    source, target = (term, tie.partner) if tie.end is End.SOURCE else (tie.partner, term)
    fact = knowledge.holds(tie.relation, source, target)
    if tie.factual:
        return None if fact else Constraint.NO_FACT
    if not drawn and not tie.anywhere and not knowledge.stands(tie.relation, tie.end, term):
        return Constraint.COLUMN
    return Constraint.FACT if fact else None


def taken(
    key: str, forbidden: Mapping[str, Constraint], used: Collection[str]
) -> Constraint | None:
    """Why a term, as `compared`, cannot be used anywhere in an item; None if it can."""
    return forbidden.get(key) or (Constraint.REPEATED if key in used else None)
