"""Runs of the invented benchmark over a file of towers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.contract import registry
from core.contract.question import Form
from core.runs.evaluation import Evaluation, Progress
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.runs.models import HashingModel


def begin(
    store: Store,
    data: Path,
    model: HashingModel,
    *,
    setting: Mapping[str, str] | None = None,
    limit: int | None = None,
    **plan: Any,
) -> Evaluation:
    """A run that has asked nothing yet; `plan` goes to `plan_for`."""
    benchmark = registry.load("shapes")
    collection = benchmark.open(data)
    source = QuestionSource(benchmark, collection, setting, limit)
    made = plan_for(model, source, data, **{"form": Form.BASE, **plan})
    return Evaluation(store, made, model, source)


async def finish(evaluation: Evaluation) -> list[Progress]:
    """Ask everything."""
    return [progress async for progress in evaluation.steps()]
