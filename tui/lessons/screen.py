"""The screen of a lesson: the panes of an item, and the narration where the list would be."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.worker import Worker

from core.contract.view import Role
from core.exchange.exporters.files import file_name
from core.lessons import progress_file
from core.lessons.bound_lesson import BoundLesson
from core.lessons.lesson import Pane, Point, Pointing
from core.lessons.reveal import evaluate_step
from core.lessons.transcript import transcribe_now
from core.text.errors import CommonsenseError, DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.asking import Asking
from tui.browse.feature import PaneFeature
from tui.browse.item_panes import ItemPanes
from tui.browse.item_screen import FeatureTypes, ItemScreen
from tui.browse.panes import PaneNavigator
from tui.lessons.lesson_panes import LessonPanes
from tui.lessons.narration_pane import NarrationPane, notes_on
from tui.lessons.page import LessonPageScreen
from tui.lessons.player import LessonPlayer
from tui.lessons.presenter import Presenter, Pressed, command_of
from tui.lessons.progress_writer import ProgressWriter
from tui.lessons.reveal import LadderRecorder, StepAsking
from tui.shell.command import LESSON
from tui.shell.commands import OUTSIDE_LESSONS, bindings
from tui.shell.dialogue import close_in_front
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.write_dialogue import export_folder
from tui.widgets.bars import KeyBar

_BLOCK_PANES = {Pane.BLOCKS: "xray", Pane.TRACE: "trace"}
_POINTED = {Pointing.STATEMENT: "view", Pointing.NODE: "graph", Pointing.RUNG: "ladder"}


class LessonScreen(ItemScreen):
    """Goes through a lesson; dismisses when the person leaves."""

    WHERE: ClassVar[str] = LESSON
    TAKES_RECORDS = False
    CSS_PATH = "lesson.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(LESSON)

    def __init__(
        self,
        lesson: BoundLesson,
        language: str,
        *,
        features: FeatureTypes = (),
        presenting: bool = False,
        theme: str = "",
    ) -> None:
        """Begin at the first step; see `Presenter` for `presenting` and `theme`."""
        super().__init__(lesson.benchmark, lesson.path, lesson.collection, features)
        self.player = LessonPlayer(lesson, language)
        self.presenter = Presenter(self, presenting=presenting, theme=theme)
        self._progress = ProgressWriter(self.player)
        self._notes: tuple[tuple[str, Role], ...] = ()
        self._begun = False
        self._seen = False
        """While presenting: whether the pane that the step is about was shown already."""

    def make_asking(self) -> Asking:
        return StepAsking(self)

    def make_navigator(self) -> PaneNavigator:
        return LessonPanes(self, self.action_previous_step)

    def make_item_panes(self) -> ItemPanes:
        return ItemPanes(self, signs=True)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Pressed()

    def compose_first(self) -> ComposeResult:
        yield NarrationPane(id="lesson")
        yield from super().compose_first()

    def on_mount(self) -> None:
        self.set_interval(progress_file.BEAT, self._progress.touch)
        self._write_progress(begin=True)
        self.presenter.start()

    async def on_unmount(self) -> None:
        await self._progress.end()
        self.presenter.end()

    def dismiss(self, result: None = None) -> AwaitComplete:
        return super().dismiss(result) if close_in_front(self) else AwaitComplete()

    @property
    def presenting(self) -> bool:
        """Whether the lesson is presented to a room."""
        return self.presenter.presenting

    @property
    def stacked(self) -> bool:
        return self.presenting or super().stacked

    @property
    def text_beside(self) -> bool:
        return False

    @property
    def _blocks(self) -> PaneFeature | None:
        """The feature with the panes about the model's blocks."""
        return self.feature(PaneFeature)

    @property
    def block_pane(self) -> str:
        """The name of the open pane about the model's blocks; empty where none is open."""
        return self._blocks.open_name if self._blocks is not None else ""

    @work(group="follow", exit_on_error=False)
    async def _write_progress(self, *, begin: bool = False) -> None:
        """Write the progress for whoever follows."""
        try:
            await (self._progress.begin() if begin else self._progress.write())
        except DataError as error:
            if begin:
                self.notify(escape_control_characters(str(error)), severity="warning", markup=False)

    @property
    def narration(self) -> NarrationPane:
        """The pane with the text of the lesson."""
        return self.query_one(NarrationPane)

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | {"prediction"} if self.player.options else super().offers

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Refuse commands that lead out of the lesson."""
        if (parameters[1] if action == "do" else action) in OUTSIDE_LESSONS:
            return False
        return super().check_action(action, parameters)

    def name_keys(self) -> None:
        """Name the keys of the lesson, whatever pane is open."""
        self.query_one(KeyBar).show(LESSON, stacked=False, offers=self.offers)

    async def action_do(self, feature_name: str, command: str, *arguments: int) -> None:
        """Run a command of a feature; enter goes to the next step, except on a trace."""
        if command == "retype" and self.pane != _BLOCK_PANES[Pane.TRACE]:
            self.action_next_step()
        else:
            await super().action_do(feature_name, command, *arguments)

    def open_highlighted(self) -> None:
        """Begin once the collection is listed; the list does not choose the item of a step."""
        if not self._begun:
            self._begun = True
            self.show_step()

    # -- going through it ------------------------------------------------------------------------

    def show_step(self) -> None:
        """Open the item of the present step under its setting, point at it, and show the text."""
        state, step, bound_step = self.state, self.player.step, self.player.bound_step
        if state is None:
            return
        self._notes = notes_on(self.player.result)
        state.open(bound_step.position)
        if state.history.now != bound_step.setting:
            state.go(bound_step.setting)
        self.refresh_item()
        self.narration.scroll_home(animate=False)
        self._seen = False
        if self.presenting:
            self.call_after_refresh(self.enter_pane, "lesson")
        else:
            self.call_after_refresh(self.point_out)
        self.show_narration()
        shown = step.show if self.player.result is not None or not self.player.options else None
        self._show_blocks(shown)

    def point_out(self) -> None:
        """Put the cursor on what the present step points at."""
        point = self.player.point
        if point is None:
            self.enter_pane(self.item_pane, focus=self.presenting)
            if not self.presenting:
                self.enter_pane("lesson")
                return
        else:
            self._point_at(point)
        if self.block_pane:
            self.enter_pane(self.block_pane)

    def _point_at(self, point: Point) -> None:
        evidence = self.player.bound_lesson.evidence(self.player.bound_step)
        match point.kind:
            case Pointing.STATEMENT:
                self.enter_pane("view")
                self.item_text.cursor = evidence.statement(point.ref).id
            case Pointing.NODE:
                self.enter_pane("graph")
                self.graph.cursor = evidence.node(point.ref).id
            case Pointing.RUNG:
                self.enter_pane("ladder")
                self.ladder.cursor = point.ref

    def _show_blocks(self, pane: Pane | None) -> None:
        """Open a pane about the model's blocks, or close it."""
        wanted = _BLOCK_PANES[pane] if pane is not None else ""
        if self._blocks is not None and wanted != self.block_pane:
            self._blocks.toggle_pane(wanted or self.block_pane)

    @work(group="narration", exit_on_error=False)
    async def show_narration(self, *, to_end: bool = False) -> None:
        """Draw the narration again, and scroll to its end if asked."""
        # The worker is not exclusive: a cancelled one would leave the text half replaced.
        self._write_progress()
        await self.narration.show(self.player, hint=self._hint(), notes=self._notes)
        self.name_keys()
        if to_end:
            self.call_after_refresh(self.narration.scroll_end, animate=False)

    def _hint(self) -> str:
        options = len(self.player.options)
        if options and self.player.result is None:
            key = self.program.key(f"{LESSON}.reveal")
            return _("1-{options} count hands · {key} reveals", options=options, key=key)
        if self.player.index + 1 == len(self.player.lesson.steps):
            return self._end()
        return _("{key} goes on", key=self.program.key(f"{LESSON}.next_step"))

    def _end(self) -> str:
        return _("The end. {key} leaves.", key=self.program.key(f"{LESSON}.leave"))

    def action_next_step(self) -> None:
        """Go to the next step; while presenting, first to the pane that this one is about."""
        if self.presenting and self._come_forward():
            return
        self._go(1, self._end())

    def action_previous_step(self) -> None:
        """Go to the step before."""
        self._go(-1, _("This is the beginning."))

    def _go(self, by: int, refusal: str) -> None:
        self.workers.cancel_group(self, "reveal")
        if self.player.go(by):
            self.show_step()
        else:
            self.notify(refusal, timeout=3, markup=False)

    def action_leave(self) -> None:
        """Take a patch back; otherwise leave the lesson."""
        if any(feature.escape() for feature in self.features):
            return
        if self.app.screen_stack[0] is self:
            self.app.exit()
        else:
            self.dismiss(None)

    # -- the audience ----------------------------------------------------------------------------

    async def action_count_hand(self, number: int) -> None:
        """Count a hand; without a prediction, show a variant."""
        if not self.player.options:
            await self.action_do("editing", "nth_variant", number)
        elif self.player.raise_hand(number):
            if self.presenting:
                self.enter_pane("lesson")
            self.show_narration(to_end=True)

    async def action_take_hand_back(self) -> None:
        """Take the last hand back; without a prediction, make the item smaller."""
        if not self.player.options:
            await self.action_do("dials", "fewer")
        elif self.player.lower_hand():
            self.show_narration()

    @work(exclusive=True, group="reveal", exit_on_error=False)
    async def action_reveal(self) -> None:
        """Ask the model, and show what came true."""
        player, state, step = self.player, self.state, self.player.step
        if state is None or not player.options:
            self.notify(_("Nothing is predicted in this step."), timeout=3, markup=False)
            return
        model = self.program.model_state.model
        if self._cannot_ask(needs_model=step.asks_model):
            return
        if state.key != (player.bound_step.item.id, player.bound_step.setting):
            self.show_step()
        known = [rung.verdict for rung in state.rungs() if rung.verdict is not None]
        recorder = LadderRecorder(state, self.refresh_ladder)
        evidence = player.bound_lesson.evidence(
            player.bound_step, model, self.asking.form, known=known, on_event=recorder.record
        )
        self._show_note(_("Asking the model…"), Role.CHANGED)
        try:
            revealed = await evaluate_step(step, evidence)
        except asyncio.CancelledError:
            recorder.cancel()
            raise
        except CommonsenseError as error:
            self._show_note(str(error), Role.BAD)
            return
        player.revealed[player.index] = revealed
        self._notes = notes_on(revealed)
        self._show_blocks(step.show)
        if self.presenting:
            self._seen = False
            self.enter_pane("lesson")
        else:
            self.point_out()
        self.show_narration(to_end=True)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        super().worker_failed(worker, defect)
        if worker.group == "reveal":
            self._show_note(str(defect), Role.BAD)

    def action_take_away(self) -> None:
        """Write the lesson as a page, with the model's answers of now."""
        self.open_dialogue(self._write_page())

    async def _write_page(self) -> None:
        bound_lesson, language = self.player.bound_lesson, self.player.language
        model = self.program.model_state.model
        if self._cannot_ask(needs_model=True) or model is None:
            return
        name, form = bound_lesson.lesson.name, self.asking.form
        await self.app.push_screen_wait(
            LessonPageScreen(
                lambda reached: transcribe_now(bound_lesson, language, model, reached, form=form),
                lambda suffix: export_folder() / file_name(name, language, suffix),
            )
        )

    def _cannot_ask(self, *, needs_model: bool) -> bool:
        """Whether no model is loaded, or a run is asking it; a warning says so."""
        if needs_model and not self.program.model_state.ready:
            why = self.asking.hint()
        elif self.program.collection_runs.asking:
            why = _("A run is asking this model; pause it first.")
        else:
            return False
        self.notify(why, severity="warning", markup=False)
        return True

    def _show_note(self, text: str, role: Role) -> None:
        self._notes = ((escape_control_characters(text), role),)
        self.show_narration()

    def show_model(self, model_state: ModelState) -> None:
        super().show_model(model_state)
        if model_state.phase is ModelPhase.LOADING and self._begun:
            self.player.revealed.clear()
            self._notes = ()
            self.show_narration()

    # -- presenting: first the text, then what it is about ----------------------------------------

    def action_present(self) -> None:
        """Present to a room, or stop."""
        self.presenter.toggle()
        self.show_step()

    @property
    def item_pane(self) -> str:
        """The pane that shows the item."""
        return "graph" if self.graph_shown else "view"

    def _come_forward(self) -> bool:
        """Bring the pane that the step is about to the front, once; returns whether it did."""
        point = self.player.point
        if self._seen or not (point or self.block_pane or self.player.item_changed):
            return False
        self._seen = True
        self.enter_pane(self.block_pane or (_POINTED[point.kind] if point else self.item_pane))
        # Scrolling to the cursor needs the size of the pane.
        self.call_after_refresh(self.point_out)
        return True

    def on_key(self, event: events.Key) -> None:
        """While presenting, show which key was pressed and what it does."""
        if not self.presenting:
            return
        command = command_of(event.key, self.program.commands, self.pane, self.offers)
        if command is not None:
            self.query_one(Pressed).show_key(event.key, command)

    def on_click(self, event: events.Click) -> None:
        """While presenting, mark or unmark the paragraph that was clicked."""
        if self.presenting and event.widget is not None:
            self.narration.mark(event.widget)
