"""ACCORD's items: a question with everything needed to generate and ground trees for it."""

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
    """The skills, reduction matrix and knowledge base of a collection."""

    skills: Skills
    matrix: Matrix
    knowledge: KnowledgeBase
    name: str
    """Name of the knowledge base."""
    borrowed: bool = False
    """Whether the bundled knowledge base is used because the questions have none of their own."""
    fault: DataError | None = None
    """An error about unreadable lines of the knowledge base; None if all could be read."""

    @property
    def grounder(self) -> Grounder:
        """A grounder that draws terms at random, as the paper does."""
        return Grounder(self.knowledge, self.skills, self.name)


@dataclass(frozen=True, slots=True, eq=False)
class AccordItem:
    """A question, or one item of a generated suite. Equal only to itself."""

    id: str
    question: QuestionItem
    """The question with the pairing templates in use."""
    grounds: Grounds
    suggested: QuestionItem | None = None
    """The question with its templates before the user's decisions."""
    reviews: Reviews | None = None
    unpaired: str = ""
    """Why the question has no pairing template; empty if it has one."""
    undecided: str = ""
    """Why the user's decisions about its pairing templates are ignored; empty if they are not."""
    fixed: Instance | None = None
    """The generated item of a suite; None if switches choose the tree."""
    bare: bool = False
    """Whether it is the bare question of a suite."""
