"""One editor for each kind of switch; all of them tell the same two things: edited, accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList, TextArea
from textual.widgets.option_list import Option

from core.layout.rows import SIGNS, Ink, Row, Span, pad, wrap
from core.setting import Choice, Flag, Number, Order, Switch, Text
from core.view import Role
from core.visible import visible
from tui.widgets.rows_view import RowsView


@dataclass
class Edited(Message):
    """Another value stands in the editor."""

    key: str
    text: str


@dataclass
class Accepted(Message):
    """The person means this value."""

    key: str
    text: str


def editor(switch: Switch, start: str) -> Widget:
    """The editor for a switch; `start` is the value or text it begins with."""
    match switch:
        case Choice(values=values):
            return ChoiceEditor(switch.key, values, switch.names or values, start)
        case Flag():
            return ChoiceEditor(switch.key, ("on", "off"), ("on", "off"), start)
        case Order():
            return OrderEditor(switch, start)
        case Number():
            return NumberEditor(switch, start)
        case Text(limit=limit):
            return PassageEditor(switch.key, start, limit)


class PassageEditor(TextArea):
    """A passage to type. Enter accepts it, a paste keeps its lines, and nothing in it is obeyed.

    A control character is turned into its visible sign where it comes in, so that what is read
    is what will be stored.
    """

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("enter", "accept"), ("ctrl+j", "new line"))

    def __init__(self, key: str, start: str, limit: int) -> None:
        self._key = key
        self._limit = limit
        super().__init__(
            self._shown(start),
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            compact=True,
        )

    def on_mount(self) -> None:
        """Go on at the end of what stands here."""
        self.move_cursor(self.document.end)

    def _shown(self, text: str) -> str:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
        return visible(lines, lines=True, limit=2 * self._limit)

    def on_key(self, event: events.Key) -> None:
        """Accept on enter; begin a new line only when that is meant."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(Accepted(self._key, self.text))
        elif event.key == "ctrl+j":
            event.stop()
            event.prevent_default()
            self._insert("\n")

    def on_paste(self, event: events.Paste) -> None:
        """Insert what is pasted, with its lines."""
        event.stop()
        event.prevent_default()
        self._insert(event.text)

    def action_paste(self) -> None:
        """Insert what the program's own clipboard holds."""
        self._insert(self.app.clipboard)

    def _insert(self, text: str) -> None:
        end = self.replace(self._shown(text), *self.selection).end_location
        self.move_cursor(end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Tell."""
        event.stop()
        self.post_message(Edited(self._key, self.text))


class NumberEditor(PassageEditor):
    """A whole number to type, or to step with the arrows."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("↑ ↓", "one more, less"), ("enter", "accept"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "one more", show=False),
        Binding("down", "step(-1)", "one less", show=False),
    ]

    def __init__(self, switch: Number, start: str) -> None:
        super().__init__(switch.key, start, limit=40)
        self._switch = switch

    def action_step(self, by: int) -> None:
        """Step the number inside its range."""
        text = self.text.strip().removeprefix("-")
        number = int(self.text) if text.isascii() and text.isdigit() else self._switch.start
        self.load_text(str(min(self._switch.high, max(self._switch.low, number + by))))
        self.move_cursor(self.document.end)


class ChoiceEditor(OptionList):
    """Values to pick one of, with the arrows, j and k, or a number."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("j k", "choose"), ("enter", "accept"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "next", show=False),
        Binding("k", "cursor_up", "previous", show=False),
        *(Binding(str(n), f"nth({n})", "by number", show=False) for n in range(1, 10)),
    ]

    def __init__(self, key: str, values: tuple[str, ...], names: tuple[str, ...], start: str):
        width = len(str(len(values)))
        options = (
            Option(Content.assemble((f"{n:>{width}}  ", "$cs-number"), Content(visible(name))))
            for n, name in enumerate(names, 1)
        )
        super().__init__(*options, compact=True)
        self._key = key
        self._values = values
        self._start = values.index(start) if start in values else 0

    def on_mount(self) -> None:
        """Stand on the value it begins with."""
        self.highlighted = self._start

    def action_nth(self, number: int) -> None:
        """Stand on the value with this number."""
        if number <= len(self._values):
            self.highlighted = number - 1

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell."""
        event.stop()
        self.post_message(Edited(self._key, self._values[event.option_index]))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Accept."""
        event.stop()
        self.post_message(Accepted(self._key, self._values[event.option_index]))


class OrderEditor(RowsView):
    """Parts to put in order: the part under the cursor moves."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("j k", "choose"),
        (", .", "move it up, down"),
        ("enter", "accept"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "step(1)", "next", show=False),
        Binding("k,up", "step(-1)", "previous", show=False),
        Binding("comma,left_square_bracket", "move(-1)", "move up", show=False),
        Binding("full_stop,right_square_bracket", "move(1)", "move down", show=False),
        Binding("enter", "accept", "accept", show=False),
    ]

    def __init__(self, switch: Order, start: str) -> None:
        super().__init__()
        self._switch = switch
        well_formed = sorted(start.split(",")) == sorted(switch.default.split(","))
        self._order = list(switch.indices(start if well_formed else switch.default))

    @property
    def text(self) -> str:
        """The order, as the switch writes it."""
        return ",".join(str(i) for i in self._order)

    def redraw(self) -> None:
        """Be as high as the parts need."""
        super().redraw()
        self.styles.height = max(1, self.virtual_size.height)

    def draw(self, width: int) -> list[Row]:
        """The parts in their present order, marked where they stand elsewhere than before."""
        digits = len(str(len(self._order)))
        rows: list[Row] = []
        for place, part in enumerate(self._order):
            role = Role.PLAIN if place == part else Role.CHANGED
            ref = str(part)
            lines = wrap(visible(self._switch.parts[part]), max(8, width - digits - 4), cell_len)
            for i, line in enumerate(lines):
                head = f" {place:>{digits}} {SIGNS[role]} " if i == 0 else " " * (digits + 4)
                rows.append((Span(head, Ink.NUMBER, ref), Span(line, role, ref)))
        return [(*row, Span(pad("", 1, cell_len))) for row in rows]

    def action_step(self, by: int) -> None:
        """Stand on the next part."""
        self.move_cursor(by)

    def action_move(self, by: int) -> None:
        """Move the part under the cursor."""
        place = self._order.index(int(self.cursor))
        other = place + by
        if 0 <= other < len(self._order):
            order = self._order
            order[place], order[other] = order[other], order[place]
            self.redraw()
            self.post_message(Edited(self._switch.key, self.text))

    def action_accept(self) -> None:
        """Accept the order."""
        self.post_message(Accepted(self._switch.key, self.text))
