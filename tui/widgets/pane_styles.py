"""The styles of panes that paint line by line: looked up once, slim scrollbars, and the inks."""

from __future__ import annotations

from collections.abc import Mapping

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
_BOLD = frozenset({Role.BREAK, Role.FORCED, Role.OBSERVED, Ink.HEADING, Ink.KEY, Ink.LIT})
_ITALIC = frozenset({Role.CHANGED, Role.IMAGINED, Ink.GLOSS})
_COLOUR_OF: Mapping[Role | Ink, str] = {Ink.HEADING: Role.PLAIN, Ink.TRACK: "bar", Ink.LIT: Ink.KEY}
"""Inks that have the colour of another token of the theme."""


class PaneStyles:
    """The styles of a pane, of its inks and of its component classes, each looked up once.

    Textual looks a component class up in the style sheet whenever it is asked, which is too slow
    for every span of every row, and matches all of them again whenever the focus moves. So inks
    have none: their colours are those of the theme.
    """

    def __init__(self, pane: Widget) -> None:
        self._pane = pane
        self._by_name: dict[str, Style] = {}
        self._by_ink: dict[Role | Ink, Style] = {}

    @property
    def ground(self) -> Style:
        """The pane's own style."""
        style = self._by_name.get("")
        if style is None:
            style = self._by_name[""] = self._pane.rich_style
        return style

    def ink(self, ink: Role | Ink) -> Style:
        """The style of text that is drawn in an ink, without what it has from the pane."""
        style = self._by_ink.get(ink)
        if style is None:
            style = self._by_ink[ink] = Style(
                color=self.colour(f"cs-{_COLOUR_OF.get(ink, ink)}"),
                bold=True if ink in _BOLD else None,
                italic=True if ink in _ITALIC else None,
            )
        return style

    def colour(self, token: str) -> str:
        """The colour of a token of the theme."""
        return self._pane.app.theme_variables[token]

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
        self._by_ink.clear()
