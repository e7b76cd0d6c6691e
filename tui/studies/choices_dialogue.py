"""The dialogue that asks for the choices before a study."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from core.layout.rows import pad
from core.text.escaping import escape_control_characters
from core.text.language import N_
from tui.shell.dialogue import STEP_BINDINGS
from tui.shell.prompts import ExplainedDialogue
from tui.studies.choices import StudyChoices, StudyForm


class ChooseStudy(ExplainedDialogue[StudyChoices | None]):
    """Asks for the choices before a study; dismisses with them, or with None."""

    HELP = N_("""
    ## Before a study

    **j** and **k** go to a line, **h** and **l** or the arrows change it, **enter** begins the
    study, **esc** leaves.

    Task layer: as usual is the first one with options to choose among; of probes and directions
    every layer with the same two options. A chosen one stands alone. Items: all, or the first so
    many. The seed draws controls and folds. Where the item screen has changed a setting, it can be
    set on every item that takes it; the others are not asked about.
    """)
    KEYS = N_("‹ › changes · enter begins · esc leaves")
    BINDINGS: ClassVar[list[BindingType]] = [
        *STEP_BINDINGS,
        Binding("right,l", "change(1)", N_("change"), show=False),
        Binding("left,h", "change(-1)", N_("change back"), show=False),
        Binding("escape", "cancel", N_("cancel"), tooltip=N_("Leave without picking.")),
    ]

    def __init__(
        self, title: str, help_text: str, form: StudyForm, about: Callable[[StudyChoices], str]
    ) -> None:
        """Ask with a form; `about` says what choices mean, in a thread."""
        super().__init__(title, help_text, "-about")
        self.form = form
        self._about = about

    def compose_below(self) -> ComposeResult:
        """The lines, and what the choices mean."""
        yield OptionList()
        yield Static("", classes="about", markup=False)

    def on_mount(self) -> None:
        """Show the lines."""
        self._draw(0)

    def action_change(self, by: int) -> None:
        """Take the next value of the line under the cursor, or the one before."""
        line = self.query_one(OptionList).highlighted or 0
        self.form.change(line, by)
        self._draw(line)

    @on(OptionList.OptionSelected)
    def accept(self) -> None:
        """Give the choices back."""
        self.dismiss(self.form.choices)

    def _draw(self, at: int) -> None:
        lines = self.form.lines()
        wide = max(cell_len(line.label) for line in lines)
        shown = self.query_one(OptionList)
        shown.clear_options()
        for line in lines:
            value = escape_control_characters(line.value)
            shown.add_option(Option(Content(f"{pad(line.label, wide, cell_len)}  ‹ {value} ›")))
        shown.highlighted = at
        self._tell(self.form.choices)

    @work(exclusive=True, group="about", exit_on_error=False)
    async def _tell(self, choices: StudyChoices) -> None:
        """Show what choices mean, unless others were taken meanwhile."""
        text = await asyncio.to_thread(self._about, choices)
        self.query_one(".about", Static).update(escape_control_characters(text, lines=True))
