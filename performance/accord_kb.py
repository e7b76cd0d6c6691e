"""Knowledge bases: time to build, open and query one, and memory.

python performance/accord_kb.py [--assertions N] [--keep FOLDER]

The dump is invented: as many lines as the English part of ConceptNet 5.7 has, with its large
relations, terms of which few are common and most are rare, and senses. Building and asking are
done in processes of their own, so that the memory of one is not counted for the other.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.benchmarks.accord.grounding.measures import nearest_first, neighbourhood_distance
from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.benchmarks.accord.trees.skills import End
from performance.store_measures import call_ms, forget, peak_mb

ASSERTIONS = 3_400_000
BUILD_S, OPEN_S, MEMORY_MB = 60, 0.3, 600
QUERY_MS = 0.05
"""So that an item that takes forty of them is grounded in 2 ms."""
RELATIONS = {
    "RelatedTo": 50, "FormOf": 11, "DerivedFrom": 9, "HasContext": 7, "IsA": 7, "Synonym": 6,
    "AtLocation": 2, "CapableOf": 1, "Causes": 1, "HasA": 1, "HasPrerequisite": 1,
    "HasProperty": 1, "HasSubevent": 1, "PartOf": 1, "UsedFor": 1,
}  # fmt: skip
ASKED = 20_000


def write_dump(path: Path, assertions: int) -> None:
    """An invented dump. Low numbers are drawn often: 4 % of terms make a third of the sources."""
    rng = random.Random(1)
    relations = rng.choices(list(RELATIONS), list(RELATIONS.values()), k=assertions)
    terms = assertions * 2 // 5
    with path.open("w", encoding="ascii") as handle:
        for relation in relations:
            one, other = int(terms * rng.random() ** 3), int(terms * rng.random() ** 4)
            source = f"/c/en/{_word(one)}{'/n' if one % 7 == 0 else ''}"
            target = f"/c/en/{_word(other)}"
            handle.write(
                f"/a/[/r/{relation}/,{source}/,{target}/]\t/r/{relation}\t{source}\t{target}\t"
                '{"dataset": "/d/invented", "license": "cc:by/4.0", "weight": 1.0}\n'
            )


def _word(number: int) -> str:
    return f"{number * 7919 % 1_500_007:x}_thing_{number:x}"


def measure_build(dump: Path, out: Path) -> dict[str, float]:
    """Seconds and megabytes of a build."""
    started = time.perf_counter()
    build(Reader(find_source(dump), Wanted()), out)
    return {"build s": time.perf_counter() - started, "build MB": peak_mb()}


def measure_asking(path: Path) -> dict[str, float]:
    """Seconds to the first answer, milliseconds of later ones, and megabytes after all of them."""
    forget(path)
    started = time.perf_counter()
    kb = open_knowledge(path)
    kb.facts("AtLocation", End.SOURCE, _word(5).replace("_", " "))
    found = {"open s": time.perf_counter() - started}
    rng = random.Random(2)
    terms = list(islice(kb.draw("IsA", End.TARGET, rng), ASKED))
    distance = neighbourhood_distance(kb)

    def draw(term: str) -> None:
        facts = set(kb.facts("AtLocation", End.SOURCE, term))
        next(drawn for drawn in kb.draw("AtLocation", End.SOURCE, rng) if drawn not in facts)

    def draw_for_two(term: str) -> None:
        facts = {*kb.facts("IsA", End.SOURCE, term), *kb.facts("PartOf", End.TARGET, term)}
        next(
            drawn
            for drawn in kb.draw("PartOf", End.TARGET, rng)
            if drawn not in facts and kb.stands("IsA", End.SOURCE, drawn)
        )

    found |= {
        "facts ms": call_ms(lambda term: kb.facts("IsA", End.SOURCE, term), terms),
        "facts again ms": call_ms(lambda term: kb.facts("IsA", End.SOURCE, term), terms[:1000] * 5),
        "holds ms": call_ms(lambda term: kb.holds("IsA", terms[0], term), terms),
        "anti-factual ms": call_ms(draw, terms),
        "anti-factual for two ms": call_ms(draw_for_two, terms),
        "nearest of 10 ms": call_ms(
            lambda term: nearest_first(rng.sample(terms, 10), [term], distance, rng), terms[:200]
        ),
    }
    started = time.perf_counter()
    kb.verify()
    found["check every byte s"] = time.perf_counter() - started
    found["memory MB"] = peak_mb()
    return found


def main() -> None:
    """Print the figures and their targets."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--assertions", type=int, default=ASSERTIONS)
    arguments.add_argument("--keep", type=Path, help="Leave the dump and the index in a folder.")
    given = arguments.parse_args()
    targets = {
        "build s": BUILD_S,
        "open s": OPEN_S,
        "build MB": MEMORY_MB,
        "memory MB": MEMORY_MB,
        **dict.fromkeys(
            ("facts ms", "holds ms", "anti-factual ms", "anti-factual for two ms"), QUERY_MS
        ),
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        dump, out = folder / "dump.csv", folder / "knowledge.kb"
        write_dump(dump, given.assertions)
        print(f"{given.assertions:,} assertions, {dump.stat().st_size / 1e6:,.0f} MB")
        with get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
            figures = fresh.apply(measure_build, (dump, out))
            figures |= fresh.apply(measure_asking, (out,))
        print(f"{'file MB':24} {out.stat().st_size / 1e6:10.1f}")
    for name, figure in figures.items():
        target = targets.get(name)
        verdict = "" if target is None else f"  target {target}: {_met(figure, target)}"
        print(f"{name:24} {figure:10.4f}{verdict}")


def _met(figure: float, target: float) -> str:
    return "met" if figure <= target else "MISSED"


if __name__ == "__main__":
    main()
