"""The text of a lesson, its predictions, and what came true."""

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
from core.lessons.reveal import Revealed
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.lessons.counting import CountsView, FittedRows
from tui.lessons.player import LessonPlayer


class Hands(FittedRows):
    """The prediction of a step with its hands."""

    def __init__(self) -> None:
        super().__init__()
        self.ask = ""
        self.options: tuple[str, ...] = ()
        self.counted: tuple[int, ...] = ()
        self.true: tuple[int, ...] | None = None
        self.notes: tuple[tuple[str, Role], ...] = ()

    def first_row(self, width: int) -> int:
        """The row of the first option that came true; else the row after the options."""
        question = paragraph(self.ask, Ink.HEADING, width, cell_len) if self.ask else []
        end = min(self.true) if self.true else len(self.options)
        above = draw_hands(self.options[:end], self.counted[:end], None, width, cell_len)
        return len(question) + len(above)

    def draw(self, width: int) -> list[Row]:
        """The question, its options with their hands, and notes on the result."""
        rows: list[Row] = []
        if self.ask:
            rows += paragraph(self.ask, Ink.HEADING, width, cell_len)
            rows += draw_hands(self.options, self.counted, self.true, width, cell_len)
        for text, ink in self.notes:
            rows += [(), *paragraph(text, ink, width, cell_len)]
        return rows


class NarrationPane(VerticalScroll):
    """Shows the present step of a lesson."""

    HELP = N_("""
    ## The lesson

    Read or tell what stands here; the item and the ladder beside it show it. Where something is
    asked, the keys `1`-`9` count hands, `-` takes the last one back, and `r` asks the model and
    shows what came true. `space` scrolls on where there is more below, else goes to the next step;
    `backspace` goes back. You may look around in all panes and change the item: the next step puts
    everything where it belongs.

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
        self._place = ""
        self._asking = ""

    def compose(self) -> ComposeResult:
        """The text, the prediction, the text that comes after it, and what to press."""
        yield Markdown(id="say", parser_factory=plain_markdown, open_links=False)
        yield Hands()
        yield Markdown(id="after", parser_factory=plain_markdown, open_links=False)
        yield CountsView(self._follow)
        yield Static("", id="hint", markup=False)

    def mark(self, clicked: Widget) -> None:
        """Mark or unmark the paragraph that was clicked."""
        for widget in clicked.ancestors_with_self:
            if isinstance(widget, MarkdownBlock):
                widget.toggle_class("-marked")
                return

    async def show(
        self, player: LessonPlayer, *, hint: str, notes: Sequence[tuple[str, Role]] = ()
    ) -> None:
        """Show the present step of a lesson, with the key to press next and further notes."""
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
        self._place = _("{step} of {steps}", step=player.index + 1, steps=steps)
        hands = self.query_one(Hands)
        hands.ask = step.prediction.ask.spoken(player.language) if step.prediction else ""
        hands.options = player.options
        hands.counted = player.hands
        hands.true = player.result.true if player.result else None
        value = player.values_revealed()
        hands.notes = (*(((value, Role.EVIDENCE),) if value else ()), *notes)
        hands.redraw()
        await self._say("#say", step.say.spoken(player.language))
        after = player.said_after()
        self.query_one("#after", Markdown).display = bool(after)
        await self._say("#after", after)
        counts = self.query_one(CountsView)
        counts.counts, counts.language = player.counts, player.language
        counts.redraw()
        self.query_one("#hint", Static).update(escape_control_characters(hint))
        self._write_subtitle()
        self.call_after_refresh(self._write_subtitle)

    def show_asking(self, text: str) -> None:
        """Say in the border, which is always in sight, what the model is asked; empty: nothing."""
        self._asking = text
        self._write_subtitle()

    def _write_subtitle(self) -> None:
        more = _("more below") if self.query("#hint") and self.goes_on_below else ""
        parts = self._asking, more, self._place
        self.border_subtitle = " · ".join(part for part in parts if part)

    @property
    def goes_on_below(self) -> bool:
        """Whether text of the step stands below what is in sight; what to press does not count."""
        hint = self.query_one("#hint").virtual_region.y
        return hint - 1 > self.scroll_offset.y + self.size.height

    def read_on(self) -> None:
        """Scroll on by as much as is in sight, less a row."""
        self.scroll_to(y=self.scroll_offset.y + self.size.height - 1, animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._write_subtitle()

    def on_resize(self) -> None:
        """Say whether text stands below, now that there is more room or less."""
        self.call_after_refresh(self._write_subtitle)

    def bring_result_into_sight(self) -> None:
        """Scroll no further than needed to what came true, its text and the notes.

        Where there is no room for all of it, what came true stands at the top. Before anything is
        known the end is shown: the hands that are counted.
        """
        hands, after = self.query_one(Hands), self.query_one("#after")
        if hands.true is None and not hands.notes:
            self.scroll_end(animate=False)
            return
        last = after if after.display else hands
        self._scroll_to_end_of(last.virtual_region.bottom)

    def _follow(self) -> None:
        """Go on to the end, as far as what came true stays in sight."""
        if not self.query(Hands):
            return  # The lesson was left meanwhile.
        if self.query_one(Hands).true is None:
            self.scroll_end(animate=False)
        else:
            self._scroll_to_end_of(self.virtual_size.height)

    def _scroll_to_end_of(self, end: int) -> None:
        hands = self.query_one(Hands)
        first = hands.virtual_region.y + hands.first_row(hands.size.width)
        shown = min(first, max(self.scroll_offset.y, end - self.size.height))
        self.scroll_to(y=shown, animate=False, force=True)

    async def _say(self, selector: str, text: str) -> None:
        await update_markdown(self.query_one(selector, Markdown), text)


async def update_markdown(markdown: Markdown, text: str) -> None:
    """Show a text of a lesson, if it is another one than before."""
    shown = escape_control_characters(text, lines=True, limit=LIMIT)
    if markdown.source != shown:
        await markdown.update(shown)


def notes_on(result: Revealed | None) -> tuple[tuple[str, Role], ...]:
    """Notes on the result of a step that the lesson itself does not have."""
    notes: list[tuple[str, Role]] = []
    if result is None:
        return ()
    if result.recorded:
        badge = _(
            "[recorded] {model}: answered when it was recorded, not now.",
            model=escape_control_characters(result.recorded),
        )
        notes.append((badge, Role.OBSERVED))
    if result.lacking:
        lacking = _("The recording has no answer to this; the lesson goes on.")
        notes.append((lacking, Role.CHANGED))
    if result.contrast:
        name = escape_control_characters(result.contrast)
        notes.append((_("Contrast prompt: {name}", name=name), Role.EVIDENCE))
    before = _("This step was written for another answer.")
    notes += [(f"{before} {text}", Role.CHANGED) for text in result.otherwise]
    return tuple(notes)
