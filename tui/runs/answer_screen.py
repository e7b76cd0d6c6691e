"""A question for the person at the keys, and nothing else: no graph, no answer, no model."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, SelectionList, Static
from textual.widgets.option_list import Option
from textual.widgets.selection_list import Selection

from core.contract.question import Question
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.dialogue import DismissedOnce


class AnswerScreen(DismissedOnce[tuple[int, ...] | None]):
    """Asks for one option, or for several; hides everything that would give the answer away."""

    HELP = N_("""
    ## A question for you

    You answer in the place of a model, and see what a model sees. **j** and **k** or the arrows go
    through the options and **enter** answers; where several may be right, **space** marks each of
    them first. **esc** leaves, and nothing is recorded of this question.
    """)

    DEFAULT_CSS = """
    AnswerScreen {
        background: $background;
        & > VerticalScroll {
            border: round $primary;
            border-title-color: $cs-key;
            border-subtitle-color: $cs-muted;
            padding: 1 2;
            background: $background;
        }
        & .instruction { color: $cs-muted; margin-bottom: 1; }
        & .text { color: $cs-plain; margin-bottom: 1; }
        & OptionList, & SelectionList { height: auto; background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", N_("leave"), tooltip=N_("Leave without an answer.")),
        Binding("j", "move(1)", N_("next"), show=False),
        Binding("k", "move(-1)", N_("previous"), show=False),
        Binding("enter", "done", N_("answer"), show=False, priority=True, tooltip=N_("Answer.")),
    ]

    def __init__(self, question: Question, person: str) -> None:
        super().__init__()
        self._question = question
        self._person = person

    def compose(self) -> ComposeResult:
        """What a model is given, then the options."""
        question = self._question
        options = [Content(escape_control_characters(option)) for option in question.options]
        with VerticalScroll() as box:
            box.border_title = Content(
                _("A question for {person}", person=escape_control_characters(self._person))
            )
            box.border_subtitle = (
                _("space marks · enter answers · esc leaves")
                if question.multiple
                else _("enter answers · esc leaves")
            )
            yield Static(
                escape_control_characters(question.instruction.strip()),
                classes="instruction",
                markup=False,
            )
            lines = (escape_control_characters(line) for line in question.text.strip().split("\n"))
            yield Static("\n".join(lines), classes="text", markup=False)
            if question.multiple:
                yield SelectionList[int](*(Selection(o, i) for i, o in enumerate(options)))
            else:
                yield OptionList(*(Option(option) for option in options))

    def on_mount(self) -> None:
        """Focus the options."""
        self._list.focus()

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    @on(OptionList.OptionSelected)
    def clicked(self, event: OptionList.OptionSelected) -> None:
        """A click answers where one option is asked for."""
        if not self._question.multiple:
            self.dismiss((event.option_index,))

    def action_done(self) -> None:
        """Answer what is picked; a multiple-select answer needs at least one mark."""
        options = self._list
        if isinstance(options, SelectionList):
            if not options.selected:
                self.notify(_("Mark at least one option with space."), timeout=3)
                return
            self.dismiss(tuple(sorted(options.selected)))
        elif options.highlighted is not None:
            self.dismiss((options.highlighted,))

    def action_move(self, by: int) -> None:
        """Step through the options."""
        if by > 0:
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_cancel(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)
