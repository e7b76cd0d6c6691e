"""What a lesson says, what it asks the audience, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownBlock

from core.contract.view import Role
from core.layout.hands import draw_hands
from core.layout.rows import Ink, Row, paragraph
from core.lessons.narration import LIMIT, plain_markdown
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.lessons.player import LessonPlayer
from tui.widgets.rows_view import RowsView


class Hands(RowsView, can_focus=False):
    """The prediction that is asked for; as high as what it draws."""

    DEFAULT_CSS = "Hands { height: auto; margin: 1 0; background: transparent; }"

    def __init__(self) -> None:
        super().__init__()
        self.ask = ""
        self.options: tuple[str, ...] = ()
        self.counted: tuple[int, ...] = ()
        self.true: tuple[int, ...] | None = None
        self.notes: tuple[tuple[str, Role], ...] = ()

    def draw(self, width: int) -> list[Row]:
        """The question, its options, and what is to be said of them."""
        rows: list[Row] = []
        if self.ask:
            rows += paragraph(self.ask, Ink.HEADING, width, cell_len)
            rows += draw_hands(self.options, self.counted, self.true, width, cell_len)
        for text, ink in self.notes:
            rows += [(), *paragraph(text, ink, width, cell_len)]
        return rows

    def redraw(self) -> None:
        """Draw, and be as high as that."""
        super().redraw()
        self.display = bool(self._rows) or not self.size.width
        self.styles.height = max(1, len(self._rows))


class NarrationPane(VerticalScroll):
    """Shows the present step of a lesson."""

    HELP = N_("""
    ## The lesson

    Read or tell what stands here; the item and the ladder beside it show it. Where something is
    asked, the keys `1`-`9` count hands, `-` takes the last one back, and `r` asks the model and
    shows what came true. `space` goes on, `backspace` back. You may look around in all panes and
    change the item: the next step puts everything where it belongs.

    `P` presents to a room: one pane at a time, first the text, then what it is about; a click marks
    what was clicked. How large letters are is the terminal's own matter: `ctrl +` makes them larger
    in most (`cmd +` on a Mac), `ctrl -` smaller, and the lesson lays itself out anew, from 60 by 20
    cells up. `commonsense-tui lesson follow` in a second terminal shows the speaker's notes.
    """)
    DEFAULT_CSS = """
    NarrationPane {
        scrollbar-size-vertical: 1;
        scrollbar-color: $cs-track;
        scrollbar-background: $background;
        & Markdown { background: $background; margin: 0; padding: 0 1; }
        & #hint { color: $cs-key; text-style: bold; padding: 0 1; }
        & MarkdownBlock { margin: 0 0 1 0; }
        & MarkdownH1, & MarkdownH2, & MarkdownH3 {
            color: $cs-key; text-style: bold; content-align: left middle; margin: 0 0 1 0;
        }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._drawing = asyncio.Lock()

    def compose(self) -> ComposeResult:
        """The text, the prediction, the text that comes after it, and what to press."""
        yield Markdown(id="say", parser_factory=plain_markdown, open_links=False)
        yield Hands()
        yield Markdown(id="after", parser_factory=plain_markdown, open_links=False)
        yield Static("", id="hint", markup=False)

    def mark(self, clicked: Widget) -> None:
        """Mark the paragraph that was clicked, or mark it no longer."""
        for widget in clicked.ancestors_with_self:
            if isinstance(widget, MarkdownBlock):
                widget.toggle_class("-marked")
                return

    async def show(
        self, player: LessonPlayer, *, hint: str, notes: Sequence[tuple[str, Role]] = ()
    ) -> None:
        """Show where one is in a lesson.

        Args:
            player: the lesson and the step that it is at.
            hint: what to press next.
            notes: what is to be said besides: that the model is asked, an error.
        """
        async with self._drawing:
            await self._show(player, hint, notes)

    async def _show(
        self, player: LessonPlayer, hint: str, notes: Sequence[tuple[str, Role]]
    ) -> None:
        step = player.step
        steps = len(player.lesson.steps)
        self.border_title = Content(
            escape_control_characters(player.lesson.title.spoken(player.language))
        )
        self.border_subtitle = _("{step} of {steps}", step=player.at + 1, steps=steps)
        hands, options = self.query_one(Hands), player.options
        prediction = step.prediction
        hands.ask = prediction.ask.spoken(player.language) if prediction else ""
        hands.options = options
        hands.counted = tuple(player.count.of(place) for place in range(len(options)))
        hands.true = player.shown.true if player.shown else None
        hands.notes = tuple(notes)
        hands.redraw()
        await self._say("#say", step.say.spoken(player.language))
        after = player.said_after()
        self.query_one("#after", Markdown).display = bool(after)
        await self._say("#after", after)
        self.query_one("#hint", Static).update(escape_control_characters(hint))

    async def _say(self, place: str, text: str) -> None:
        shown = escape_control_characters(text, lines=True, limit=LIMIT)
        markdown = self.query_one(place, Markdown)
        if markdown.source != shown:
            await markdown.update(shown)
