"""ACCORD's items as they are browsed: a question with everything trees are grown from."""

from __future__ import annotations

from dataclasses import dataclass

from core.benchmarks.accord.grounding.grounder import Grounder
from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.reviews import Reviews
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.skills import Skills
from core.text.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Grounds:
    """What the trees of a collection are grown from and grounded with."""

    skills: Skills
    matrix: Matrix
    knowledge: KnowledgeBase
    name: str
    """What the knowledge base is called."""
    borrowed: bool = False
    """Whether the knowledge base is the bundled one, because the questions came without any."""
    fault: DataError | None = None
    """That some lines of the knowledge base could not be read; None where all could."""

    @property
    def grounder(self) -> Grounder:
        """Grounds structures with the knowledge base, drawing at random as the paper does."""
        return Grounder(self.knowledge, self.skills, self.name)


@dataclass(frozen=True, slots=True, eq=False)
class AccordItem:
    """A question, or one item of a generated suite. Equal only to itself."""

    id: str
    question: QuestionItem
    """With the pairing templates that are in use."""
    grounds: Grounds
    suggested: QuestionItem | None = None
    """The question with its templates as they came, before a person's decisions."""
    reviews: Reviews | None = None
    unpaired: str = ""
    """Why the question has no pairing template; empty where it has one."""
    undecided: str = ""
    """Why a person's decisions about its pairing templates are left aside; empty where they are
    not."""
    fixed: Instance | None = None
    """The item as it was generated; None where trees are grown as a person likes."""
    bare: bool = False
    """Whether it is a suite's bare question."""
