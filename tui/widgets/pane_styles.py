"""The styles of panes that paint line by line: looked up once, slim scrollbars, and the inks."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget

from core.contract.view import Role
from core.layout.rows import Ink

SCROLLBAR_CSS = """
    scrollbar-size-vertical: 1;
    scrollbar-size-horizontal: 0;
    scrollbar-color: $cs-track;
    scrollbar-background: $background;
"""
INK_CLASSES = frozenset(f"ink--{ink}" for ink in (*Role, *Ink))
"""A component class for every role and ink of a span."""
INK_CSS = """
    & > .ink--plain { color: $cs-plain; }
    & > .ink--muted { color: $cs-muted; }
    & > .ink--changed { color: $cs-changed; text-style: italic; }
    & > .ink--cause { color: $cs-cause; }
    & > .ink--break { color: $cs-break; text-style: bold; }
    & > .ink--evidence { color: $cs-evidence; }
    & > .ink--good { color: $cs-good; }
    & > .ink--bad { color: $cs-bad; }
    & > .ink--forced { color: $cs-forced; text-style: bold; }
    & > .ink--observed { color: $cs-observed; text-style: bold; }
    & > .ink--imagined { color: $cs-imagined; text-style: italic; }
    & > .ink--absent { color: $cs-absent; }
    & > .ink--cut { color: $cs-cut; }
    & > .ink--distractor { color: $cs-distractor; }
    & > .ink--hinders { color: $cs-hinders; }
    & > .ink--number { color: $cs-number; }
    & > .ink--gloss { color: $cs-gloss; text-style: italic; }
    & > .ink--link { color: $cs-link; }
    & > .ink--heading { color: $cs-plain; text-style: bold; }
    & > .ink--track { color: $cs-bar; }
    & > .ink--key { color: $cs-key; text-style: bold; }
    & > .ink--lit { color: $cs-key; text-style: bold; }
"""


class PaneStyles:
    """The styles of a pane and of its component classes, each looked up once.

    Textual looks a component class up in the style sheet whenever it is asked, which is too slow
    for every span of every row.
    """

    def __init__(self, pane: Widget) -> None:
        self._pane = pane
        self._by_name: dict[str, Style] = {}

    @property
    def ground(self) -> Style:
        """The pane's own style."""
        style = self._by_name.get("")
        if style is None:
            style = self._by_name[""] = self._pane.rich_style
        return style

    def style(self, name: str) -> Style:
        """The style of a component class, without what it has from the pane."""
        style = self._by_name.get(name)
        if style is None:
            style = self._pane.get_component_rich_style(name, partial=True)
            self._by_name[name] = style
        return style

    def clear(self) -> None:
        """Look everything up again: the theme or a class has changed."""
        self._by_name.clear()
