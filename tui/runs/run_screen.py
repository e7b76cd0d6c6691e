"""The screen of a run over the whole collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from core.contract.task_layer import layer_titles
from core.models.protocol import Model, on_server
from core.text.language import _
from tui.runs.choices import RunForm
from tui.runs.run_pane import RunPane
from tui.runs.running import Running, RunPhase
from tui.runs.unread_screen import UnreadScreen
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.shell.model_holder import ModelState
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.rows_screen import RowsScreen


class RunScreen(RowsScreen):
    """Shows a run and steers it; the run itself belongs to the program and goes on without it."""

    WHERE = Place.RUN
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.RUN)
    DEFAULT_CSS = """
    RunScreen RunPane { padding: 1 0 0 0; }
    """

    def __init__(self, running: Running) -> None:
        super().__init__()
        self.running = running
        self._begun = False

    def compose(self) -> ComposeResult:
        """The run between the two bars."""
        yield TopBar()
        yield RunPane(self.running)
        yield KeyBar(Place.RUN, "run")

    def on_mount(self) -> None:
        """Draw, and draw again whenever the run has gone on."""
        pane = self.pane
        pane.border_title = _("All items")
        self.query_one(TopBar).show(
            self.running.benchmark.title, self.running.collection.about.shown.title
        )
        self.program.collection_runs.signal.subscribe(self, self.run_changed)
        self.program.model_signal.subscribe(self, self.model_changed)
        pane.focus()

    def run_changed(self, running: Running) -> None:
        """Draw the run again."""
        if running is self.running:
            self.pane.redraw()

    def model_changed(self, _state: ModelState) -> None:
        """Draw again what depends on the model."""
        self.pane.redraw()

    def action_pause(self) -> None:
        """Start the run, pause it, or go on with it."""
        self.program.collection_runs.start_or_pause(self.running)

    def action_start(self) -> None:
        """Start the run as it was chosen; a second key of a burst does nothing."""
        if self._choosing and not (self._begun or self.running.wanted):
            self.program.collection_runs.start_or_pause(self.running)
            self._begun = self.running.worker is not None

    def action_more_at_once(self) -> None:
        """Ask twice as many questions at once."""
        self._change_at_once(2)

    def action_fewer_at_once(self) -> None:
        """Ask half as many questions at once."""
        self._change_at_once(0.5)

    def _change_at_once(self, factor: float) -> None:
        if self._choosing and on_server(self.program.model_state.model):
            self._choose(lambda form, model: form.change_at_once(factor))
        elif self.running.change_at_once(factor):
            self.pane.redraw()
        else:
            message = _("Only a run that asks a server asks several questions at once.")
            self.notify(message, severity="warning", markup=False)

    def action_anew(self) -> None:
        """Ask everything again."""
        self.program.collection_runs.restart(self.running)

    async def action_stop(self) -> None:
        """Cancel the run."""
        await self.running.cancel()

    def action_next_profile(self) -> None:
        """Show the figures under the next profile."""
        self.running.next_profile()
        self.program.collection_runs.sum_up(self.running)

    @property
    def _choosing(self) -> bool:
        return self.running.phase is RunPhase.IDLE

    def action_next_choice(self) -> None:
        """Choose something else in the line under the cursor."""
        self._choose(lambda form, model: form.change(1, model))

    def action_previous_choice(self) -> None:
        """Choose what stood before in the line under the cursor."""
        self._choose(lambda form, model: form.change(-1, model))

    def _choose(self, change: Callable[[RunForm, Model | None], None]) -> None:
        if self._choosing:
            change(self.running.options, self.program.model_state.model)
            self.pane.redraw()

    def action_unread(self) -> None:
        """List the answers that could not be read."""
        running = self.running
        if not running.run_id:
            self.notify(_("Nothing was asked yet."), markup=False, timeout=3)
            return

        def open_item(item: str) -> None:
            self.program.open_item(running.benchmark, running.path, item)

        titles = layer_titles(running.benchmark.layers)
        self.app.push_screen(UnreadScreen(running.run_id, titles, open_item))

    def action_choose(self) -> None:
        """Choose what another run asks."""
        self.program.collection_runs.choose(self.running)

    def action_cursor_down(self) -> None:
        """Scroll down, or go to the next line of what is chosen."""
        if self._choosing:
            self._choose(lambda form, model: form.move(1, model))
            return
        super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """Scroll up, or go to the line before of what is chosen."""
        if self._choosing:
            self._choose(lambda form, model: form.move(-1, model))
            return
        super().action_cursor_up()

    def help_topic(self) -> str:
        """What a run is, in Markdown."""
        return _(RunPane.HELP)
