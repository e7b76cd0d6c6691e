"""What a term must fulfil before it may stand in a tree.

ACCORD (Roewer-Després et al., 2024), sections 2.2 and 3: a term stands in the column of each
template's relation, and the statement that it makes with its partner is no fact. Beyond the paper,
no term stands twice, in whichever copies: two copies that shared a statement about the pairing
term would say it once plainly and once negated.
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
    """Why a candidate cannot be taken."""

    RELATION = N_("the knowledge base lacks the relation")
    COLUMN = N_("no assertion of the relation has it there")
    FACT = N_("the statement would be a fact")
    NO_FACT = N_("the statement would be no fact")
    REPEATED = N_("it stands elsewhere in the item")
    CHOICE = N_("it is an answer choice")
    PAIRING = N_("it is the pairing term")
    CONCEPT = N_("it is what the question is about")


class Expectation(StrEnum):
    """What a template's statement must be."""

    FREE = "free"
    """Pairing term and answer choice: neither was drawn, so nothing is asked of them."""
    FACT = "fact"
    ANTI_FACT = "anti-fact"


@dataclass(frozen=True, slots=True)
class Tie:
    """A template as seen from a variable, its other end being grounded."""

    template: int
    """Its index in the tree."""
    relation: str
    """As the knowledge base calls it."""
    end: End
    """Where the candidate stands."""
    variable: int
    """The variable across."""
    partner: str
    """The term across: as the knowledge base spells it, without its sense."""
    factual: bool
    """Whether the statement must be a fact rather than no fact."""
    anywhere: bool = False
    """Whether the candidate need not stand in the relation's column: it is grounded with facts of
    another neighbour."""


def compared(term: str) -> str:
    """A term of a knowledge base as it is told from others: without its case and sense."""
    return plain(term).casefold()


def compared_text(text: str) -> str:
    """A text of a question as it is told from terms; it has no sense that could be dropped."""
    return normalise(text).casefold()


def reserved(structure: Structure) -> dict[str, Constraint]:
    """The terms that no variable may be grounded with, as `compared`, and why not."""
    question = structure.question
    found = (
        {compared_text(question.concept): Constraint.CONCEPT} if question.concept.strip() else {}
    )
    found[compared_text(structure.pairing.term)] = Constraint.PAIRING
    return found | {compared_text(text): Constraint.CHOICE for text in question.texts}


def rounds(tree: Tree, path: Path) -> tuple[int, ...]:
    """By variable: in which round it is grounded, 0 for the two that are seeds.

    In each round all variables with a grounded neighbour are, so it is the distance to a seed.
    """
    incident = tree.incident()
    order = [path.pairing_variable, path.answer_variable]
    found = dict.fromkeys(order, 0)
    for here in order:
        for index in incident[here]:
            far = tree.templates[index].far(here)
            if far not in found:
                found[far] = found[here] + 1
                order.append(far)
    return tuple(found[variable] for variable in tree.variables)


def expectations(tree: Tree, path: Path, factual: Collection[int] = ()) -> tuple[Expectation, ...]:
    """By template: what its statement must be, in whichever order variables are grounded.

    The variable of the later round decides; of two in the same round both must be factual for a
    fact. Where the two seeds meet (one hop), nothing is asked.
    """
    at = rounds(tree, path)
    found = []
    for template in tree.templates:
        later = max(at[template.source], at[template.target])
        ends = (template.source, template.target)
        deciding = [end for end in ends if at[end] == later]
        if later == 0:
            found.append(Expectation.FREE)
        elif all(end in factual for end in deciding):
            found.append(Expectation.FACT)
        else:
            found.append(Expectation.ANTI_FACT)
    return tuple(found)


def in_column(knowledge: KnowledgeBase, tie: Tie, term: str) -> bool:
    """Whether some assertion of the relation has the term at that end."""
    return knowledge.stands(tie.relation, tie.end, plain(term))


def states_fact(knowledge: KnowledgeBase, tie: Tie, term: str) -> bool:
    """Whether the term and its partner make an assertion of the knowledge base, in any sense."""
    if tie.end is End.SOURCE:
        return knowledge.holds(tie.relation, plain(term), tie.partner)
    return knowledge.holds(tie.relation, tie.partner, plain(term))


def broken_by(
    knowledge: KnowledgeBase, tie: Tie, term: str, *, drawn: bool = False
) -> Constraint | None:
    """The constraint of a tie that a term breaks; None when it may stand there.

    `drawn` says that the term comes from the very column, so that it need not be sought there.
    """
    if tie.factual:
        return None if states_fact(knowledge, tie, term) else Constraint.NO_FACT
    if not drawn and not tie.anywhere and not in_column(knowledge, tie, term):
        return Constraint.COLUMN
    return Constraint.FACT if states_fact(knowledge, tie, term) else None


def taken(
    key: str, forbidden: Mapping[str, Constraint], used: Collection[str]
) -> Constraint | None:
    """Why a term, as `compared`, cannot stand in an item at all; None when it can."""
    return forbidden.get(key) or (Constraint.REPEATED if key in used else None)
