"""Suites: which items a benchmark of ACCORD's kind is made of, as plain work to be done.

The paper's small suite has one item for each pairing, number of hops, number of distractors and
variant, beside the bare questions; its large one has groundings drawn again and again for each
(section 4 and the NAACL version's tables 4 and 5). Both are the same list with more or fewer
draws in a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.benchmarks.accord.sources.qa import QuestionItem


@dataclass(frozen=True, slots=True)
class Cell:
    """The trees with so many hops and distractors."""

    hops: int
    distractors: int

    @property
    def size(self) -> int:
        """Templates of a tree."""
        return self.hops + self.distractors


@dataclass(frozen=True, slots=True)
class Work:
    """One item to be made."""

    question: int
    """Which question, by its place."""
    pairing: int
    """Which of its pairing templates; -1 for the bare question."""
    cell: Cell
    draw: int
    """Which of a cell's items."""
    anti_factual: bool
    """Whether another choice than the default one is implied."""


def cells(sizes: Sequence[int]) -> tuple[Cell, ...]:
    """Every number of hops with every number of distractors that make trees of these sizes."""
    return tuple(Cell(hops, size - hops) for size in sizes for hops in range(1, size + 1))


def work(questions: Sequence[QuestionItem], sizes: Sequence[int], per_cell: int) -> Iterator[Work]:
    """Every item of a suite, in the order in which it is written.

    Args:
        questions: each with its pairing templates; one without any has its bare question only.
        sizes: of the trees, from 1.
        per_cell: items of each pairing, cell and variant. 1 makes the small suite.
    """
    every = cells(sizes)
    for place, question in enumerate(questions):
        yield Work(place, -1, Cell(0, 0), 0, anti_factual=False)
        for pairing in range(len(question.pairings)):
            for cell in every:
                for draw in range(per_cell):
                    for anti_factual in (False, True):
                        yield Work(place, pairing, cell, draw, anti_factual)


def count(questions: Sequence[QuestionItem], sizes: Sequence[int], per_cell: int) -> int:
    """How many items `work` lists, without listing them."""
    pairings = sum(len(question.pairings) for question in questions)
    return len(questions) + 2 * per_cell * pairings * len(cells(sizes))
