"""Jump mode: a letter for each pane, tab or field of a screen."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.dialogue import DismissedOnce

_LONGEST = 24
"""Most cells of a label."""
_WHAT = (N_("input"), N_("option list"), N_("selection list"), N_("model list"))
"""Names of the kinds of widgets without a title, marked for translation."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place to jump to."""

    key: str
    """The letter that goes there."""
    label: str
    at: Offset | None
    """The position of its label; None for a hidden place."""
    go: Callable[[], Any]
    titled: bool = False
    """Whether a title stands behind the label, so that the letter is enough."""


@runtime_checkable
class Jumping(Protocol):
    """A screen that names its targets."""

    def jump_targets(self) -> Sequence[Target]:
        """The places, in their order."""
        ...


def targets_of(screen: Screen[Any]) -> Sequence[Target]:
    """The targets of a screen: those that it names, else its focusable widgets."""
    if isinstance(screen, Jumping):
        return screen.jump_targets()
    targets: list[Target] = []
    for widget in screen.focus_chain:
        label = _called(widget)
        taken = {target.key for target in targets}
        letters = (c for c in label.lower() + string.ascii_lowercase if c in string.ascii_lowercase)
        key = next((letter for letter in letters if letter not in taken), "")
        if key:
            titled = bool(widget.border_title)
            at = Offset(widget.region.x + (not titled), widget.region.y)
            targets.append(Target(key, label, at, widget.focus, titled))
    return targets


def _called(widget: Widget) -> str:
    """The name of a widget: its title, its placeholder, else its kind."""
    for name in (widget.border_title, getattr(widget, "placeholder", ""), widget.name):
        text = Content.from_markup(name).plain.strip(" .…") if isinstance(name, str) else ""
        if text:
            return escape_control_characters(text, limit=_LONGEST)
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in type(widget).__name__)
    return _(words.strip())


class JumpScreen(ModalScreen[Target | None], DismissedOnce[Target | None]):
    """Puts a letter on every target; dismisses with the target of the pressed letter."""

    DEFAULT_CSS = """
    JumpScreen {
        background: $background 50%;
        & Static {
            position: absolute;
            width: auto;
            background: $primary;
            color: $background;
            text-style: bold;
        }
        & #banner { dock: bottom; width: 1fr; text-align: center; position: relative; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,ctrl+o,question_mark", "leave", N_("leave"), tooltip=N_("Stay where you are.")
        )
    ]

    def __init__(self, targets: Sequence[Target]) -> None:
        super().__init__()
        self.targets = targets

    def compose(self) -> ComposeResult:
        """A label at the corner of each place, before its title; those out of sight in a column."""
        row = 1
        used: dict[int, int] = {}
        for target in self.targets:
            text = f" {target.key} " if target.titled else f" {target.key} {target.label} "
            label = Static(text, markup=False)
            if target.at is None:
                row += 1
                label.styles.offset = (2, row)
            else:
                # Labels that would begin in the same place stand one after the other.
                left = max(target.at.x, used.get(target.at.y, 0))
                if left + cell_len(text) > self.app.size.width:
                    left = target.at.x
                used[target.at.y] = left + cell_len(text)
                label.styles.offset = (left, target.at.y)
            yield label
        yield Static(_("Press a letter to jump, esc to stay"), id="banner", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Go to the place with this letter."""
        target = next((each for each in self.targets if each.key == event.key), None)
        if target is not None:
            event.stop()
            self.dismiss(target)

    def action_leave(self) -> None:
        """Stay where one was."""
        self.dismiss(None)
