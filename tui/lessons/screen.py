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
from core.lessons import progress_file
from core.lessons.bookmarks import bookmark
from core.lessons.bound_lesson import BoundLesson
from core.lessons.reveal import evaluate_step
from core.text.errors import CommonsenseError, DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.asking import Asking
from tui.browse.item_panes import ItemPanes
from tui.browse.item_screen import FeatureTypes, ItemScreen
from tui.browse.panes import PaneNavigator
from tui.lessons.counting import CountsView, counts_by_itself
from tui.lessons.hints import next_key, the_end
from tui.lessons.leaving import leave
from tui.lessons.lesson_panes import TRACE, LessonItemPanes, LessonPanes, StepBlocks
from tui.lessons.narration_pane import NarrationPane, notes_on
from tui.lessons.page import page_of
from tui.lessons.player import LessonPlayer
from tui.lessons.pointing import Pointer
from tui.lessons.presenter import Presenter, Pressed
from tui.lessons.progress_writer import ProgressWriter
from tui.lessons.reveal import LadderRecorder, StepAsking, refusal
from tui.lessons.room import show_room
from tui.shell.command import Place
from tui.shell.commands import OUTSIDE_LESSONS, bindings
from tui.shell.dialogue import close_in_front
from tui.shell.model_holder import ModelPhase, ModelState
from tui.widgets.bars import KeyBar

_VOTES = 0.5
"""Seconds between two looks at the votes of a room."""


