"""The menu: every command of the screen in front and of the program, by what one wants to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from core.layout.rows import pad
from core.text.language import N_, _
from tui.shell.command import Command, Place
from tui.shell.command_groups import grouped
from tui.shell.dialogue import STEP_BINDINGS, Dialogue
from tui.shell.palette import offered

_KEYS = 20
"""Cells for the keys of a command."""
_LABEL = 24
"""Cells for its name."""


class Menu(Dialogue[str | None]):
    """Lists the commands; dismisses with the action of the chosen one, or with None."""

    HELP = N_("""
    ## The menu

    Every command of the screen behind, with its keys. **j** and **k** or the arrows go through
    them, **enter** does the one under the cursor, **esc** leaves. What it does stands below.
    """)
    DEFAULT_CSS = """
    Menu {
        align: left top;
        & > Vertical { width: 52; max-width: 100%; height: 100%; max-height: 100%; padding: 0; }
        & > Vertical { border-subtitle-color: $cs-muted; }
        & OptionList { height: 1fr; max-height: 100%; }
        & OptionList > .option-list--option-disabled { color: $cs-key; text-style: bold; }
        & .help { height: auto; min-height: 2; margin: 0; padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *STEP_BINDINGS,
        Binding("escape,f10", "cancel", N_("leave"), tooltip=N_("Leave the menu.")),
    ]

    def __init__(self, behind: Screen[Any]) -> None:
        super().__init__()
        self._actions = dict(offered(behind))
        self._shown: list[Command | None] = []
        """The command of each line; None for a heading."""

    def compose(self) -> ComposeResult:
        """The commands under their headings, and what the one under the cursor does."""
        with Vertical() as box:
            box.border_title = _("Menu")
            box.border_subtitle = _("enter does it · esc leaves")
            yield OptionList(*self._options())
            yield Static("", classes="help", markup=False)

    def _options(self) -> Iterator[Option]:
        commands = list(self._actions)
        program = [command for command in commands if command.where == Place.APP]
        for title, group in [*grouped(commands), (_("The program"), program)]:
            if title:
                self._shown.append(None)
                yield Option(Content(_(title)), disabled=True)
            for command in group:
                self._shown.append(command)
                keys = pad(command.shown_keys, _KEYS, cell_len)
                yield Option(Content(f"  {pad(command.shown_label, _LABEL, cell_len)} {keys}"))

    @on(OptionList.OptionHighlighted)
    def explain(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the command under the cursor does."""
        command = self._shown[event.option_index]
        self.query_one(".help", Static).update(command.shown_help if command else "")

    @on(OptionList.OptionSelected)
    def choose(self, event: OptionList.OptionSelected) -> None:
        """Do the command under the cursor."""
        command = self._shown[event.option_index]
        if command is not None:
            self.dismiss(self._actions[command])
