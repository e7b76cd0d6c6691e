"""The screen that compares runs question by question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from string import ascii_uppercase
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import Worker, get_current_worker

from core.contract import registry
from core.contract.view import Role
from core.files import paths
from core.runs.adjusted_tests import adjusted
from core.runs.comparison import Comparison, NotComparableError, compare
from core.runs.heat_map import HeatMapRow, heat_map
from core.runs.records import Run
from core.runs.store import Store
from core.text.errors import CommonsenseError
from core.text.language import N_, _
from tui.runs.comparison_pane import ComparisonPane
from tui.runs.runs_memory import RunsMemory
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.rows_screen import RowsScreen


class ComparisonScreen(RowsScreen):
    """Compares the first of several runs with each of the others."""

    HELP = N_("""
    ## Two runs beside each other

    Only questions that both runs answered are compared: the same layer, item, text, setting and
    options. What besides the model makes the runs unlike stands at the top. A difference is B
    minus A; its interval takes families of stories, pairings, graphs or head events as cases,
    because their questions are not independent. The benchmark's own figures are computed for both
    runs over the items of both.

    After that stands every question that one run has right and the other wrong. **enter** opens
    its item with the answers of both on the ladder; **f3** comes back.

    At the end stands every item with a column for each run: `✓` all right, `✗2` first wrong in the
    second layer, `·` not asked, `…` none wrong so far in a run that has not ended. Items that the
    fewest runs have right stand first.
    """)
    WHERE = Place.COMPARISON
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.COMPARISON)

    def __init__(self, runs: Sequence[Run], memory: RunsMemory) -> None:
        """Compare the first of two or more runs with the others."""
        super().__init__()
        self.runs = runs
        self.memory = memory

    @property
    def pane(self) -> ComparisonPane:
        """What is compared, as it is drawn."""
        return self.query_one(ComparisonPane)

    def compose(self) -> ComposeResult:
        """The comparisons between the two bars."""
        yield TopBar()
        yield ComparisonPane()
        yield KeyBar(Place.COMPARISON, "comparison")

    def on_mount(self) -> None:
        """Begin to compare; what was compared before is shown at once."""
        self.pane.border_title = _("Comparison")
        models = [run.plan.model for run in self.runs]
        alike = len(set(models)) < len(models)
        names = [run.id for run in self.runs] if alike else models
        self.query_one(TopBar).show(_("Comparison"), " / ".join(names))
        self.pane.focus()
        known = self.memory.compared.get(self._key)
        if known is None:
            self.compare()
        else:
            self._take(*known)
            self.pane.cursor = self.memory.flip

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, in the place of the comparison."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self._take((), (), (str(defect), Role.BAD))

    @property
    def _letters(self) -> dict[str, str]:
        """The letter of each run, as in the list of runs."""
        ids = [run.id for run in self.runs]
        return dict(zip_longest(ids, ascii_uppercase[: len(ids)], fillvalue="+"))

    @property
    def _key(self) -> tuple[str, ...]:
        """What the result depends on: a run that goes on has other answers later."""
        return tuple(f"{run.id} {run.created} {run.verdicts}" for run in self.runs)

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def compare(self) -> None:
        """Compare in a thread, and show each comparison as soon as it is there."""
        worker = get_current_worker()
        first, *others = self.runs
        comparisons: list[Comparison] = []
        left_out: list[str] = []

        def show(text: str, role: Role = Role.MUTED) -> None:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._take, tuple(comparisons), (), (text, role))

        try:
            with Store(paths.runs(), create=False) as store:
                for second in others:
                    show(_("Comparing {second} with {first}…", second=second.id, first=first.id))
                    if worker.is_cancelled:
                        return
                    try:
                        comparisons.append(compare(store, first.id, second.id))
                    except NotComparableError as error:
                        left_out.append(f"{self._letters[second.id]} {second.id}: {error}")
                benchmark = registry.installed(first.plan.benchmark)
                compared = [first, *(each.second for each in comparisons)] if comparisons else []
                rows = heat_map(store, compared, benchmark)
        except CommonsenseError as error:
            show(str(error), Role.BAD)
            return
        if not worker.is_cancelled:
            note = " ".join(left_out), Role.BAD
            self.app.call_from_thread(self._finish, tuple(adjusted(comparisons)), rows, note)

    def _finish(
        self,
        comparisons: Sequence[Comparison],
        rows: Sequence[HeatMapRow],
        note: tuple[str, Role],
    ) -> None:
        self.memory.compared = {self._key: (comparisons, rows, note)}
        self._take(comparisons, rows, note)

    def _take(
        self,
        comparisons: Sequence[Comparison],
        rows: Sequence[HeatMapRow],
        note: tuple[str, Role] = ("", Role.MUTED),
    ) -> None:
        letters = [self._letters[each.second.id] for each in comparisons]
        self.pane.show(comparisons, letters, rows, note)

    # -- commands ------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Open the item under the cursor with the answers of both runs."""
        chosen = self.pane.chosen
        if chosen is None:
            message = _("Go down to an item of a list at the end; {key} opens it there.")
            key = self.program.key("comparison.open")
            self.notify(message.format(key=key), severity="warning", markup=False, timeout=4)
            return
        comparison, item = chosen
        self.memory.flip = self.pane.cursor
        self.program.open_both(comparison.first, comparison.second, item, self.pane.letters)

    def action_next_part(self) -> None:
        """Go to the next table or list."""
        self.pane.next_part()
