"""A lesson on the browsing screen's own panes, with what it says where the list would be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from core.errors import CommonsenseError, DataError
from core.layout.ladder import Phase
from core.lessons import following
from core.lessons.checking import come_true
from core.lessons.lesson import Pane, Point, Pointing
from core.lessons.staging import Stage
from core.question import Question, Verdict
from core.view import Role
from core.visible import visible
from tui import lesson_words as said
from tui.asking import Asking
from tui.command import APP, BROWSE, LESSON
from tui.commands import bindings
from tui.desk import Desk
from tui.lesson_beacon import Telling
from tui.lesson_presenting import THEME, Pressed, command_of
from tui.lesson_walk import Revealed, Walk
from tui.model_holder import ModelPhase, ModelState
from tui.screens.browse import BrowseScreen
from tui.widgets.bars import KeyBar
from tui.widgets.item_list import ItemList
from tui.widgets.ladder_pane import LadderPane
from tui.widgets.narration_pane import NarrationPane
from tui.widgets.view_pane import ViewPane

_INSIDE = {Pane.BLOCKS: "xray", Pane.TRACE: "trace"}
_POINTED = {
    Pointing.STATEMENT: "view",
    Pointing.NODE: "graph",
    Pointing.RUNG: "ladder",
}
_ONE_PANE = [(0, "-narrow")]
_ELSEWHERE = frozenset(
    {"filter", "collections", "new_item", "lessons", "funnel", "answer_all", "review"}
)
"""What leads out of the lesson, or what its own keys do."""


class _Revealing(Asking):
    """Asks only what a step reveals, so that the ladder keeps to itself what comes later."""

    def hint(self) -> str:
        """What is in the way of asking; what to press is said in the narration."""
        return "" if self._screen.program.model_state.ready else super().hint()


class _Heard:
    """Shows on the ladder which layer is asked, and the answer to it."""

    def __init__(self, desk: Desk, refresh: Callable[[], None]) -> None:
        self._desk = desk
        self._key = desk.key
        self._refresh = refresh
        self._open: Question | None = None
        """What was asked and not answered yet."""

    def hear(self, question: Question, verdict: Verdict | None) -> None:
        """A layer is asked; with a verdict, it was answered."""
        self._open = question if verdict is None else None
        self._record(question, Phase.ASKING if verdict is None else Phase.ANSWERED, verdict)

    def end(self, phase: Phase, error: str = "") -> None:
        """No answer comes any more."""
        if self._open is not None:
            self._record(self._open, phase, error=error)

    def _record(
        self, question: Question, phase: Phase, verdict: Verdict | None = None, error: str = ""
    ) -> None:
        layers = self._desk.benchmark.layers
        layer = next(one for one in layers if one.id == question.layer)
        self._desk.record(self._key, layer, question, phase, verdict=verdict, error=error)
        self._refresh()


class LessonScreen(BrowseScreen):
    """Walks through a lesson; dismisses when the person leaves."""

    WHERE: ClassVar[str] = LESSON
    CSS_PATH = "lesson.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(LESSON)

    def __init__(
        self, stage: Stage, language: str, *, presenting: bool = False, theme: str = ""
    ) -> None:
        """Begin at the first step.

        Args:
            stage: the lesson on its collection.
            language: in which it is told.
            presenting: to a room, from the beginning.
            theme: what is put on when the presenting ends; what is on then where it is empty.
        """
        super().__init__(stage.benchmark, stage.path, stage.collection)
        self.asking = _Revealing(self)
        self.walk = Walk(stage, language)
        self.telling = Telling(self.walk)
        self.presenting = presenting
        self._theme = theme
        self._seen = False
        """Whether what the present step is about was in front already, while presenting."""
        self._notes: tuple[tuple[str, Role], ...] = ()
        self._begun = False

    def compose_first(self) -> ComposeResult:
        """The narration; the list is there and not shown."""
        yield NarrationPane(id="lesson")
        yield from super().compose_first()

    def compose(self) -> ComposeResult:
        """The browsing screen, and above it all the key that was pressed."""
        yield from super().compose()
        yield Pressed()

    async def on_mount(self) -> None:
        """Present if wanted, and let a second screen follow."""
        if self.presenting:
            self._arrange()
        self.set_interval(following.BEAT, self.telling.beat)
        self._follow(begin=True)

    async def on_unmount(self) -> None:
        """Leave no file behind, and the theme as it was."""
        if self.presenting:
            self._theme_back()
        await self.telling.end()

    @work(group="follow", exit_on_error=False)
    async def _follow(self, *, begin: bool = False) -> None:
        """Tell whoever follows where the lesson is."""
        try:
            await (self.telling.begin() if begin else self.telling.tell())
        except DataError as error:
            if begin:
                self.notify(visible(str(error)), severity="warning", markup=False)

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
        return super().offers | {"prediction"} if self.walk.options else super().offers

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out what would lead out of the lesson."""
        if action in _ELSEWHERE:
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
        """Put on the desk what the present step is about, point at it, and tell it."""
        desk, step, spot = self.desk, self.walk.step, self.walk.spot
        if desk is None:
            return
        self._notes = ()
        desk.open(spot.position)
        if desk.history.now != spot.setting:
            desk.go(spot.setting)
        self.refresh_item()
        self.narration.scroll_home(animate=False)
        self._seen = False
        self.call_after_refresh(self._to_text if self.presenting else self._point)
        self.show_narration()
        shown = step.show if self.walk.shown is not None or not self.walk.options else None
        self._show_inside(shown)

    def _point(self) -> None:
        """Put the cursor on what the present step points at, in its pane."""
        point = self.walk.point
        if point is None:
            self.enter_pane(self._item_pane, focus=self.presenting)
            if not self.presenting:
                self.enter_pane("lesson")
                return
        else:
            self._point_at(point)
        if self.inside is not None:
            self.enter_pane(str(self.inside.id))

    def _point_at(self, point: Point) -> None:
        evidence = self.walk.stage.evidence(self.walk.spot)
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

    @property
    def _item_pane(self) -> str:
        return "graph" if self.has_class("-graph") else "view"

    def node_explained(self) -> None:
        """Say what stands beside the node under the cursor, too: in a small drawing it does not."""
        super().node_explained()
        node = self.graph.node() if self.has_class("-graph") else None
        if node is not None and node.sign:
            note = f"{node.sign} · {node.note}" if node.note else node.sign
            self.graph.border_subtitle = Content(visible(note)).markup
            self.query_one(ViewPane).explain((node.text, note))

    def _show_inside(self, pane: Pane | None) -> None:
        """Open what looks between the blocks, or close it."""
        wanted = _INSIDE[pane] if pane is not None else None
        present = self.inside.id if self.inside is not None else None
        if wanted == present:
            return
        if wanted is None:
            self._toggle(str(present))
        else:
            self._toggle(wanted)

    @work(group="narration", exit_on_error=False)
    async def show_narration(self, *, to_end: bool = False) -> None:
        """Draw the narration again, and where all of it does not fit, scroll to its end if asked.

        It is not exclusive: text that is replaced half-way would stay so.
        """
        self._follow()
        await self.narration.show(self.walk, hint=self._hint(), notes=self._notes)
        self.name_keys()
        if to_end:
            self.call_after_refresh(self.narration.scroll_end, animate=False)

    def _hint(self) -> str:
        options = len(self.walk.options)
        if options and self.walk.shown is None:
            return self._words(said.PREDICT, options=options, reveal=self._lesson_key("reveal"))
        if self.walk.at + 1 == len(self.walk.lesson.steps):
            return self._words(said.END, leave=self._lesson_key("leave"))
        return self._words(said.GO_ON, next=self._lesson_key("next_step"))

    def _words(self, name: str, **places: object) -> str:
        """What the program says, in the language of the lesson."""
        return said.words(self.walk.language, name, **places)

    def _lesson_key(self, command: str) -> str:
        """The key of a command of the lesson, as a person reads it."""
        return self.program.key(f"{LESSON}.{command}")

    def action_next_step(self) -> None:
        """Go to the next step; while presenting, first to what the present one is about."""
        if self.presenting and not self._seen and self._about_something:
            self._seen = True
            self._come_forward()
            return
        self._go(1, self._words(said.END, leave=self._lesson_key("leave")))

    @work(group="dialogue", exit_on_error=False)
    async def action_retype(self) -> None:
        """On a trace, patch; anywhere else, go to the next step."""
        if self.inside is not None and self.inside.id == self.pane == _INSIDE[Pane.TRACE]:
            self.inside.enter()
        else:
            self.action_next_step()

    def action_previous_step(self) -> None:
        """Go to the step before."""
        self._go(-1, self._words(said.BEGINNING))

    def _go(self, by: int, otherwise: str) -> None:
        self.workers.cancel_group(self, "reveal")
        if self.walk.go(by):
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
        if self.inside is not None and self.inside.leave():
            return
        if self.app.screen_stack[0] is self:
            self.app.exit()
        else:
            self.dismiss(None)

    # -- presenting to a room -------------------------------------------------------------------

    @property
    def stacked(self) -> bool:
        """Whether only one pane is in sight at a time."""
        return self.presenting or super().stacked

    def action_present(self) -> None:
        """Present to a room, or stop."""
        self.presenting = not self.presenting
        if not self.presenting:
            self._theme_back()
        self._arrange()
        self.refresh_item()
        self.tell_step()

    def _arrange(self) -> None:
        """Lay out for a room, or for a desk again."""
        if self.presenting:
            self._theme = self._theme or self.app.theme
            if THEME in self.app.available_themes:
                self.app.theme = THEME
        breakpoints = _ONE_PANE if self.presenting else BrowseScreen.HORIZONTAL_BREAKPOINTS
        # Textual asks the screen for them whenever its size changes.
        self.HORIZONTAL_BREAKPOINTS = breakpoints  # type: ignore[misc]
        fitting = [name for least, name in breakpoints if self.app.size.width >= least][-1]
        for _, name in BrowseScreen.HORIZONTAL_BREAKPOINTS:
            self.set_class(name == fitting, name)
        self.set_class(self.presenting, "-present")

    def _theme_back(self) -> None:
        """Put on what was on, unless another theme was chosen meanwhile."""
        if self.app.theme == THEME and self._theme in self.app.available_themes:
            self.app.theme = self._theme
        self._theme = ""

    @property
    def _about_something(self) -> bool:
        """Whether the present step is about more than its text."""
        walk = self.walk
        if walk.point is not None or self.inside is not None or walk.at == 0:
            return True
        before = walk.lesson.steps[walk.at - 1]
        return (before.item, before.setting) != (walk.step.item, walk.step.setting)

    def _to_text(self) -> None:
        self.enter_pane("lesson")

    def _come_forward(self) -> None:
        """Bring what the step is about to the front, and point at it once it is laid out."""
        point = self.walk.point
        inside = str(self.inside.id) if self.inside is not None else ""
        self.enter_pane(inside or (_POINTED[point.kind] if point else self._item_pane))
        self.call_after_refresh(self._point)

    def on_key(self, event: events.Key) -> None:
        """Tell the room which key was pressed and what it does."""
        if not self.presenting:
            return
        program = self.program
        known = [
            *program.commands(LESSON),
            *(one for one in program.commands(BROWSE) if one.id not in _ELSEWHERE),
            *program.commands(APP),
        ]
        command = command_of(event.key, known, self.offers)
        if command is not None and command.id == "retype":
            command = program.commands(LESSON)[0]
        if command is not None:
            self.query_one(Pressed).tell(event.key, command)

    def on_click(self, event: events.Click) -> None:
        """Mark what was clicked in the text, or mark it no longer; elsewhere the cursor does."""
        if self.presenting and event.widget is not None:
            self.narration.mark(event.widget)

    # -- the audience ----------------------------------------------------------------------------

    def action_count_hand(self, number: int) -> None:
        """Count a hand; where nothing is predicted, show a variant."""
        if not self.walk.options:
            self.action_nth_variant(number)
        elif self.walk.raise_hand(number):
            if self.presenting:
                self._to_text()
            self.show_narration(to_end=True)

    def action_take_hand_back(self) -> None:
        """Take the last hand back; where nothing is predicted, make the item smaller."""
        if not self.walk.options:
            self.action_fewer()
        elif self.walk.lower_hand():
            self.show_narration()

    @work(exclusive=True, group="reveal", exit_on_error=False)
    async def action_reveal(self) -> None:
        """Ask the model what was predicted, and show what came true."""
        walk, desk, step = self.walk, self.desk, self.walk.step
        if desk is None or not walk.options:
            self.notify(self._words(said.NOTHING_PREDICTED), timeout=3, markup=False)
            return
        model = self.program.model_state.model
        if step.asks_model and (model is None or not self.program.model_state.ready):
            self.notify(self.asking.hint(), severity="warning", markup=False)
            return
        if self.program.asking_all:
            self.notify(self._words(said.BUSY), severity="warning", markup=False)
            return
        if desk.key != (walk.spot.item.id, walk.spot.setting):
            self.tell_step()
        known = [rung.verdict for rung in desk.rungs() if rung.verdict is not None]
        heard = _Heard(desk, self.refresh_ladder)
        evidence = walk.stage.evidence(
            walk.spot, model, self.asking.form, known=known, hear=heard.hear
        )
        self._say(self._words(said.ASKING), Role.CHANGED)
        try:
            assert step.prediction is not None
            true = await come_true(step.prediction, evidence)
            findings = [(claim, await claim.find(evidence)) for claim in step.checks]
        except asyncio.CancelledError:
            heard.end(Phase.IDLE)
            raise
        except CommonsenseError as error:
            heard.end(Phase.FAILED, str(error))
            self._say(str(error), Role.BAD)
            return
        otherwise = tuple(found.found for claim, found in findings if not found.holds)
        walk.revealed[walk.at] = Revealed(true, otherwise)
        self._notes = tuple(
            (f"{self._words(said.OTHERWISE)} {text}", Role.CHANGED) for text in otherwise
        )
        self._show_inside(step.show)
        if self.presenting:
            self._seen = False
            self._to_text()
        else:
            self._point()
        self.show_narration(to_end=True)

    def _say(self, text: str, role: Role) -> None:
        self._notes = ((visible(text), role),)
        self.show_narration()

    def show_model(self, state: ModelState) -> None:
        """Drop what another model was asked."""
        super().show_model(state)
        if state.phase is ModelPhase.LOADING and self._begun:
            self.walk.forget_answers()
            self.show_narration()
