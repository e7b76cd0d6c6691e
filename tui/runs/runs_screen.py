"""The screen of all recorded runs: see, sort, open, compare and delete them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import Worker, get_current_worker

from core.contract import registry
from core.contract.task_layer import layer_titles
from core.contract.view import Role
from core.files import paths
from core.runs.listing import COLUMNS, ListedRun, contains, list_runs
from core.runs.store import Store
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext
from tui.runs.live_runs import RunProgress, followed, is_outdated, live_by_id, progress_of
from tui.runs.run_details import describe
from tui.runs.run_list import RunList
from tui.runs.running import Running, RunPhase
from tui.runs.runs_memory import RunsMemory
from tui.runs.unread_screen import UnreadScreen
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.shell.prompts import PickOne
from tui.shell.typed_text import FilterLine
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.rows_screen import RowsScreen
from tui.widgets.rows_view import RowsView

_FOLLOW_PERIOD = 0.5
"""Seconds between two looks at the runs that are going on."""


class RunsScreen(RowsScreen):
    """Lists the recorded runs with their headlines."""

    HELP = N_("""
    ## Recorded runs

    Every run that was asked or imported here, the newest first and those that are going on on top.
    Its figure is the share of right answers in the first task layer, with its 95 % interval as if
    items were independent, and the count; the run's own figures take alike items into account.
    `part` says that a run has not ended or asked only some of the items. Compare figures only where
    benchmark, collection and the way of asking are the same; the line below says how the run under
    the cursor was asked.

    **enter** opens a run: its items, each with its mark, and the answers on every ladder. **space**
    marks runs with A, B, C …, and **c** compares them question by question with A. With a single
    mark it compares that run with the one under the cursor. **r** goes on with a run that stopped
    early, **d** deletes a run. **`*`** lists the written answers of a run that could not be read.

    `▶` is asked now, `‖` can go on, `✓` is done, `↓` was imported.
    """)
    WHERE = Place.RUNS
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.RUNS)

    def __init__(self, memory: RunsMemory) -> None:
        super().__init__()
        self.memory = memory
        self.listed: Sequence[ListedRun] = ()
        """The recorded runs, the oldest first."""
        self._note: tuple[str, Role] = ("", Role.MUTED)
        """What stands in the place of the runs where none is listed."""
        self._text = ""
        """What the listed runs contain."""
        self._problem = ""
        """Why the latest command could not be done; shown until the next one."""
        self._followed: Sequence[RunProgress] = ()
        """How far the runs of this program were when they were last looked at."""

    @property
    def runs(self) -> RunList:
        """The table."""
        return self.query_one(RunList)

    def compose(self) -> ComposeResult:
        """The table, and what is known of the run under the cursor, between the two bars."""
        yield TopBar()
        with Vertical() as box:
            box.border_title = _("Runs")
            yield FilterLine(_("contains…"))
            yield RunList()
            yield Static("", id="detail", markup=False)
        yield KeyBar(Place.RUNS, "runs")

    def on_mount(self) -> None:
        """Follow the runs that are going on; the store is read when the screen is in front."""
        self.query_one(TopBar).show(_("Runs"), paths.shortened(paths.runs()))
        self.runs.focus()
        self._note = _("The runs are being read…"), Role.MUTED
        self.show()
        self.set_interval(_FOLLOW_PERIOD, self.follow)

    def on_screen_resume(self) -> None:
        """Read the store: a screen that was in front may have changed it."""
        self.read()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, in the place of the runs or below them."""
        defect = report_worker_error(self.app, event)
        if defect is None:
            return
        if event.worker.group == "store":
            self._take(self.listed, (str(defect), Role.BAD))
        else:
            self._refuse(str(defect))

    # -- reading -------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="store", exit_on_error=False)
    def read(self) -> None:
        """Read the runs and their headlines in a thread."""
        worker = get_current_worker()
        # They stay on the screen where the store cannot be read for a moment.
        listed = self.listed
        # Before reading: what happens meanwhile is seen at the next look.
        self._followed = progress_of(self.program.collection_runs.all)
        try:
            with Store(paths.runs(), create=False) as store:
                listed, damaged = list_runs(store), store.damaged_runs()
            note = self._how_to_make_one(), Role.MUTED
            if damaged:
                note = str(damaged[0]), Role.BAD
        except CommonsenseError as error:
            note = str(error), Role.BAD
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, listed, note)

    def _take(self, listed: Sequence[ListedRun], note: tuple[str, Role]) -> None:
        self.listed, self._note = listed, note
        if listed and note[1] is Role.BAD:
            self._problem = note[0]
        known = {each.run.id for each in listed}
        if listed:
            self.memory.marked = [run_id for run_id in self.memory.marked if run_id in known]
        self.show()
        if self.memory.cursor in known:
            self.runs.cursor = self.memory.cursor

    def _how_to_make_one(self) -> str:
        return _(
            "No run is recorded yet. {back} goes back to the items; there, {run_all} asks the "
            "model all of them. In a terminal, “commonsense-tui evaluate” asks a whole collection "
            "and “commonsense-tui import” takes in logs of lm-evaluation-harness and Inspect.",
            back=self.program.key("runs.close"),
            run_all=self.program.key("browse.run_all"),
        )

    # -- showing -------------------------------------------------------------------------------

    def show(self) -> None:
        """List the runs that contain the text, those that are going on on top."""
        live = self._live()
        listed = [followed(each, live.get(each.run.id)) for each in self.listed]
        shown = [each for each in listed if contains(each, self._text)]
        column = COLUMNS[self.memory.sorted_by]
        # Both sorts keep the order of equals: the newest first.
        shown.reverse()
        shown.sort(key=column.order, reverse=column.descending)
        shown.sort(key=lambda each: each.run.id not in live)
        note = self._note
        if listed and not shown:
            note = _("Nothing here contains this. Press esc to see all."), Role.MUTED
        self.runs.show(shown, self.memory.marked, self.memory.sorted_by, note)
        count = ngettext("{n:,} run", "{n:,} runs", len(listed), n=len(listed))
        if len(shown) != len(listed):
            count = _("{n:,} of {all:,}", n=len(shown), all=len(listed))
        self.query_one(Vertical).border_subtitle = Content(count if listed else "")
        self.show_detail()

    @on(RowsView.CursorMoved)
    def cursor_moved(self) -> None:
        """Say everything about the run that the cursor is on now."""
        self._problem = ""
        self.show_detail()

    def show_detail(self) -> None:
        """Say everything about the run under the cursor, or why a command could not be done."""
        listed, text = self.runs.listed, self._problem
        if listed is not None:
            self.memory.cursor = listed.run.id
            text = text or describe(listed)
        self.say(text, bad=bool(self._problem))

    def _refuse(self, problem: str) -> None:
        self._problem = problem
        self.show_detail()

    # -- runs that are going on ----------------------------------------------------------------

    def _live(self) -> Mapping[str, Running]:
        """The runs of this program that are going on, by id."""
        return live_by_id(self.program.collection_runs.all)

    def follow(self) -> None:
        """Show how far the runs are that are going on; read the store where they are others."""
        runs = self.program.collection_runs.all
        before, self._followed = self._followed, progress_of(runs)
        if before == self._followed or self.app.screen is not self:
            return
        if is_outdated(self.listed, runs, before):
            self.read()
        else:
            self.show()

    # -- commands ------------------------------------------------------------------------------

    @on(RunList.Picked)
    def action_open(self) -> None:
        """Open the run under the cursor: its items, or how far it is where it is going on."""
        listed = self.runs.listed
        if listed is None:
            return
        running = self._live().get(listed.run.id)
        if running is not None:
            self.program.collection_runs.show(running)
        else:
            self.program.open_run(listed.run)

    def action_resume(self) -> None:
        """Go on with the run under the cursor, where it stopped before its end."""
        listed = self.runs.listed
        if listed is None or self.app.screen is not self:
            return
        running = self._live().get(listed.run.id)
        if running is None:
            self.program.resume_run(listed.run)
        elif running.phase is RunPhase.PAUSED:
            self.program.collection_runs.start_or_pause(running)
        else:
            self._refuse(_("Run {run} is going on already.", run=listed.run.id))

    def action_mark(self) -> None:
        """Mark the run under the cursor, or take its mark away."""
        listed = self.runs.listed
        if listed is None:
            return
        self._problem, marked = "", self.memory.marked
        if listed.run.id in marked:
            marked.remove(listed.run.id)
        else:
            marked.append(listed.run.id)
        self.show()

    def action_compare(self) -> None:
        """Compare the marked runs; a single one with the run under the cursor."""
        listed = self.runs.listed
        if listed is None or self.app.screen is not self:
            return
        ids = list(self.memory.marked)
        if len(ids) == 1 and listed.run.id not in ids:
            ids.append(listed.run.id)
        if len(ids) < 2:
            message = _(
                "{mark} marks a run; {compare} on another one compares the two.",
                mark=self.program.key("runs.mark"),
                compare=self.program.key("runs.compare"),
            )
            self._refuse(message)
            return
        # It needs numpy, which the list does without.
        from tui.runs.comparison_screen import ComparisonScreen

        by_id = {each.run.id: each.run for each in self.listed}
        runs = [by_id[each] for each in ids]
        first, *others = (run.plan.benchmark for run in runs)
        if first not in others:
            self._refuse(_("The marked runs are of several benchmarks: mark runs of one."))
            return
        self.app.push_screen(ComparisonScreen(runs, self.memory))

    def action_unread(self) -> None:
        """List the answers of the run under the cursor that could not be read."""
        listed = self.runs.listed
        if listed is None or self.app.screen is not self:
            return
        run = listed.run
        benchmark = registry.installed(run.plan.benchmark)
        titles = layer_titles(benchmark.layers) if benchmark is not None else {}
        self.app.push_screen(UnreadScreen(run.id, titles, partial(self.program.open_run, run)))

    def action_sort(self) -> None:
        """Sort by the next column that is shown."""
        self._problem = ""
        names = list(self.runs.columns) or [self.memory.sorted_by]
        now = self.memory.sorted_by
        at = names.index(now) if now in names else -1
        self.memory.sorted_by = names[(at + 1) % len(names)]
        self.show()

    def action_delete(self) -> None:
        """Ask whether to delete the run under the cursor."""
        listed = self.runs.listed
        if listed is None or self.app.screen is not self:
            return
        run = listed.run
        if run.id in self._live():
            message = _("Run {run} is going on. Open it with enter and cancel it first.")
            self._refuse(message.format(run=run.id))
            return
        question = ngettext(
            "{n:,} answer of {model} is lost. This cannot be taken back.",
            "{n:,} answers of {model} are lost. This cannot be taken back.",
            run.verdicts,
            n=run.verdicts,
            model=escape_control_characters(run.plan.model, limit=80),
        )
        title = _("Delete {run}?", run=run.id)
        lines = [_("Delete the run"), _("Keep it")]

        def answer(picked: int | None) -> None:
            if picked == 0:
                self._delete(run.id)

        self.app.push_screen(PickOne(title, question, lines, at=1), answer)

    @work(thread=True, group="delete", exit_on_error=False)
    def _delete(self, run_id: str) -> None:
        problem = ""
        try:
            with Store(paths.runs()) as store:
                store.delete(run_id)
        except CommonsenseError as error:
            problem = str(error)
        self.app.call_from_thread(self._deleted, problem)

    def _deleted(self, problem: str) -> None:
        if problem:
            self._refuse(problem)
        else:
            self.read()

    # -- the filter and the cursor -------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the key of the filter be typed where the filter has the focus."""
        if action == "filter":
            return not isinstance(self.focused, Input)
        return super().check_action(action, parameters)

    def action_filter(self) -> None:
        """Ask for a text that the listed runs must contain."""
        self.query_one(FilterLine).open()

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        """List only what contains the text."""
        self._text, self._problem = event.value, ""
        self.show()

    @on(Input.Submitted, "#filter")
    def filter_done(self) -> None:
        """Go to the runs that contain the text."""
        self.runs.focus()

    def action_close(self) -> None:
        """Close the filter and list everything again; without a filter, go back."""
        if self.query_one(FilterLine).close():
            self.set_focus(self.runs)
        else:
            self.dismiss()

    def action_page_down(self) -> None:
        """Go a page down."""
        self.runs.move_cursor(self.runs.size.height - 2)

    def action_page_up(self) -> None:
        """Go a page up."""
        self.runs.move_cursor(2 - self.runs.size.height)
