"""The one-line bars: above, the open collection and the model; below, the keys."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from core.layout.rows import fit
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.shell.command import Command, Place
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.program import program_of

_TOKENS = {"soft": "cs-muted", "key": "cs-key", "demo": "cs-demo"}
"""The colours of the parts of a bar; the others have the colour of the bar."""


class _Bar(Widget):
    """A row of segments: some from the left, some up to the right edge."""

    DEFAULT_CSS = """
    _Bar {
        height: 1;
        background: $panel;
        color: $cs-plain;
    }
    """

    def left(self) -> list[tuple[str, str, str]]:
        """(text, component, action) from the left edge on."""
        raise NotImplementedError

    def right(self, width: int) -> list[tuple[str, str, str]]:
        """(text, component, action) up to the right edge, in a bar this wide."""
        return []

    def render_line(self, y: int) -> Strip:
        """The bar; what does not fit is cut, the left part before the right one."""
        base = self.rich_style
        width = self.size.width
        right = self.right(width)
        room = width - sum(cell_len(part[0]) for part in right)
        left: list[Segment] = []
        for text, component, action in self.left():
            size = cell_len(text)
            if size > room:
                if not action and room > 1:
                    cut = fit(text, room - 1, cell_len) + "…"
                    left.append(self._segment(cut, component, "", base))
                    room -= cell_len(cut)
                break
            left.append(self._segment(text, component, action, base))
            room -= size
        gap = Segment(" " * max(0, room), base)
        end = [self._segment(*part, base) for part in right]
        return Strip([*left, gap, *end]).adjust_cell_length(width, base)

    def _segment(self, text: str, component: str, action: str, base: Style) -> Segment:
        token = _TOKENS.get(component)
        colour = self.app.theme_variables[token] if token else None
        style = base + Style(color=colour, bold=None if component == "soft" else True)
        if action:
            style += Style(meta={"do": action})
        return Segment(text, style)

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key would do."""
        action = event.style.meta.get("do")
        if isinstance(action, str):
            await self.app.run_action(action, default_namespace=self.screen)


class TopBar(_Bar):
    """Names the open benchmark and collection, and the model."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: tuple[str, str] = ("", "")
        self.model = ""
        self.demo = False

    def show(self, benchmark: str, collection: str) -> None:
        """Name what is open."""
        self.opened = (benchmark, collection)
        self.refresh()

    def on_mount(self) -> None:
        """Follow the model."""
        app = program_of(self.app)
        app.model_signal.subscribe(self, self.show_model)
        self.show_model(app.model_state)

    def show_model(self, state: ModelState) -> None:
        """Name the model, and whether it is the demonstration model."""
        self.demo = False
        if state.phase is ModelPhase.LOADING:
            self.model = _("loading {model} {share:.0%}", model=state.name, share=state.progress)
        elif state.ready and state.model is not None:
            info = state.model.info
            kind = _("(recorded)") if info.recorded else info.quantisation
            self.model = f"{info.name} {kind}".strip()
            if info.awaits:
                self.model = _("recorded ({awaits})", awaits=info.awaits)
            self.demo = info.demo
        elif state.phase is ModelPhase.FAILED:
            choose = program_of(self.app).key("browse.choose_model")
            self.model = _("no model: {key} chooses another", key=choose)
        else:
            self.model = _("no model")
        self.refresh()

    def left(self) -> list[tuple[str, str, str]]:
        """What is open."""
        benchmark, collection = self.opened
        return [
            (f" ≡ {benchmark} ", "strong", "app.menu"),
            (f" {escape_control_characters(collection)}", "soft", ""),
        ]

    def right(self, width: int) -> list[tuple[str, str, str]]:
        """The model, shortened where it must be; that it is a demonstration always stays."""
        badge = ""
        if self.demo:
            badge = _("demonstration") if width >= 100 else _("demo")
            badge += " "
        room = max(4, width - cell_len(self.opened[0]) - cell_len(badge) - 6)
        name = escape_control_characters(self.model, limit=60)
        name = name if cell_len(name) <= room else fit(name, room - 1, cell_len) + "…"
        parts = [(f" {name} ", "soft", "choose_model")]
        return [*parts, (badge, "demo", "")] if badge else parts


class KeyBar(_Bar):
    """The most important keys of a pane, as many as fit."""

    def __init__(self, where: Place, pane: str) -> None:
        super().__init__()
        self._where = where
        self._pane = pane
        self._stacked = False
        self._offers: frozenset[str] = frozenset()

    def show(self, pane: str, *, stacked: bool, offers: frozenset[str] = frozenset()) -> None:
        """Name the keys of a pane; where panes lie behind each other, the key to the next first.

        Commands that need what the open item does not offer are left out.
        """
        now = (pane, stacked, offers)
        if now != (self._pane, self._stacked, self._offers):
            self._pane, self._stacked, self._offers = now
            self.refresh()

    @property
    def shown(self) -> tuple[Command, ...]:
        """The commands that are named, those of the pane before those of the program."""
        app = program_of(self.app)
        every = (*app.commands(self._where), *app.commands(Place.APP))
        there = [c for c in every if not c.needs or c.needs in self._offers]
        panes = (self._pane, "graph") if "graph_in_sight" in self._offers else (self._pane,)
        named = tuple(
            dict.fromkeys(command for pane in panes for command in there if pane in command.footer)
        )
        # Help stands last.
        named = tuple(sorted(named, key=lambda command: command.where == Place.APP))
        if not self._stacked:
            return named
        return (*(command for command in every if command.id == "next_pane"), *named)

    def left(self) -> list[tuple[str, str, str]]:
        """A key and its word for each command."""
        parts: list[tuple[str, str, str]] = []
        for command in self._fitting(self.size.width):
            action = f"app.{command.id}" if command.where == Place.APP else command.action()
            if command.numbered:
                # A click says no number.
                action = ""
            parts.append((f" {_key(command)} ", "key", action))
            parts.append((f"{command.shown_label} ", "soft", action))
        return parts

    def _shared_by(self, command: Command) -> tuple[bool, int]:
        """Those of the pane before those of a graph beside it, then by how many panes share it."""
        return self._pane not in command.footer, len(command.footer)

    def _fitting(self, width: int) -> list[Command]:
        """The commands that are named in a bar this wide.

        Where not all fit, help stays with its word, because it names them all; of the others those
        that belong to this pane alone stay rather than those that many panes share.
        """
        shown = self.shown
        if sum(map(_cells, shown)) <= width or not shown:
            return list(shown)
        first, others = shown[: 1 + self._stacked], shown[1 + self._stacked : -1]
        kept = {*first, shown[-1]}
        room = width - sum(map(_cells, kept))
        for command in sorted(others, key=self._shared_by):
            if _cells(command) <= room:
                kept.add(command)
                room -= _cells(command)
        return [command for command in shown if command in kept]


def _key(command: Command) -> str:
    return command.shown_keys.split()[0]


def _cells(command: Command) -> int:
    return cell_len(f" {_key(command)} {command.shown_label} ")
