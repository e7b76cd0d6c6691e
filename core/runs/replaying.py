"""Opens a recorded run as a model that answers what it was asked then."""

from __future__ import annotations

from pathlib import Path

from core.models.replay import ReplayModel
from core.runs.records import Plan
from core.runs.store import Store


def replay(store: Path, run_id: str) -> ReplayModel:
    """The model of a run; raises `NotFoundError` for a run that is not there.

    Verdicts without scores, such as inferred ones, cannot be replayed.
    """
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        verdicts = opened.verdicts(run.id)
    record = {(v.digest, v.layer, v.options): v.scores for v in verdicts if v.scores and v.digest}
    return ReplayModel(
        run.plan.model,
        record,
        source=f"replay:{run.id}",
        fingerprint=f"replay:{run.plan.fingerprint}",
        recorded=f"run {run.id}, {conditions(run.plan)}",
        demo=run.plan.demo,
    )


def conditions(plan: Plan) -> str:
    """How a run was asked, in a few words: "3-shot, base prompt"."""
    shots = f"{plan.shots}-shot" if plan.shots else "zero-shot"
    return f"{shots}, {plan.form} prompt"
