"""One question after the other, large and calm, answered with single keys."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from core.annotation.session import AnnotationSession, Interlude
from core.annotation.tasks import Task
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.shell.dialogue import DismissedOnce
from tui.shell.program import program_of
from tui.widgets.bars import KeyBar
from tui.widgets.choice_list import ChoiceList
from tui.widgets.passages import ProgressLine, passage

_MOST_ASIDE = 600
"""Characters of a text that only helps to understand the others."""


class AnnotatingScreen(DismissedOnce[None]):
    """Shows a session's questions and takes the answers; dismisses when the person leaves."""

    WHERE = Place.ANNOTATE
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.ANNOTATE)
    DEFAULT_CSS = """
    AnnotatingScreen {
        background: $background;
        layout: vertical;
        & #title-bar { height: 1; background: $panel; }
        & #who { width: 1fr; height: 1; padding: 0 1; color: $cs-plain; text-style: bold; }
        & #progress { width: auto; height: 1; padding: 0 1; color: $cs-plain; }
        & #sheet {
            height: 1fr;
            align: center middle;
            background: $background;
            scrollbar-size-vertical: 1;
        }
        & #paper { width: 100%; max-width: 76; height: auto; padding: 0 2; }
        & .passage { margin-bottom: 1; color: $cs-plain; }
        & .aside { margin-top: 1; color: $cs-muted; }
        & .ask { color: $cs-plain; text-style: bold; margin-bottom: 1; }
        & .heading { color: $cs-key; text-style: bold; margin-bottom: 1; }
        & #said { height: 1; padding: 0 2; color: $cs-muted; content-align: center middle; }
    }
    """

    def __init__(self, session: AnnotationSession, title: str, guide: str = "") -> None:
        """Show a session.

        Args:
            session: what is asked, and where the answers go.
            title: what is done here, for the bar above: "Annotating".
            guide: what the answers mean, in Markdown, for help.
        """
        super().__init__()
        self.session = session
        self._title = title
        self._guide = guide

    def compose(self) -> ComposeResult:
        """A bar, the question, a line about what was answered, and the keys."""
        with Horizontal(id="title-bar"):
            who = f"{_(self._title)}: {self.session.who}"
            yield Static(escape_control_characters(who), id="who", markup=False)
            yield Static("", id="progress", markup=False)
        yield ProgressLine()
        with VerticalScroll(id="sheet", can_focus=False):
            yield Vertical(id="paper")
        yield Static("", id="said", markup=False)
        yield KeyBar(Place.ANNOTATE, "annotate")

    async def on_mount(self) -> None:
        """Show the first question."""
        await self.show()

    async def ended(self, _: object) -> None:
        """Draw again where questions may have come to an end by themselves."""
        if isinstance(self.session.present, Interlude):
            await self.show()

    async def show(self, remark: str | None = None) -> None:
        """Draw the present question or message, and a remark below it; None keeps the old one."""
        present = self.session.present
        progress = self.session.progress
        position = ""
        if progress:
            position = _(
                "{round}  {at:,} of {all:,}",
                round=_(progress.round),
                at=progress.at,
                all=progress.of,
            )
        self.query_one("#progress", Static).update(position)
        self.query_one(ProgressLine).show(progress)
        if remark is not None:
            self._say(remark)
        paper = self.query_one("#paper", Vertical)
        parts = self._lines(present) if isinstance(present, Interlude) else self._parts(present)
        # At once, so that no half of a question is ever seen.
        with self.app.batch_update():
            await paper.remove_children()
            await paper.mount_all(parts)
        self.query_one("#sheet", VerticalScroll).scroll_home(animate=False)

    def _parts(self, task: Task) -> list[Static | ChoiceList]:
        shown: list[Static | ChoiceList] = [
            Static(passage(each), classes="passage", markup=False)
            for each in task.passages
            if not each.aside
        ]
        if task.ask:
            shown.append(
                Static(escape_control_characters(task.ask, lines=True), classes="ask", markup=False)
            )
        shown.append(ChoiceList(task.choices, self.session.picked, multiple=task.multiple))
        # Below the answers, so that a small window shows those.
        shown += (
            Static(passage(each, _MOST_ASIDE), classes="aside", markup=False)
            for each in task.passages
            if each.aside
        )
        return shown

    @property
    def choices(self) -> ChoiceList | None:
        """The answers that are offered; None where nothing is asked."""
        lists = self.query(ChoiceList)
        return lists.first() if lists else None

    async def action_pick(self, number: int) -> None:
        """Answer by number; where several may be right, mark it or take the mark away."""
        choices = self.choices
        if choices is None or not 1 <= number <= len(choices.choices):
            return
        if choices.multiple:
            choices.toggle(number - 1)
        else:
            await self._answer((number - 1,))

    async def on_key(self, event: events.Key) -> None:
        """Answer by letter."""
        choices = self.choices
        if choices is None or not event.character:
            return
        for number, choice in enumerate(choices.choices, 1):
            if choice.letter and choice.letter == event.character:
                event.stop()
                await self.action_pick(number)
                return

    async def on_choice_list_clicked(self, event: ChoiceList.Clicked) -> None:
        """A click does what the number does."""
        await self.action_pick(event.index + 1)

    def action_cursor_down(self) -> None:
        """Go to the answer below."""
        self._move(1)

    def action_cursor_up(self) -> None:
        """Go to the answer above."""
        self._move(-1)

    def _move(self, by: int) -> None:
        choices = self.choices
        if choices is None:
            self.query_one("#sheet", VerticalScroll).scroll_relative(y=by, animate=False)
        else:
            choices.move(by)

    async def action_mark(self) -> None:
        """Mark the answer under the cursor, or take the mark away."""
        choices = self.choices
        if choices is not None and choices.cursor is not None:
            await self.action_pick(choices.cursor + 1)

    async def action_accept(self) -> None:
        """Keep what is chosen and go on."""
        choices = self.choices
        if choices is None:
            if self.session.forward():
                await self.show("")
            return
        picks = choices.picks
        if picks:
            await self._answer(picks)
        else:
            marks = choices.multiple
            self._say(_("Mark at least one answer.") if marks else _("Choose an answer."))

    async def action_back(self) -> None:
        """Go back to the question before."""
        if self.session.back():
            await self.show("")
        else:
            self._say(_("There is no way back from here."))

    async def action_forward(self) -> None:
        """Leave the present answer as it is."""
        if self.session.forward():
            await self.show("")
        elif self.choices is not None:
            self._say(_("This question is not answered yet."))

    def action_page_up(self) -> None:
        """Scroll up."""
        self.query_one("#sheet", VerticalScroll).scroll_page_up(animate=False)

    def action_page_down(self) -> None:
        """Scroll down."""
        self.query_one("#sheet", VerticalScroll).scroll_page_down(animate=False)

    def action_leave(self) -> None:
        """Leave; everything is saved."""
        self.session.close()
        self.dismiss(None)

    def help_topic(self) -> str:
        """What the answers mean, in Markdown."""
        return self._guide

    def _say(self, remark: str) -> None:
        self.query_one("#said", Static).update(escape_control_characters(remark))

    async def _answer(self, picks: tuple[int, ...]) -> None:
        choices = self.choices
        if choices is None:
            return
        names = ", ".join(choices.choices[index].label.partition(":")[0] for index in picks)
        try:
            trouble = self.session.answer(picks)
        except CommonsenseError as error:
            message = _("Not saved. {error}", error=escape_control_characters(str(error)))
            self.notify(message, severity="error", markup=False)
            return
        if trouble is not None:
            message = escape_control_characters(str(trouble))
            self.notify(message, severity="warning", markup=False)
        if self not in self.app.screen_stack:
            # It was the only question.
            return
        await self.show(_("Saved: {answers}", answers=escape_control_characters(names, limit=60)))

    def _lines(self, interlude: Interlude) -> list[Static | ChoiceList]:
        key = program_of(self.app).key
        keys = (
            _("{key} goes on", key=key(f"{Place.ANNOTATE}.accept"))
            if interlude.continues
            else _("{key} leaves", key=key(f"{Place.ANNOTATE}.leave"))
        )
        return [
            Static(escape_control_characters(interlude.title), classes="heading", markup=False),
            Static(
                escape_control_characters(interlude.text, lines=True),
                classes="passage",
                markup=False,
            ),
            Static(keys, classes="aside", markup=False),
        ]