class LessonScreen(ItemScreen):
    """Goes through a lesson; dismisses when the person leaves."""

    WHERE: ClassVar[Place] = Place.LESSON
    TAKES_RECORDS = False
    CSS_PATH = "lesson.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.LESSON)

    def __init__(
        self,
        lesson: BoundLesson,
        language: str,
        *,
        features: FeatureTypes = (),
        presenting: bool = False,
        theme: str = "",
        step: int | None = None,
    ) -> None:
        """Begin at a step, counted from 1; see `Presenter` for `presenting` and `theme`.

        Without a step it goes on where the lesson was left, if it was.
        """
        super().__init__(lesson.benchmark, lesson.path, lesson.collection, features)
        self._resumed = step is None and bookmark(lesson.lesson) > 1
        self.player = LessonPlayer(lesson, language, step or bookmark(lesson.lesson))
        self.presenter = Presenter(self, presenting=presenting, theme=theme)
        self._progress = ProgressWriter(self.player)
        self._notes: tuple[tuple[str, Role], ...] = ()
        self._begun = False
        self.pointer = Pointer(self, self.player)
        self.blocks = StepBlocks(self)

    def make_asking(self) -> Asking:
        return StepAsking(self)

    def make_navigator(self) -> PaneNavigator:
        return LessonPanes(self, self.action_previous_step)

    def make_item_panes(self) -> ItemPanes:
        return LessonItemPanes(self, lambda: self.player.hidden)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Pressed()

    def compose_first(self) -> ComposeResult:
        yield NarrationPane(id="lesson")
        yield from super().compose_first()

    def on_mount(self) -> None:
        self.set_interval(progress_file.BEAT, self._progress.touch)
        self.set_interval(_VOTES, self._look_at_votes)
        self._write_progress(begin=True)
        self.presenter.start()
        if self._resumed:
            here = _(
                "It goes on at step {step}, where it was left; {key} goes back.",
                step=self.player.index + 1,
                key=self.program.key(f"{Place.LESSON}.previous_step"),
            )
            self.notify(here, markup=False)

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

    @work(group="votes", exclusive=True, exit_on_error=False)
    async def _look_at_votes(self) -> None:
        """Show the votes of a room as they come."""
        votes = await asyncio.to_thread(self._progress.votes)
        if votes != self.player.votes:
            self.player.votes = votes
            self.show_narration()

    def action_room(self) -> None:
        """Show the address at which the room votes, as a code for phones."""
        show_room(self, self.player.votes)

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
        self.query_one(KeyBar).show(Place.LESSON, stacked=False, offers=self.offers)

    async def action_do(self, feature_name: str, command: str, *arguments: int) -> None:
        """Run a command of a feature; enter goes to the next step, except on a trace."""
        if command == "retype" and self.pane != TRACE:
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
        self.pointer.seen = False
        if self.presenting:
            self.call_after_refresh(self.enter_pane, "lesson")
        else:
            self.call_after_refresh(self.point_out)
        self.show_narration()
        shown = step.show if self.player.result is not None or not self.player.options else None
        self.blocks.show(shown)
        self._count_at_once()

    def _count_at_once(self) -> None:
        """Count what a step without a prediction says of the collection, or go on counting."""
        model = self.program.model_state.model
        if model is None or not counts_by_itself(model) or not self.program.model_state.ready:
            return
        if self.player.result is not None or (self.player.step.figures and not self.player.options):
            self.count_items()

    def point_out(self) -> None:
        """Put the cursor on what the present step points at."""
        self.pointer.point_out(self.blocks.open_name, presenting=self.presenting)

    @work(group="narration", exit_on_error=False)
    async def show_narration(self, *, to_result: bool = False) -> None:
        """Draw the narration again, and scroll to what came true or was counted if asked."""
        # The worker is not exclusive: a cancelled one would leave the text half replaced.
        self._write_progress()
        await self.narration.show(
            self.player, hint=next_key(self.player, self.program), notes=self._notes
        )
        self.name_keys()
        if to_result:
            self.call_after_refresh(self.narration.bring_result_into_sight)

    def action_next_step(self) -> None:
        """Scroll on in the text; while presenting, then show its pane; then go to the next step."""
        if self.narration.display and self.narration.goes_on_below:
            self.narration.read_on()
            return
        if self.presenting and self.pointer.come_forward(self.blocks.open_name):
            # Scrolling to the cursor needs the size of the pane.
            self.call_after_refresh(self.point_out)
            return
        self._go(1, the_end(self.program))

    def action_previous_step(self) -> None:
        """Go to the step before."""
        self._go(-1, _("This is the beginning."))

    def _go(self, by: int, refusal: str) -> None:
        self.workers.cancel_group(self, "reveal")
        self.waiting.escape()
        if self.player.go(by):
            self.show_step()
        else:
            self.notify(refusal, timeout=3, markup=False)

    def action_leave(self) -> None:
        """Take a patch back; otherwise leave the lesson."""
        if any(feature.escape() for feature in self.features):
            return
        self.open_dialogue(leave(self, self.player))

    # -- the audience ----------------------------------------------------------------------------

    def action_count_hand(self, number: int) -> None:
        """Count a hand, as long as the answer is not shown."""
        if not self.player.options:
            self.notify(_("Nothing is predicted in this step."), timeout=3, markup=False)
        elif self.player.result is not None:
            shown = _("The answer is shown: no more hands are counted.")
            self.notify(shown, timeout=3, markup=False)
        elif self.player.raise_hand(number):
            if self.presenting:
                self.enter_pane("lesson")
            self.show_narration(to_result=True)

    def action_take_hand_back(self) -> None:
        """Take the last hand back."""
        if self.player.lower_hand():
            self.show_narration()

    @work(exclusive=True, group="reveal", exit_on_error=False)
    async def action_reveal(self) -> None:
        """Ask the model, and show what came true; once it did, count over the collection."""
        player, state, step = self.player, self.state, self.player.step
        if state is None or not (player.options or step.figures):
            self.notify(_("Nothing is predicted in this step."), timeout=3, markup=False)
            return
        needs_model = step.asks_model or not player.options
        if self.waiting.postpones(self.action_reveal, asks=needs_model):
            self._show_note(self.waiting.hint(), Role.CHANGED)
            return
        model = self.program.model_state.model
        if self._cannot_ask(needs_model=needs_model):
            return
        if not player.options:
            self.count_items()
            return
        if state.key != (player.bound_step.item.id, player.bound_step.setting):
            self.show_step()
        again = player.result is not None
        known = [rung.verdict for rung in state.rungs() if rung.verdict is not None]
        recorder = LadderRecorder(state, self.refresh_ladder)
        evidence = player.evidence(model, self.asking.form, known, recorder.record)
        evidence.on_looked_at = self._show_looked_at
        self._notes = ()
        self.narration.show_asking(_("Asking the model…"))
        try:
            revealed = await evaluate_step(step, evidence)
        except asyncio.CancelledError:
            recorder.cancel()
            raise
        except CommonsenseError as error:
            self._show_note(str(error), Role.BAD)
            return
        finally:
            self.narration.show_asking("")
        player.revealed[player.index] = revealed
        self._notes = notes_on(revealed)
        self.blocks.show(step.show)
        self.refresh_item()
        if self.presenting:
            self.pointer.seen = False
            self.enter_pane("lesson")
        else:
            self.point_out()
        self.show_narration(to_result=True)
        if model is not None and (again or counts_by_itself(model)):
            self.count_items()

    @work(exclusive=True, group="counts", exit_on_error=False)
    async def count_items(self) -> None:
        """Count over the collection what the present step reveals, and what it says of all."""
        state, model = self.state, self.program.model_state.model
        if state is None or model is None or self.program.collection_runs.asking:
            return
        known = [rung.verdict for rung in state.rungs() if rung.verdict is not None]
        evidence = self.player.evidence(model, self.asking.form, known)
        await self.player.counts.run(evidence, self.query_one(CountsView).redraw_soon)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        super().worker_failed(worker, defect)
        if worker.group == "reveal":
            self._show_note(str(defect), Role.BAD)

    def action_take_away(self) -> None:
        """Write the lesson as a page, with the model's answers of now."""
        self.open_dialogue(self._write_page())

    async def _write_page(self) -> None:
        model = self.program.model_state.model
        if not self._cannot_ask(needs_model=True) and model is not None:
            await self.app.push_screen_wait(page_of(self.player, model, self.asking.form))

    def _cannot_ask(self, *, needs_model: bool) -> bool:
        """Whether nothing can be asked now; a warning says why."""
        why = refusal(self.program, self.asking.hint() if needs_model else "")
        if why:
            self.notify(why, severity="warning", markup=False)
        return bool(why)

    def _show_note(self, text: str, role: Role) -> None:
        self._notes = ((escape_control_characters(text), role),)
        self.show_narration(to_result=True)

    def _show_looked_at(self, looked_at: int, size: int) -> None:
        """Say how far the model is asked about the items of the collection."""
        self.narration.show_asking(
            _("Asking the model: item {n:,} of {size:,}…", n=looked_at, size=size)
        )

    def show_model(self, model_state: ModelState) -> None:
        super().show_model(model_state)
        if model_state.phase is ModelPhase.LOADING and self._begun:
            self.player.forget_answers()
            self._notes = ()
            self.show_narration()
        elif model_state.ready and self._begun:
            self._count_at_once()

    # -- presenting: first the text, then what it is about ----------------------------------------

    def action_present(self) -> None:
        """Present to a room, or stop."""
        self.presenter.toggle()
        self.show_step()

    def on_key(self, event: events.Key) -> None:
        """While presenting, show which key was pressed and what it does."""
        self.presenter.show_pressed(event.key)

    def on_click(self, event: events.Click) -> None:
        """While presenting, mark or unmark the paragraph that was clicked."""
        if self.presenting and event.widget is not None:
            self.narration.mark(event.widget)
