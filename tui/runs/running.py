"""A run over a collection, as the program holds it while screens come and go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from textual.worker import Worker

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.question import Form, Scoring, Verdict
from core.contract.summary import Summary
from core.contract.view import Role
from core.files.config import MOST_AT_ONCE
from core.models.protocol import Model
from core.runs.asked_repeats import AskedRepeats
from core.runs.asking import prepared
from core.runs.blocks import BlockTable
from core.runs.evaluation import Evaluation, Progress
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Plan, Run, RunState
from core.runs.repeats import repeated_figures, with_repeats
from core.runs.replay import conditions
from core.runs.resuming import check_model
from core.runs.store import Store
from core.runs.summaries import blocks_of, summarise, summary_of
from core.runs.under_way import Pace, usual_concurrency
from core.text.errors import CommonsenseError, DataError, LostStoreError, RunError
from core.text.language import _
from tui.runs import kept_choices
from tui.runs.choices import Choices, Items, RunForm
from tui.runs.marks import RunAnswers

_SUMMARY_SECONDS = 0.3
"""Least time between two summaries while verdicts come in."""
_SUMMARY_SHARE = 5
"""The next summary waits at least this many times as long as the last one took."""


class RunPhase(StrEnum):
    """How far the run is, for a person."""

    IDLE = "idle"
    GOING = "going"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    LOADED = "loaded"
    """A recorded run is shown; nothing is asked."""


class Running:
    """Asks a whole collection and keeps what there is to show of it."""

    def __init__(
        self,
        benchmark: Benchmark,
        path: Path,
        collection: Collection,
        resumed: tuple[Run, QuestionSource] | None = None,
    ) -> None:
        """`resumed` is a run that stopped early, with its questions; it is asked as it was."""
        self.resumed = resumed
        self.benchmark = benchmark
        self.path = path
        self.collection = collection
        self.phase = RunPhase.IDLE
        self.layers: dict[str, Progress] = {}
        self.summary: Summary | None = None
        self.error = ""
        self.lost = False
        """Whether what was answered is lost with the store."""
        self.model_name = ""
        self.demo = False
        self.run_id = ""
        self.finished_earlier = False
        """Whether the run was complete before it was begun here."""
        self.wanted = False
        """Whether it begins as soon as the model is loaded."""
        self.model: Model | None = None
        """Who is asked, or was."""
        self.worker: Worker[None] | None = None
        """What asks, or did."""
        self.form: Form | None = None
        """How the questions are put."""
        self.options = RunForm(Items(len(collection)), lettered=bool(benchmark.lettered_layers))
        """What a person chooses before it begins."""
        self.orders = 1
        """Orders of the options in which it is asked, each a run of its own."""
        self.order = 0
        """The number of the present one; 0 for the benchmark's own."""
        self._repeated: dict[str, Summary] = {}
        """By profile: the figures of the first order with their spread over all; at the end."""
        self.answers = RunAnswers(benchmark)
        """What was asked and answered here, also in an earlier sitting."""
        self._profile = 0
        self._evaluation: Evaluation | None = None
        """The latest one; kept when it has ended, for its figures."""
        self._task: asyncio.Task[Any] | None = None
        """What asks; None while nothing does."""
        self._ended = asyncio.Event()
        self.asked_as = ""
        """How the run that is shown is asked, or was, in a few words; empty before it begins."""
        self._loaded: Run | None = None
        self._verdicts: Sequence[Verdict] = ()
        self._blocks: BlockTable | None = None
        self._next_summary = 0.0

    @property
    def profile(self) -> str:
        """The scoring profile that figures are shown under."""
        return self.benchmark.profiles[self._profile]

    @property
    def busy(self) -> bool:
        """Whether it is asking the model right now."""
        return self.phase is RunPhase.GOING

    @property
    def done(self) -> bool:
        """Whether it has asked everything."""
        return self.phase is RunPhase.DONE

    @property
    def paused(self) -> bool:
        """Whether it waits for a person to go on with it."""
        return self.phase is RunPhase.PAUSED

    @property
    def under_way(self) -> bool:
        """Whether it is asking, is paused, or waits for the model."""
        return self.wanted or self.phase in {RunPhase.GOING, RunPhase.PAUSED}

    @property
    def items_now(self) -> Items:
        """The items that may be chosen for another run; those that failed are this one's."""
        if not self.answers.failed_any:
            return self.options.items
        failed = [position for position in range(len(self.collection)) if self._fails(position)]
        return replace(self.options.items, failed=failed)

    def _fails(self, position: int) -> bool:
        try:
            mark = self.answers.mark(self.collection.entry(position).id)
        except DataError:
            return False
        return mark is not None and mark.role is Role.BAD

    def recall_choices(self) -> None:
        """Choose what was chosen for the last run over the collection."""
        self.options.choices = kept_choices.read(self.benchmark.name, self.path)

    def keep_choices(self) -> None:
        """Keep what is chosen for the next run over the collection; raises `DataError`."""
        kept_choices.keep(self.benchmark.name, self.path, self.options.choices)

    def load(self, store: Path, run_id: str) -> None:
        """Show the figures of a recorded run; raises `RunError`, `NotFoundError`."""
        with Store(store, create=False) as opened:
            run = opened.run(run_id)
            if run.plan.benchmark != self.benchmark.name:
                raise RunError(
                    _(
                        "Run {run} is over items of {benchmark}.",
                        run=run.id,
                        benchmark=registry.load(run.plan.benchmark).title,
                    ),
                    hint=_("Choose a model that answers now."),
                )
            self._loaded = run
            self._verdicts = opened.verdicts(run_id)
            self._blocks = blocks_of(opened, self._loaded)
        self.phase, self.run_id, self.layers = RunPhase.LOADED, run_id, {}
        self.model_name, self.demo = self._loaded.plan.model, self._loaded.plan.demo
        self.asked_as = conditions(run.plan, run.read_by)
        self._evaluation, self._repeated = None, {}
        self.sum_up()

    async def start(
        self,
        model: Model,
        store: Path,
        form: Form,
        changed: Callable[[], None],
        *,
        restart: bool = False,
        of_servers: int = 1,
    ) -> None:
        """Begin the run, or go on with it, and ask until the end; `changed` after every step.

        `restart` begins another run even where one with the same plan is recorded. A server is
        asked `of_servers` questions at once where no number is chosen. Each order of the options is
        a run of its own; the answers are those of the first.
        """
        choices = self.options.usable(model)
        at_once = choices.at_once or usual_concurrency(model, of_servers)
        form = choices.form or form
        self._task, self._evaluation = asyncio.current_task(), None
        self._ended.clear()
        self.phase, self.error, self._repeated = RunPhase.GOING, "", {}
        self.model_name, self.demo = model.info.name, model.info.demo
        resumed_source = self.resumed[1] if self.resumed is not None else None
        self.answers = RunAnswers(self.benchmark, resumed_source)
        if restart or model is not self.model:
            # What is shown is of another run.
            self.summary, self._loaded, self._next_summary = None, None, 0.0
        self.model, self.form = model, form
        self.layers, self.asked_as = {}, ""
        changed()
        try:
            sources = await self._sources(choices)
            self.orders, self.finished_earlier = len(sources), True
            ended: list[tuple[Evaluation, dict[str, Progress]]] = []
            for self.order, source in enumerate(sources):
                plan = await self._plan(model, source, choices)
                run = self.resumed[0] if self.resumed is not None else None
                self.answers.asked_as = self.answers.asked_as or conditions(plan)
                with Store(store) as opened:
                    evaluation = Evaluation(
                        opened,
                        plan,
                        model,
                        source,
                        restart=restart,
                        prior=run is not None and run.prior,
                        resumed=run.id if run is not None else "",
                        concurrency=at_once,
                    )
                    self._evaluation, self.run_id = evaluation, evaluation.run.id
                    if not self.order:
                        self.asked_as = conditions(plan, evaluation.run.read_by)
                    self.finished_earlier &= evaluation.run.state is RunState.DONE
                    await self._follow(evaluation, changed)
                    if not self.order:
                        self.asked_as = conditions(plan, opened.run(self.run_id).read_by)
                await self._sum_up_apart(evaluation)
                done = evaluation.run.state is RunState.DONE
                if not self.order:
                    self.answers.whole = done
                if not done:
                    break
                ended.append((evaluation, self.layers))
                at_once = evaluation.concurrency
                # Whoever cancels now cancels what follows.
                self._evaluation = None
            if len(ended) == len(sources):
                (self._evaluation, self.layers), *others = ended
                self.run_id = self._evaluation.run.id
                if others:
                    await self._spread_over_orders(store, [each.run.id for each, _layers in ended])
            self.phase = RunPhase.DONE if len(ended) == len(sources) else RunPhase.STOPPED
        except CommonsenseError as error:
            self.fail(error)
        finally:
            self._task = None
            self._ended.set()
            if self.phase in {RunPhase.GOING, RunPhase.PAUSED}:
                self.phase = RunPhase.STOPPED
            changed()

    async def _sources(self, choices: Choices) -> list[QuestionSource]:
        """The questions in each order of the options; of a run that goes on, its own."""
        if self.resumed is not None:
            return [self.resumed[1]]
        repeats = AskedRepeats(choices.orders)
        # Reading a large file takes a while, and the screen must stay alive.
        return await asyncio.to_thread(repeats.sources, self.benchmark, self.collection, None, None)

    async def _plan(self, model: Model, source: QuestionSource, choices: Choices) -> Plan:
        """What identifies the run over these questions."""
        if self.resumed is not None:
            plan = self.resumed[0].plan
            # Another one may have been loaded since the run went on.
            check_model(plan, model)
            if plan.likelihoods:
                await prepared(model, plan.form, Scoring.LOGLIKELIHOOD)
            return plan
        # A server has to prove first that it scores options, and then takes plain text.
        self.form, scoring = await prepared(model, choices.form, choices.scoring)
        return await asyncio.to_thread(
            plan_for,
            model,
            source,
            self.path,
            form=self.form,
            shots=choices.shots,
            scoring=scoring,
            chosen=self.options.items.chosen(choices),
        )

    async def _follow(self, evaluation: Evaluation, changed: Callable[[], None]) -> None:
        """Ask until the end of a run, and keep what there is to show of it."""
        self.layers = {}
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                # Marks and ladders show options in the benchmark's own order.
                if not self.order:
                    new = () if progress.verdict is None else (progress.verdict,)
                    for verdict in new if self.layers else evaluation.answered:
                        self.answers.add(verdict)
                self.layers[progress.layer.id] = progress
                paused = progress.state is RunState.PAUSED
                self.phase = RunPhase.PAUSED if paused else RunPhase.GOING
                await self._sum_up_sometimes(evaluation, at_once=paused)
                changed()

    async def _spread_over_orders(self, store: Path, ids: Sequence[str]) -> None:
        """Compute the figures of the first of several runs with their spread over all."""

        def summaries() -> dict[str, Summary]:
            with Store(store, create=False) as opened:
                first = opened.run(ids[0])
                return {
                    profile: with_repeats(
                        summarise(opened, first, profile),
                        repeated_figures(opened, first, profile, ids),
                    )
                    for profile in self.benchmark.profiles
                }

        self._repeated = await asyncio.to_thread(summaries)
        self.summary = self._repeated[self.profile]

    def fail(self, error: CommonsenseError) -> None:
        """Show an error in the place of what goes on, with the figures so far."""
        self.phase, self.error = RunPhase.FAILED, str(error)
        self.lost = isinstance(error, LostStoreError)
        self.sum_up()

    def pause_or_resume(self) -> bool:
        """Pause a run that is going or go on with a paused one; False where there is none."""
        if self._evaluation is None or self._task is None:
            return False
        if self._evaluation.paused:
            self._evaluation.resume()
            self.phase = RunPhase.GOING
        else:
            self._evaluation.pause()
            self.phase = RunPhase.PAUSED
        return True

    @property
    def pace(self) -> Pace | None:
        """How a server fares that is being asked; None where none is."""
        current = list(self.layers.values())[-1:]
        return current[0].pace if current and self.busy else None

    @property
    def at_once(self) -> int:
        """Most questions that are asked at once."""
        return self._evaluation.concurrency if self._evaluation is not None else 1

    def change_at_once(self, factor: float) -> bool:
        """Ask more or fewer questions at once; False where no server is being asked."""
        if self._evaluation is None or self.pace is None:
            return False
        wanted = round(self._evaluation.concurrency * factor)
        self._evaluation.concurrency = min(MOST_AT_ONCE, max(1, wanted))
        return True

    async def cancel(self) -> None:
        """Stop, and return when it has stopped; what was answered is kept."""
        if self._task is None:
            return
        if self._evaluation is not None:
            self._evaluation.cancel()
        else:
            self._task.cancel()
        await self._ended.wait()

    def next_profile(self) -> None:
        """Show the figures under the next scoring profile."""
        self._profile = (self._profile + 1) % len(self.benchmark.profiles)

    def sum_up(self) -> None:
        """Figures of what is recorded, under the present profile."""
        if self.profile in self._repeated:
            self.summary = self._repeated[self.profile]
        elif self._evaluation is not None:
            self.summary = self._evaluation.summary(self.profile)
        elif self._loaded is not None:
            self.summary = summary_of(self._loaded, self._verdicts, self.profile, self._blocks)

    async def _sum_up_sometimes(self, evaluation: Evaluation, *, at_once: bool) -> None:
        """New figures, `at_once` or where the last ones are old enough for what they cost."""
        started = time.monotonic()
        if started < self._next_summary and not at_once:
            return
        await self._sum_up_apart(evaluation)
        ended = time.monotonic()
        self._next_summary = ended + max(_SUMMARY_SECONDS, _SUMMARY_SHARE * (ended - started))

    async def _sum_up_apart(self, evaluation: Evaluation) -> None:
        """Compute the figures in a thread, and again if the profile changes meanwhile."""
        profile = None
        while profile != self.profile:
            profile = self.profile
            self.summary = await asyncio.to_thread(evaluation.summary, profile)
