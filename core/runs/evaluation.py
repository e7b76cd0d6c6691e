"""Asks a model about a whole collection, one layer after the other, and records every verdict.

The questions of a layer may be asked at once, as many as the evaluation's `concurrency`.
A layer is finished before the next begins, because a gated layer is asked only about the items
that were right in the layer before, and its worked examples are drawn from these. No answer is
recorded twice, so a run that was stopped, by a person or by `kill -9`, ends with the same verdicts
as one that was not. With `batch`, the questions of an unfinished group are asked again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from core.contract.question import Verdict
from core.contract.summary import Summary
from core.contract.task_layer import TaskLayer
from core.models.protocol import Model, Remote, Threaded, Traffic
from core.runs.blocks import BlockTable, block_table
from core.runs.given_answers import ScoredAnswer, UnscoredAnswer, ask_group, too_long_error
from core.runs.notes_on_items import notes_on_items
from core.runs.option_order import as_shown, own_order_of
from core.runs.pending import PendingGroup, PendingQuestions, pending_questions
from core.runs.priors import PriorAsker, answered_questions, check_prior
from core.runs.questions import QuestionSource
from core.runs.reader_rules import read_by_present_rules
from core.runs.records import Plan, RecordedBlocks, Run, RunState, verdict_key
from core.runs.shards import Shard, missing_questions
from core.runs.store import Store
from core.runs.summaries import summary_of
from core.runs.under_way import Pace, UnderWay
from core.text.errors import LongPromptError

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_TICK_SECONDS = 1.0
"""Longest time between two reports of a run that asks several questions at once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is in its present layer."""

    run: str
    state: RunState
    layer: TaskLayer
    done: int
    """Questions of this layer with a verdict, including those recorded earlier."""
    total: int
    """Questions of this layer."""
    right: int
    verdict: Verdict | None = None
    """The verdict just recorded; None when a layer begins, the run changes state or, where there is
    a pace, a second has passed."""
    seconds_left: float | None = None
    """Estimated time until this layer is finished; None while it is not known."""
    scored: int = 0
    """Answers of this layer that are right or wrong: with a known gold, and not free text."""
    pace: Pace | None = None
    """Of a run that asks a server, or several questions at once; None for any other."""


_SCORED_TOGETHER = 16
"""Most answers that are scored and recorded before the next ones are taken."""


class _StoppedError(Exception):
    """A person cancelled the run."""


class Evaluation:
    """A run in progress. `steps` asks; the other methods may be called while it does."""

    def __init__(
        self,
        store: Store,
        plan: Plan,
        model: Model,
        source: QuestionSource,
        *,
        restart: bool = False,
        prior: bool = False,
        resumed: str = "",
        concurrency: int = 1,
        shard: Shard | None = None,
        elsewhere: Mapping[tuple[str, str], bool | None] | None = None,
    ) -> None:
        """Begin the run that `plan` describes, or go on with it if it was begun before.

        The plan is that of `plan_for` with the same model and source. `restart` begins another run
        in any case; the earlier one is kept. With `prior` the priors of options are asked after
        each layer, for earlier answers too; raises `ModelError` where they cannot be. `resumed` is
        the id of the run to go on with, where several have this plan; the latest otherwise.

        With a `shard` only its items are asked about, and no gated layer before all answers of the
        layer before are known; `elsewhere` is what is answered in another store, as
        `Store.answered` returns it, and not asked again.
        """
        if prior:
            check_prior(model, plan.scoring)
        self._prior_asker = PriorAsker(model, plan.form) if prior else None
        self.concurrency = concurrency
        """Most questions that are asked at once; it may be changed while the run goes on."""
        self.waiting: TaskLayer | None = None
        """The first layer that was not asked, because answers of other shards are not known."""
        self._shard = shard
        self._elsewhere = dict(elsewhere or {})
        self._store = store
        self._model = model
        self._source = source
        self._verdicts: dict[int, Verdict] = {}
        self._blocks: dict[int, RecordedBlocks] = {}
        if resumed and not restart:
            self.run: Run = store.run(resumed)
        else:
            self.run = store.start(
                plan,
                quantisation=model.info.quantisation,
                notes=notes_on_items(source.collection),
                restart=restart,
            )
        self.run = read_by_present_rules(store, self.run)
        if prior:
            store.mark_prior(self.run.id)
            self.run = replace(self.run, prior=True)
        self._may_go = asyncio.Event()
        self._may_go.set()
        self._cancelled = False
        self._awaited: asyncio.Task[Any] | None = None
        self._under_way: UnderWay[UnscoredAnswer] = UnderWay()
        self._traffic = model.traffic if isinstance(model, Remote) else None
        self._tokens = 0
        self._too_long: list[LongPromptError] = []
        """Of requests that are left for another model, since they are longer than the context."""

    @property
    def paused(self) -> bool:
        """Whether it waits for `resume`."""
        return not self._may_go.is_set()

    def pause(self) -> None:
        """Wait before the next question; those under way are finished."""
        self._may_go.clear()

    def resume(self) -> None:
        """Continue after `pause`."""
        self._may_go.set()

    def cancel(self) -> None:
        """Stop now and keep what was answered. Requests of others are not touched."""
        self._cancelled = True
        self._may_go.set()
        if self._awaited is not None:
            self._awaited.cancel()
        self._under_way.cancel()

    @property
    def answered(self) -> Iterable[Verdict]:
        """The verdicts so far, including those recorded earlier, in no order."""
        return self._verdicts.values()

    def summary(self, profile: str = "") -> Summary:
        """The figures so far; raises `NotFoundError` for an unknown profile.

        They are computed from memory, so also in another thread or after the store was closed.
        """
        verdicts = [self._verdicts[seq] for seq in sorted(self._verdicts)]
        return summary_of(self.run, verdicts, profile, self.block_table())

    def block_table(self) -> BlockTable | None:
        """At which blocks the answers so far settle; None for a run that reads none."""
        read = ((self._verdicts[seq], self._blocks.get(seq)) for seq in sorted(self._verdicts))
        return block_table(self.run.plan.blocks, read) if self.run.plan.blocks else None

    async def steps(self) -> AsyncGenerator[Progress, None]:
        """Ask what is not recorded yet, and report progress after every verdict.

        Close the generator before the store. Raises `ModelError` when the model stops answering,
        `LongPromptError` at the end where questions are longer than its context, `RunError` when
        another program records this run, and `DataError` when the collection is not what it was;
        what was answered before is kept and the run can go on.
        """
        run_id = self.run.id
        with self._store.hold(run_id):
            state = RunState.PAUSED
            self._too_long.clear()
            self._set_state(RunState.RUNNING)
            try:
                if isinstance(self._model, Threaded):
                    await self._unless_cancelled(self._model.choose_threads())
                if engine := self._model.info.computed_by:
                    self._store.mark_computed_by(run_id, engine)
                recorded = self._in_thread(_recorded, self._store.path, run_id)
                self._verdicts, self._blocks = await recorded
                for number, layer in self._source.layers:
                    if self._shard and layer.gated and await self._in_thread(self._waits, layer):
                        self.waiting = self.waiting or layer
                        continue
                    async with aclosing(self._layer(number, layer)) as steps:
                        async for progress in steps:
                            yield progress
                    if self._prior_asker is not None:
                        await self._ask_priors(number, layer, self._prior_asker)
                if self._too_long:
                    raise too_long_error(self._too_long)
                if self._shard is None or not await self._in_thread(self._lacks_answers):
                    state = RunState.DONE
            except _StoppedError:
                state = RunState.CANCELLED
            finally:
                self._set_state(state)
                self.run = self._store.run(run_id)

    async def _layer(self, number: int, layer: TaskLayer) -> AsyncGenerator[Progress, None]:
        pending = await self._in_thread(self._pending, layer)
        done, right, scored = pending.done, pending.right, pending.scored
        left, under_way, unscored = deque(pending.groups), self._under_way, deque[UnscoredAnswer]()
        under_way.restart_clock()

        def progress(verdict: Verdict | None = None) -> Progress:
            per_second = under_way.per_second
            return Progress(
                run=self.run.id,
                state=RunState.PAUSED if self.paused else RunState.RUNNING,
                layer=layer,
                done=done,
                total=pending.total,
                right=right,
                verdict=verdict,
                seconds_left=(pending.total - done) / per_second if per_second else None,
                scored=scored,
                pace=self._pace(len(left)),
            )

        def ask_more() -> None:
            while left and not self.paused and len(under_way) < self.concurrency:
                under_way.start(self._ask(number, layer, left.popleft()))

        yield progress()
        try:
            while left or under_way or unscored:
                if self._cancelled:
                    raise _StoppedError
                ask_more()
                if not (under_way or unscored):
                    self._set_state(RunState.PAUSED)
                    yield progress()
                    await self._may_go.wait()
                    under_way.restart_clock()
                    self._set_state(RunState.RUNNING)
                    continue
                try:
                    if not unscored:
                        answered = await under_way.next(_TICK_SECONDS if self._pace() else None)
                        if answered is None:
                            yield progress()
                            continue
                        unscored.extend(answered)
                except asyncio.CancelledError:
                    self._raise_stopped()
                    raise
                # The model is at the next questions while these answers are scored and recorded.
                unscored.extend(under_way.ready())
                ask_more()
                await asyncio.sleep(0)
                some = [unscored.popleft() for _ in range(min(_SCORED_TOGETHER, len(unscored)))]
                for verdict in self._score(some):
                    done += 1
                    right += verdict.right is True
                    scored += verdict.right is not None
                    yield progress(verdict)
        finally:
            self._score([*unscored, *await under_way.stop()])

    async def _ask(
        self, number: int, layer: TaskLayer, group: PendingGroup
    ) -> list[UnscoredAnswer]:
        """Ask a group of questions; none where one of them is longer than the model's context."""
        try:
            return await ask_group(self._model, self.run.plan, self._source, number, layer, group)
        except LongPromptError as error:
            self._too_long.append(error)
            return []

    def _pace(self, left: int = 0) -> Pace | None:
        """How the questions under way fare, with those of the `left` ones that begin at once."""
        if self._traffic is None and self.concurrency == 1:
            return None
        room = 0 if self.paused else max(0, self.concurrency - len(self._under_way))
        return self._under_way.pace(self._traffic or Traffic(), self._tokens, min(left, room))

    async def _ask_priors(self, number: int, layer: TaskLayer, asker: PriorAsker) -> None:
        """Ask for the priors that the answers of a layer lack, and record them."""
        first = number * len(self._source.collection)
        answered = await self._in_thread(
            answered_questions, self._source, layer, first, dict(self._verdicts)
        )
        for seq, question in answered:
            if priors := self._verdicts[seq].priors:
                asker.remember(question, as_shown(priors, question.order))
        for seq, question in answered:
            if not self._verdicts[seq].priors:
                await self._may_go.wait()
                shown = await self._unless_cancelled(asker.priors(question))
                priors = own_order_of(shown, question.order)
                self._store.set_priors(self.run.id, seq, priors)
                self._verdicts[seq] = self._verdicts[seq]._replace(priors=priors)

    def _pending(self, layer: TaskLayer) -> PendingQuestions:
        answered = self._elsewhere | self._answered()
        return pending_questions(
            self.run.plan, self._source, self._model, layer, answered, self._shard
        )

    def _answered(self) -> dict[tuple[str, str], bool | None]:
        """Whether the recorded answers are right, by layer and item."""
        return {verdict_key(verdict): verdict.right for verdict in self._verdicts.values()}

    def _waits(self, layer: TaskLayer) -> bool:
        """Whether what a gated layer asks depends on answers of other shards."""
        return self._missing(self._elsewhere | self._answered())[layer.id] is None

    def _lacks_answers(self) -> bool:
        """Whether this run of a shard holds less than the whole run would."""
        return any(n != 0 for n in self._missing(self._answered()).values())

    def _missing(self, answered: Mapping[tuple[str, str], bool | None]) -> dict[str, int | None]:
        return missing_questions(self._source, answered, self.run.plan.chosen)

    def _score(self, given: Iterable[UnscoredAnswer]) -> list[Verdict]:
        """Score answers and record them; returns their verdicts."""
        benchmark, plan = self._source.benchmark, self.run.plan
        answers = [each.scored(benchmark, plan, self._model) for each in given]
        self._record(answers)
        return [each.verdict for each in answers]

    def _record(self, answers: Sequence[ScoredAnswer]) -> None:
        """Record answers that came together, all or none of them, in one transaction."""
        with self._store.transaction() if len(answers) > 1 else nullcontext():
            for each in answers:
                self._store.record(
                    self.run.id,
                    each.seq,
                    each.verdict,
                    each.prompt_hash,
                    each.seconds,
                    each.blocks,
                    each.batch,
                )
        for each in answers:
            # A summary in another thread must not see the verdict without its blocks.
            if each.blocks is not None:
                self._blocks[each.seq] = each.blocks
            self._verdicts[each.seq] = each.verdict
            self._tokens += each.verdict.output_tokens

    async def _in_thread(
        self, work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs
    ) -> _Result:
        """The result of `work` in a thread; raises `_StoppedError` where `cancel` is called."""
        return await self._unless_cancelled(asyncio.to_thread(work, *given, **named))

    async def _unless_cancelled(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """The result of `work` in a task that `cancel` can end, which raises `_StoppedError`."""
        awaited = asyncio.create_task(work)
        self._awaited = awaited
        if self._cancelled:
            awaited.cancel()
        try:
            return await awaited
        except asyncio.CancelledError:
            self._raise_stopped()
            raise
        finally:
            self._awaited = None

    def _raise_stopped(self) -> None:
        """Raise `_StoppedError` if a task was cancelled because a person cancelled the run."""
        ours = asyncio.current_task()
        # If the task that runs the steps is cancelled itself, it must end as cancelled.
        if self._cancelled and not (ours is not None and ours.cancelling()):
            raise _StoppedError from None

    def _set_state(self, state: RunState) -> None:
        self._store.set_state(self.run.id, state)
        self.run = replace(self.run, state=state)


def _recorded(store: Path, run_id: str) -> tuple[dict[int, Verdict], dict[int, RecordedBlocks]]:
    """A run's verdicts and what its blocks said, read over a connection of this thread."""
    with Store(store, create=False) as opened:
        verdicts = opened.placed(run_id)
        return verdicts, opened.blocks(opened.run(run_id), verdicts)
