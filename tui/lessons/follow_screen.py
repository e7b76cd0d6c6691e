"""The speaker's screen: notes, what comes next, hands and time of a lesson that runs elsewhere."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static
from textual.worker import Worker

from core.lessons.narration import plain_markdown
from core.lessons.progress_file import Progress, alive, clock_time, newest, read
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.lessons.narration_pane import update_markdown
from tui.shell.background_errors import report_worker_error
from tui.shell.dialogue import DismissedOnce

_LOOK = 0.2
"""Seconds between two readings of the progress."""
_NONE = N_("*No notes for this step.*")


class FollowScreen(DismissedOnce[None]):
    """Follows the newest lesson that runs, and stays with it until it ends. Asks no model."""

    HELP = N_("""
    ## Following a lesson

    What only the speaker sees: the notes of the step that the audience sees now, the hands counted
    so far, what comes next, and the time since the beginning and since this step. It follows by
    itself; the arrows scroll. **esc** leaves, and the lesson goes on.
    """)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", N_("leave"), tooltip=N_("Leave; the lesson goes on."))
    ]
    DEFAULT_CSS = """
    FollowScreen {
        background: $background;
        & > #where { height: auto; background: $panel; color: $cs-plain; padding: 0 1; }
        & > #time { height: 1; color: $cs-key; text-style: bold; padding: 0 1; }
        & > VerticalScroll {
            padding: 1 1 0 1;
            scrollbar-size-vertical: 1;
            scrollbar-color: $cs-track;
            scrollbar-background: $background;
        }
        & Markdown { background: $background; margin: 0; padding: 0; max-width: 76; }
        & MarkdownBlock { margin: 0 0 1 0; }
        & .heading { color: $cs-muted; text-style: bold; }
        & #hands { margin: 0 0 1 0; color: $cs-plain; }
        & MarkdownH1, & MarkdownH2, & MarkdownH3 {
            color: $cs-key; text-style: bold; content-align: left middle; margin: 0 0 1 0;
        }
    }
    """

    def __init__(self, name: str = "") -> None:
        """`name` is that of the lesson to follow; any where it is empty."""
        super().__init__()
        self._wanted = name
        self._path: Path | None = None
        self.progress: Progress | None = None
        """The progress that is shown; None as long as no lesson runs."""
        self._time = ""
        self._looking = asyncio.Lock()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed."""
        report_worker_error(self.app, event)

    def compose(self) -> ComposeResult:
        """The step, the time, the notes, the hands and the next step."""
        yield Static("", id="where", markup=False)
        yield Static("", id="time", markup=False)
        with VerticalScroll():
            yield Static(_("Notes"), classes="heading", markup=False)
            yield Markdown(id="notes", parser_factory=plain_markdown, open_links=False)
            yield Static("", id="hands", markup=False)
            yield Static(_("Next"), id="next-heading", classes="heading", markup=False)
            yield Markdown(id="next", parser_factory=plain_markdown, open_links=False)

    def on_mount(self) -> None:
        """Begin to read the progress."""
        self.query_one(VerticalScroll).focus()
        self._show_where()
        self.look()
        self.set_interval(_LOOK, self.look)

    @work(group="look", exit_on_error=False)
    async def look(self) -> None:
        """Read the progress, and show it where it has changed."""
        if self._looking.locked():
            return
        async with self._looking:
            before = self.progress
            self._path, self.progress = await asyncio.to_thread(self._find)
            self._show_time()
            if self.progress != before:
                await self._show(before)

    def _find(self) -> tuple[Path | None, Progress | None]:
        """The file and progress of the lesson followed so far, or of the newest."""
        path = self._path
        if path is None or not alive(path):
            path = newest(self._wanted)
        return path, read(path) if path is not None else None

    async def _show(self, before: Progress | None) -> None:
        now = self.progress
        self._show_where()
        self.query_one(VerticalScroll).display = now is not None
        if now is None:
            return
        hands = self.query_one("#hands", Static)
        hands.display = bool(now.ask)
        hands.update(_hands(now))
        heading = _("Next") if now.following else _("This is the last step")
        self.query_one("#next-heading", Static).update(heading)
        await update_markdown(self.query_one("#notes", Markdown), now.notes or _(_NONE))
        await update_markdown(self.query_one("#next", Markdown), now.following)
        if before is None or (before.lesson, before.step) != (now.lesson, now.step):
            self.query_one(VerticalScroll).scroll_home(animate=False)

    def _show_where(self) -> None:
        now = self.progress
        text = _("No lesson is running. It is followed as soon as one begins.")
        if self._wanted:
            text = _(
                "No lesson “{name}” is running. It is followed as soon as one begins.",
                name=escape_control_characters(self._wanted),
            )
        if now is not None:
            where = _("step {step} of {steps}", step=now.step, steps=now.steps)
            text = (
                f"{escape_control_characters(now.title)} "
                f"({escape_control_characters(now.lesson)})  {where}"
            )
        self.query_one("#where", Static).update(text)

    def _show_time(self) -> None:
        now, present = self.progress, time.time()
        text = ""
        if now is not None:
            whole, here = clock_time(present - now.began), clock_time(present - now.step_began)
            text = _("{whole} since the beginning · {here} in this step", whole=whole, here=here)
        if text != self._time:
            self._time = text
            self.query_one("#time", Static).update(text)

    def action_leave(self) -> None:
        """Leave; the lesson goes on."""
        self.dismiss(None)


def _hands(progress: Progress) -> str:
    """The prediction, and a line with the hands of each option."""
    counted = zip(progress.options, progress.hands, strict=True)
    lines = [
        f"{number} {escape_control_characters(text)}: {hands}"
        for number, (text, hands) in enumerate(counted, 1)
    ]
    total = sum(progress.hands)
    heading = _("Hands ({hands} counted, not revealed yet)", hands=total)
    if progress.revealed:
        heading = _("Hands ({hands} counted, revealed)", hands=total)
    return "\n".join([heading, escape_control_characters(progress.ask), *lines])
