"""Opens a recorded run as a model that repeats its answers, and matches its verdicts to items."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Answer, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.models.protocol import ModelInfo
from core.models.replay import REPLAY_PREFIX, ReplayModel
from core.runs.records import Plan, RunState, replace_surrogates
from core.runs.store import Store
from core.text.errors import DataError

_DAY = len("2026-01-31")


def replay(store: Path, run_id: str) -> ReplayModel:
    """A model that repeats the answers of a run; raises `NotFoundError` for an unknown run.

    Inferred verdicts cannot be replayed, nor those of which only a grade was recorded.
    """
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        verdicts = opened.verdicts(run.id)
    record = {
        (v.digest, v.layer, v.options): _answer(v)
        for v in verdicts
        if v.digest and (v.scores or v.scoring is Scoring.GENERATED)
    }
    return ReplayModel(
        run.plan.model,
        record,
        source=f"{REPLAY_PREFIX}{run.id}",
        fingerprint=f"{REPLAY_PREFIX}{run.plan.fingerprint}",
        recorded=f"run {run.id}, {conditions(run.plan)}",
        demo=run.plan.demo,
    )


def recorded_on(store: Path, info: ModelInfo) -> str:
    """The day (UTC) on which the run that a model replays was started; empty for other models.

    Raises `NotFoundError` for an unknown run.
    """
    run_id = replayed_run(info)
    if not run_id:
        return ""
    with Store(store, create=False) as opened:
        return opened.run(run_id).created[:_DAY]


def replayed_run(info: ModelInfo) -> str:
    """The id of the run that a model replays; empty for other models."""
    run_id = info.source.removeprefix(REPLAY_PREFIX)
    return run_id if info.recorded and run_id != info.source else ""


def verdicts_on(
    store: Path, run_id: str, benchmark: Benchmark, collection: Collection
) -> tuple[list[Verdict], bool]:
    """A run's verdicts on the unchanged items of a collection, and whether the run is complete.

    An item about which the run asked something else, in another file or under a setting, is left
    out with all of its verdicts. Raises `RunError`, and `NotFoundError` for an unknown run.
    """
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        recorded = opened.verdicts(run_id) if run.plan.benchmark == benchmark.name else []
    by_item = defaultdict(list)
    for verdict in recorded:
        by_item[verdict.item].append(verdict)
    verdicts: list[Verdict] = []
    for position in range(len(collection) if by_item else 0):
        try:
            known = by_item.get(replace_surrogates(collection.entry(position).id))
            if not known:
                continue
            item = collection.item(position)
        except DataError:
            continue
        if all(_asks_the_same(benchmark, item, verdict) for verdict in known):
            verdicts += known
    return verdicts, run.state in {RunState.DONE, RunState.IMPORTED}


def _asks_the_same(benchmark: Benchmark, item: Item, verdict: Verdict) -> bool:
    """Whether a verdict answers what its layer asks about the unchanged item."""
    if all(layer.id != verdict.layer for layer in benchmark.layers):
        return False
    question = benchmark.question(item, Setting(), verdict.layer)
    return question is not None and question.digest() == verdict.digest


def conditions(plan: Plan) -> str:
    """How a run was asked, in a few words: "3-shot, base prompt, generated answers"."""
    shots = f"{plan.shots}-shot" if plan.shots else "zero-shot"
    scoring = f", {plan.scoring} answers" if plan.scoring else ""
    wording = ", prompts in other words" if plan.prompts else ""
    order = f", options in drawn order {plan.order}" if plan.order else ""
    blocks = f", read after each of {plan.blocks} blocks" if plan.blocks else ""
    return f"{shots}, {plan.form} prompt{scoring}{wording}{order}{blocks}"


def _answer(verdict: Verdict) -> Answer:
    return Answer(
        verdict.scores,
        verdict.text,
        verdict.scoring,
        verdict.output_tokens,
        complete=verdict.status is not Status.TRUNCATED,
    )
