"""What every dialogue has: one way out, help, and jumping to its parts with the program's keys."""

from __future__ import annotations

from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widgets import OptionList

from core.text.language import N_, _
from tui.shell.command import APP
from tui.shell.commands import commands

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


class DismissedOnce(Screen[ScreenResultType]):
    """A screen that is dismissed once, however often its keys are pressed."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close this screen and all in front of it; nothing where it is closed already.

        Textual closes whatever is in front, so a second key of a burst would close another screen.
        """
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss()
        return super().dismiss(result)


class Dialogue(ModalScreen[ScreenResultType], DismissedOnce[ScreenResultType]):
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
