"""The base class of our apps: themes, the person's keys, help, the palette, and a clean end."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakSet

from rich.text import Text
from textual import events
from textual._context import visible_screen_stack
from textual.actions import ActionParseResult
from textual.app import App, ScreenStackError
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.geometry import Size
from textual.message import Message
from textual.messages import Prompt
from textual.notifications import Notify
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.widget import Widget
from textual.worker import Worker, WorkerFailed

from core.files import paths
from core.files.config import Config
from core.text.errors import CommonsenseError, ConfigError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.shell import keymap, themes
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Command, Place, shown_key
from tui.shell.commands import bindings
from tui.shell.disconnection import end_when_told, end_without_server
from tui.shell.environment import DRIVER, check_colours
from tui.shell.jump import JumpScreen, targets_of
from tui.shell.signal import Signal
from tui.shell.terminal_size import held_within_limits, terminal_size
from tui.shell.text_screen import TextScreen
from tui.shell.thread_pool import ThreadPool

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.css.styles import RulesMap
    from textual.driver import Driver

_ALWAYS_QUITS = "ctrl+q"
_LOG_LINES = 2000
"""Most lines of the engine's log that are kept."""


def _palette() -> type[Provider]:
    """The palette's commands, imported when it is first opened."""
    from tui.shell.palette import CommandsProvider

    return CommandsProvider


def _is_there(node: DOMNode) -> bool:
    """Whether a widget can do what its keys say."""
    if not isinstance(node, Widget):
        return True
    # A list has no lines before it has room for them.
    without_room = isinstance(node, ScrollView) and not node.scrollable_content_region
    return node.is_mounted and node.is_attached and not without_room


class ToldError(Exception):
    """A failure in words, which Textual prints in the place of a traceback."""

    def __rich__(self) -> Text:
        return Text(str(self))


