"""The plan of a suite: the list of items to generate.

The paper's small suite has one item for each pairing, number of hops, number of distractors and
variant, in addition to the bare questions. Its large suite resamples the grounding of each
(section 4, and tables 4 and 5 of the NAACL version). The two differ in the draws per cell only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.benchmarks.accord.sources.qa import QuestionItem


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of hops and a number of distractors."""

    hops: int
    distractors: int


@dataclass(frozen=True, slots=True)
class Task:
    """One item to generate."""

    question: int
    """Index of the question."""
    pairing: int
    """Index of its pairing template; -1 for the bare question."""
    cell: Cell
    draw: int
    """Index of the item in its cell."""
    anti_factual: bool
    """Whether a choice other than the default is implied."""


def cells(sizes: Sequence[int]) -> tuple[Cell, ...]:
    """Every combination of hops and distractors that gives trees of these sizes."""
    return tuple(Cell(hops, size - hops) for size in sizes for hops in range(1, size + 1))


def tasks(questions: Sequence[QuestionItem], sizes: Sequence[int], per_cell: int) -> Iterator[Task]:
    """Every item of a suite, in the order of its file.

    A question without a pairing template is only asked bare. `per_cell` is the number of items per
    pairing, cell and variant; 1 for the small suite.
    """
    every = cells(sizes)
    for index, question in enumerate(questions):
        yield Task(index, -1, Cell(0, 0), 0, anti_factual=False)
        for pairing in range(len(question.pairings)):
            for cell in every:
                for draw in range(per_cell):
                    for anti_factual in (False, True):
                        yield Task(index, pairing, cell, draw, anti_factual)


def count(questions: Sequence[QuestionItem], sizes: Sequence[int], per_cell: int) -> int:
    """The number of items that `tasks` lists."""
    pairings = sum(len(question.pairings) for question in questions)
    return len(questions) + 2 * per_cell * pairings * len(cells(sizes))
