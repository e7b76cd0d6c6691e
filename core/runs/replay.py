"""Opens a recorded run as a model that answers what it was asked then."""

from __future__ import annotations

from pathlib import Path

from core.contract.question import Answer, Scoring, Status, Verdict
from core.models.protocol import ModelInfo
from core.models.replay import ReplayModel
from core.runs.records import Plan
from core.runs.store import Store

_SOURCE = "replay:"
"""With it and the id of a run a replayed run is named."""
_DAY = len("2026-01-31")


def replay(store: Path, run_id: str) -> ReplayModel:
    """The model of a run; raises `NotFoundError` for a run that is not there.

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
        source=f"{_SOURCE}{run.id}",
        fingerprint=f"replay:{run.plan.fingerprint}",
        recorded=f"run {run.id}, {conditions(run.plan)}",
        demo=run.plan.demo,
    )


def recorded_on(store: Path, info: ModelInfo) -> str:
    """The day, UTC, on which the run that a model replays was started; empty for any other model.

    Raises `NotFoundError` for a run that is not there.
    """
    run_id = info.source.removeprefix(_SOURCE)
    if not info.recorded or run_id == info.source:
        return ""
    with Store(store, create=False) as opened:
        return opened.run(run_id).created[:_DAY]


def conditions(plan: Plan) -> str:
    """How a run was asked, in a few words: "3-shot, base prompt, generated answers"."""
    shots = f"{plan.shots}-shot" if plan.shots else "zero-shot"
    scoring = f", {plan.scoring} answers" if plan.scoring else ""
    blocks = f", read after each of {plan.blocks} blocks" if plan.blocks else ""
    return f"{shots}, {plan.form} prompt{scoring}{blocks}"


def _answer(verdict: Verdict) -> Answer:
    return Answer(
        verdict.scores,
        verdict.text,
        verdict.scoring,
        verdict.output_tokens,
        complete=verdict.status is not Status.TRUNCATED,
    )
