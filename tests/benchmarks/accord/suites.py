"""Generators of suites over the bundled questions or invented ones, and their lines as items."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from core.benchmarks.accord.collection import QuestionCollection, open_collection
from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.records import decoded, instance_of
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.suites.files import BARE, ITEMS, REFUSED
from core.benchmarks.accord.suites.generator import Generator, generate
from core.benchmarks.accord.suites.plan import tasks
from core.files.shipped import samples
from tests.benchmarks.accord.grounded import MATRIX, SKILLS


@lru_cache(maxsize=1)
def bundled() -> QuestionCollection:
    """The bundled questions."""
    return open_collection(samples() / "accord")


def bundled_questions(count: int | None = None) -> tuple[QuestionItem, ...]:
    """The first so many of them; all when nothing is said."""
    return bundled().questions.items[:count]


def generator(
    sizes: Sequence[int] = (1, 2, 3),
    per_cell: int = 1,
    seed: int = 0,
    questions: Sequence[QuestionItem] | None = None,
    knowledge: KnowledgeBase | None = None,
) -> Generator:
    """A generator over the bundled questions and knowledge base, or over others."""
    grounds = bundled().grounds
    if knowledge is not None:
        grounds = Grounds(SKILLS, MATRIX, knowledge, "facts")
    asked = bundled_questions(4) if questions is None else tuple(questions)
    return Generator(asked, grounds, tuple(sizes), per_cell, seed)


def lines_of(made: Generator) -> list[bytes]:
    """Every line of a suite."""
    return [made.line(one) for one in tasks(made.questions, made.sizes, made.per_cell)]


def instances(lines: Sequence[bytes]) -> list[Instance]:
    """The items among lines: neither bare questions nor what could not be made."""
    return [
        instance_of(decoded(line), MATRIX) for line in lines if not line.startswith((BARE, REFUSED))
    ]


def written(made: Generator, folder: Path, *, resume: bool = False) -> Path:
    """Generate into a folder; the file of its items."""
    for _ in generate(made, folder, resume=resume):
        pass
    return folder / ITEMS
