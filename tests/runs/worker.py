"""Evaluates a file of towers in a process of its own, saying on stdout how far it is.

Usage: python -m tests.runs.worker STORE TOWERS SECONDS_PER_QUESTION [BLOCKS [LAST [CONCURRENCY]]]

After the question of the number LAST it never answers.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from core.contract import registry
from core.contract.question import Form
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.runs.models import BlockModel


async def evaluate(
    store: Path,
    towers: Path,
    seconds: float,
    blocks: int = 0,
    last: int | None = None,
    concurrency: int = 1,
) -> None:
    def heard(count: int) -> None:
        if last is not None and count > last:
            model.seconds = 3600

    benchmark = registry.load("shapes")
    model = BlockModel(seconds=seconds, on_score=heard)
    collection = benchmark.open(towers)
    source = QuestionSource(benchmark, collection)
    plan = plan_for(model, source, towers, form=Form.BASE, blocks=blocks)
    with Store(store) as opened:
        evaluation = Evaluation(opened, plan, model, source, concurrency=concurrency)
        async for progress in evaluation.steps():
            if progress.verdict is not None:
                print(progress.layer.id, progress.done, flush=True)
    print("asked", len(model.asked), flush=True)


if __name__ == "__main__":
    asyncio.run(
        evaluate(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), *map(int, sys.argv[4:]))
    )
