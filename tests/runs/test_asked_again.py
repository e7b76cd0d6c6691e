"""A finished run asked again, and what progress tells of the answers that can be right or wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.task_layers import GENERATION
from core.contract import registry
from core.contract.question import Form
from core.models.protocol import Ability
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.runs.models import INFO, HashingModel
from tests.runs.tower_runs import finish

BOTH = replace(INFO, abilities=frozenset({Ability.SCORE, Ability.GENERATE}))


def begin(store: Store, name: str, data: Path, *, restart: bool = False) -> Evaluation:
    benchmark, model = registry.load(name), HashingModel(BOTH)
    collection = benchmark.open(data)
    source = QuestionSource(benchmark, collection, limit=12)
    plan = plan_for(model, source, data, form=Form.BASE)
    return Evaluation(store, plan, model, source, restart=restart)


async def test_restarting_keeps_the_finished_run_and_begins_another(
    store: Store, data: Path
) -> None:
    first = begin(store, "shapes", data)
    await finish(first)
    assert begin(store, "shapes", data).run.id == first.run.id
    again = begin(store, "shapes", data, restart=True)
    assert again.run.id != first.run.id
    await finish(again)
    assert store.verdicts(again.run.id) == store.verdicts(first.run.id) != []
    assert begin(store, "shapes", data).run.id == again.run.id


async def test_progress_counts_the_answers_that_are_right_or_wrong(store: Store) -> None:
    """Of free texts none; of the others all; also where they were recorded earlier."""
    samples = AbsPyramid().samples()
    asked = {p.layer.id: p for p in await finish(begin(store, "abspyramid", samples)) if p.done}
    again = {p.layer.id: p for p in await finish(begin(store, "abspyramid", samples)) if p.done}
    assert asked.keys() == again.keys() >= {GENERATION, "rung-1"}
    for last in (*asked.values(), *again.values()):
        assert last.done == last.total
        assert last.scored == (0 if last.layer.id == GENERATION else last.done)
        assert last.right <= last.scored
