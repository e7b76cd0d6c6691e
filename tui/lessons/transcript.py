"""Telling a lesson to its end with the model that is loaded, to take it away as a page."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

from core.contract.question import Form
from core.files import paths
from core.lessons.bound_lesson import BoundLesson
from core.lessons.transcript import Reached, Transcript, tell
from core.models.protocol import Model
from core.runs.replay import recorded_on


async def told_now(
    bound_lesson: BoundLesson,
    language: str,
    model: Model,
    reached: Reached,
    *,
    store: Path | None = None,
    form: Form | None = None,
) -> Transcript:
    """The lesson with the model's answers of today, or with those of a recording and its day.

    Args:
        bound_lesson: the lesson on its collection.
        language: in which it is told.
        model: who answers.
        reached: hears of each step before the model is asked for it.
        store: where the run is that the model replays; one's own store where that is not said.
        form: how the model is asked; its own form where that is not said.

    Raises `ModelError` where the model cannot answer, `RunError` where the run that it replays
    cannot be read, and `NotFoundError` where that is no longer there.
    """
    recorded = await asyncio.to_thread(recorded_on, store or paths.runs(), model.info)
    return await tell(
        bound_lesson, language, model, recorded or date.today().isoformat(), form, reached
    )
