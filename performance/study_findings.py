"""How often a study names a cell where nothing is planted, and whether it finds what is planted.

python performance/study_findings.py [SEEDS]

Tiny models with weights set by hand (`tests/studies/planted_model.py`), 200 seeds by default:

* planted: the trace of attention and the head study name the planted cell, and, but where weights
  that were drawn carry 0.1 nats too, no other;
* nothing planted: no head reads the word, so no map may name a cell, and no direction may move the
  answer in more than 5 % of models;
* placebo: the control of every pair, drawn twice, one as if it were the effect. Both come from the
  same population, so at most 5 % of maps may have a cell with p < .05, however small the effect.

Probes have `performance/probe_false_findings.py`, with states that are drawn: each of these models
has too few questions to say anything of a probe's rare findings.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.contract import registry
from core.models.blocks import Part
from core.models.resolver import load_model
from core.runs.questions import QuestionSource
from core.studies.cells import LEVEL, MeasuredCase, Rows, cell_figures, found_cells
from core.studies.conducting import conduct
from core.studies.kinds import KINDS
from core.studies.pairs import Donors, find_pairs
from core.studies.study_store import StudyStore
from core.studies.subject import Subject, task_layer
from core.studies.trace import roles_in_order
from core.studies.traced_pairs import CopyRequest, trace_parts
from tests.studies.planted_model import BLOCKS, HEADS, Doors, DoorsBenchmark, planted_model

NOISE, FAMILIES = 0.1, 7
DIRECTION_FAMILIES = 10
"""The fewest groups that a direction is learned from."""


@asynccontextmanager
async def opened(path: Path, seed: int, families: int = FAMILIES) -> AsyncIterator[Subject]:
    """A model that is loaded, with the questions about some doors."""
    model = await load_model(str(path), threads=1)
    try:
        source = QuestionSource(DoorsBenchmark(), Doors(families, seed))
        yield await Subject.of(model, source, Path("doors"), task_layer(source, None))
    finally:
        await model.close()


async def named(
    subject: Subject, store: StudyStore, kind: str, part: Part
) -> list[tuple[str, int]]:
    """The cells that a study names, with the names of their rows."""
    study = store.start(subject.plan(kind, {"part": part.value}), restart=True)
    await conduct(store, study, KINDS[kind].work(subject, study.plan), lambda _: None)
    result = store.study(study.id).result or {}
    rows = result.get("roles", result["blocks"])
    return [(str(rows[row]), column) for row, column in found_cells(result)]


async def placebo(subject: Subject, store: StudyStore, seed: int) -> bool:
    """Whether a map of two controls against each other has a cell with p < .05."""
    kept = store.kept(store.start(subject.plan("trace", {}), restart=True).id)
    cases = subject.cases()
    pairs = await find_pairs(subject, cases, kept, lambda _: None)
    drawn: list[dict[str, Rows]] = []
    for draw in (2 * seed, 2 * seed + 1):
        donors, cells = Donors(cases, pairs, draw), {}
        for pair in pairs.right:
            donor = donors.of(pair)
            if donor is None:
                continue
            request = CopyRequest(
                subject.prompt(donor.question),
                subject.prompt(pair.contrast),
                pair.case.question.continuations(),
                pair,
            )
            cells[pair.case.item.id] = (await trace_parts(subject, request, Part.RESIDUAL)).rows
        drawn.append(cells)
    first, second = drawn
    compared = [
        MeasuredCase(item, pair.case.cluster, first[item], second[item])
        for pair in pairs.right
        if (item := pair.case.item.id) in first and item in second
    ]
    figures = cell_figures(compared, roles_in_order(pairs), BLOCKS)
    return any(p is not None and p < LEVEL for row in figures["p"] for p in row)


async def moves(subject: Subject, store: StudyStore) -> bool:
    """Whether a direction is said to move the answer."""
    study = store.start(subject.plan("direction", {}), restart=True)
    # The verdict does not depend on side effects, which take most of such a study's time.
    with patch.object(registry, "names", return_value=()):
        await conduct(store, study, KINDS["direction"].work(subject, study.plan), lambda _: None)
    return bool((store.study(study.id).result or {})["moves_the_answer"])


async def tried(folder: Path, seed: int) -> dict[str, bool]:
    """What happened with one seed."""
    block, head = seed % (BLOCKS - 1), seed % HEADS
    model = planted_model(folder / "planted.gguf", block=block, head=head, noise=NOISE, seed=seed)
    none = planted_model(folder / "none.gguf", planted=False, noise=NOISE, seed=seed)
    with StudyStore(folder / "runs.sqlite") as store:
        async with opened(model, seed) as subject:
            trace = await named(subject, store, "trace", Part.ATTENTION)
            heads = await named(subject, store, "heads", Part.HEAD)
            chance = await placebo(subject, store, seed)
        async with opened(none, seed) as subject:
            nothing = [
                *await named(subject, store, "trace", Part.RESIDUAL),
                *await named(subject, store, "heads", Part.HEAD),
            ]
        async with opened(model, seed, DIRECTION_FAMILIES) as subject:
            moved = await moves(subject, store)
        async with opened(none, seed, DIRECTION_FAMILIES) as subject:
            moved_by_chance = await moves(subject, store)
    return {
        "cell found": ("question", block) in trace,
        "head found": (str(block), head) in heads,
        "direction found": moved,
        "direction found where nothing is planted": moved_by_chance,
        "trace exact": trace == [("question", block)],
        "heads exact": heads == [(str(block), head)],
        "named in a placebo": chance,
        "named where nothing is planted": bool(nothing),
    }


async def main(seeds: int) -> None:
    """Try every seed, and print what happened so far."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(seeds):
            counts.update(await tried(Path(folder), seed))
            if seed % 10 == 9 or seed == seeds - 1:
                found = ", ".join(f"{name} {counts[name]}" for name in sorted(counts))
                print(f"{seed + 1} seeds: {found}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
