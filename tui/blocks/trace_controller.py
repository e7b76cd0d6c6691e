"""A trace as it is made on screen: its contrast prompt, its cells, and a patch tried out.

No widget is touched here: a pane has it worked at, hears of changes, and draws.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from enum import StrEnum

from core.blocks.access import readable
from core.blocks.alignment import PromptPair
from core.blocks.contrast_prompts import contrast_prompts
from core.blocks.replacements import replacement_sentences
from core.blocks.trace import TraceTable
from core.contract.question import Answer
from core.contract.rungs import PatchedAnswer
from core.layout.heatmap import Cell
from core.models.blocks import Action, BlockAccess, BlockNeeds, Edit, Part, TraceCell, margin
from core.text.errors import CommonsenseError, SettingError
from core.text.language import _
from tui.blocks.block_pane import Subject

TRACED = (Part.RESIDUAL, Part.ATTENTION, Part.FEED_FORWARD)
"""What can be copied from one run into another, in this order."""


class Stage(StrEnum):
    """How far a trace is."""

    READY = "ready"
    """Nothing was asked of the model yet."""
    WAITING = "waiting"
    """The model is doing something else."""
    FINDING = "finding"
    """A contrast prompt is looked for."""
    TRACING = "tracing"
    STOPPED = "stopped"
    DONE = "done"
    EMPTY = "empty"
    """There is no contrast prompt."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Applied:
    """A patch of this prompt's run: a span of a block as it is in the contrast prompt's."""

    span: int
    block: int
    answer: PatchedAnswer
    margins: tuple[float, float] | None
    """Without and with it; None where no two options are compared."""