class Shell(App[None]):
    """An app with our themes and keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.APP)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self, config: Config | None = None, *, problems: Sequence[ConfigError] = ()
    ) -> None:
        """`problems` are the errors of the configuration file, to be reported.

        Raises `SettingError` where the environment asks for colours or a driver that do not exist.
        """
        self.config = config or Config()
        checked = keymap.check(self.config)
        self.keys = checked.keys
        """The valid entries of the person's own keymap."""
        self._problems = [*problems, *checked.problems]
        self.log_lines: deque[str] = deque(maxlen=_LOG_LINES)
        self._started: WeakSet[Widget] = WeakSet()
        self._told_to_end = False
        """Whether keys and clicks that still wait are to do nothing."""
        check_colours()
        super().__init__()
        # What Textual believes until the terminal has told its size.
        self.console.size = terminal_size()
        self.log_signal: Signal[str] = Signal(self, "engine log")
        first = themes.first_theme(self.config.theme)
        self.our_themes = [first.name]
        self.register_theme(first)
        self.theme = first.name

    def get_driver_class(self) -> type[Driver]:
        """Our own driver where Textual would take that of Linux and macOS.

        Raises `SettingError` where the environment names something else than a driver.
        """
        try:
            found = super().get_driver_class()
        except (AttributeError, ImportError, RuntimeError, TypeError, ValueError) as error:
            raise SettingError(
                _("This variable names no driver of Textual."),
                where=f"{DRIVER}={os.environ.get(DRIVER)}",
                hint=_("Unset it."),
            ) from error
        if sys.platform == "win32":
            return found
        from textual.drivers.linux_driver import LinuxDriver

        from tui.shell.terminal_driver import SturdyDriver

        return SturdyDriver if found is LinuxDriver else found

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Values of our own tokens, for themes that do not set them."""
        return themes.variable_defaults(self.current_theme)

    def on_resize(self, event: events.Resize) -> None:
        """Hold the size within its limits, before Textual's own method for this event reads it."""
        event.size = Size(*held_within_limits(*event.size))
        event.virtual_size = event.container_size = event.size

    def on_load(self) -> None:
        """Let all work beside the screen be done by threads that keep nothing of it."""
        asyncio.get_running_loop().set_default_executor(ThreadPool())

    def _register(
        self,
        parent: DOMNode,
        *widgets: Widget,
        before: int | None = None,
        after: int | None = None,
        cache: dict[tuple[object, ...], RulesMap] | None = None,
    ) -> list[Widget]:
        """Start widgets that are mounted."""
        self._started.update(widgets)
        with self._context_without_screens():
            return super()._register(parent, *widgets, before=before, after=after, cache=cache)

    def _start_widget(self, parent: Widget, widget: Widget) -> None:
        """Start a scroll bar, which Textual does when a widget first needs it."""
        self._started.add(widget)
        with self._context_without_screens():
            super()._start_widget(parent, widget)

    def let_go_of_screens(self) -> None:
        """Let the tasks of widgets, and the app's own, keep no screen that is closed.

        A widget's task keeps the message that it handled last, and with it the sender, so each is
        sent one that does nothing. The app's keeps the screens that it drew last.
        """
        with self._context_without_screens():
            for widget in list(self._started):
                widget.post_message(Prompt())

    @contextmanager
    def _context_without_screens(self) -> Iterator[None]:
        """The context in which the tasks of widgets begin.

        A task keeps it for as long as its widget lives. Otherwise it would hold the screen that
        mounts the widget, and those that were drawn last, after they are closed.
        """
        visible_screen_stack.set([])
        with self._context():
            yield

    def end_cleanly(self) -> None:
        """Restore the terminal also when the process is terminated, or loses its terminal."""
        end_when_told(self._leave_soon, at_once=self._drop_keys, at_last=self._give_terminal_back)
        if self.is_web:
            end_without_server(self._leave_soon)

    def _leave_soon(self, code: int) -> None:
        self.call_later(self.leave, code)

    def _drop_keys(self) -> None:
        self._told_to_end = True

    def _give_terminal_back(self) -> None:
        if self._driver is not None:
            self._driver.stop_application_mode()
            self._driver.close()

    async def _dispatch_message(self, message: Message) -> None:
        """Handle a message, unless it is a key or a click and the program was told to end."""
        if not (self._told_to_end and isinstance(message, events.InputEvent)):
            await super()._dispatch_message(message)

    def take_settings(self) -> None:
        """Apply the person's keys and themes, register all others, and report errors in them."""
        self.set_keymap(keymap.textual_keymap(self.keys))
        problems = [*self._problems, *self._register_themes()]
        for problem in problems:
            self.log_line(escape_control_characters(str(problem)))
        if problems:
            message = escape_control_characters(str(problems[0]), limit=400)
            if more := len(problems) - 1:
                others = ngettext(
                    "And {number} more: the Log tab has it.",
                    "And {number} more: the Log tab has them.",
                    more,
                    number=more,
                )
                message = f"{message} {others}"
            self.notify(message, severity="warning", timeout=12, markup=False)

    def _register_themes(self) -> list[ConfigError]:
        shipped = themes.shipped_themes()
        own, problems = themes.user_themes(paths.themes())
        for theme in (*shipped, *own):
            self.register_theme(theme)
        self.our_themes = [theme.name for theme in (*shipped, *own)]
        error = themes.unknown_theme(self.config, self.our_themes, self.available_themes)
        if error is None:
            self.theme = self.config.theme or themes.DEFAULT
        else:
            problems.append(error)
        return problems

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Stop the cursor from blinking where TEXTUAL_ANIMATIONS=none."""
        if self.animation_level == "none" and hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed."""
        if (defect := report_worker_error(self, event)) is not None:
            self.worker_failed(event.worker, defect)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Called when a worker of the app failed because of a defect."""

    def log_line(self, line: str) -> None:
        """Add to the engine's log."""
        for part in line.splitlines():
            self.log_lines.append(part)
            self.log_signal.publish(part)

    def commands(self, where: Place) -> tuple[Command, ...]:
        """The commands of a place, with the person's own keys."""
        return keymap.rebound_commands(where, self.keys)

    def key(self, name: str) -> str:
        """The first key of a command ("browse.ask"), as a person reads it."""
        return keymap.first_key(name, self.keys)

    def action_help(self) -> None:
        """Explain the focused pane, then every key; nothing while a screen is being opened."""
        if not self.screen.is_mounted:
            return
        from tui.shell.help import help_on

        self.push_screen(TextScreen(_("Help"), prose=help_on(self.screen, self.keys)))

    def action_jump(self) -> None:
        """Jump to a pane, a tab or a field by its letter; nothing while a screen is opened."""
        if not self.screen.is_mounted:
            return
        targets = targets_of(self.screen)
        if len(targets) < 2:
            self.notify(_("There is nowhere else to go on this screen."), timeout=3)
            return
        self.push_screen(JumpScreen(targets), lambda target: target.go() if target else None)

    def action_picture(self) -> None:
        """Write the screen that is in front to a file."""
        # None of it is needed for the first picture.
        from tui.shell.picture import take
        from tui.shell.picture_dialogue import PictureScreen
        from tui.shell.write_dialogue import export_folder

        if not isinstance(self.screen, PictureScreen):
            name = f"screen-{datetime.now():%Y-%m-%d-%H%M%S}"
            self.push_screen(PictureScreen(take(self), export_folder(), name))

    def action_command_palette(self) -> None:
        """Find any action by its name."""
        from tui.shell.palette import Palette

        if not any(isinstance(screen, Palette) for screen in self.screen_stack):
            self.push_screen(Palette())

    def action_menu(self) -> None:
        """Open the menu of every command."""
        from tui.shell.menu import Menu

        behind = self.screen
        if isinstance(behind, ModalScreen):
            return

        async def do(action: str | None) -> None:
            if action is not None:
                await self.run_action(action, behind)

        self.push_screen(Menu(behind), do)

    def action_next_theme(self) -> None:
        """Use the next of our themes."""
        names = self.our_themes
        at = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(at + 1) % len(names)]
        self.notify(_("Theme: {name}", name=self.theme), timeout=2, markup=False)

    def action_help_quit(self) -> None:
        """Say which key leaves the program; ctrl+c does not."""
        keys = [key for key, at in self.active_bindings.items() if at.binding.action == "quit"]
        # Textual's own key works everywhere; the program's is the one that a person sees.
        key = next((key for key in keys if key != _ALWAYS_QUITS), _ALWAYS_QUITS)
        message = _("{key} leaves the program.", key=shown_key(key))
        self.notify(message, timeout=3, markup=False)

    def on_notify(self, event: Notify) -> None:
        """Replace toasts of the same severity: a pile would cover the screen."""
        for old in (*self._notifications,):
            if old.severity == event.notification.severity:
                self._unnotify(old, refresh=False)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, unless its widget is not there yet, or not any more.

        The keys of a burst come while a screen is opened or closed, and its actions look for
        widgets that it does not have then.
        """
        if default_namespace is not None and not _is_there(default_namespace):
            return False
        return await super().run_action(action, default_namespace, namespaces)

    async def action_quit(self) -> None:
        """Leave."""
        await self.leave(0)

    async def leave(self, code: int) -> None:
        """End the program with an exit code."""
        self.exit(return_code=code)

    def _handle_exception(self, error: Exception) -> None:
        """Report an error and end the program.

        While it is ending, a screen that was being opened finds its widgets gone: no error then. A
        failure in words that no pane shows, as of another package's benchmark, is the last line.
        """
        cause = error.error if isinstance(error, WorkerFailed) else error
        if isinstance(cause, CommonsenseError):
            super()._handle_exception(ToldError(str(cause)))
        elif not (self._exit and isinstance(cause, NoMatches | ScreenStackError)):
            super()._handle_exception(error)
