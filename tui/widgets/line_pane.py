"""What panes that paint line by line have in common: styles looked up once, slim scrollbars."""

from __future__ import annotations

from rich.style import Style
from textual.scroll_view import ScrollView


class LinePane(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling pane that paints each row itself."""

    DEFAULT_CSS = """
    LinePane {
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        scrollbar-color: $cs-track;
        scrollbar-background: $background;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._styles_by_name: dict[str, Style] = {}

    @property
    def ground(self) -> Style:
        """The pane's own style, on which everything is painted."""
        style = self._styles_by_name.get("")
        if style is None:
            style = self._styles_by_name[""] = self.rich_style
        return style

    def ink(self, name: str) -> Style:
        """The style of a component class, without what it has from the pane."""
        style = self._styles_by_name.get(name)
        if style is None:
            style = self.get_component_rich_style(name, partial=True)
            self._styles_by_name[name] = style
        return style

    def notify_style_update(self) -> None:
        """Look styles up anew after the theme or a class has changed."""
        self._styles_by_name = {}
        super().notify_style_update()
