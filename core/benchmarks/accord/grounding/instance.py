"""Grounded items: a question, a reasoning tree once for each answer choice, and what it implies.

ACCORD (Roewer-Després et al., 2024), section 2.2: the tree is copied for every answer choice, so
that all of them are named, and all copies but one are negated. Which one is not is all that
differs between the factual item and its anti-factual twins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from core.benchmarks.accord.hashes import content_id
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.path import Path
from core.benchmarks.accord.trees.tree import Tree
from core.text.errors import DataError
from core.text.escaping import quoted
from core.text.suggestions import suggestion


class InstanceError(DataError):
    """An item whose parts do not fit each other."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A question paired with a tree: everything about an item but its terms.

    Raises `InstanceError` where the path does not begin at a template like the pairing template,
    or is none of the tree's.
    """

    question: QuestionItem
    pairing: PairingTemplate
    tree: Tree
    path: Path

    def __post_init__(self) -> None:
        path, tree = self.path, self.tree
        if not all(0 <= index < tree.size for index in path.templates):
            raise InstanceError("The path has a template that the tree does not have.")
        paired = tree.templates[path.pairing.template]
        if (paired.skill, path.pairing.end) != (self.pairing.skill, self.pairing.end):
            raise InstanceError(
                f"{paired}, paired at its {path.pairing.end}, is not like the pairing template.",
                hint=f"That one is {self.pairing.skill}, its term at the {self.pairing.end}.",
            )
        joined = [{tree.templates[i].source, tree.templates[i].target} for i in path.templates]
        followed = [set(ends) for ends in pairwise(path.variables)]
        if joined != followed or path.pairing_variable != paired.at(path.pairing.end):
            raise InstanceError("The path does not follow the templates of the tree.")

    @property
    def hops(self) -> int:
        """Templates between the pairing variable and the answer variable."""
        return self.path.hops

    @property
    def distractors(self) -> int:
        """Templates that are not between them."""
        return self.tree.size - self.path.hops

    @property
    def id(self) -> str:
        """Hash of the tree, the path and what they are paired with, but not of the question."""
        pairing, path = self.pairing, self.path
        return content_id(
            *(f"{t.source} {t.skill} {t.target}" for t in self.tree.templates),
            *(str(index) for index in path.templates),
            pairing.skill,
            pairing.end,
            pairing.term,
            pairing.surface,
        )


@dataclass(frozen=True, slots=True)
class Instance:
    """A structure with its terms, one copy of the tree for each answer choice.

    Raises `InstanceError` for a label that the question does not have, or copies that do not fit.
    """

    structure: Structure
    copies: tuple[tuple[str, ...], ...]
    """By answer choice, in the question's order: the term of every variable, 0..size. Terms of a
    knowledge base are spelled as there, a sense included."""
    chosen: str
    """Label of the answer that the statements imply."""
    knowledge: str = ""
    """Which knowledge base the terms are from."""
    seed: int = 0
    """What they were drawn with."""
    factual: frozenset[int] = frozenset()
    """Variables that were grounded with facts; in the paper's setting none."""

    def __post_init__(self) -> None:
        labels = self.structure.question.labels
        if self.chosen not in labels:
            raise InstanceError(
                f"The question has no choice {quoted(self.chosen)}.",
                hint=suggestion("Choices", labels, self.chosen),
            )
        sizes = {len(terms) for terms in self.copies}
        if len(self.copies) != len(labels) or sizes != {self.structure.tree.size + 1}:
            raise InstanceError(
                "The terms do not fill the tree once for each answer choice.",
                hint=f"Needed are {len(labels)} times {self.structure.tree.size + 1} terms.",
            )

    @property
    def default(self) -> bool:
        """Whether it implies the answer that is right in the real world: the factual variant."""
        return self.chosen == self.structure.question.answer

    @property
    def group(self) -> str:
        """Hash of the content without the implied answer: the same for an item and its twins."""
        structure = self.structure
        question = structure.question
        return content_id(
            question.id,
            question.digest,
            question.concept,
            structure.id,
            *(term for terms in self.copies for term in terms),
            *(str(variable) for variable in sorted(self.factual)),
        )

    @property
    def id(self) -> str:
        """Hash of the content: the same for the same item, wherever and whenever it was made."""
        return content_id(self.group, self.chosen)

    def terms(self, label: str) -> tuple[str, ...]:
        """The terms of one copy, by variable; raises `ValueError` for another label."""
        return self.copies[self.structure.question.labels.index(label)]

    def implying(self, label: str) -> Instance:
        """The twin that implies another answer; nothing else differs. Raises `InstanceError`."""
        return replace(self, chosen=label)
