"""Computes a trace for the screen: its contrast prompt, its cells, and a patch.

No widget is touched here: the pane starts the work, is called back on changes, and draws.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from enum import StrEnum

from core.blocks.alignment import PromptPair
from core.blocks.contrast_prompts import contrast_prompts
from core.blocks.references import control_question, control_questions, reference_questions
from core.blocks.spans import SpanKind
from core.blocks.trace import TRACED, Direction, TraceTable
from core.blocks.trace_cells import fill
from core.contract.question import Answer, Prompt, Question
from core.contract.rungs import PatchedAnswer
from core.layout.heatmap import Cell
from core.models.blocks import Action, BlockAccess, BlockNeeds, Edit, Part, TraceBase, margin
from core.models.inspectable import readable
from core.text.errors import CommonsenseError, SettingError
from core.text.language import N_, _
from tui.blocks.block_pane import Subject

REPLACEMENTS = {
    Action.COPY: N_("the contrast prompt's"),
    Action.ZERO: N_("zero"),
    Action.MEAN: N_("the mean over prompts of other items"),
    Action.RESAMPLE: N_("another item's"),
}
"""What a patch may put in a cell's place, in this order."""
_FROM_OTHERS = (Action.MEAN, Action.RESAMPLE)


class Stage(StrEnum):
    """How far a trace is."""

    READY = "ready"
    """Nothing was asked of the model yet."""
    WAITING = "waiting"
    """The model is answering other questions."""
    FINDING = "finding"
    """Looking for a contrast prompt."""
    TRACING = "tracing"
    STOPPED = "stopped"
    DONE = "done"
    EMPTY = "empty"
    """There is no contrast prompt."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Applied:
    """A patch of this prompt's run: a span at a block, with something else in its place."""

    span: int
    block: int
    answer: PatchedAnswer
    margins: tuple[float, float] | None
    """Without and with the patch; None where no two options are compared."""


