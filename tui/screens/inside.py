"""Looking between a model's blocks: opens and closes the panes, and says what they are about."""

from __future__ import annotations

import asyncio

from core.models.inside import Inspectable, Layers
from core.question import Scoring
from tui.asking import Asking
from tui.desk import Desk
from tui.inside_pane import InsidePane, Subject
from tui.program import program_of
from tui.screens.panes import PanesScreen
from tui.widgets.ladder_pane import LadderPane
from tui.widgets.rows_view import RowsView

INSIDE = ("xray", "trace")
"""The panes; one of them is open at most, in the place of the live pane."""


class InsideScreen(PanesScreen):
    """Opens the X-ray and the trace of the rung under the ladder's cursor."""

    desk: Desk | None
    asking: Asking

    def __init__(self) -> None:
        super().__init__()
        self._layers: Layers | None = None
        """Of which model a second context is open, to be freed when the panes are closed."""

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

    def _toggle(self, name: str) -> None:
        before = self.inside
        self.remove_class(*(f"-{one}" for one in INSIDE))
        if before is not None:
            before.show_subject(None)
        if before is not None and before.id == name:
            self._let_go()
            self.enter_pane("ladder")
            return
        self.add_class(f"-{name}")
        self.follow_ladder()
        self.enter_pane(name)

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
        model = program_of(self.app).model_state.model
        desk = self.desk
        if desk is None or desk.item is None:
            return None, "Nothing is open."
        if model is None:
            return None, "There is no model. m chooses one."
        if not isinstance(model, Inspectable):
            return None, (
                f"{model.info.name} does not run in this program, so its blocks cannot be read. "
                "m chooses a GGUF file."
            )
        rung = self.query_one(LadderPane).rung()
        question = None if rung is None else rung.question
        if question is None:
            return None, "This layer has nothing to ask here. j and k go to another."
        if question.open or question.scoring is Scoring.GENERATED or not question.options:
            return None, (
                "This layer is answered in the model's own words, so there are no options to "
                "follow. j and k in the ladder go to another."
            )
        self._layers = model.layers
        item, setting = desk.item, desk.history.now
        form = self.asking.form
        return Subject(model, model.layers, desk.benchmark, item, setting, question, form), ""

    def _let_go(self) -> None:
        layers, self._layers = self._layers, None
        if layers is not None:
            self.run_worker(asyncio.shield(layers.release()), group="inside", exit_on_error=False)
