"""A lesson on the browsing screen's own panes, with what it says where the list would be."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from core.contract.rungs import Phase
from core.contract.view import Role
from core.lessons import progress_file
from core.lessons.bound_lesson import BoundLesson
from core.lessons.lesson import Pane, Point, Pointing
from core.lessons.reveal import Revealed, evaluate_step
from core.text.errors import CommonsenseError, DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.asking import Asking
from tui.browse.item_list import ItemList
from tui.browse.ladder_pane import LadderPane
from tui.browse.view_pane import ViewPane
from tui.lessons.beacon import Telling
from tui.lessons.commands import ELSEWHERE
from tui.lessons.narration_pane import NarrationPane
from tui.lessons.player import LessonPlayer
from tui.lessons.presenting_screen import PresentingScreen
from tui.lessons.reveal import Heard
from tui.shell.command import LESSON
from tui.shell.commands import bindings
from tui.shell.dialogue import DismissedOnce
from tui.shell.model_holder import ModelPhase, ModelState
from tui.widgets.bars import KeyBar

_INSIDE = {Pane.BLOCKS: "xray", Pane.TRACE: "trace"}


class _Revealing(Asking):
    """Asks only what a step reveals, so that the ladder keeps to itself what comes later."""

    def hint(self) -> str:
        """What is in the way of asking; what to press is said in the narration."""
        return "" if self._screen.program.model_state.ready else super().hint()


class LessonScreen(PresentingScreen, DismissedOnce[None]):
    """Walks through a lesson; dismisses when the person leaves."""

    WHERE: ClassVar[str] = LESSON
    CSS_PATH = "lesson.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(LESSON)

    def __init__(
        self, bound_lesson: BoundLesson, language: str, *, presenting: bool = False, theme: str = ""
    ) -> None:
        """Begin at the first step.

        Args:
            bound_lesson: the lesson on its collection.
            language: in which it is told.
            presenting: to a room, from the beginning.
            theme: what is put on when the presenting ends; what is on then where it is empty.
        """
        super().__init__(LessonPlayer(bound_lesson, language), presenting=presenting, theme=theme)
        self.asking = _Revealing(self)
        self.telling = Telling(self.player)
        self._notes: tuple[tuple[str, Role], ...] = ()
        self._begun = False

    def compose_first(self) -> ComposeResult:
        """The narration; the list is there and not shown."""
        yield NarrationPane(id="lesson")
        yield from super().compose_first()

    def on_mount(self) -> None:
        """Let a second screen follow."""
        self.set_interval(progress_file.BEAT, self.telling.beat)
        self._follow(begin=True)

    async def on_unmount(self) -> None:
        """Leave no file behind."""
        await self.telling.end()

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
    def panes(self) -> tuple[str, ...]:
        """The panes that there are now: the narration, and no list."""
        return ("lesson", *(pane for pane in super().panes if pane != "list"))

    @property
    def offers(self) -> frozenset[str]:
        """What the present step offers besides the item."""
        return super().offers | {"prediction"} if self.player.options else super().offers

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out what would lead out of the lesson."""
        if action in ELSEWHERE:
            return False
        return super().check_action(action, parameters)

    def name_keys(self) -> None:
        """Name the keys of the lesson, in whatever pane one is."""
        self.query_one(KeyBar).show(LESSON, stacked=False, offers=self.offers)

    def enter_pane(self, pane: str, *, focus: bool = True) -> None:
        """Enter a pane; the narration stays in sight, with the pane that was in front."""
        self.set_class(pane in {"lesson", "list"}, "-text")
        if pane in {"lesson", "list"}:
            self.pane = "lesson"
            if focus:
                self.narration.focus()
            self.name_keys()
            return
        super().enter_pane(pane, focus=focus)

    @on(ItemList.Highlighted)
    def no_item_of_the_list(self, event: ItemList.Highlighted) -> None:
        """The step says which item there is; the list begins when its collection is there."""
        event.prevent_default()
        if not self._begun:
            self._begun = True
            self.tell_step()

    # -- going through it ------------------------------------------------------------------------

    def tell_step(self) -> None:
        """Open the item of the present step, point at it, and narrate it."""
        state, step, bound_step = self.state, self.player.step, self.player.bound_step
        if state is None:
            return
        self._notes = self._told(self.player.shown) if self.player.shown is not None else ()
        state.open(bound_step.position)
        if state.history.now != bound_step.setting:
            state.go(bound_step.setting)
        self.refresh_item()
        self.narration.scroll_home(animate=False)
        self.forget_seen()
        self.call_after_refresh(self.to_text if self.presenting else self.point_out)
        self.show_narration()
        shown = step.show if self.player.shown is not None or not self.player.options else None
        self._show_inside(shown)

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
        if self.blocks.open_pane is not None:
            self.enter_pane(str(self.blocks.open_pane.id))

    def _point_at(self, point: Point) -> None:
        evidence = self.player.bound_lesson.evidence(self.player.bound_step)
        match point.kind:
            case Pointing.STATEMENT:
                self.enter_pane("view")
                self.query_one(ViewPane).cursor = evidence.statement(point.ref).id
            case Pointing.NODE:
                self.enter_pane("graph")
                self.graph.cursor = evidence.node(point.ref).id
            case Pointing.RUNG:
                self.enter_pane("ladder")
                self.query_one(LadderPane).cursor = point.ref

    def node_explained(self) -> None:
        """Say what stands beside the node under the cursor, too: in a small drawing it does not."""
        super().node_explained()
        node = self.graph.node() if self.has_class("-graph") else None
        if node is not None and node.sign:
            note = f"{node.sign} · {node.note}" if node.note else node.sign
            self.graph.border_subtitle = Content(escape_control_characters(note))
            self.query_one(ViewPane).explain((node.text, note))

    def _show_inside(self, pane: Pane | None) -> None:
        """Open what looks between the blocks, or close it."""
        wanted = _INSIDE[pane] if pane is not None else None
        present = self.blocks.open_pane.id if self.blocks.open_pane is not None else None
        if wanted == present:
            return
        if wanted is None:
            self.blocks.toggle(str(present))
        else:
            self.blocks.toggle(wanted)

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
            hint = _("1-{options} count hands · {key} reveals")
            return hint.format(options=options, key=self._lesson_key("reveal"))
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
        if self.presenting and self.come_forward():
            return
        self._go(1, self._end())

    @work(group="dialogue", exit_on_error=False)
    async def action_retype(self) -> None:
        """On a trace, patch; anywhere else, go to the next step."""
        pane = self.blocks.open_pane
        if pane is not None and pane.id == self.pane == _INSIDE[Pane.TRACE]:
            pane.enter()
        else:
            self.action_next_step()

    def action_previous_step(self) -> None:
        """Go to the step before."""
        self._go(-1, _("This is the beginning."))

    def _go(self, by: int, otherwise: str) -> None:
        self.workers.cancel_group(self, "reveal")
        if self.player.go(by):
            self.tell_step()
        else:
            self.notify(otherwise, timeout=3, markup=False)

    def action_cursor_left(self) -> None:
        """In the text, go to the step before."""
        if self.pane == "lesson":
            self.action_previous_step()
        else:
            super().action_cursor_left()

    def _move(self, by: int) -> None:
        if self.pane == "lesson":
            self.narration.scroll_relative(y=by, animate=False)
        else:
            super()._move(by)

    def action_leave(self) -> None:
        """Stop what looks between the blocks; else leave: to where one began, or altogether."""
        if self.blocks.open_pane is not None and self.blocks.open_pane.leave():
            return
        if self.app.screen_stack[0] is self:
            self.app.exit()
        else:
            self.dismiss(None)

    # -- the audience ----------------------------------------------------------------------------

    def action_count_hand(self, number: int) -> None:
        """Count a hand; where nothing is predicted, show a variant."""
        if not self.player.options:
            self.action_nth_variant(number)
        elif self.player.raise_hand(number):
            if self.presenting:
                self.to_text()
            self.show_narration(to_end=True)

    def action_take_hand_back(self) -> None:
        """Take the last hand back; where nothing is predicted, make the item smaller."""
        if not self.player.options:
            self.action_fewer()
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
        heard = Heard(state, self.refresh_ladder)
        evidence = player.bound_lesson.evidence(
            player.bound_step, model, self.asking.form, known=known, hear=heard.hear
        )
        self._say(_("Asking the model…"), Role.CHANGED)
        try:
            revealed = await evaluate_step(step, evidence)
        except asyncio.CancelledError:
            heard.end(Phase.IDLE)
            raise
        except CommonsenseError as error:
            heard.end(Phase.FAILED, str(error))
            self._say(str(error), Role.BAD)
            return
        if revealed.lacking:
            heard.end(Phase.FAILED, revealed.lacking)
        player.revealed[player.at] = revealed
        self._notes = self._told(revealed)
        self._show_inside(step.show)
        if self.presenting:
            self.forget_seen()
            self.to_text()
        else:
            self.point_out()
        self.show_narration(to_end=True)

    @work(group="dialogue", exit_on_error=False)
    async def action_take_away(self) -> None:
        """Write the lesson as a page, with what the model answers now."""
        bound_lesson, language = self.player.bound_lesson, self.player.language
        model = self.program.model_state.model
        if model is None or not self.program.model_state.ready:
            self.notify(self.asking.hint(), severity="warning", markup=False)
            return
        if self._busy():
            return
        # Nothing of this is needed before somebody asks for it.
        from core.exchange.exporters.files import file_name
        from tui.browse.export import folder
        from tui.lessons.page import LessonPageScreen
        from tui.lessons.transcript import told_now

        await self.app.push_screen_wait(
            LessonPageScreen(
                lambda reached: told_now(
                    bound_lesson, language, model, reached, form=self.asking.form
                ),
                lambda suffix: folder() / file_name(bound_lesson.lesson.name, language, suffix),
            )
        )

    def _busy(self) -> bool:
        """Whether a run is asking the model, which is told."""
        if self.program.asking_all:
            busy = _("A run is asking this model; pause it first.")
            self.notify(busy, severity="warning", markup=False)
        return self.program.asking_all

    def _told(self, revealed: Revealed) -> tuple[tuple[str, Role], ...]:
        """What is to be said of what a step came to, besides what the lesson says."""
        told: list[tuple[str, Role]] = []
        if revealed.recorded:
            badge = _("[recorded] {model}: answered when it was recorded, not now.")
            told.append(
                (badge.format(model=escape_control_characters(revealed.recorded)), Role.OBSERVED)
            )
        if revealed.lacking:
            lacking = _("The recording has no answer to this; the lesson goes on.")
            told.append((lacking, Role.CHANGED))
        before = _("This step was written for another answer.")
        told += [(f"{before} {text}", Role.CHANGED) for text in revealed.otherwise]
        return tuple(told)

    def _say(self, text: str, role: Role) -> None:
        self._notes = ((escape_control_characters(text), role),)
        self.show_narration()

    def show_model(self, state: ModelState) -> None:
        """Drop what another model was asked."""
        super().show_model(state)
        if state.phase is ModelPhase.LOADING and self._begun:
            self.player.forget_answers()
            self._notes = ()
            self.show_narration()