class Tracing:
    """The trace of one subject against one contrast prompt."""

    def __init__(self, subject: Subject, direction: Direction = Direction.DENOISING) -> None:
        self.subject = subject
        self.direction = direction
        self.part = Part.RESIDUAL
        """The part of a block that is copied."""
        self.replaced_by = Action.COPY
        """What a patch puts in a cell's place; `Action.COPY` is the contrast run's."""
        self.stage = Stage.READY
        self.error = ""
        """What went wrong, where, and what to do."""
        self.needs: BlockNeeds | None = None
        """The memory that reading takes; None before that is known."""
        self.access: BlockAccess | None = None
        self.pair: PromptPair | None = None
        """The two prompts; None before a contrast prompt is found."""
        self.table: TraceTable | None = None
        self.latest: Cell | None = None
        """The cell that was computed last."""
        self.tokens = 0
        """Number of tokens of the prompt."""
        self.applied: Applied | None = None
        self._aligner = subject.aligner

    @property
    def busy(self) -> bool:
        """Whether the trace is waiting or being computed."""
        return self.stage in (Stage.READY, Stage.WAITING, Stage.FINDING, Stage.TRACING)

    @property
    def cells(self) -> int:
        """Number of cells to compute."""
        table = self.table
        return 0 if table is None else len(table.rows.traced) * table.blocks

    @property
    def first(self) -> int:
        """The first span that says something else in the contrast prompt, if it can be compared."""
        return next(iter(self.table.pairing.differing), 0) if self.table is not None else 0

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that can be copied in this model."""
        access = self.access
        return tuple(part for part in TRACED if access is None or part in access.parts)

    async def work(
        self,
        changed: Callable[[], None],
        *,
        like: PromptPair | None = None,
        own: TraceBase | None = None,
    ) -> None:
        """Find a contrast prompt unless there is one, and compute the cells that are not known yet.

        The prompts are those of `like`, if that is given; `own` are their two runs, which a random
        control is measured by. `changed` is called after every change.
        Failures are kept in `error`; when the caller is cancelled, the trace is stopped and keeps
        its cells.
        """
        try:
            await self._work(changed, like, own)
        except asyncio.CancelledError:
            self.stage = Stage.STOPPED
            raise
        except SettingError as error:
            self.stage, self.error = Stage.EMPTY, error.what
        except CommonsenseError as error:
            self.fail(error)
        finally:
            changed()

    def fail(self, error: CommonsenseError) -> None:
        """End the trace with an error."""
        self.stage = Stage.FAILED
        self.error = "\n".join(part for part in (error.what, error.where, error.hint) if part)

    async def _work(
        self, changed: Callable[[], None], like: PromptPair | None, own: TraceBase | None
    ) -> None:
        subject = self.subject
        self.stage, self.error = Stage.FINDING, ""
        changed()
        if self.access is None:
            self.needs = await subject.blocks.needs()
            changed()
            _blocks, self.access = await readable(subject.model)
        if self.pair is None:
            self.pair = await (subject.best_pair() if like is None else self._like(like))
        table = self._begin(self.pair, own)
        prompt = subject.prompt_of(table.question)
        options = table.question.continuations()
        self.tokens = len(await subject.blocks.tokens(prompt, options))
        self.stage = Stage.TRACING
        changed()
        if table.pairing.traced:
            source, target = prompt, subject.prompt_of(table.contrast.question)
            if self.direction is Direction.NOISING:
                source, target = target, source
            elif self.direction is Direction.CONTROL:
                source = subject.prompt_of(await self._control(table.question))
            async with aclosing(fill(table, subject.blocks, source, target)) as places:
                async for place in places:
                    self.latest = place or self.latest
                    changed()
        self.stage = Stage.DONE

    async def _control(self, question: Question) -> Question:
        """The contrast prompt of another item; see `control_question`."""
        subject = self.subject
        questions = await asyncio.to_thread(
            lambda: tuple(
                control_questions(subject.benchmark, subject.collection, subject.item, question)
            )
        )
        return await control_question(self._aligner, questions, self.tokens)

    async def _like(self, other: PromptPair) -> PromptPair:
        """The same two prompts, as this model splits them into tokens."""
        question = other.question
        aligner = replace(self._aligner, setting=question.setting, question=question)
        return replace(other, pairing=await aligner.paired_with(other.contrast))

    def _begin(self, pair: PromptPair, own: TraceBase | None) -> TraceTable:
        if self.table is None:
            assert self.access is not None
            self.table = TraceTable(
                pair.question,
                pair.contrast,
                pair.pairing,
                self.access.blocks,
                self.part,
                direction=self.direction,
                own=() if own is None else own.prompt,
            )
        return self.table

    def choose(self, pair: PromptPair) -> None:
        """Choose another contrast prompt; the trace starts again."""
        self.pair, self.table, self.applied, self.latest = pair, None, None, None
        self.stage = Stage.READY

    def next_part(self) -> None:
        """Choose the next part of a block; the trace starts again."""
        parts = self.parts
        at = parts.index(self.part) if self.part in parts else -1
        self.part = parts[(at + 1) % len(parts)] if parts else self.part
        self.table = self.applied = self.latest = None
        self.stage = Stage.READY

    async def _references(self, question: Question) -> tuple[Prompt, ...]:
        """The prompts of other items; many items may have to be read for them."""
        subject = self.subject
        questions = await asyncio.to_thread(
            reference_questions, subject.benchmark, subject.collection, subject.item, question
        )
        return tuple(map(subject.prompt_of, questions))

    def next_replacement(self) -> None:
        """Choose what the next patch puts in a cell's place."""
        actions = list(REPLACEMENTS)
        self.replaced_by = actions[(actions.index(self.replaced_by) + 1) % len(actions)]

    async def pairs(self) -> list[PromptPair]:
        """The pairs that a person may choose from; raises `ModelError`."""
        subject, question = self.subject, self.subject.question
        pairs = [
            PromptPair(question, contrast, await self._aligner.paired_with(contrast))
            for contrast in contrast_prompts(
                subject.benchmark, subject.item, subject.setting, question
            )
        ]
        # Pairs in which nothing can be compared come last, so that nobody looks for them in vain.
        pairs.sort(key=lambda pair: not pair.pairing.differing)
        present = self.pair
        return pairs if present is None or present in pairs else [present, *pairs]

    async def patch(self, span: int, block: int) -> None:
        """Put something else in the place of a span at a block of this prompt's run.

        What that is, `replaced_by` says. Raises `ModelError`, and `SettingError` where nothing can
        be copied, and where no other item is asked the same.
        """
        subject, table, pair, action = self.subject, self.table, self.pair, self.replaced_by
        if table is None or pair is None:
            return
        rows = table.rows
        here, contrast = rows.spans[span].tokens, rows.contrast[span]
        if rows.spans[span].kind is SpanKind.BEGINNING:
            raise SettingError(
                _("What the two options begin with is no part of the prompt that the ladder asks."),
                hint=_("Choose a span of the prompt."),
            )
        if here is None:
            raise SettingError(_("Span {span} has no tokens of its own.", span=span))
        if contrast is None and action is Action.COPY:
            raise SettingError(
                _(
                    "Span {span} is not comparable with the contrast prompt, so nothing can be "
                    "copied there.",
                    span=span,
                ),
                hint=_("Choose a span that has figures, or another contrast prompt."),
            )
        question = table.question
        shift = rows.shift(span) if action is Action.COPY else 0
        result = await subject.blocks.patch(
            subject.prompt_of(question),
            question.continuations(),
            [Edit(action, self.part, block, *here, shift=shift)],
            subject.prompt_of(table.contrast.question) if action is Action.COPY else None,
            await self._references(question) if action in _FROM_OTHERS else (),
        )
        place = _("span {span} at block {block}", span=span, block=block)
        if self.part is not Part.RESIDUAL:
            place = _(
                "{part} of span {span} at block {block}",
                part=_(self.part),
                span=span,
                block=block,
            )
        change = _("{place} is {what}", place=place, what=_(REPLACEMENTS[action]))
        if pair.changed:
            change = _("with {changed}: {copied}", changed=pair.changed, copied=change)
        patched, plain = (
            subject.benchmark.score(question, Answer(scores))
            for scores in (result.patched, result.plain)
        )
        margins = None
        if table.options is not None:
            margins = margin(result.plain, *table.options), margin(result.patched, *table.options)
        self.applied = Applied(span, block, PatchedAnswer(patched, plain, change), margins)
