"""Looking between a model's blocks: opens and closes the panes, and says what they are about."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from core.blocks.result_cache import BlockResultCache
from core.contract.question import Scoring
from core.contract.view import View
from core.models.blocks import Inspectable, Layers
from core.runs.asking import used_scoring
from core.text.errors import ModelError
from core.text.language import _
from tui.blocks.block_pane import InsidePane, Subject
from tui.browse.asking import Asking
from tui.browse.ladder_pane import LadderPane
from tui.browse.panes import PanesScreen
from tui.browse.state import BrowseState
from tui.shell.model_holder import ModelPhase
from tui.shell.program import program_of
from tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from tui.blocks.xray_pane import XrayPane

INSIDE = ("xray", "trace")
"""The panes; one of them is open at most, in the place of the live pane."""


def _new_pane(name: str) -> InsidePane:
    """A pane; nothing of it is imported before it is first opened."""
    if name == "xray":
        from tui.blocks.xray_pane import XrayPane

        return XrayPane(id=name)
    from tui.blocks.trace_pane import TracePane

    return TracePane(id=name)


class InsideScreen(PanesScreen):
    """Opens the X-ray and the trace of the rung under the ladder's cursor."""

    state: BrowseState | None
    asking: Asking

    def __init__(self) -> None:
        super().__init__()
        self._layers: Layers | None = None
        """Of which model a second context is open, to be freed when the panes are closed."""
        self._readings = BlockResultCache()

    @property
    def inside(self) -> InsidePane | None:
        """The pane that is open."""
        name = next((name for name in INSIDE if self.has_class(f"-{name}")), None)
        return None if name is None else self.query_one(f"#{name}", InsidePane)

    def action_xray(self) -> None:
        """Open or close the X-ray."""
        self._toggle("xray")

    def action_trace(self) -> None:
        """Open or close the trace."""
        self._toggle("trace")

    def action_heads(self) -> None:
        """Draw where the next head looks, or none."""
        if (pane := self._open_xray()) is not None:
            pane.next_head()

    def action_parts(self) -> None:
        """Show what the parts of each block add, or the options."""
        if (pane := self._open_xray()) is not None:
            pane.show_parts()

    def _open_xray(self) -> XrayPane | None:
        from tui.blocks.xray_pane import XrayPane

        pane = self.inside
        if isinstance(pane, XrayPane):
            return pane
        said = _("{key} opens the blocks first.", key=self._key("xray"))
        self.notify(said, severity="warning", markup=False)
        return None

    def with_attention(self, view: View) -> View:
        """A view of the open item, with what a head attends to where that is shown."""
        pane = self.inside
        return view if pane is None else pane.with_attention(view)

    def on_xray_pane_looked_elsewhere(self) -> None:
        """Draw the item with what another head attends to."""
        self.refresh_item()

    def refresh_item(self) -> None:
        """Draw the open item again."""
        raise NotImplementedError

    def _toggle(self, name: str) -> None:
        before = self.inside
        self.remove_class(*(f"-{one}" for one in INSIDE))
        if before is not None:
            before.show_subject(None)
        if before is not None and before.id == name:
            self._let_go()
            self.enter_pane("ladder")
            return
        if not self.query(f"#{name}"):
            self.query_one("#middle").mount(_new_pane(name), before="#live")
        self.add_class(f"-{name}")
        self._stand_on_question(name)
        self.follow_ladder()
        self.enter_pane(name)

    def _stand_on_question(self, name: str) -> None:
        """Go to the first rung that asks something, if the one under the cursor does not.

        What is asked beside the ladder, such as a bare question, seldom has a twin: a trace begins
        there only where a person went there.
        """
        ladder = self.query_one(LadderPane)
        rung = ladder.rung()
        asking = [one for one in ladder.rungs if one.question is not None]
        if name == "trace" and rung is not None and rung.layer.aside and not ladder.has_focus:
            within = [one for one in asking if not one.layer.aside]
            if within and rung is ladder.rungs[0]:
                ladder.cursor = within[0].layer.id
                return
        if asking and (rung is None or rung.question is None):
            ladder.cursor = asking[0].layer.id

    def follow_ladder(self) -> None:
        """Tell the open pane what is under the ladder's cursor."""
        pane = self.inside
        if pane is not None:
            pane.show_subject(*self._subject())

    def on_rows_view_cursor_moved(self, event: RowsView.CursorMoved) -> None:
        """Another rung."""
        if isinstance(event.pane, LadderPane):
            self.follow_ladder()

    def _subject(self) -> tuple[Subject | None, str]:
        model_state = program_of(self.app).model_state
        model = model_state.model
        state = self.state
        if state is None or not state.is_open:
            return None, _("Nothing is open.")
        if model_state.phase is ModelPhase.LOADING:
            said = _("{model} is loading; its blocks are read when it is there.")
            return None, said.format(model=model_state.name)
        if model is None:
            said = _("There is no model. {key} chooses one.")
            return None, said.format(key=self._key("choose_model"))
        if not isinstance(model, Inspectable):
            said = _(
                "{model} does not run in this program, so its blocks cannot be read. {key} chooses "
                "a GGUF file."
            )
            return None, said.format(model=model.info.name, key=self._key("choose_model"))
        rung = self.query_one(LadderPane).rung()
        question = None if rung is None else rung.question
        down, up = self._key("cursor_down"), self._key("cursor_up")
        if question is None:
            said = _("This layer has nothing to ask here. {down} and {up} go to another.")
            return None, said.format(down=down, up=up)
        read = used_scoring(question, self.asking.scoring)
        if read is Scoring.GENERATED or not question.options:
            said = _(
                "This layer is answered in the model's own words, so there are no options to "
                "follow. {down} and {up} in the ladder go to another."
            )
            return None, said.format(down=down, up=up)
        self._layers = model.layers
        return Subject(
            model,
            self._readings.of(model.info.fingerprint, model.layers),
            state.benchmark,
            state.item,
            state.history.now,
            question,
            self.asking.form,
            state.collection,
        ), ""

    def _let_go(self) -> None:
        layers, self._layers = self._layers, None
        if layers is not None:
            self.run_worker(_release(layers), group="inside", exit_on_error=False)


async def _release(layers: Layers) -> None:
    """Free a model's second context; a model that is gone has freed it, and is told when asked."""
    with suppress(ModelError):
        await asyncio.shield(layers.release())
