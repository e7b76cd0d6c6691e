"""Grounded items: a question with one copy of a reasoning tree for each answer choice.

ACCORD (Roewer-Després et al., 2024), section 2.2: the tree is copied for every answer choice, and
the pairing statement is negated in all copies but that of the implied answer. A factual item and
its anti-factual variants differ only in which copy is not negated.
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
    """An item whose parts are inconsistent."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A question paired with a tree: an item without its terms.

    Raises `InstanceError` if the path does not start at a template of the pairing template's skill
    and end, or does not follow the tree.
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
        """Number of templates between the pairing variable and the answer variable."""
        return self.path.hops

    @property
    def distractors(self) -> int:
        """Number of templates off the path."""
        return self.tree.size - self.path.hops

    @property
    def id(self) -> str:
        """Hash of the tree, the path and the pairing template, but not of the question."""
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

    Raises `InstanceError` for an unknown label, or a wrong number of copies or terms.
    """

    structure: Structure
    copies: tuple[tuple[str, ...], ...]
    """By answer choice, in the question's order: the terms of the variables 0..size. Terms of a
    knowledge base keep its spelling, including the sense."""
    chosen: str
    """Label of the answer that the statements imply."""
    knowledge: str = ""
    """Name of the knowledge base of the terms."""
    seed: int = 0
    """Seed of the draws."""
    factual: frozenset[int] = frozenset()
    """Variables grounded with facts; none in the paper's setting."""

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
        """Whether it implies the default answer, the one that is right in the real world."""
        return self.chosen == self.structure.question.answer

    @property
    def group(self) -> str:
        """Hash of the content without the implied answer: equal for all variants of an item."""
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
        """Hash of the content: equal items have equal ids on every machine."""
        return content_id(self.group, self.chosen)

    def terms(self, label: str) -> tuple[str, ...]:
        """The terms of one copy, by variable; raises `ValueError` for another label."""
        return self.copies[self.structure.question.labels.index(label)]

    def implying(self, label: str) -> Instance:
        """The variant that implies another answer. Raises `InstanceError` for an unknown label."""
        return replace(self, chosen=label)
