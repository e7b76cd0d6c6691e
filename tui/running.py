"""A run over a collection, as the program holds it while screens come and go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from core.benchmark import Benchmark, Collection
from core.errors import CommonsenseError, RequestCancelledError
from core.models.protocol import Model
from core.question import Form
from core.runs.evaluate import Evaluation, Progress, plan_for
from core.runs.records import RunState
from core.runs.store import Store
from core.summary import Summary

_SUMMARY_SECONDS = 0.3
"""Least time between two summaries while verdicts come in."""


class RunPhase(StrEnum):
    """How far the run is, for a person."""

    IDLE = "idle"
    GOING = "going"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class Running:
    """Asks a whole collection and keeps what there is to show of it."""

    def __init__(self, benchmark: Benchmark, path: Path, collection: Collection) -> None:
        self.benchmark = benchmark
        self.path = path
        self.collection = collection
        self.phase = RunPhase.IDLE
        self.layers: dict[str, Progress] = {}
        self.summary: Summary | None = None
        self.error = ""
        self.model_name = ""
        self.demo = False
        self.run_id = ""
        self._profile = 0
        self._evaluation: Evaluation | None = None
        self._summed = 0.0

    @property
    def profile(self) -> str:
        """The scoring profile that figures are shown under."""
        return self.benchmark.profiles[self._profile]

    @property
    def busy(self) -> bool:
        """Whether it is asking the model right now."""
        return self.phase is RunPhase.GOING

    async def go(self, model: Model, store: Path, form: Form, changed: Callable[[], None]) -> None:
        """Begin the run, or go on with it, and ask until the end; `changed` after every step."""
        self.phase, self.error = RunPhase.GOING, ""
        self.model_name, self.demo = model.info.name, model.info.demo
        self.layers = {}
        changed()
        try:
            # Reading a large file takes a while, and the screen must stay alive.
            plan = await asyncio.to_thread(plan_for, model, self.benchmark, self.path, form=form)
            with Store(store) as opened:
                self._evaluation = Evaluation(opened, plan, model, self.benchmark, self.collection)
                self.run_id = self._evaluation.run.id
                async for progress in self._evaluation.steps():
                    self.layers[progress.layer.id] = progress
                    paused = progress.state is RunState.PAUSED
                    self.phase = RunPhase.PAUSED if paused else RunPhase.GOING
                    self._sum_up()
                    changed()
                done = self._evaluation.run.state is RunState.DONE
                self.phase = RunPhase.DONE if done else RunPhase.STOPPED
                self._sum_up(now=True)
        except RequestCancelledError:
            self.phase = RunPhase.STOPPED
        except CommonsenseError as error:
            self.phase, self.error = RunPhase.FAILED, str(error)
        finally:
            self._evaluation = None
            if self.phase is RunPhase.GOING:
                self.phase = RunPhase.STOPPED
            changed()

    def pause_or_resume(self) -> bool:
        """Pause a run that is going or go on with a paused one; False where there is none."""
        if self._evaluation is None:
            return False
        if self._evaluation.paused:
            self._evaluation.resume()
            self.phase = RunPhase.GOING
        else:
            self._evaluation.pause()
            self.phase = RunPhase.PAUSED
        return True

    async def cancel(self) -> None:
        """Stop; what was answered is kept."""
        if self._evaluation is not None:
            await self._evaluation.cancel()

    def next_profile(self) -> None:
        """Show the figures under the next scoring profile."""
        self._profile = (self._profile + 1) % len(self.benchmark.profiles)

    def sum_up(self, store: Path) -> None:
        """Figures of what is recorded, under the present profile."""
        if self._evaluation is not None:
            self._sum_up(now=True)
        elif self.run_id:
            from core.runs.summaries import summarise

            with Store(store) as opened:
                self.summary = summarise(opened, self.run_id, self.profile)

    def _sum_up(self, *, now: bool = False) -> None:
        at = time.monotonic()
        if self._evaluation is not None and (now or at - self._summed > _SUMMARY_SECONDS):
            self.summary = self._evaluation.summary(self.profile)
            self._summed = at
