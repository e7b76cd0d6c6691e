"""The screen of a lesson: the panes of an item, and the narration where the list would be."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType

from core.contract.view import Role
from core.exchange.exporters.files import file_name
from core.lessons import progress_file
from core.lessons.bound_lesson import BoundLesson
from core.lessons.lesson import Pane, Point, Pointing
from core.lessons.reveal import Revealed, evaluate_step
from core.text.errors import CommonsenseError, DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.asking import Asking
from tui.browse.feature import PaneFeature
from tui.browse.item_panes import ItemPanes
from tui.browse.item_screen import FeatureTypes, ItemScreen
from tui.browse.panes import PaneNavigator
from tui.lessons.beacon import Telling
from tui.lessons.lesson_panes import LessonPanes
from tui.lessons.narration_pane import NarrationPane
from tui.lessons.page import LessonPageScreen
from tui.lessons.player import LessonPlayer
from tui.lessons.presentation import Pressed, command_of
from tui.lessons.presenter import Presenter
from tui.lessons.reveal import LadderRecorder
from tui.lessons.transcript import transcribe_now
from tui.shell.command import APP, BROWSE, LESSON
from tui.shell.commands import bindings, commands
from tui.shell.dialogue import close_in_front
from tui.shell.folders import export_folder
from tui.shell.lesson_commands import ELSEWHERE
from tui.shell.model_holder import ModelPhase, ModelState
from tui.widgets.bars import KeyBar

_BLOCK_PANES = {Pane.BLOCKS: "xray", Pane.TRACE: "trace"}
_POINTED = {Pointing.STATEMENT: "view", Pointing.NODE: "graph", Pointing.RUNG: "ladder"}

_ELSEWHERE = {command.does or command.id for command in commands(BROWSE) if command.id in ELSEWHERE}
"""What commands do that lead out of the lesson."""


class _Revealing(Asking):
    """Asks only what a step reveals, so that the ladder keeps to itself what comes later."""

    def hint(self) -> str:
        """What is in the way of asking; what to press is said in the narration."""
        return "" if self._screen.program.model_state.ready else super().hint()


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
        """Begin at the first step.

        Args:
            lesson: the lesson on its collection.
            language: of its texts.
            features: what can be done besides what every item screen can do.
            presenting: to a room, from the beginning.
            theme: what is put on when the presenting ends; what is on then where it is empty.
        """
        super().__init__(lesson.benchmark, lesson.path, lesson.collection, features)
        self.player = LessonPlayer(lesson, language)
        self.presenter = Presenter(self, presenting=presenting, theme=theme)
        self.telling = Telling(self.player)
        self._notes: tuple[tuple[str, Role], ...] = ()
        self._begun = False
        self._seen = False
        """Whether what the present step is about was in front already."""

    def make_asking(self) -> Asking:
        """What asks, and does not say to ask the whole ladder."""
        return _Revealing(self)

    def make_navigator(self) -> PaneNavigator:
        """What goes through the panes, the narration among them."""
        return LessonPanes(self, self, self.action_previous_step)

    def make_item_panes(self) -> ItemPanes:
        """What draws the item, and spells out the signs of nodes."""
        return ItemPanes(self, self, signs=True)

    def compose(self) -> ComposeResult:
        """The panes, and above them all the key that was pressed."""
        yield from super().compose()
        yield Pressed()

    def compose_first(self) -> ComposeResult:
        """The narration; the list is there and not shown."""
        yield NarrationPane(id="lesson")
        yield from super().compose_first()

    def on_mount(self) -> None:
        """Let a second screen follow, and present from the beginning if wanted."""
        self.set_interval(progress_file.BEAT, self.telling.beat)
        self._follow(begin=True)
        self.presenter.start()

    async def on_unmount(self) -> None:
        """Leave no file behind, and the theme as it was."""
        await self.telling.end()
        self.presenter.end()

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close the lesson and all in front of it; nothing where it is closed already."""
        return super().dismiss(result) if close_in_front(self) else AwaitComplete()

    @property
    def presenting(self) -> bool:
        """Whether the lesson is presented to a room."""
        return self.presenter.presenting

    @property
    def stacked(self) -> bool:
        """Whether only one pane is in sight at a time."""
        return self.presenting or super().stacked

    @property
    def _blocks(self) -> PaneFeature | None:
        """What opens the panes about the model's blocks."""
        return self.feature(PaneFeature)

    @property
    def block_pane(self) -> str:
        """The name of the open pane about the model's blocks; empty where none is open."""
        return self._blocks.open_name if self._blocks is not None else ""

    @work(group="follow", exit_on_error=False)
    async def _follow(self, *, begin: bool = False) -> None:
        """Tell whoever follows where the lesson is."""
        try:
            await (self.telling.begin() if begin else self.telling.tell())
        except DataError as error:
            if begin:
                self.notify(escape_control_characters(str(error)), severity="warning", markup=False)

    @property
    def narration(self) -> NarrationPane:
        """The pane that tells the lesson."""
        return self.query_one(NarrationPane)

    @property
    def offers(self) -> frozenset[str]:
        """What the present step offers besides the item."""
        return super().offers | {"prediction"} if self.player.options else super().offers

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out what would lead out of the lesson."""
        if action in _ELSEWHERE or (action == "do" and parameters[0] in _ELSEWHERE):
            return False
        return super().check_action(action, parameters)

    def name_keys(self) -> None:
        """Name the keys of the lesson, in whatever pane one is."""
        self.query_one(KeyBar).show(LESSON, stacked=False, offers=self.offers)

    async def action_do(self, does: str, *arguments: int) -> None:
        """Do a command of a feature; enter goes to the next step, but patches on a trace."""
        if does == "editing.retype" and self.pane != _BLOCK_PANES[Pane.TRACE]:
            self.action_next_step()
        else:
            await super().action_do(does, *arguments)

    def open_highlighted(self) -> None:
        """Begin with the first step once the collection is listed: steps say which item is open."""
        if not self._begun:
            self._begun = True
            self.tell_step()

    # -- going through it ------------------------------------------------------------------------

    def tell_step(self) -> None:
        """Put on the state what the present step is about, point at it, and tell it."""
        state, step, bound_step = self.state, self.player.step, self.player.bound_step
        if state is None:
            return
        self._notes = self._notes_on(self.player.shown) if self.player.shown is not None else ()
        state.open(bound_step.position)
        if state.history.now != bound_step.setting:
            state.go(bound_step.setting)
        self.refresh_item()
        self.narration.scroll_home(animate=False)
        self._seen = False
        self.call_after_refresh(self.to_text if self.presenting else self.point_out)
        self.show_narration()
        shown = step.show if self.player.shown is not None or not self.player.options else None
        self._show_blocks(shown)

    def point_out(self) -> None:
        """Put the cursor on what the present step points at, in its pane."""
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
        """Draw the narration again, and where all of it does not fit, scroll to its end if asked.

        It is not exclusive: text that is replaced half-way would stay so.
        """
        self._follow()
        await self.narration.show(self.player, hint=self._hint(), notes=self._notes)
        self.name_keys()
        if to_end:
            self.call_after_refresh(self.narration.scroll_end, animate=False)

    def _hint(self) -> str:
        options = len(self.player.options)
        if options and self.player.shown is None:
            return _(
                "1-{options} count hands · {key} reveals",
                options=options,
                key=self._lesson_key("reveal"),
            )
        if self.player.at + 1 == len(self.player.lesson.steps):
            return self._end()
        return _("{key} goes on", key=self._lesson_key("next_step"))

    def _end(self) -> str:
        return _("The end. {key} leaves.", key=self._lesson_key("leave"))

    def _lesson_key(self, command: str) -> str:
        """The key of a command of the lesson, as a person reads it."""
        return self.program.key(f"{LESSON}.{command}")

    def action_next_step(self) -> None:
        """Go to the next step; while presenting, first to what the present one is about."""
        if self.presenting and self._come_forward():
            return
        self._go(1, self._end())

    def action_previous_step(self) -> None:
        """Go to the step before."""
        self._go(-1, _("This is the beginning."))

    def _go(self, by: int, otherwise: str) -> None:
        self.workers.cancel_group(self, "reveal")
        if self.player.go(by):
            self.tell_step()
        else:
            self.notify(otherwise, timeout=3, markup=False)

    def action_leave(self) -> None:
        """Take a patch back; else leave: to where one began, or altogether."""
        if any(feature.escape() for feature in self.features):
            return
        if self.app.screen_stack[0] is self:
            self.app.exit()
        else:
            self.dismiss(None)

    # -- the audience ----------------------------------------------------------------------------

    async def action_count_hand(self, number: int) -> None:
        """Count a hand; where nothing is predicted, show a variant."""
        if not self.player.options:
            await self.action_do("editing.nth_variant", number)
        elif self.player.raise_hand(number):
            if self.presenting:
                self.to_text()
            self.show_narration(to_end=True)

    async def action_take_hand_back(self) -> None:
        """Take the last hand back; where nothing is predicted, make the item smaller."""
        if not self.player.options:
            await self.action_do("dials.fewer")
        elif self.player.lower_hand():
            self.show_narration()

    @work(exclusive=True, group="reveal", exit_on_error=False)
    async def action_reveal(self) -> None:
        """Ask the model what was predicted, and show what came true."""
        player, state, step = self.player, self.state, self.player.step
        if state is None or not player.options:
            self.notify(_("Nothing is predicted in this step."), timeout=3, markup=False)
            return
        model = self.program.model_state.model
        if step.asks_model and (model is None or not self.program.model_state.ready):
            self.notify(self.asking.hint(), severity="warning", markup=False)
            return
        if self._busy():
            return
        if state.key != (player.bound_step.item.id, player.bound_step.setting):
            self.tell_step()
        known = [rung.verdict for rung in state.rungs() if rung.verdict is not None]
        recorder = LadderRecorder(state, self.refresh_ladder)
        evidence = player.bound_lesson.evidence(
            player.bound_step, model, self.asking.form, known=known, on_event=recorder.record
        )
        self._say(_("Asking the model…"), Role.CHANGED)
        try:
            revealed = await evaluate_step(step, evidence)
        except asyncio.CancelledError:
            recorder.cancel()
            raise
        except CommonsenseError as error:
            self._say(str(error), Role.BAD)
            return
        player.revealed[player.at] = revealed
        self._notes = self._notes_on(revealed)
        self._show_blocks(step.show)
        if self.presenting:
            self._seen = False
            self.to_text()
        else:
            self.point_out()
        self.show_narration(to_end=True)

    def action_take_away(self) -> None:
        """Write the lesson as a page, with what the model answers now."""
        self.open_dialogue(self._write_page())

    async def _write_page(self) -> None:
        bound_lesson, language = self.player.bound_lesson, self.player.language
        model = self.program.model_state.model
        if model is None or not self.program.model_state.ready:
            self.notify(self.asking.hint(), severity="warning", markup=False)
            return
        if self._busy():
            return
        await self.app.push_screen_wait(
            LessonPageScreen(
                lambda reached: transcribe_now(
                    bound_lesson, language, model, reached, form=self.asking.form
                ),
                lambda suffix: (
                    export_folder() / file_name(bound_lesson.lesson.name, language, suffix)
                ),
            )
        )

    def _busy(self) -> bool:
        """Whether a run is asking the model; the person is told then."""
        if self.program.asking_all:
            busy = _("A run is asking this model; pause it first.")
            self.notify(busy, severity="warning", markup=False)
        return self.program.asking_all

    def _notes_on(self, revealed: Revealed) -> tuple[tuple[str, Role], ...]:
        """What is to be said of what a step came to, besides what the lesson says."""
        notes: list[tuple[str, Role]] = []
        if revealed.recorded:
            badge = _(
                "[recorded] {model}: answered when it was recorded, not now.",
                model=escape_control_characters(revealed.recorded),
            )
            notes.append((badge, Role.OBSERVED))
        if revealed.lacking:
            lacking = _("The recording has no answer to this; the lesson goes on.")
            notes.append((lacking, Role.CHANGED))
        before = _("This step was written for another answer.")
        notes += [(f"{before} {text}", Role.CHANGED) for text in revealed.otherwise]
        return tuple(notes)

    def _say(self, text: str, role: Role) -> None:
        self._notes = ((escape_control_characters(text), role),)
        self.show_narration()

    def show_model(self, model_state: ModelState) -> None:
        """Drop what another model was asked."""
        super().show_model(model_state)
        if model_state.phase is ModelPhase.LOADING and self._begun:
            self.player.forget_answers()
            self._notes = ()
            self.show_narration()

    # -- presenting: first the text, then what it is about ----------------------------------------

    def action_present(self) -> None:
        """Present to a room, or stop."""
        self.presenter.toggle()
        self.tell_step()

    @property
    def item_pane(self) -> str:
        """The pane that shows the item."""
        return "graph" if self.graph_shown else "view"

    @property
    def _about_something(self) -> bool:
        """Whether the present step is about more than its text."""
        player = self.player
        if player.point is not None or self.block_pane or player.at == 0:
            return True
        before = player.lesson.steps[player.at - 1]
        return (before.item, before.setting) != (player.step.item, player.step.setting)

    def to_text(self) -> None:
        """Bring the text to the front."""
        self.enter_pane("lesson")

    def _come_forward(self) -> bool:
        """Bring what the step is about to the front; whether there was something not yet seen."""
        if self._seen or not self._about_something:
            return False
        self._seen = True
        point = self.player.point
        self.enter_pane(self.block_pane or (_POINTED[point.kind] if point else self.item_pane))
        # Where the cursor stands is scrolled to once it is known how large the pane is.
        self.call_after_refresh(self.point_out)
        return True

    def on_key(self, event: events.Key) -> None:
        """Tell the room which key was pressed and what it does."""
        if not self.presenting:
            return
        program = self.program
        lesson = program.commands(LESSON)
        browse = [each for each in program.commands(BROWSE) if each.id not in ELSEWHERE]
        command = command_of(event.key, (*lesson, *browse, *program.commands(APP)), self.offers)
        if command is not None and command.id == "retype" and self.pane != "trace":
            command = next(each for each in lesson if each.id == "next_step")
        if command is not None:
            self.query_one(Pressed).tell(event.key, command)

    def on_click(self, event: events.Click) -> None:
        """Mark what was clicked in the text, or unmark it; elsewhere the cursor does."""
        if self.presenting and event.widget is not None:
            self.narration.mark(event.widget)
