"""The screen of what one study found."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from core.contract import registry
from core.studies.kinds import report_of
from core.studies.plan import Study
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.shell.drawn_head import DrawnHead
from tui.studies.study_pane import StudyPane
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.rows_screen import RowsScreen


class StudyScreen(RowsScreen):
    """Shows the map or table of a study, and the items behind the figure under the cursor."""

    HELP = N_("""
    ## What a study found

    Each cell is a mean over items, in nats: how much copying that part of that block from an
    item's prompt into its contrast prompt adds to the right option. Above it stands the cell
    under the cursor with its 95 % interval, the control, and the p-value adjusted for all cells.
    A cell is named as a finding only where it differs from its control beyond chance.

    The control is the same copy from another item's prompt with the same answer: what it does too
    is not the answer being brought over.

    **v** shows the pairs of one group after the other: by the first task layer that the model gets
    wrong, and those that it gets wrong here, which are in no other figure.

    Probes and directions have a table, a row for each block: **j** and **k** go through its rows.
    Below it stands what a direction does to other task layers and other benchmarks.

    **enter** lists the items behind the cell or the row: those with the largest effect first, of a
    probe those about which probe and model disagree. There it opens the item; behind a head it
    opens with the attention of this head drawn on the story, tree or graph.
    **y** copies all of it. “commonsense-tui study show” writes it as a table or a picture.
    """)
    WHERE = Place.STUDY
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.STUDY)

    def __init__(self, study: Study) -> None:
        """Show a study that is done; raises `RunError` for another one."""
        super().__init__()
        self.study = study
        self.report = report_of(study)

    @property
    def pane(self) -> StudyPane:
        """What the study found."""
        return self.query_one(StudyPane)

    def compose(self) -> ComposeResult:
        """The map between the two bars."""
        yield TopBar()
        yield StudyPane(self.study, self.report)
        yield KeyBar(Place.STUDY, "study")

    def on_mount(self) -> None:
        """Name the study."""
        self.query_one(TopBar).show(_("Study"), f"{self.study.id} · {self.study.plan.model}")
        self.pane.border_title = Content(escape_control_characters(self.report.title))
        self.pane.focus()

    def action_open(self) -> None:
        """List the items behind the figure; among them, open the one under the cursor."""
        pane = self.pane
        if not pane.listing:
            pane.list_items(True)
        elif pane.item:
            plan = self.study.plan
            try:
                benchmark = registry.load(pane.benchmark)
            except CommonsenseError as error:
                self.notify(escape_control_characters(str(error)), severity="error", markup=False)
                return
            own = pane.benchmark == plan.benchmark
            path = Path(plan.collection) if own else benchmark.samples()
            self.program.open_item(benchmark, path, pane.item, self._head())

    def _head(self) -> DrawnHead | None:
        """The head whose items are listed, to be drawn where the study's model is loaded."""
        pane, plan, program = self.pane, self.study.plan, self.program
        if pane.head is None:
            return None
        block, head = pane.head
        model = program.model_state.model
        if model is None or model.info.fingerprint != plan.fingerprint:
            message = _(
                "Head {head} of block {block} is one of {model}. Its attention is drawn where that "
                "model is loaded; {key} chooses it.",
                head=head,
                block=block,
                model=plan.model,
                key=program.key("browse.choose_model"),
            )
            self.app.notify(escape_control_characters(message), severity="warning", markup=False)
            return None
        return DrawnHead(plan.layer, block, head)

    def action_next_group(self) -> None:
        """Show the next group of pairs."""
        if not self.pane.listing:
            self.pane.next_group()

    def action_cell_left(self) -> None:
        """Go to the column before."""
        self.pane.move_cell(0, -1)

    def action_cell_right(self) -> None:
        """Go to the next column."""
        self.pane.move_cell(0, 1)

    def action_cursor_down(self) -> None:
        """Go to the row below; at the last one, scroll."""
        if self.pane.listing:
            self.pane.move_cursor(1)
        elif not self.pane.move_cell(1, 0):
            self.pane.scroll_relative(y=1, animate=False)

    def action_cursor_up(self) -> None:
        """Go to the row above; at the first one, scroll."""
        if self.pane.listing:
            self.pane.move_cursor(-1)
        elif (self.pane.heat and self.pane.scroll_offset.y) or not self.pane.move_cell(-1, 0):
            self.pane.scroll_relative(y=-1, animate=False)

    def action_first(self) -> None:
        """Go to the beginning; where items are listed, to the first."""
        if self.pane.listing:
            self.pane.move_cursor(-len(self.pane.rows))
        self.pane.scroll_home(animate=False)

    def action_last(self) -> None:
        """Go to the end; where items are listed, to the last."""
        if self.pane.listing:
            self.pane.move_cursor(len(self.pane.rows))
        self.pane.scroll_end(animate=False)

    def action_close(self) -> None:
        """From the items, go back to the map; from there, to the studies."""
        if self.pane.listing:
            self.pane.list_items(False)
        else:
            self.dismiss()
