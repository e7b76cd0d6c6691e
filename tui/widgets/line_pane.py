"""What panes that paint line by line have in common: styles looked up once, slim scrollbars, and
the inks of spans."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual.scroll_view import ScrollView

from core.contract.view import Role
from core.layout.rows import Ink


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


class InkPane(LinePane):
    """A pane that paints spans: every role and ink has a component class of its own."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ink--{ink}" for ink in (*Role, *Ink)}
    DEFAULT_CSS = """
    InkPane {
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
    }
    """
