"""Which of a model's runs over a collection is shown when the collection is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.contract import registry
from core.contract.question import Form
from core.runs.replay import fullest_run
from core.runs.store import Store
from tests.runs.models import HashingModel
from tests.runs.tower_runs import begin, finish


async def asked(store: Store, data: Path, **how: Any) -> str:
    evaluation = begin(store, data, HashingModel(), **how)
    await finish(evaluation)
    return evaluation.run.id


async def stopped(store: Store, data: Path, after: int, **how: Any) -> str:
    evaluation = begin(store, data, HashingModel(), **how)
    async for progress in evaluation.steps():
        if progress.done == after:
            evaluation.cancel()
    return evaluation.run.id


def shown(store: Store, data: Path) -> str:
    collection = registry.load("shapes").open(data)
    run = fullest_run(store.path, HashingModel().info, collection, Form.BASE)
    return "" if run is None else run.id


async def test_a_newer_run_over_a_part_does_not_hide_a_whole_one(store: Store, data: Path) -> None:
    assert not shown(store, data)
    part = await asked(store, data, limit=3)
    assert shown(store, data) == part
    more = await stopped(store, data, 10, shots=1)
    assert shown(store, data) == more, "more items have an answer"
    whole = await asked(store, data)
    assert shown(store, data) == whole
    await asked(store, data, limit=3, shots=2)
    await asked(store, data, chosen=(1, 2, 5))
    await stopped(store, data, 20, shots=2)
    assert shown(store, data) == whole
    newer = await asked(store, data, shots=3)
    assert shown(store, data) == newer, "of several whole ones the newest"


async def test_of_runs_over_equally_many_items_the_newest_is_shown(
    store: Store, data: Path
) -> None:
    await asked(store, data, limit=3)
    newer = await asked(store, data, limit=3, shots=1)
    assert shown(store, data) == newer
