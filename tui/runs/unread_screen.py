"""The screen of a run's written answers that could not be read, each with its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import Worker, get_current_worker

from core.contract.question import Verdict
from core.contract.view import Role
from core.files import paths
from core.layout.options import unread_text
from core.layout.replies import draw_reply
from core.layout.rows import Ink, Row, Span, paragraph
from core.runs.store import Store
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.rows_screen import RowsScreen
from tui.widgets.rows_view import RowsView

_MOST = 500
"""Most answers that are listed."""


class UnreadPane(RowsView):
    """Draws the answers: item, layer, why it was not read, and what was written."""

    HELP = N_("""
    ## Answers that were not read

    What a model wrote where no option could be read in it, with the reason. The notes below the
    figures of a run say how many there are. **enter** opens the item, **>** shows what the model
    thought before its answer, **y** copies what it wrote.
    """)

    def __init__(self, titles: Mapping[str, str]) -> None:
        """`titles` are those of layers by id."""
        super().__init__(id="unread")
        self._titles = titles
        self._verdicts: Sequence[Verdict] = ()
        self._note: tuple[str, Role] = (_("The answers are being read…"), Role.MUTED)
        self._whole = False

    def show(self, verdicts: Sequence[Verdict], note: tuple[str, Role]) -> None:
        """Show answers, and a note below them."""
        self._verdicts, self._note = verdicts, note
        self.redraw()

    @property
    def verdict(self) -> Verdict | None:
        """The answer under the cursor."""
        return self._verdicts[int(self.cursor)] if self.cursor else None

    def unfold(self) -> None:
        """Show what was thought before the answers, or fold it again."""
        self._whole = not self._whole
        self.redraw()

    def draw(self, width: int) -> list[Row]:
        """The answers under each other."""
        rows: list[Row] = []
        for number, verdict in enumerate(self._verdicts):
            ref = str(number)
            where = f"{verdict.item} · {self._titles.get(verdict.layer, verdict.layer)}"
            why = unread_text(verdict)
            rows += [(Span(f" {escape_control_characters(where)}", Ink.HEADING, ref),)]
            rows += [(Span(f"   {why}", Role.BAD, ref),)]
            rows += draw_reply(verdict.text, width, cell_len, whole=self._whole, by=3, ref=ref)
            rows.append(())
        return rows + paragraph(*self._note, width, cell_len)

    def copy_text(self) -> tuple[str, str]:
        """What was written in the answer under the cursor."""
        verdict = self.verdict
        return (N_("answer"), verdict.text) if verdict is not None else super().copy_text()


class UnreadScreen(RowsScreen):
    """Lists the answers of a recorded run that could not be read."""

    WHERE = Place.UNREAD
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.UNREAD)

    def __init__(
        self, run_id: str, titles: Mapping[str, str], open_item: Callable[[str], None]
    ) -> None:
        """`titles` are those of layers by id; `open_item` opens an item by its id."""
        super().__init__()
        self.run_id = run_id
        self._titles = titles
        self._open_item = open_item

    @property
    def pane(self) -> UnreadPane:
        """The answers."""
        return self.query_one(UnreadPane)

    def compose(self) -> ComposeResult:
        """The answers between the two bars."""
        yield TopBar()
        yield UnreadPane(self._titles)
        yield KeyBar(Place.UNREAD, "unread")

    def on_mount(self) -> None:
        """Begin to read the store."""
        self.pane.border_title = _("Not read")
        self.query_one(TopBar).show(_("Run"), self.run_id)
        self.pane.focus()
        self.read()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, in the place of the answers."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self.pane.show((), (str(defect), Role.BAD))

    @work(thread=True, exclusive=True, group="unread", exit_on_error=False)
    def read(self) -> None:
        """Read the answers in a thread."""
        worker = get_current_worker()
        verdicts: Sequence[Verdict] = ()
        try:
            with Store(paths.runs(), create=False) as store:
                verdicts = store.unread(self.run_id)
                scorings = store.run(self.run_id).scorings
            note = "", Role.MUTED
            if len(verdicts) > _MOST:
                first = _("The first {n} of {all:,}.", n=_MOST, all=len(verdicts))
                note = first, Role.MUTED
            elif not any(scoring.written for scoring in scorings):
                without = _("This run has no written answers, so there is nothing to read.")
                note = without, Role.MUTED
            elif not verdicts:
                note = _("Every written answer could be read."), Role.GOOD
        except CommonsenseError as error:
            note = str(error), Role.BAD
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, verdicts, note)

    def _take(self, verdicts: Sequence[Verdict], note: tuple[str, Role]) -> None:
        self.pane.border_subtitle = f"{len(verdicts):,}" if verdicts else ""
        self.pane.show(verdicts[:_MOST], note)

    # -- commands ------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Open the item under the cursor."""
        if self.pane.verdict is not None:
            self._open_item(self.pane.verdict.item)

    def action_unfold(self) -> None:
        """Show what was thought before the answers, or fold it again."""
        self.pane.unfold()

    def help_topic(self) -> str:
        """What the list is, in Markdown."""
        return _(UnreadPane.HELP)
