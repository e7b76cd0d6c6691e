"""Asks a model a whole collection, one layer after the other, and records every verdict.

A layer is finished before the next begins, because a gated layer is asked only of the items
that were right in the layer before, and because its worked examples are drawn from just those.
What a run has recorded is never asked again, so a run that was stopped at any moment, by a
person or by `kill -9`, goes on to the same verdicts as one that was not stopped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.benchmark import Benchmark, Collection, Layer
from core.errors import RequestCancelledError
from core.models.protocol import Model
from core.question import Form, Verdict
from core.runs.ask import ask, prompt_of
from core.runs.questions import Asked, gate_of, layer_questions, settings_of, with_shots
from core.runs.records import Answered, Plan, Run, RunState, content_hash, prompt_hash, storable
from core.runs.shots import RANDOM
from core.runs.store import Store
from core.runs.summaries import DEMO, summarise
from core.summary import Summary

SEED = 1234
"""Seed of worked examples where none is named: the one of lm-evaluation-harness."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is in the layer that it is asking."""

    run: str
    state: RunState
    layer: Layer
    done: int
    """Questions of this layer with a verdict, those recorded earlier included."""
    total: int
    """Questions of this layer."""
    right: int
    verdict: Verdict | None = None
    """The verdict that was just recorded; None when a layer begins or the run changes state."""
    seconds_left: float | None = None
    """Until this layer is finished, at its pace so far; None while that is not known."""


def plan_for(
    model: Model,
    benchmark: Benchmark,
    path: Path,
    *,
    form: Form,
    shots: int = 0,
    seed: int = SEED,
    shot_rule: str = RANDOM,
    setting: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Plan:
    """The plan of a run over the collection at `path`; raises `RunError` if it cannot be read."""
    return Plan(
        model=model.info.source if model.info.demo else model.info.name,
        fingerprint=model.info.fingerprint,
        benchmark=benchmark.name,
        collection=str(path),
        collection_hash=content_hash(path),
        form=form,
        shots=shots,
        shot_rule=shot_rule if shots else "",
        seed=seed if shots else 0,
        setting=tuple(sorted((setting or {}).items())),
        limit=limit,
    )


class Evaluation:
    """One run being asked. `steps` asks; the other methods may be called while it does."""

    def __init__(
        self, store: Store, plan: Plan, model: Model, benchmark: Benchmark, collection: Collection
    ) -> None:
        """Begin the run that `plan` describes, or go on with it if it was begun before.

        Raises `SettingError` when an item cannot take the plan's setting.
        """
        self._store = store
        self._model = model
        self._benchmark = benchmark
        self._collection = collection
        self._settings = settings_of(benchmark, collection, dict(plan.setting), plan.limit)
        self.run: Run = store.start(plan, (DEMO,) if model.info.demo else ())
        self._may_go = asyncio.Event()
        self._may_go.set()
        self._cancelled = False

    @property
    def paused(self) -> bool:
        """Whether it waits for `resume`."""
        return not self._may_go.is_set()

    def pause(self) -> None:
        """Wait before the next question; the one in progress is finished."""
        self._may_go.clear()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._may_go.set()

    async def cancel(self) -> None:
        """Stop now; what was answered is kept."""
        self._cancelled = True
        self._may_go.set()
        await self._model.cancel()

    def summary(self, profile: str = "") -> Summary:
        """The figures so far; raises `NotFoundError` for a profile that is not there."""
        return summarise(self._store, self.run.id, profile)

    async def steps(self) -> AsyncIterator[Progress]:
        """Ask what is not recorded yet, and tell how far it is after every verdict.

        Raises `ModelError` when the model stops answering and `RunError` when another program
        records this run; what was answered before is kept and the run can go on.
        """
        run_id = self.run.id
        with self._store.hold(run_id):
            state = RunState.PAUSED
            self._store.set_state(run_id, RunState.RUNNING)
            try:
                async for progress in self._layers():
                    yield progress
                state = RunState.CANCELLED if self._cancelled else RunState.DONE
            except RequestCancelledError:
                if not self._cancelled:
                    raise
                state = RunState.CANCELLED
            finally:
                self._store.set_state(run_id, state)
                self.run = self._store.run(run_id)

    async def _layers(self) -> AsyncIterator[Progress]:
        plan = self.run.plan
        for number, layer in enumerate(self._benchmark.layers):
            answered = self._store.answered(self.run.id)
            gate = gate_of(self._benchmark, layer, answered)
            asked = layer_questions(self._benchmark, self._collection, self._settings, layer, gate)
            asked = with_shots(self._benchmark, asked, plan.shot_rule, plan.shots, plan.seed)
            async for progress in self._layer(number, layer, asked, answered):
                yield progress
            if self._cancelled:
                return

    async def _layer(
        self,
        number: int,
        layer: Layer,
        asked: Sequence[Asked],
        answered: Mapping[tuple[str, str], Answered],
    ) -> AsyncIterator[Progress]:
        known = [answered.get((layer.id, storable(one.question.item))) for one in asked]
        done = sum(1 for one in known if one is not None)
        right = sum(1 for one in known if one is not None and one.right)
        pace = _Pace()

        def progress(verdict: Verdict | None = None) -> Progress:
            state = RunState.PAUSED if self.paused else RunState.RUNNING
            left = pace.left(len(asked) - done)
            return Progress(self.run.id, state, layer, done, len(asked), right, verdict, left)

        yield progress()
        for one, recorded in zip(asked, known, strict=True):
            if recorded is not None:
                continue
            if self.paused:
                self._store.set_state(self.run.id, RunState.PAUSED)
                yield progress()
                await self._may_go.wait()
                self._store.set_state(self.run.id, RunState.RUNNING)
            if self._cancelled:
                return
            verdict = await self._ask(number, one, pace)
            done += 1
            right += verdict.right is True
            yield progress(verdict)

    async def _ask(self, number: int, one: Asked, pace: _Pace) -> Verdict:
        form = self.run.plan.form
        started = time.perf_counter()
        verdict = await ask(self._model, self._benchmark, one.question, form)
        seconds = time.perf_counter() - started
        pace.add(seconds)
        # The place in run order does not depend on when the question was asked.
        seq = number * len(self._collection) + one.position
        prompt = prompt_of(one.question, form, self._model.info)
        self._store.record(self.run.id, seq, verdict, prompt_hash(prompt), seconds)
        return verdict


class _Pace:
    """How long a question of a layer takes."""

    def __init__(self) -> None:
        self._count = 0
        self._seconds = 0.0

    def add(self, seconds: float) -> None:
        """Note how long one took."""
        self._count += 1
        self._seconds += seconds

    def left(self, questions: int) -> float | None:
        """Seconds that so many questions will take; None before the first was timed."""
        return questions * self._seconds / self._count if self._count else None
