"""Shows recorded answers while llama.cpp is being compiled, then loads the model."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.worker import WorkerCancelled

from core.models.demo_answers import demo_answers, stand_in
from core.models.llama.compilation import Compilation, compilation
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.item_screen import ItemScreen
from tui.browse.screen import BrowseScreen
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.program import program_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.timer import Timer

    from core.models.demo_answers import DemoAnswers

_SECONDS = 1.0
"""Between two looks at the file."""
_LONGEST_NOTICE = 600
"""Characters of an error that is told in a corner; the pane below has all of a longer one."""


class CompilationWatch:
    """Follows the compilation of llama.cpp by `make demo`, as long as the program waits."""

    def __init__(self, app: App[Any], show: Callable[[ModelState], None]) -> None:
        """`show` takes over a new state of the model."""
        self._app = app
        self._program = program_of(app)
        self._show = show
        self._seen: Compilation | None = None
        self._recorded: DemoAnswers | None = None
        self._timer: Timer | None = None

    def start(self) -> None:
        """Look from now on, where llama.cpp is waited for; other programs look once."""
        self._seen = compilation()
        if self._seen is not None:
            self._tell_error(self._seen)
            self._timer = self._app.set_interval(_SECONDS, self._look)

    @property
    def waits(self) -> bool:
        """Whether llama.cpp is waited for."""
        return self._seen is not None

    def stand_in(self, name: str) -> ModelState:
        """The bundled model's recorded answers, as the model; raises `DataError`."""

        assert self._seen is not None
        self._recorded = self._recorded or demo_answers()
        model = stand_in(self._recorded, self._seen.state)
        return ModelState(ModelPhase.READY, name, 1.0, model)

    def _look(self) -> None:
        before, self._seen = self._seen, compilation()
        if self._seen is None:
            assert self._timer is not None
            self._timer.stop()
            if before is not None:
                self._app.run_worker(self._go_live(), group="compilation", exit_on_error=False)
        elif self._seen != before:
            if before is None or before.error != self._seen.error:
                self._tell_error(self._seen)
            if self._stands_in:
                self._show(self.stand_in(self._program.model_state.name))

    @property
    def _stands_in(self) -> bool:
        model = self._program.model_state.model
        return model is not None and bool(model.info.awaits)

    def _tell_error(self, seen: Compilation) -> None:
        if seen.error:
            text = escape_control_characters(f"{seen.state}. {seen.error}", lines=True)
            short = text if len(text) <= _LONGEST_NOTICE else text.partition("\n")[0]
            self._app.notify(short, severity="error", markup=False, timeout=20)
            screen = self._app.screen_stack[0]
            if isinstance(screen, ItemScreen):
                screen.live.say(text)

    async def _go_live(self) -> None:
        """Load the model that waited, and let it answer what the record had answered."""
        state = self._program.model_state
        if not self._stands_in and state.phase is not ModelPhase.FAILED:
            return
        screen = self._app.screen_stack[0]
        # A lesson asks only what a step reveals.
        asked = (
            isinstance(screen, BrowseScreen)
            and screen.state is not None
            and screen.state.is_open
            and any(rung.verdict is not None for rung in screen.state.rungs())
        )
        with suppress(WorkerCancelled):  # Another model was chosen.
            await self._program.load_model(state.name).wait()
        if not self._program.model_state.ready:
            return
        self._app.notify(_("llama.cpp is compiled: the model answers by itself now."), markup=False)
        if asked and isinstance(screen, BrowseScreen) and screen.is_current:
            screen.action_ask()
