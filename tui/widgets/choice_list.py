"""The answers to one question: numbered, with a cursor and marks."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from core.annotation.tasks import Choice
from core.text.escaping import escape_control_characters

_NUMBERED = 9
"""Answers that a key of their own picks."""


class ChoiceList(Vertical):
    """Offers answers; those picked before are marked."""

    DEFAULT_CSS = """
    ChoiceList {
        height: auto;
        background: $background;
        & ChoiceLine { height: auto; color: $cs-plain; padding: 0 1; }
        & ChoiceLine.-cursor { background: $cs-cursor; }
    }
    """

    class Clicked(Message):
        """An answer was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, choices: Sequence[Choice], picked: Sequence[int], *, multiple: bool) -> None:
        super().__init__()
        self.choices = tuple(choices)
        self.multiple = multiple
        self._marked = set(picked)
        self._before = frozenset(picked)
        self.cursor: int | None = min(picked, default=None)

    @property
    def picks(self) -> tuple[int, ...]:
        """The indices of the marked answers, or of the one under the cursor."""
        if self.multiple:
            return tuple(sorted(self._marked))
        return () if self.cursor is None else (self.cursor,)

    def compose(self) -> ComposeResult:
        """A line for each."""
        for index in range(len(self.choices)):
            yield ChoiceLine(self._line(index), index)

    def on_mount(self) -> None:
        """Show the cursor."""
        self._redraw()

    def move(self, by: int) -> None:
        """Move the cursor; it stays inside."""
        last = len(self.choices) - 1
        if self.cursor is None:
            self.cursor = 0 if by > 0 else last
        else:
            self.cursor = min(max(self.cursor + by, 0), last)
        self._redraw()

    def toggle(self, index: int) -> None:
        """Mark an answer, or take its mark away."""
        self._marked ^= {index}
        self.cursor = index
        self._redraw()

    def _redraw(self) -> None:
        for line in self.query(ChoiceLine):
            line.update(self._line(line.index))
            line.set_class(line.index == self.cursor, "-cursor")
            if line.index == self.cursor:
                line.scroll_visible(animate=False)

    def _line(self, index: int) -> Content:
        choice = self.choices[index]
        keys = [str(index + 1)] if index < _NUMBERED else [" "]
        keys += [choice.letter] if choice.letter else []
        if self.multiple:
            mark = "[x] " if index in self._marked else "[ ] "
        else:
            mark = "● " if index in self._before else "○ "
        label = escape_control_characters(choice.label, lines=True)
        return Content.assemble((" ".join(keys), "bold $cs-key"), f"  {mark}{label}")


class ChoiceLine(Static):
    """One answer."""

    def __init__(self, content: Content, index: int) -> None:
        super().__init__(content, markup=False)
        self.index = index

    def on_click(self, event: events.Click) -> None:
        """Tell which one was clicked."""
        event.stop()
        self.post_message(ChoiceList.Clicked(self.index))
