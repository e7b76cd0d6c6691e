"""Opening a store of abstraction tuples: time and memory.

python performance/abspyramid_store.py [--tuples N]

The tuples are invented: as many as are released, on as many head events as the paper's average of
references allows, in its three splits, shuffled. Opening is done in a process of its own, with
the files not yet in the system's cache.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.benchmarks.abspyramid.pyramids import concept_key, pyramids
from core.benchmarks.abspyramid.tuple_store import TupleStore
from core.benchmarks.abspyramid.tuples import AbstractTuple
from performance.store_measures import call_ms, forget, peak_mb

TUPLES = 220_797
"""Table 1 of the paper."""
TUPLES_A_HEAD = 12
TARGETS = {"index s": 3.0, "memory MB": 250.0, "memory after all MB": 250.0}
SHARES = {"train": 0.8, "valid": 0.1, "test": 0.1}
ASKED = 2000


def write_tuples(folder: Path, count: int) -> None:
    """Invented detection data in the released folders; some instances recur in other events."""
    rng = random.Random(1)
    folder = folder / "Detection" / "merged_dataset"
    folder.mkdir(parents=True)
    rows = [_row(rng, rng.randrange(max(count // TUPLES_A_HEAD, 1))) for _ in range(count)]
    at = 0
    for split, share in SHARES.items():
        size = round(count * share)
        text = "".join(json.dumps(row) + "\n" for row in rows[at : at + size])
        (folder / f"{split}.json").write_text(text, encoding="utf-8")
        at += size


def _row(rng: random.Random, head: int) -> dict[str, object]:
    noun, verb, thing = _word(head // 3), f"{_word(head % 900)}ed", _word(head)
    kind = rng.choice(("noun", "noun", "verb", "event"))
    event = {
        "noun": f"PersonX {verb} the {thing} beside <a {noun}> in the evening",
        "verb": f"PersonX <{verb}> the {thing} beside a {noun} in the evening",
        "event": f"<PersonX {verb} the {thing} beside a {noun} in the evening>",
    }[kind]
    concept = _word(int(30_000 * rng.random() ** 3))
    if rng.random() < 0.5:
        concept += f" {_word(rng.randrange(60))}"
    return {"event": event, "concept": concept, "label": int(rng.random() < 0.59), "type": kind}


def _word(number: int) -> str:
    return f"{number * 7919 % 1_500_007:x}ing"


def measure_opening(folder: Path) -> dict[str, float]:
    """Seconds to the first pyramid, milliseconds of later ones, and megabytes after all."""
    started = time.perf_counter()
    store = TupleStore(folder)

    def tuples(head: int) -> list[AbstractTuple]:
        return [each for _, each in store.of_head(head)]

    pyramids(tuples(0), store.entailments)
    found = {"open to first entry s": time.perf_counter() - started}
    found["memory MB"] = peak_mb()
    rng = random.Random(2)
    heads = [rng.randrange(len(store)) for _ in range(ASKED)]
    found["tuples of a head ms"] = call_ms(tuples, heads)
    found["its pyramids ms"] = call_ms(
        lambda head: pyramids(tuples(head), store.entailments), heads[:100]
    )
    started = time.perf_counter()
    store.matching("1ing")
    found["search ms"] = (time.perf_counter() - started) * 1000
    started = time.perf_counter()
    found["repeated concepts"] = len(store.repairs)
    found["finding them s"] = time.perf_counter() - started
    instances = {concept_key(each.instance) for head in heads for each in tuples(head)}
    found["contexts an instance"] = statistics.mean(len(store.of_instance(i)) for i in instances)
    found["memory after all MB"] = peak_mb()
    return found


def measure_index(folder: Path) -> dict[str, float]:
    """Seconds that the index alone takes."""
    started = time.perf_counter()
    TupleStore(folder)
    return {"index s": time.perf_counter() - started}


def _forget(folder: Path) -> None:
    """Have the system forget what it keeps of the files, so that they come from the disk."""
    for path in folder.rglob("*.json"):
        forget(path)


def main() -> None:
    """Print the figures and their targets."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuples", type=int, default=TUPLES)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # In a process of its own too: what it held at most would be counted for those after it.
        with get_context("spawn").Pool(1) as fresh:
            fresh.apply(write_tuples, (folder, given.tuples))
        size = sum(path.stat().st_size for path in folder.rglob("*.json"))
        print(f"{given.tuples:,} tuples, {size / 1e6:,.0f} MB")
        figures = {}
        for measure in (measure_index, measure_opening):
            _forget(folder)
            with get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
                figures |= fresh.apply(measure, (folder,))
    for name, figure in figures.items():
        target = TARGETS.get(name)
        met = "" if target is None else "met" if figure <= target else "MISSED"
        verdict = f"  target {target}: {met}" if met else ""
        print(f"{name:24} {figure:10.4f}{verdict}")


if __name__ == "__main__":
    main()
