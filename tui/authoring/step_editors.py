"""An editor for each kind of switch; each posts `Edited` and `Accepted`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea

from core.contract.setting import Choice, Edits, Flag, NodeState, Number, Order, Switch, Text
from core.contract.view import Role
from core.layout.rows import SIGNS, Ink, Row, Span, wrap
from core.text.escaping import escape_control_characters
from core.text.language import N_, translated
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.widgets.rows_view import RowsView

Hints = tuple[tuple[tuple[str, ...], str], ...]
"""Commands of an answer, by their ids, and the word for what they do together."""
_EDITS_LIMIT = 20_000
"""Most characters of edits of a graph."""


@dataclass
class Edited(Message):
    """The value in the editor has changed."""

    key: str
    text: str


@dataclass
class Accepted(Message):
    """The person has accepted the value."""

    key: str
    text: str


def editor(switch: Switch, start: str) -> Widget:
    """The editor for a switch; `start` is the value or text it begins with."""
    match switch:
        case Choice(values=values):
            return ChoiceEditor(switch.key, values, switch.names or values, start)
        case Flag():
            return ChoiceEditor(switch.key, ("on", "off"), (N_("on"), N_("off")), start)
        case Order():
            return OrderEditor(switch, start)
        case Number():
            return NumberEditor(switch, start)
        case Text(limit=limit):
            return PassageEditor(switch.key, start, limit)
        case NodeState():
            return ChoiceEditor(switch.key, switch.VALUES, switch.VALUES, start)
        case Edits():
            return PassageEditor(switch.key, start, _EDITS_LIMIT)


def _blank(crop: Region) -> list[Strip]:
    return [Strip.blank(crop.width)] * crop.height


class PassageEditor(TextArea):
    """A passage to type: enter accepts it, and a paste keeps its lines.

    Control characters are made visible when they come in, so that what is shown is stored.
    """

    HINTS: ClassVar[Hints] = ((("accept",), N_("accept")), (("new_line",), N_("new line")))
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EDITOR, ("accept", "new_line"))

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
        """Put the cursor at the end."""
        self.move_cursor(self.document.end)

    def _shown(self, text: str) -> str:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
        return escape_control_characters(lines, lines=True, limit=2 * self._limit)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Blank after removal: Textual may repaint before the next layout."""
        return super().render_lines(crop) if self.is_attached else _blank(crop)

    def action_accept(self) -> None:
        self.post_message(Accepted(self._key, self.text))

    def action_new_line(self) -> None:
        self._insert("\n")

    def on_paste(self, event: events.Paste) -> None:
        """Insert what is pasted, with its lines."""
        event.stop()
        event.prevent_default()
        self._insert(event.text)

    def action_paste(self) -> None:
        self._insert(self.app.clipboard)

    def _insert(self, text: str) -> None:
        end = self.replace(self._shown(text), *self.selection).end_location
        self.move_cursor(end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(Edited(self._key, self.text))


class NumberEditor(PassageEditor):
    """A whole number to type, or to step with the arrows."""

    HINTS: ClassVar[Hints] = (
        (("previous", "next"), N_("one more, less")),
        (("accept",), N_("accept")),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EDITOR, ("next", "previous"))

    def __init__(self, switch: Number, start: str) -> None:
        super().__init__(switch.key, start, limit=40)
        self._switch = switch

    def action_previous(self) -> None:
        self._step(1)

    def action_next(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        text = self.text.strip().removeprefix("-")
        number = int(self.text) if text.isascii() and text.isdigit() else self._switch.start
        self.load_text(str(min(self._switch.high, max(self._switch.low, number + by))))
        self.move_cursor(self.document.end)


class _RowsEditor(RowsView):
    """Lines with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        Place.EDITOR, ("next", "previous", "first", "last", "accept")
    )

    def __init__(self, key: str, cursor: str) -> None:
        super().__init__()
        self._key = key
        self.set_reactive(RowsView.cursor, cursor)

    @property
    def text(self) -> str:
        """The value as the switch writes it."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        """Blank once removed: Textual may repaint before the next layout."""
        return super().render_lines(crop) if self.is_attached else _blank(crop)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the lines need."""
        return len(self.draw(max(8, width - 1)))

    def clicked_again(self) -> None:
        """Accept the line under the cursor."""
        self.action_accept()

    def action_next(self) -> None:
        self.move_cursor(1)

    def action_previous(self) -> None:
        self.move_cursor(-1)

    def action_first(self) -> None:
        self.move_cursor(-(10**6))

    def action_last(self) -> None:
        self.move_cursor(10**6)

    def action_accept(self) -> None:
        self.post_message(Accepted(self._key, self.text))


def _headed(
    head: str, text: str, inks: tuple[Ink | Role, Ink | Role], ref: str, width: int
) -> Iterator[Row]:
    """Rows of a text with a head before the first one."""
    for line in wrap(escape_control_characters(text), max(8, width - len(head)), cell_len):
        yield Span(head, inks[0], ref), Span(line, inks[1], ref)
        head = " " * len(head)


class ChoiceEditor(_RowsEditor):
    """Values to pick one of, with the arrows, j and k, or a number."""

    HINTS: ClassVar[Hints] = (
        (("next", "previous"), N_("choose")),
        (("accept",), N_("accept")),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EDITOR, ("nth",))

    def __init__(self, key: str, values: tuple[str, ...], names: tuple[str, ...], start: str):
        at = values.index(start) if start in values else 0
        super().__init__(key, str(at))
        self._values = values
        self._names = names

    @property
    def text(self) -> str:
        """The value under the cursor."""
        return self._values[int(self.cursor)]

    def draw(self, width: int) -> list[Row]:
        """The numbered names of the values."""
        digits = len(str(len(self._names)))
        rows: list[Row] = []
        for i, name in enumerate(self._names):
            ref = str(i)
            here = ref == self.cursor
            head = f"{'▸' if here else ' '} {i + 1:>{digits}}  "
            inks = (Ink.KEY, Ink.HEADING) if here else (Ink.NUMBER, Role.PLAIN)
            rows += _headed(head, translated(name), inks, ref, width)
        return rows

    def action_nth(self, number: int) -> None:
        """Move the cursor to the value with this number."""
        if number <= len(self._values):
            self.cursor = str(number - 1)

    def watch_cursor(self, old: str, new: str) -> None:
        self.redraw()
        super().watch_cursor(old, new)
        if old != new and self.is_mounted:
            self.post_message(Edited(self._key, self.text))


class OrderEditor(_RowsEditor):
    """Parts to put in order: the part under the cursor moves."""

    HINTS: ClassVar[Hints] = (
        (("next", "previous"), N_("choose")),
        (("move_back", "move_forward"), N_("move up, down")),
        (("accept",), N_("accept")),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EDITOR, ("move_back", "move_forward"))

    def __init__(self, switch: Order, start: str) -> None:
        well_formed = sorted(start.split(",")) == sorted(switch.default.split(","))
        self._order = list(switch.indices(start if well_formed else switch.default))
        self._parts = switch.parts
        super().__init__(switch.key, str(self._order[0]))

    @property
    def text(self) -> str:
        """The order, as the switch writes it."""
        return ",".join(str(part) for part in self._order)

    def draw(self, width: int) -> list[Row]:
        """The parts in their present order, with a mark at those that were moved."""
        digits = len(str(len(self._order)))
        rows: list[Row] = []
        for position, part in enumerate(self._order):
            role = Role.PLAIN if position == part else Role.CHANGED
            head = f" {position:>{digits}} {SIGNS[role]} "
            rows += _headed(head, self._parts[part], (Ink.NUMBER, role), str(part), width)
        return rows

    def action_move_back(self) -> None:
        self._move(-1)

    def action_move_forward(self) -> None:
        self._move(1)

    def _move(self, by: int) -> None:
        order = self._order
        position = order.index(int(self.cursor))
        other = position + by
        if 0 <= other < len(order):
            order[position], order[other] = order[other], order[position]
            self.redraw()
            self.post_message(Edited(self._key, self.text))
