"""What every dialogue has: help, and jumping to one of its parts, with the program's own keys."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import OptionList

from core.language import N_, _
from tui.command import APP
from tui.commands import commands

_SHARED = ("help", "jump", "picture")


def _app_bindings() -> list[BindingType]:
    """Keys of the program that a dialogue, which hides all others, must bind for itself."""
    return [
        Binding(
            ",".join(command.keys),
            f"app.{command.id}",
            command.label,
            show=False,
            id=f"{APP}.{command.id}",
            tooltip=command.help,
        )
        for command in commands(APP)
        if command.id in _SHARED
    ]


class Dialogue(ModalScreen[ScreenResultType]):
    """A screen in front of another that asks for something; `HELP` says what, in Markdown."""

    # A list without width cannot be measured, and the narrowest terminal leaves it none.
    DEFAULT_CSS = "Dialogue OptionList { min-width: 8; }"
    BINDINGS: ClassVar[list[BindingType]] = _app_bindings()

    def help_topic(self) -> str:
        """What the dialogue asks, then what is focused in it."""
        topics = [_(self.HELP or "")]
        if self.focused is not None and self.focused.HELP:
            topics.append(_(self.focused.HELP))
        return "\n\n".join(topic for topic in topics if topic)


class PickingDialogue(Dialogue[ScreenResultType]):
    """A dialogue with a list of lines, through which j and k step as the arrows do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", N_("next"), show=False),
        Binding("k", "move(-1)", N_("previous"), show=False),
    ]

    def action_move(self, by: int) -> None:
        """Step to the next line, or for a negative number to the one before."""
        lines = self.query_one(OptionList)
        if by > 0:
            lines.action_cursor_down()
        else:
            lines.action_cursor_up()
