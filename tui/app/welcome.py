"""The card that is shown once: what the program is and which keys to press first."""

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
from tui.shell.command import Place
from tui.shell.keymap import Keymap, rebound_commands

_WIDEST = 56
_BORDER_AND_PADDING = (6, 4)
"""Columns and rows."""
_KEYS = (
    (
        ("browse.ask", N_("ask")),
        ("browse.next_variant", N_("variant")),
        ("browse.filter", N_("filter")),
        ("browse.choose_model", N_("model")),
    ),
    (
        ("app.help", N_("help")),
        ("browse.lessons", N_("lessons")),
        ("browse.collections", N_("collections")),
        ("app.command_palette", N_("all")),
    ),
)
"""Two rows of keys: names of commands, and a word or two for what each does."""
_CLOSING = frozenset({"enter", "escape"})
"""Keys that only close the card; every other key also does what it does without the card."""


class WelcomeCard(Static):
    """Four lines over the screen. It takes no focus and no key."""

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
        text = self._text.plain.split("\n")
        lines = sum(len(wrap(line, wide - _BORDER_AND_PADDING[0], cell_len)) for line in text)
        top = max(1, (height - lines - _BORDER_AND_PADDING[1]) // 2)
        self.styles.offset = (max(0, (width - wide) // 2), top)


def welcome(keys: Keymap) -> Content:
    """The text of the card, with the person's own keys."""
    shown = {
        f"{command.where}.{command.id}": command.shown_keys.split()[0]
        for where in (Place.BROWSE, Place.APP)
        for command in rebound_commands(where, keys)
    }
    lines = [
        Content(_("A model is asked about an item, layer by layer.")),
        Content(_("Change the item, ask again, see where it fails.")),
    ]
    for row in _KEYS:
        parts = [((shown[name], "$cs-key bold"), f" {_(word)}") for name, word in row]
        lines.append(Content("   ").join(Content.assemble(*part) for part in parts))
    return Content("\n").join(lines)


class Welcome:
    """Shows the card on an app: once by itself, later when a person asks for it."""

    def __init__(self, app: Shell) -> None:
        self._app = app

    def show_once(self) -> None:
        """Show the card if it was never shown, and remember that it was."""
        if not _was_shown():
            self.show()
            self._app.run_worker(self._remember, group="remember", thread=True, exit_on_error=False)

    def show(self) -> None:
        """Show the card, unless the program is being left."""
        self._close()
        if self._app.screen.is_attached:
            self._app.screen.mount(WelcomeCard(self._app.keys))

    def consumes(self, event: events.Event) -> bool:
        """Close the card at a key or a click; True for a key that shall do nothing else."""
        pressed = isinstance(event, events.Key | events.MouseDown)
        if pressed and not event.is_forwarded:
            was_visible = self._close()
            return was_visible and isinstance(event, events.Key) and event.key in _CLOSING
        if isinstance(event, events.Resize):
            for card in self._app.screen.query(WelcomeCard):
                self._app.call_after_refresh(card.centre)
        return False

    def _close(self) -> bool:
        """Close the card; return whether it was visible."""
        cards = [card for screen in self._app.screen_stack for card in screen.query(WelcomeCard)]
        visible = any(card.display and card.screen is self._app.screen for card in cards)
        for card in cards:
            card.remove()
        return visible

    def _remember(self) -> None:
        """Write the file that says that the card was shown; runs in a thread."""
        try:
            atomic_write(_marker(), "The welcome was shown.\n", private=True)
        except OSError as error:
            line = _(
                "It cannot be remembered that the welcome was shown: {why}.", why=error.strerror
            )
            self._app.call_from_thread(self._app.log_line, escape_control_characters(line))


def _marker() -> Path:
    return paths.state() / "welcomed"


def _was_shown() -> bool:
    """Whether the card was shown; True if the file cannot be read, for it could not be written."""
    try:
        return _marker().exists()
    except OSError:
        return True
