"""Opens and closes the panes about a model's blocks, and gives them their question."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.worker import Worker

from core.blocks.contrast_prompts import other_gold
from core.contract.question import Question, Scoring
from core.contract.rungs import Rung
from core.contract.view import View
from core.models.inspectable import Inspectable
from core.runs.asking import used_scoring
from core.text.errors import CommonsenseError, ModelError
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.browse.feature import ItemHost, PaneFeature
from tui.shell.model_holder import ModelPhase
from tui.shell.prompts import PickOne

if TYPE_CHECKING:
    from core.blocks.alignment import PromptPair
    from core.blocks.result_cache import BlockResultCache
    from core.models.block_requests import Blocks
    from tui.blocks.block_pane import BlockPane, Subject
    from tui.blocks.trace_pane import TracePane
    from tui.blocks.xray_pane import XrayPane
    from tui.shell.drawn_head import DrawnHead

BLOCK_PANES = ("xray", "trace")
"""The ids of the panes; at most one is open, in place of the live pane."""


class BlocksController(PaneFeature):
    """The X-ray and the trace of the question under the ladder's cursor."""

    NAME = "blocks"

    def __init__(self, host: ItemHost) -> None:
        super().__init__(host)
        self._panes: dict[str, BlockPane] = {}
        self.open_pane: BlockPane | None = None
        self._blocks: Blocks | None = None
        """The blocks to release when the panes are closed."""
        self._cache: BlockResultCache | None = None
        self._awaited: tuple[str, DrawnHead] | None = None
        """The item that is about to be opened, and the head to draw on it."""

    @property
    def open_name(self) -> str:
        """The name of the open pane; empty where none is open."""
        return str(self.open_pane.id) if self.open_pane is not None else ""

    def toggle_pane(self, name: str) -> None:
        """Open a pane in place of the other one, or close it."""
        host, before = self.host, self.open_pane
        host.remove_class(*(f"-{pane}" for pane in BLOCK_PANES))
        self.open_pane = None
        if before is not None:
            before.show_subject(None)
        if before is not None and before.id == name:
            self._release()
            host.enter_pane("ladder")
            return
        if name not in self._panes:
            self._panes[name] = _new_pane(name, host)
            host.mount_pane(self._panes[name])
        self.open_pane = self._panes[name]
        host.add_class(f"-{name}")
        self._go_to_question(name)
        self.ladder_changed()
        host.enter_pane(name)
        # The ladder may have scrolled to another rung, and has another height from now on.
        host.call_after_refresh(lambda: host.ladder.reveal(host.ladder.cursor))

    def draw_head(self, item: str, head: DrawnHead) -> None:
        """Draw a head's attention on an item, once that is open; its weights stand in the X-ray."""
        self._awaited = item, head
        self.ladder_changed()

    def item_opened(self) -> None:
        """Wait no longer where another item was opened."""
        state = self.host.state
        if self._awaited is not None and state is not None and state.item.id != self._awaited[0]:
            self._awaited = None

    def ladder_changed(self) -> None:
        """Give the open pane the question under the ladder's cursor."""
        head = self._awaited_head()
        if head is not None:
            self.host.ladder.cursor = head.layer
            if self.open_name != "xray":
                self.toggle_pane("xray")
        if self.open_pane is not None:
            self.open_pane.show_subject(*self._subject())
        pane = self._open_xray() if head is not None else None
        if head is not None and pane is not None:
            self.host.enter_pane("xray")
            pane.show_head(head.block, head.head)

    def _awaited_head(self) -> DrawnHead | None:
        """The head to draw, once its item is open."""
        state = self.host.state
        if self._awaited is None or state is None or not state.is_open:
            return None
        item, head = self._awaited
        if state.item.id != item:
            return None
        self._awaited = None
        return head

    def asking_changed(self) -> None:
        """Pause the open pane while the ladder asks the model."""
        if self.open_pane is not None:
            self.open_pane.pause(self.host.asking.busy is not None)

    def decorate_view(self, view: View) -> View:
        """The item's view, with the attention weights of a head if they are shown."""
        return view if self.open_pane is None else self.open_pane.with_attention(view)

    def decorate_rung(self, rung: Rung) -> Rung:
        """The rung, with its patched answer if there is one."""
        return rung if self.open_pane is None else self.open_pane.patched(rung)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Say so in the pane whose worker it was."""
        for pane in self._panes.values():
            pane.worker_failed(worker, defect)

    def escape(self) -> bool:
        """Undo the last action in the open pane; False if there is none."""
        return self.open_pane is not None and self.open_pane.leave()

    # -- actions ---------------------------------------------------------------------------------

    def xray(self) -> None:
        """Open or close the X-ray."""
        self.toggle_pane("xray")

    def trace(self) -> None:
        """Open or close the trace."""
        self.toggle_pane("trace")

    def heads(self) -> None:
        """Show the attention of the next head, or of none."""
        if (pane := self._open_xray()) is not None:
            pane.next_head()

    def parts(self) -> None:
        """Show the attribution to the parts of each block, or the options."""
        if (pane := self._open_xray()) is not None:
            pane.show_parts()

    def mark_cell(self) -> None:
        """Mark the cell of the trace under the cursor."""
        if (pane := self._open_trace()) is not None:
            pane.mark()

    def copied_part(self) -> None:
        """Trace another part of the blocks."""
        if (pane := self._open_trace()) is not None:
            pane.next_part()

    def replacement(self) -> None:
        """Choose what a patch of the trace puts in a cell's place."""
        if (pane := self._open_trace()) is not None:
            pane.next_replacement()

    def controls(self) -> None:
        """Show the trace the other way round beside it, or a random control."""
        if (pane := self._open_trace()) is not None:
            pane.next_control()

    async def contrast(self) -> None:
        """Choose the contrast prompt of the trace."""
        pane = self._open_trace()
        tracing = pane.tracing if pane is not None else None
        if pane is None or tracing is None:
            return
        try:
            pairs = await tracing.pairs()
        except CommonsenseError as error:
            message = escape_control_characters(str(error))
            self.host.notify(message, severity="error", markup=False)
            return
        if not pairs:
            self.warn(_("This question has no contrast prompt."))
            return
        question = tracing.subject.question
        picked = await self.host.app.push_screen_wait(
            PickOne(
                _("Contrast prompt"),
                _(
                    "The same question about a changed item. Only spans with the same number of "
                    "tokens in the same place can be compared, or with the same words as far from "
                    "the end."
                ),
                [_pair_line(pair, question) for pair in pairs],
                at=pairs.index(tracing.pair) if tracing.pair in pairs else 0,
            )
        )
        if picked is not None and pane.tracing is tracing:
            pane.compare_with(pairs[picked])

    async def compare_model(self) -> None:
        """Choose a second model to trace, or unload the present one."""
        from tui.blocks.comparison_model import ComparisonModel
        from tui.browse.models_screen import ModelsScreen

        pane = self._open_trace()
        if pane is None:
            return
        if isinstance(pane.comparison, ComparisonModel):
            pane.unload_comparison()
            return
        program = self.host.program
        name = await self.host.app.push_screen_wait(
            ModelsScreen(program.config, program.model_state)
        )
        if name is not None and pane.tracing is not None:
            pane.load_comparison(name)

    def _open_xray(self) -> XrayPane | None:
        from tui.blocks.xray_pane import XrayPane

        if isinstance(self.open_pane, XrayPane):
            return self.open_pane
        self.warn(_("{key} opens the blocks first.", key=self.host.key("xray")))
        return None

    def _open_trace(self) -> TracePane | None:
        from tui.blocks.trace_pane import TracePane

        pane = self.open_pane
        if isinstance(pane, TracePane) and pane.tracing is not None:
            return pane
        self.warn(_("{key} opens the trace first.", key=self.host.key("trace")))
        return None

    # -- the subject -----------------------------------------------------------------------------

    def _go_to_question(self, name: str) -> None:
        """Go to the first rung with a question, if the one under the cursor has none.

        A question beside the ladder, such as a bare one, seldom has a contrast prompt, so a trace
        starts there only if a person went there.
        """
        ladder = self.host.ladder
        rung = ladder.rung()
        with_question = [rung for rung in ladder.rungs if rung.question is not None]
        if name == "trace" and rung is not None and rung.layer.aside and not ladder.has_focus:
            within = [rung for rung in with_question if not rung.layer.aside]
            if within and rung is ladder.rungs[0]:
                ladder.cursor = within[0].layer.id
                return
        if with_question and (rung is None or rung.question is None):
            ladder.cursor = with_question[0].layer.id

    def _subject(self) -> tuple[Subject | None, str]:
        """The subject of the panes, or why there is none."""
        host = self.host
        model_state = host.program.model_state
        model, state = model_state.model, host.state
        if state is None or not state.is_open:
            return None, _("Nothing is open.")
        if model_state.phase is ModelPhase.LOADING:
            return None, _(
                "{model} is loading; its blocks are read when it is there.", model=model_state.name
            )
        if model is None:
            return None, _("There is no model. {key} chooses one.", key=host.key("choose_model"))
        if model.info.awaits:
            return None, _(
                "{awaits}. Blocks can be read once it is there.", awaits=model.info.awaits
            )
        if model.info.recorded:
            return None, _(
                "These answers of {model} are recorded and it is not loaded, so its blocks cannot "
                "be read. {key} loads it.",
                model=model.info.name,
                key=host.key("choose_model"),
            )
        if not isinstance(model, Inspectable):
            return None, _(
                "{model} does not run in this program, so its blocks cannot be read. {key} chooses "
                "a GGUF file.",
                model=model.info.name,
                key=host.key("choose_model"),
            )
        rung = host.ladder.rung()
        question = None if rung is None else rung.question
        down, up = host.key("cursor_down"), host.key("cursor_up")
        if question is None:
            return None, _(
                "This layer has nothing to ask here. {down} and {up} go to another.",
                down=down,
                up=up,
            )
        scoring = used_scoring(question, host.asking.scoring)
        if scoring is Scoring.GENERATED or not question.options:
            return None, _(
                "This layer is answered in the model's own words, so there are no options to "
                "follow. {down} and {up} in the ladder go to another.",
                down=down,
                up=up,
            )
        from core.blocks.result_cache import BlockResultCache
        from tui.blocks.block_pane import Subject

        self._blocks = model.blocks
        self._cache = self._cache or BlockResultCache()
        return Subject(
            model,
            self._cache.of(model.info.fingerprint, model.blocks),
            state.benchmark,
            state.item,
            state.history.now,
            question,
            host.asking.form,
            state.collection,
        ), ""

    def _release(self) -> None:
        blocks, self._blocks = self._blocks, None
        if blocks is not None:
            self.host.run_worker(_release(blocks), group="blocks", exit_on_error=False)


