"""The one-line bars above and below: what is open, which model, which keys."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from core.layout.rows import fit
from core.visible import visible
from tui.commands import APP, Command, commands


class _Bar(Widget):
    """A row of segments: some from the left, some up to the right edge."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--strong", "bar--soft", "bar--key", "bar--demo"}
    DEFAULT_CSS = """
    _Bar {
        height: 1;
        background: $panel;
        color: $cs-plain;
        & > .bar--strong { text-style: bold; }
        & > .bar--soft { color: $cs-muted; }
        & > .bar--key { color: $cs-key; text-style: bold; }
        & > .bar--demo { color: $cs-demo; text-style: bold; }
    }
    """

    def left(self) -> list[tuple[str, str, str]]:
        """(text, component, action) from the left edge on."""
        raise NotImplementedError

    def right(self) -> list[tuple[str, str, str]]:
        """(text, component, action) up to the right edge; the first to give way."""
        return []

    def render_line(self, y: int) -> Strip:
        """The bar; what does not fit is left out from the left part's end."""
        base = self.rich_style
        width = self.size.width
        right = [self._segment(*part, base) for part in self.right()]
        used = sum(cell_len(s.text) for s in right)
        if used > width // 2:
            right, used = [], 0
        left: list[Segment] = []
        room = width - used
        for part in self.left():
            segment = self._segment(*part, base)
            size = cell_len(segment.text)
            if size > room:
                if part[2] == "" and room > 1:
                    cut = fit(segment.text, room - 1, cell_len) + "…"
                    left.append(Segment(cut, segment.style))
                    room = 0
                break
            left.append(segment)
            room -= size
        gap = Segment(" " * max(0, room), base)
        return Strip([*left, gap, *right]).adjust_cell_length(width, base)

    def _segment(self, text: str, component: str, action: str, base: Style) -> Segment:
        style = base + self.get_component_rich_style(f"bar--{component}", partial=True)
        if action:
            style += Style(meta={"do": action})
        return Segment(text, style)

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key would do."""
        action = event.style.meta.get("do")
        if isinstance(action, str):
            await self.app.run_action(action, default_namespace=self.screen)


class TopBar(_Bar):
    """Says which benchmark and collection are open, and which model answers."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: tuple[str, str] = ("", "")
        self.model = ""
        self.demo = False

    def show(self, benchmark: str, collection: str) -> None:
        """Name what is open."""
        self.opened = (benchmark, collection)
        self.refresh()

    def show_model(self, text: str, *, demo: bool) -> None:
        """Name the model; `demo` adds that its figures are demonstrations."""
        self.model = text
        self.demo = demo
        self.refresh()

    def left(self) -> list[tuple[str, str, str]]:
        """What is open."""
        benchmark, collection = self.opened
        return [(f" {benchmark} ", "strong", ""), (f" {visible(collection)}", "soft", "")]

    def right(self) -> list[tuple[str, str, str]]:
        """The model."""
        parts = [(f"{visible(self.model, limit=60)} ", "soft", "choose_model")]
        if self.demo:
            parts.append(("demonstration ", "demo", ""))
        return parts


class KeyBar(_Bar):
    """The keys that matter most here, at most as many as fit."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.shown: tuple[Command, ...] = tuple(
            command for command in (*commands(where), *commands(APP)) if command.footer
        )

    def left(self) -> list[tuple[str, str, str]]:
        """A key and its word for each command."""
        parts: list[tuple[str, str, str]] = []
        for command in self.shown:
            action = f"app.{command.id}" if command.where == APP else command.id
            key = command.shown_keys.split()[0]
            parts += [(f" {key} ", "key", action), (f"{command.label} ", "soft", action)]
        return parts
