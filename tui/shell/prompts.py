"""Dialogues that ask for a line of text, or for one of several lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ScreenResultType
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker

from core.files import paths
from core.text.errors import CommonsenseError, NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.background_errors import report_worker_error
from tui.shell.dialogue import STEP_BINDINGS, Dialogue
from tui.shell.typed_text import WithoutControls

_Checked = TypeVar("_Checked")
_REST = 0.3
"""Seconds that the cursor rests on a line before more is said of it."""


def explained(title: str, keys: str) -> Vertical:
    """The box of a dialogue, with its title and its keys in the border."""
    box = Vertical()
    box.border_title = Content(escape_control_characters(title))
    box.border_subtitle = _(keys)
    return box


class ExplainedDialogue(Dialogue[ScreenResultType]):
    """A dialogue whose box has a title, its keys and an explanation."""

    KEYS: ClassVar[str]
    """What its keys do."""

    def __init__(self, title: str, help_text: str, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._title = title
        self._help = help_text

    def compose(self) -> ComposeResult:
        """A box with an explanation, what is asked with, and a line of what is said of it."""
        with explained(self._title, self.KEYS):
            yield Static(self._help, classes="help", markup=False)
            yield from self.compose_below()

    def compose_below(self) -> ComposeResult:
        """What stands below the explanation."""
        raise NotImplementedError

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, in the line of what is said."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self.query_one(".about", Static).update(str(defect))


class AskText(Dialogue[_Checked | None], Generic[_Checked]):
    """Asks for a line of text; dismisses with the result of `check`, or with None.

    `check` raises `CommonsenseError` for a text to correct. It runs in a thread, because it may
    look at files on a slow disk.
    """

    HELP = N_("""
    ## A line to type

    Type an answer in the line. **enter** accepts it. Where it cannot be taken, the reason is
    shown below, and the line stays as it is. **esc** leaves without an answer.
    """)
    DEFAULT_CSS = "AskText > Vertical { width: 104; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", N_("cancel"), tooltip=N_("Leave without an answer."))
    ]

    def __init__(
        self, title: str, help_text: str, start: str, check: Callable[[str], _Checked]
    ) -> None:
        super().__init__()
        self._title = title
        self._help = help_text
        self._start = start
        self._check = check

    def compose(self) -> ComposeResult:
        """A box with an explanation and what is asked with."""
        with explained(self._title, N_("enter accepts · esc leaves")):
            yield Static(self._help, classes="help", markup=False)
            yield from self.compose_below()

    def compose_below(self) -> ComposeResult:
        """A line to type in, and a place for the reason why a text is not taken."""
        yield Input(self._start, highlighter=WithoutControls(), select_on_focus=True)
        yield Static("", classes="error", markup=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, in the place of why a text is not taken."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self.query_one(".error", Static).update(str(defect))

    @on(Input.Submitted)
    def accept(self, event: Input.Submitted) -> None:
        """Check the text; an earlier check is dropped."""
        self._accept(event.value)

    @work(exclusive=True, group="check", exit_on_error=False)
    async def _accept(self, text: str) -> None:
        """Dismiss with the checked text, or show the error."""
        line = self.query_one(".error", Static)
        line.update("")
        try:
            checked = await asyncio.to_thread(self._check, text)
        except CommonsenseError as error:
            line.update(escape_control_characters(str(error)))
            return
        self.dismiss(checked)


class PickOne(ExplainedDialogue[int | None]):
    """Asks for one of several lines; dismisses with its index, or with None."""

    HELP = N_("""
    ## A list to pick from

    **j** and **k** or the arrows go through the lines, **enter** picks the one under the cursor,
    **esc** leaves and changes nothing. Below stand a collection's licence, size and first
    items.
    """)
    KEYS = N_("enter picks · esc closes")
    BINDINGS: ClassVar[list[BindingType]] = [
        *STEP_BINDINGS,
        Binding("escape", "cancel", N_("cancel"), tooltip=N_("Leave without picking.")),
    ]

    def __init__(
        self,
        title: str,
        help_text: str,
        lines: Sequence[str],
        *,
        at: int = 0,
        about: Callable[[int], str] | None = None,
    ) -> None:
        """Ask for one of `lines`, from the one `at` which the cursor stands.

        `about` says more of the line with a number, below all; it runs in a thread.
        """
        super().__init__(title, help_text, "-about" if about is not None else None)
        self._about = about
        self._lines = lines
        self._at = at

    def compose_below(self) -> ComposeResult:
        """The lines, and where more is said of one."""
        yield OptionList(
            *(Option(Content(escape_control_characters(line))) for line in self._lines)
        )
        if self._about is not None:
            yield Static("", classes="about", markup=False)

    @on(OptionList.OptionHighlighted)
    def highlight(self, event: OptionList.OptionHighlighted) -> None:
        """Say more of the line under the cursor."""
        if self._about is not None:
            self._tell(self._about, event.option_index)

    @work(exclusive=True, group="about", exit_on_error=False)
    async def _tell(self, about: Callable[[int], str], line: int) -> None:
        """Show what is said of a line, unless the cursor has gone on meanwhile."""
        shown = self.query_one(".about", Static)
        shown.update(_("reading…"))
        # A line that the cursor only passes is not looked into.
        await asyncio.sleep(_REST)
        text = await asyncio.to_thread(about, line)
        shown.update(escape_control_characters(text, lines=True))

    def on_mount(self) -> None:
        """Put the cursor on the present line."""
        self.query_one(OptionList).highlighted = self._at if self._lines else None

    @on(OptionList.OptionSelected)
    def pick(self, event: OptionList.OptionSelected) -> None:
        """Give the picked line's position back."""
        self.dismiss(event.option_index)


def existing_path(text: str) -> Path:
    """The file or folder that a person typed; raises `NotFoundError`."""
    try:
        path = paths.expanded(text.strip()).absolute()
        there = bool(text.strip()) and path.exists()
    except (RuntimeError, ValueError, OSError):
        there = False
    if not there:
        raise NotFoundError(
            _("There is no such file or folder."),
            where=text.strip(),
            hint=_("Type another path, or press esc to leave."),
        )
    return path
