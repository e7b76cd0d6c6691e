"""Grounding: time to ground, check and phrase an item, by size of tree.

python performance/accord_grounding.py [--knowledge FILE] [--items N]

Without a knowledge base one is built of an invented dump as large as ConceptNet 5.7 in English
(see accord_kb.py), which takes about a minute. The questions are invented too: their terms are
drawn from the knowledge base, so that some of what they say is a fact. Every item has five
choices. Nothing is asked of the knowledge base twice for the same question.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.benchmarks.accord.grounding.grounder import Grounded, Grounder
from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.records import decoded, encoded
from core.benchmarks.accord.grounding.surface import asked
from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.index import Index
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.soundness import check, sound
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.sampler import sampled
from core.benchmarks.accord.trees.skills import End
from performance.accord_kb import ASSERTIONS, write_dump

MEDIAN_MS = 2.0
SIZES = range(1, 6)


def structures(knowledge: Index, matrix: Matrix, size: int, count: int) -> list[Structure]:
    """Invented questions, paired with trees of a size; every skill, end and hop count in turn."""
    rng = random.Random(size)
    kinds = [(skill, end, hops) for skill in matrix.skills for end in End for hops in range(size)]
    found = []
    for number in range(count):
        skill, end, hops = kinds[number % len(kinds)]
        relation = matrix.skills[skill].concept_net
        term = plain(next(knowledge.draw(relation, end, rng)))
        texts: set[str] = set()
        column = knowledge.draw(relation, end.other, rng)
        while len(texts) < 5:
            texts.add(plain(next(column)))
        texts.discard(term)
        choices = tuple(zip("ABCDE", sorted(texts), strict=False))
        question = QuestionItem(f"q{size}-{number}", "Which one is it?", choices, "A", term)
        pairing = PairingTemplate(skill, end, term, "Suppose that {} [[is|is not]] for {}")
        tree, path = next(sampled(matrix, skill, end, hops + 1, size - hops - 1, number))
        found.append(Structure(question, pairing, tree, path))
    return found


def measure(knowledge: Index, matrix: Matrix, count: int) -> None:
    """Print a line for each size."""
    grounder = Grounder(knowledge, matrix.skills, "invented")
    print("size   ground ms: median    99 %   worst   check ms   words ms   unsatisfied   unsound")
    everything: list[float] = []
    for size in SIZES:
        times, checks, words = [], [], []
        refused = unsound = 0
        for structure in structures(knowledge, matrix, size, count):
            started = time.perf_counter()
            result = grounder.ground(structure, seed=1)
            times.append(time.perf_counter() - started)
            if not isinstance(result, Grounded):
                refused += 1
                continue
            started = time.perf_counter()
            record = decoded(encoded(result.instance))
            unsound += not sound(check(record, matrix, knowledge))
            checks.append(time.perf_counter() - started)
            started = time.perf_counter()
            asked(result.instance, matrix.skills)
            words.append(time.perf_counter() - started)
        everything += times
        times.sort()
        print(
            f"{size:4} {_ms(times):19.3f} {times[len(times) * 99 // 100] * 1e3:7.3f} "
            f"{times[-1] * 1e3:7.3f} {_ms(checks):10.3f} {_ms(words):10.3f} {refused:13} "
            f"{unsound:9}",
            flush=True,
        )
    median = _ms(everything)
    verdict = "met" if median <= MEDIAN_MS else "MISSED"
    print(f"all sizes: median {median:.3f} ms, target {MEDIAN_MS}: {verdict}")


def _ms(times: list[float]) -> float:
    return statistics.median(times) * 1000


def main() -> None:
    """Print the figures and the target."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--knowledge", type=Path, help="A compiled knowledge base.")
    arguments.add_argument("--items", type=int, default=1200, help="Of each size.")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.knowledge
        if path is None:
            dump, path = Path(folder, "dump.csv"), Path(folder, "knowledge.kb")
            write_dump(dump, ASSERTIONS)
            build(Reader(find_source(dump), Wanted()), path)
            print(f"built of {ASSERTIONS:,} assertions")
        measure(open_knowledge(path), Matrix.shipped(), given.items)


if __name__ == "__main__":
    main()
