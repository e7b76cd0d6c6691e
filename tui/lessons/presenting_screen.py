"""A lesson before a room: one pane at a time, what is pointed at marked, keys told as pressed."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult

from core.lessons.lesson import Pointing
from tui.browse.screen import BrowseScreen
from tui.lessons.commands import ELSEWHERE
from tui.lessons.narration_pane import NarrationPane
from tui.lessons.player import LessonPlayer
from tui.lessons.presentation import THEME, Pressed, command_of
from tui.shell.command import APP, BROWSE, LESSON

_POINTED = {Pointing.STATEMENT: "view", Pointing.NODE: "graph", Pointing.RUNG: "ladder"}
_ONE_PANE = [(0, "-narrow")]


class PresentingScreen(BrowseScreen):
    """A screen that walks through a lesson and can be presented to a room."""

    def __init__(self, player: LessonPlayer, *, presenting: bool, theme: str) -> None:
        """`theme` is put on when the presenting ends; what is on then where it is empty."""
        super().__init__(
            player.bound_lesson.benchmark, player.bound_lesson.path, player.bound_lesson.collection
        )
        self.player = player
        self.presenting = presenting
        self._theme = theme
        self._seen = False
        """Whether what the present step is about was in front already."""

    def compose(self) -> ComposeResult:
        """The browsing screen, and above it all the key that was pressed."""
        yield from super().compose()
        yield Pressed()

    def on_mount(self) -> None:
        """Present from the beginning, if wanted."""
        if self.presenting:
            self._arrange()

    async def on_unmount(self) -> None:
        """Leave the theme as it was."""
        if self.presenting:
            self._theme_back()

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
        self.tell_step()

    def take_in_record(self) -> None:
        """Nothing: in a lesson, recorded answers come when they are asked for."""

    def tell_step(self) -> None:
        """Begin the present step anew."""
        raise NotImplementedError

    def point_out(self) -> None:
        """Put the cursor on what the present step points at, in its pane."""
        raise NotImplementedError

    def _arrange(self) -> None:
        """Lay out for a room, or for a desk again."""
        if self.presenting:
            self._theme = self._theme or self.app.theme
            if THEME in self.app.available_themes:
                self.app.theme = THEME
        breakpoints = _ONE_PANE if self.presenting else BrowseScreen.HORIZONTAL_BREAKPOINTS
        # Textual asks the screen for them whenever its size changes.
        self.HORIZONTAL_BREAKPOINTS = breakpoints
        fitting = [name for least, name in breakpoints if self.app.size.width >= least][-1]
        for _, name in BrowseScreen.HORIZONTAL_BREAKPOINTS:
            self.set_class(name == fitting, name)
        self.set_class(self.presenting, "-present")

    def _theme_back(self) -> None:
        """Put on what was on, unless another theme was chosen meanwhile."""
        if self.app.theme == THEME and self._theme in self.app.available_themes:
            self.app.theme = self._theme
        self._theme = ""

    # -- first the text, then what it is about -----------------------------------------------------

    @property
    def item_pane(self) -> str:
        """The pane that shows the item."""
        return "graph" if self.has_class("-graph") else "view"

    @property
    def _about_something(self) -> bool:
        """Whether the present step is about more than its text."""
        player = self.player
        if player.point is not None or self.blocks.open_pane is not None or player.at == 0:
            return True
        before = player.lesson.steps[player.at - 1]
        return (before.item, before.setting) != (player.step.item, player.step.setting)

    def to_text(self) -> None:
        """Bring the text to the front."""
        self.enter_pane("lesson")

    def forget_seen(self) -> None:
        """What the present step is about is to be shown again."""
        self._seen = False

    def come_forward(self) -> bool:
        """Bring what the step is about to the front; whether there was something not yet seen."""
        if self._seen or not self._about_something:
            return False
        self._seen = True
        point = self.player.point
        inside = str(self.blocks.open_pane.id) if self.blocks.open_pane is not None else ""
        self.enter_pane(inside or (_POINTED[point.kind] if point else self.item_pane))
        # Where the cursor stands is scrolled to once it is known how large the pane is.
        self.call_after_refresh(self.point_out)
        return True

    # -- what the room sees of keys and clicks -----------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Tell the room which key was pressed and what it does."""
        if not self.presenting:
            return
        program = self.program
        lesson = program.commands(LESSON)
        browse = [one for one in program.commands(BROWSE) if one.id not in ELSEWHERE]
        command = command_of(event.key, (*lesson, *browse, *program.commands(APP)), self.offers)
        if command is not None and command.id == "retype" and self.pane != "trace":
            command = next(one for one in lesson if one.id == "next_step")
        if command is not None:
            self.query_one(Pressed).tell(event.key, command)

    def on_click(self, event: events.Click) -> None:
        """Mark what was clicked in the text, or mark it no longer; elsewhere the cursor does."""
        if self.presenting and event.widget is not None:
            self.query_one(NarrationPane).mark(event.widget)