class Tracing:
    """The trace of one subject against one contrast prompt."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.part = Part.RESIDUAL
        """What is copied."""
        self.stage = Stage.READY
        self.error = ""
        """What went wrong, where, and what to do."""
        self.needs: BlockNeeds | None = None
        """What memory it takes; None before that is known."""
        self.access: BlockAccess | None = None
        self.pair: PromptPair | None = None
        """The contrast prompt that is compared with."""
        self.table: TraceTable | None = None
        self.latest: Cell | None = None
        """The cell that came in last."""
        self.tokens = 0
        """How many the prompt has."""
        self.applied: Applied | None = None
        self._aligner = subject.aligner

    @property
    def busy(self) -> bool:
        """Whether it is being worked at."""
        return self.stage in (Stage.READY, Stage.WAITING, Stage.FINDING, Stage.TRACING)

    @property
    def cells(self) -> int:
        """How many cells there are to be known."""
        table = self.table
        return 0 if table is None else len(table.pairing.ranges) * table.blocks

    @property
    def first(self) -> int:
        """The first span that says something else in the contrast prompt, if it can be compared."""
        table = self.table
        pairs = (
            [] if table is None else zip(table.pairing.spans, table.pairing.contrast, strict=True)
        )
        differing = (
            place
            for place, (one, other) in enumerate(pairs)
            if other is not None and one.text != other.text
        )
        return next(differing, 0)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What can be copied in this model."""
        access = self.access
        return tuple(one for one in TRACED if access is None or one in access.parts)

    async def work(self, changed: Callable[[], None], *, like: PromptPair | None = None) -> None:
        """Find a contrast prompt unless there is one, and fill the cells that are not known yet.

        The prompts are those of `like`, where that is given. `changed` hears of everything new.
        What goes wrong is kept in `error`; a caller that is cancelled leaves the trace stopped,
        with what came.
        """
        try:
            await self._work(changed, like)
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
        """Keep what went wrong."""
        self.stage = Stage.FAILED
        self.error = "\n".join(part for part in (error.what, error.where, error.hint) if part)

    async def _work(self, changed: Callable[[], None], like: PromptPair | None) -> None:
        subject = self.subject
        self.stage, self.error = Stage.FINDING, ""
        changed()
        if self.access is None:
            self.needs = await subject.blocks.needs()
            changed()
            _blocks, self.access = await readable(subject.model)
        if self.pair is None:
            self.pair = await (self._best() if like is None else self._like(like))
        table = self._begin(self.pair)
        prompt = subject.prompt_of(table.question)
        options = table.question.continuations()
        self.tokens = len(await subject.blocks.tokens(prompt, options))
        self.stage = Stage.TRACING
        changed()
        if table.pairing.ranges:
            found = subject.blocks.trace(
                prompt,
                subject.prompt_of(table.contrast.question),
                table.question.continuations(),
                table.pairing.ranges,
                self.part,
            )
            async with aclosing(found) as cells:
                async for cell in cells:
                    table.add(cell)
                    if isinstance(cell, TraceCell):
                        self.latest = table.pairing.traced[cell.span], cell.block
                    changed()
        self.stage = Stage.DONE

    async def _best(self) -> PromptPair:
        """What a trace compares unless a person chooses; see `Aligner.choose_contrast`."""
        subject = self.subject
        known: Sequence[str] = ()
        if self._aligner.retyped:
            # Hundreds of items may have to be read for them.
            known = await asyncio.to_thread(
                lambda: tuple(replacement_sentences(subject.benchmark, subject.collection))
            )
        return await self._aligner.choose_contrast(known)

    async def _like(self, other: PromptPair) -> PromptPair:
        """The same two prompts, as this model splits them into tokens."""
        question = other.question
        aligner = replace(self._aligner, setting=question.setting, question=question)
        return replace(other, pairing=await aligner.paired_with(other.contrast))

    def _begin(self, pair: PromptPair) -> TraceTable:
        if self.table is None:
            assert self.access is not None
            self.table = TraceTable(pair.question, pair.contrast, pair.pairing, self.access.blocks)
        return self.table

    def choose(self, pair: PromptPair) -> None:
        """Compare with another contrast prompt from now on."""
        self.pair, self.table, self.applied, self.latest = pair, None, None, None
        self.stage = Stage.READY

    def next_part(self) -> None:
        """Copy another part from now on."""
        parts = self.parts
        at = parts.index(self.part) if self.part in parts else -1
        self.part = parts[(at + 1) % len(parts)] if parts else self.part
        self.table = self.applied = self.latest = None
        self.stage = Stage.READY

    async def pairs(self) -> list[PromptPair]:
        """The contrast prompts that may be chosen, with what of them can be compared; raises
        `ModelError`."""
        subject = self.subject
        found = contrast_prompts(subject.benchmark, subject.item, subject.setting, subject.question)
        question = subject.question
        pairs = [
            PromptPair(question, contrast, await self._aligner.paired_with(contrast))
            for contrast in found
        ]
        # Those of which nothing can be compared are named, so that nobody looks for them, but last.
        pairs.sort(key=lambda one: not one.pairing.differing)
        present = self.pair
        return pairs if present is None or present in pairs else [present, *pairs]

    async def patch(self, span: int, block: int) -> None:
        """Take a span of a block from the contrast run into this prompt's.

        Raises `ModelError`, and `SettingError` where nothing can be copied.
        """
        subject, table, pair = self.subject, self.table, self.pair
        if table is None or pair is None:
            return
        here, contrast = table.pairing.spans[span].tokens, table.pairing.contrast[span]
        if here is None or contrast is None:
            raise SettingError(
                _(
                    "Span {span} is not comparable with the contrast prompt, so nothing can be "
                    "copied there.",
                    span=span,
                ),
                hint=_("Choose a span that has figures, or another contrast prompt."),
            )
        question = table.question
        result = await subject.blocks.patch(
            subject.prompt_of(question),
            question.continuations(),
            [Edit(Action.COPY, self.part, block, *here)],
            subject.prompt_of(table.contrast.question),
        )
        judge = subject.benchmark.score
        said = _("span {span} at block {block} is the contrast prompt's")
        if self.part is not Part.RESIDUAL:
            said = _("{part} of span {span} at block {block} is the contrast prompt's")
        copied = said.format(part=_(self.part), span=span, block=block)
        if pair.changed:
            copied = _("with {changed}: {copied}", changed=pair.changed, copied=copied)
        options = table.options
        self.applied = Applied(
            span,
            block,
            PatchedAnswer(
                judge(question, Answer(result.patched)),
                judge(question, Answer(result.plain)),
                copied,
            ),
            None
            if options is None
            else (margin(result.plain, *options), margin(result.patched, *options)),
        )
