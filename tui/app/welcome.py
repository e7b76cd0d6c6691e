"""The card of the first time: what this is, and what to press. It is in nobody's way."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Static

from core.files import paths
from core.files.atomic import atomic_write
from core.layout.rows import wrap
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.app import Shell
from tui.shell.command import APP, BROWSE
from tui.shell.keymap import Keymap, rebound_commands

_WIDEST = 56
_AROUND = (6, 4)
"""Columns and rows of the card that are border and padding."""
_TOLD = (
    (
        ("browse.ask", N_("ask")),
        ("browse.next_variant", N_("change it")),
        ("browse.filter", N_("find")),
        ("browse.choose_model", N_("model")),
    ),
    (
        ("app.help", N_("help")),
        ("browse.lessons", N_("lessons")),
        ("browse.collections", N_("collections")),
        ("app.command_palette", N_("all")),
    ),
)
"""Two lines of keys: commands by their names, and a word or two for what each does."""
_CLOSING = frozenset({"enter", "escape"})
"""Keys that a person presses to be rid of a card, not to do what they do under it."""


class WelcomeCard(Static):
    """Four lines over whatever there is. It takes no focus and no key."""

    DEFAULT_CSS = """
    WelcomeCard {
        position: absolute;
        overlay: screen;
        height: auto;
        padding: 1 2;
        border: round $primary;
        border-title-color: $cs-key;
        border-subtitle-color: $cs-muted;
        background: $surface;
        color: $cs-plain;
    }
    """

    def __init__(self, keys: Keymap) -> None:
        self._text = welcome(keys)
        super().__init__(self._text)
        self.border_title = _("Welcome")
        self.border_subtitle = _("any key goes on")

    def on_mount(self) -> None:
        """Stand in the middle."""
        self.centre()

    def centre(self) -> None:
        """Stand in the middle of a terminal of this size."""
        width, height = self.app.size
        wide = max(20, min(_WIDEST, width - 4))
        self.styles.width = wide
        told = self._text.plain.split("\n")
        lines = sum(len(wrap(line, wide - _AROUND[0], cell_len)) for line in told)
        top = max(1, (height - lines - _AROUND[1]) // 2)
        self.styles.offset = (max(0, (width - wide) // 2), top)


def welcome(keys: Keymap) -> Content:
    """What this is and what to press, with a person's own keys."""
    shown = {
        f"{command.where}.{command.id}": command.shown_keys.split()[0]
        for where in (BROWSE, APP)
        for command in rebound_commands(where, keys)
    }
    lines = [
        Content(_("A model is asked about an item, layer by layer.")),
        Content(_("Change the item, ask again, see where it fails.")),
    ]
    for told in _TOLD:
        parts = [((shown[name], "$cs-key bold"), f" {_(word)}") for name, word in told]
        lines.append(Content("   ").join(Content.assemble(*part) for part in parts))
    return Content("\n").join(lines)


class Welcome:
    """Shows the card, the first time by itself, and closes it again."""

    def __init__(self, app: Shell) -> None:
        self._app = app

    def show_first(self) -> None:
        """Show the card if it was never shown, and remember that it was."""
        if not _remembered():
            self.show()
            self._app.run_worker(self._remember, thread=True, group="remember", exit_on_error=False)

    def show(self) -> None:
        """Show the card."""
        self._close()
        self._app.screen.mount(WelcomeCard(self._app.keys))

    def takes(self, event: events.Event) -> bool:
        """Close the card at a key or a click; whether the key was pressed for that alone."""
        pressed = isinstance(event, events.Key | events.MouseDown)
        if pressed and not event.is_forwarded:
            closed = self._close()
            return closed and isinstance(event, events.Key) and event.key in _CLOSING
        if isinstance(event, events.Resize):
            for card in self._app.screen.query(WelcomeCard):
                self._app.call_after_refresh(card.centre)
        return False

    def _close(self) -> bool:
        """Close the card; whether one was seen."""
        app = self._app
        cards = [card for screen in app.screen_stack for card in screen.query(WelcomeCard)]
        seen = any(card.display and card.screen is app.screen for card in cards)
        for card in cards:
            card.remove()
        return seen

    def _remember(self) -> None:
        try:
            atomic_write(_file(), "The welcome was shown.\n")
        except OSError as error:
            problem = _(
                "That the welcome was shown cannot be remembered: {why}.", why=error.strerror
            )
            self._app.call_from_thread(self._app.log_line, escape_control_characters(problem))


def _file() -> Path:
    return paths.state() / "welcomed"


def _remembered() -> bool:
    """Whether it was shown; what cannot be looked at counts as shown, for it could not be kept."""
    try:
        return _file().exists()
    except OSError:
        return True
