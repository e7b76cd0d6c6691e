"""Suites: time to generate one of the paper's size, and how the cost grows.

python performance/accord_suites.py --qa dev.jsonl --kb KNOWLEDGE

Without arguments the bundled questions and knowledge base are used, each question as often as it
takes.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import deque
from dataclasses import replace
from pathlib import Path

from core.benchmarks.accord.collection import grounds_of
from core.benchmarks.accord.sources.pairing_suggestions import suggested
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import open_questions
from core.benchmarks.accord.suites.generator import Generator, generate
from core.benchmarks.accord.trees.skills import Skills
from core.files.shipped import samples

SIZES = (1, 2, 3, 4, 5)
SMALL = 2864
"""Items of the paper's small suite."""


def questions_of(qa: Path | None, kb: Path | None) -> tuple[QuestionItem, ...]:
    """Questions with at least as many pairings as the small suite takes."""
    folder = samples() / "accord"
    found = open_questions(qa or folder, Skills.shipped()).items
    if qa is not None:
        grounds = grounds_of(kb or folder / "knowledge")
        for per_relation in range(13, 200):
            made = suggested(
                found,
                grounds.knowledge,
                grounds.skills,
                seed=0,
                per_relation=per_relation,
            )
            if items_of(made.items) >= SMALL:
                break
        return made.items
    many = []
    while items_of(many) < SMALL:
        turn = len(many) // len(found)
        item = found[len(many) % len(found)]
        many.append(replace(item, id=f"{item.id}-{turn}"))
    return tuple(many)


def items_of(questions: tuple[QuestionItem, ...] | list[QuestionItem]) -> int:
    """Items of a small suite over trees of 1 to 5 templates."""
    return len(questions) + 30 * sum(len(question.pairings) for question in questions)


def seconds(generator: Generator) -> tuple[float, int, int]:
    """Time to write a suite, its items, and how many were refused."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        (progress,) = deque(generate(generator, Path(folder, "suite")), maxlen=1)
        return time.perf_counter() - started, progress.total, progress.refused


def memory() -> float:
    """Most megabytes that this process ever held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    """Print the figures and the targets beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qa", type=Path)
    parser.add_argument("--kb", type=Path)
    given = parser.parse_args()
    questions = questions_of(given.qa, given.kb)
    grounds = grounds_of(given.kb or samples() / "accord" / "knowledge")
    for per_cell in (1, 2, 4):
        took, total, refused = seconds(Generator(questions, grounds, SIZES, per_cell, seed=0))
        target = "  (target 20 s)" if per_cell == 1 else ""
        print(
            f"{total:7,} items  {took:6.1f} s{target}  {1000 * took / total:5.2f} ms an item  "
            f"{refused:,} refused  peak {memory():4.0f} MB"
        )


if __name__ == "__main__":
    main()
