"""Transcribes a lesson with the loaded model, to export it as a page."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

from core.contract.question import Form
from core.files import paths
from core.lessons.bound_lesson import BoundLesson
from core.lessons.transcript import OnStep, Transcript, transcribe
from core.models.protocol import Model
from core.runs.replay import recorded_on


async def transcribe_now(
    bound_lesson: BoundLesson,
    language: str,
    model: Model,
    on_step: OnStep,
    *,
    store: Path | None = None,
    form: Form | None = None,
) -> Transcript:
    """The lesson with the answers of today, or with those of a recording and its day.

    Args:
        bound_lesson: the lesson on its collection.
        language: the language of the texts.
        model: who answers.
        on_step: called before the model is asked for each step.
        store: the store of the run that the model replays; the person's own by default.
        form: how the model is asked; its own form by default.

    Raises `ModelError` where the model cannot answer, `RunError` where the run that it replays
    cannot be read, and `NotFoundError` where that is no longer there.
    """
    recorded = await asyncio.to_thread(recorded_on, store or paths.runs(), model.info)
    return await transcribe(
        bound_lesson, language, model, recorded or date.today().isoformat(), form, on_step
    )