def _new_pane(name: str, host: ItemHost) -> BlockPane:
    """A pane; its module is imported when it is first opened."""
    if name == "xray":
        from tui.blocks.xray_pane import XrayPane

        return XrayPane(host)
    from tui.blocks.trace_pane import TracePane

    return TracePane(host)


async def _release(blocks: Blocks) -> None:
    """Free a model's second context; a model that was closed meanwhile has freed it already."""
    with suppress(ModelError):
        await asyncio.shield(blocks.release())


def _pair_line(pair: PromptPair, question: Question) -> str:
    """A contrast prompt in a line, with its right answer and how many spans can be compared."""
    from core.blocks.sentences import option_names

    contrast, pairing = pair.contrast.question, pair.pairing
    names = option_names(contrast)
    right = ", ".join(names[index] for index in contrast.right_options)
    answer = _("right: {options}", options=right) if right else ""
    if right and not other_gold(contrast, question):
        answer = _("{options} too", options=right)
    comparable = _("what differs cannot be compared")
    if pairing.differing:
        many = len(pairing.spans)
        comparable = ngettext(
            "{count} of {many} spans comparable",
            "{count} of {many} spans comparable",
            many,
            count=len(pairing.traced),
            many=many,
        )
    changed = _("here {changed}", changed=pair.changed) if pair.changed else ""
    parts = (pair.contrast.label, changed, answer, comparable)
    return " · ".join(part for part in parts if part)
