"""The pane that traces which span at which block restores the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from core.blocks.alignment import PromptPair
from core.blocks.trace import Direction
from core.contract.rungs import Rung
from core.layout.heatmap import Cell, HeatMap
from core.layout.rows import Row
from core.models.blocks import Action
from core.text.errors import CommonsenseError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.blocks.block_pane import BlockPane
from tui.blocks.comparison_model import ComparisonModel
from tui.blocks.control_trace import ControlTrace
from tui.blocks.trace_controller import REPLACEMENTS, Stage, Tracing
from tui.blocks.trace_drawing import Picture, Shown, cell_ref, draw_trace, map_of
from tui.blocks.trace_help import TRACE_HELP

if TYPE_CHECKING:
    from tui.browse.feature import ItemHost

_PAINTS = 1 / 10
"""Seconds between two paints while cells are computed."""
_PATIENCE = 0.15
"""Seconds that a question must stay under the cursor before it is traced."""


class TracePane(BlockPane):
    """Spans by blocks, cell by cell; a cell can be patched into this prompt's run."""

    NAME = "trace"
    COPIED = N_("trace")
    HELP = TRACE_HELP

    def __init__(self, host: ItemHost) -> None:
        super().__init__(host)
        self.tracing: Tracing | None = None
        self.at: Cell = (0, 0)
        """The span and the block under the cursor."""
        self.marked: Cell | None = None
        self.comparison: ComparisonModel | ControlTrace | None = None
        """What is traced as well: a second model, or the same pair in another way."""
        self._moved = False
        """Whether a person moved the cursor; until then it follows the computed cells."""
        self._lock = asyncio.Lock()
        self._model_free = asyncio.Event()
        self._model_free.set()
        self._timer: Timer | None = None
        self._span = ""
        self.picture: Picture | None = None
        self._comparison_picture: Picture | None = None

    # -- tracing ---------------------------------------------------------------------------------

    def subject_changed(self) -> None:
        """Trace the new question, if there is one."""
        patched = self.tracing is not None and self.tracing.applied is not None
        self.tracing = None if self.subject is None else Tracing(self.subject)
        self._restart()
        if self.tracing is None:
            self.stop()
        else:
            self.start(partial(self._trace, self.tracing, _PATIENCE))
        if self.subject is None and not self.why_not:
            self.unload_comparison()
        if patched:
            self.call_later(self.host.refresh_ladder)

    def _restart(self) -> None:
        self.at, self.marked, self._moved = (0, 0), None, False
        self.picture = self._comparison_picture = None
        if self.comparison is not None:
            self.comparison.tracing = None
        self._report_span()

    async def _trace(self, tracing: Tracing, patience: float = 0.0) -> None:
        await asyncio.sleep(patience)
        async with self._lock:
            if not self._model_free.is_set():
                tracing.stage = Stage.WAITING
                self._changed()
                await self._model_free.wait()
            await self._trace_both(tracing)

    async def _trace_both(self, tracing: Tracing) -> None:
        """Compute the trace, then the one that is shown beside it."""
        if tracing.stage is not Stage.DONE:
            await tracing.work(self._changed)
        # It may be unloaded at any moment.
        comparison = self.comparison
        if comparison is not None:
            await comparison.load(self._changed)
            await comparison.follow(tracing, self._changed)

    def fail(self, error: CommonsenseError) -> None:
        """End the trace with an error."""
        if self.tracing is not None:
            self.tracing.fail(error)
            self._changed()

    def pause(self, paused: bool) -> None:
        """Wait while the ladder asks the model, then continue."""
        if not paused:
            self._model_free.set()
        elif self._model_free.is_set():
            self._model_free.clear()
            if self.tracing is not None and self.tracing.busy:
                self.start(partial(self._trace, self.tracing))

    @property
    def painted(self) -> bool:
        """Whether every computed cell is painted."""
        return self._timer is None

    def _changed(self) -> None:
        """Paint soon, together with the changes until then."""
        if self._timer is None and self.is_running:
            self._timer = self.set_timer(_PAINTS, self._paint)

    def _paint(self) -> None:
        self._timer = None
        tracing = self.tracing
        comparison = self.comparison.tracing if self.comparison is not None else None
        self.picture = None if tracing is None else Picture.of(tracing)
        self._comparison_picture = None if comparison is None else Picture.of(comparison)
        if tracing is not None and self.picture is not None and not self._moved:
            cell = self.picture.peak if tracing.stage is Stage.DONE else tracing.latest
            self.at = cell or (tracing.first, 0)
        self.redraw()

    def redraw(self) -> None:
        """Draw again, with the traced part and the models in the border."""
        tracing = self.tracing
        title, about = _("Trace"), ""
        if tracing is not None:
            title = _("Trace: {part}", part=_(tracing.part))
            if tracing.replaced_by is not Action.COPY:
                put = _(REPLACEMENTS[tracing.replaced_by])
                title = _("{title} · enter puts {what}", title=title, what=put)
            about = _("one pair of prompts, one model")
            if self._comparison_picture is not None and isinstance(
                self.comparison, ComparisonModel
            ):
                about = _("one pair of prompts, two models")
            if tracing.subject.model.info.demo:
                about = _("{subject}, a demonstration", subject=about)
        self.entitle(title, about)
        super().redraw()
        ref = cell_ref(*self.at)
        self.cursor = ref if ref in self._first_row else ""
        self._report_span()

    def draw(self, width: int) -> list[Row]:
        """The trace, or why there is none."""
        tracing = self.tracing
        if tracing is None:
            return super().draw(width)
        shown = Shown(
            tracing,
            self.picture,
            self.at,
            self.marked,
            self.has_focus,
            self.comparison,
            self._comparison_picture,
        )
        return draw_trace(shown, width, self.size.height)

    # -- the cursor ------------------------------------------------------------------------------

    def move_cursor(self, by: int) -> None:
        """Move over the spans."""
        self._go(self.at[0] + by, self.at[1])

    def sideways(self, by: int) -> None:
        """Move over the blocks."""
        self._go(self.at[0], self.at[1] + by)

    def _go(self, span: int, block: int) -> None:
        table = self.tracing.table if self.tracing is not None else None
        if table is None:
            return
        last = len(table.rows.spans) - 1
        self._moved = True
        self.at = (min(last, max(0, span)), min(table.blocks - 1, max(0, block)))
        self.redraw()

    def go_to(self, ref: str) -> None:
        """Move the cursor to a cell."""
        self._go(*map(int, ref.split(".")))

    def on_focus(self) -> None:
        """Show the keys."""
        self.redraw()

    def on_blur(self) -> None:
        """Hide the keys."""
        self.redraw()

    def _report_span(self) -> None:
        table = self.tracing.table if self.tracing is not None else None
        text = table.rows.spans[self.at[0]].text if table is not None and self.cursor else ""
        if text != self._span:
            self._span = text
            self.call_later(self.host.point_out_text, text)

    # -- actions ---------------------------------------------------------------------------------

    def enter(self) -> None:
        """Patch the cell under the cursor into this prompt's run; a second time, undo it."""
        tracing = self.tracing
        if tracing is None or tracing.table is None:
            return
        applied = tracing.applied
        if applied is not None and (applied.span, applied.block) == self.at:
            self.leave()
            return
        busy = tracing.busy or (self.comparison is not None and self.comparison.busy)
        self.start(partial(self._patch, tracing, self.at, resume=busy))

    async def _patch(self, tracing: Tracing, at: Cell, *, resume: bool) -> None:
        async with self._lock:
            try:
                await tracing.patch(*at)
            except SettingError as error:
                self.notify(escape_control_characters(str(error)), severity="warning", markup=False)
            except CommonsenseError as error:
                tracing.fail(error)
                resume = False
            self.call_later(self.host.refresh_ladder)
            self.redraw()
            if resume:
                await self._trace_both(tracing)

    def leave(self) -> bool:
        """Undo the patch, or stop tracing."""
        tracing = self.tracing
        if tracing is None:
            return False
        if tracing.applied is not None:
            tracing.applied = None
            self.call_later(self.host.refresh_ladder)
            self.redraw()
            return True
        if tracing.busy:
            self.stop()
            tracing.stage = Stage.STOPPED
            self.redraw()
            return True
        if self.comparison is not None and self.comparison.busy:
            self.stop()
            self.unload_comparison()
            return True
        return False

    def patched(self, rung: Rung) -> Rung:
        """The rung, with its patched answer if its question is the traced one."""
        tracing = self.tracing
        applied = tracing.applied if tracing is not None else None
        if tracing is None or applied is None or rung.question != tracing.subject.question:
            return rung
        return replace(rung, patched=applied.answer)

    def mark(self) -> None:
        """Mark the cell under the cursor for comparison; a second time, remove the mark."""
        self.marked = None if self.marked == self.at else self.at
        self.redraw()

    def compare_with(self, pair: PromptPair) -> None:
        """Trace with another contrast prompt."""
        self._change(lambda tracing: tracing.choose(pair))

    def load_comparison(self, model: str) -> None:
        """Load a second model, in place of another one, and trace with it too."""
        self._compare(ComparisonModel(model))

    def next_control(self) -> None:
        """Also trace the pair in the other direction; next a random control; then neither."""
        comparison = self.comparison
        if not isinstance(comparison, ControlTrace):
            self._compare(ControlTrace(Direction.NOISING))
        elif comparison.direction is Direction.NOISING:
            self._compare(ControlTrace(Direction.CONTROL))
        else:
            self.unload_comparison()

    def _compare(self, comparison: ComparisonModel | ControlTrace) -> None:
        self.unload_comparison()
        self.comparison = comparison
        if self.tracing is not None:
            self.start(partial(self._trace, self.tracing))
        self.redraw()

    def unload_comparison(self) -> None:
        """Show one trace only; a second model is unloaded."""
        comparison, self.comparison = self.comparison, None
        if comparison is not None:
            self._comparison_picture = None
            self.screen.run_worker(comparison.close(), group="blocks", exit_on_error=False)
            self.redraw()

    async def on_unmount(self) -> None:
        """Unload the second model with the pane."""
        if self.comparison is not None:
            await self.comparison.close()

    def next_replacement(self) -> None:
        """Choose what the next patch puts in a cell's place."""
        if self.tracing is not None:
            self.tracing.next_replacement()
            what = _(REPLACEMENTS[self.tracing.replaced_by])
            self.notify(_("enter now puts in a cell's place: {what}", what=what))
            self.redraw()

    def next_part(self) -> None:
        """Trace the next part of the blocks."""
        self._change(Tracing.next_part)

    def _change(self, change: Callable[[Tracing], None]) -> None:
        tracing = self.tracing
        if tracing is None:
            return
        change(tracing)
        self._restart()
        self.start(partial(self._trace, tracing))
        self.call_later(self.host.refresh_ladder)
        self.redraw()

    def readings(self) -> tuple[HeatMap, ...]:
        """The heat maps of the trace and of the one that is shown beside it."""
        comparison = self.comparison.tracing if self.comparison is not None else None
        return tuple(
            map_of(tracing, tracing.table)
            for tracing in (self.tracing, comparison)
            if tracing is not None and tracing.table is not None
        )
