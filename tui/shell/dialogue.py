"""The base class of dialogues, with the program's keys for help, jumping and pictures."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.events import Event, Mount
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widgets import OptionList

from core.text.language import N_
from tui.shell.command import Place
from tui.shell.commands import commands

_SHARED = ("help", "jump", "picture")


def _app_bindings() -> list[BindingType]:
    """Keys of the program that work in a dialogue too; a modal screen hides the others."""
    return [
        Binding(
            ",".join(command.keys),
            f"app.{command.id}",
            command.label,
            show=False,
            id=f"{Place.APP}.{command.id}",
            tooltip=command.help,
        )
        for command in commands(Place.APP)
        if command.id in _SHARED
    ]


STEP_BINDINGS: list[BindingType] = [
    Binding("j", "move(1)", N_("next"), show=False),
    Binding("k", "move(-1)", N_("previous"), show=False),
]
"""Keys of a dialogue with a list of lines: j and k step through it as the arrows do."""


def close_in_front(screen: Screen[Any]) -> bool:
    """Close everything in front of a screen; False where the screen itself is closed already.

    Textual closes whatever is in front, so a second key of a burst would close another screen.
    """
    if screen not in screen.app.screen_stack:
        return False
    while screen.app.screen is not screen:
        screen.app.screen.dismiss()
    return True


def is_heard(screen: Screen[Any], event: Event) -> bool:
    """Whether a screen handles an event; one that was closed before it was mounted has no widgets.

    Only being mounted is not heard of then.
    """
    return not isinstance(event, Mount) or screen in screen.app.screen_stack


class DismissedOnce(Screen[ScreenResultType]):
    """A screen that is dismissed once, however often its keys are pressed."""

    async def on_event(self, event: Event) -> None:
        """Handle an event, unless the screen was closed before it was mounted."""
        if is_heard(self, event):
            await super().on_event(event)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close this screen and all in front of it; nothing where it is closed already."""
        return super().dismiss(result) if close_in_front(self) else AwaitComplete()


class Dialogue(ModalScreen[ScreenResultType]):
    """A screen in front of another that asks for something; `HELP` says what, in Markdown.

    It is a box with an explanation, what is asked for, and what is said of it.
    """

    # A list without width cannot be measured, and the narrowest terminal leaves it none.
    DEFAULT_CSS = """
    Dialogue {
        align: center middle;
        & > Vertical {
            width: 76;
            max-width: 96%;
            height: auto;
            max-height: 90%;
            border: round $primary;
            border-title-color: $cs-key;
            background: $surface;
            padding: 1 2;
        }
        & .help { color: $cs-muted; margin-bottom: 1; }
        & .error { color: $cs-bad; margin-top: 1; height: auto; }
        & .about { color: $cs-muted; margin-top: 1; height: 5; }
        &.-about OptionList { max-height: 50vh; }
        & Input { border: tall $cs-track; background: $panel; &:focus { border: tall $primary; } }
        & OptionList {
            min-width: 8;
            height: auto;
            max-height: 20;
            border: none;
            background: $surface;
            &:focus { border: none; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = _app_bindings()

    async def on_event(self, event: Event) -> None:
        """Handle an event, unless the dialogue was closed before it was mounted."""
        if is_heard(self, event):
            await super().on_event(event)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close this dialogue and all in front of it; nothing where it is closed already."""
        return super().dismiss(result) if close_in_front(self) else AwaitComplete()

    def action_move(self, by: int) -> None:
        """Step to the next line, or for a negative number to the one before."""
        lines = self.query_one(OptionList)
        if by > 0:
            lines.action_cursor_down()
        else:
            lines.action_cursor_up()

    def action_cancel(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)
