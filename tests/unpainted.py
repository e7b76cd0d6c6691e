"""Draws the widgets of programs that tests open, and paints no terminal, for there is none.

A program without a terminal cuts and joins what its widgets draw for every picture, and throws it
away. Who looks at the cells, or writes a picture of them, has them put together at that moment.
"""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.geometry import Region
from textual.screen import Screen

_painted = Compositor.render_update


def _drawn(
    self: Compositor,
    full: bool = False,
    screen_stack: list[Screen[Any]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    if full:
        return _painted(self, full, screen_stack, simplify)
    visible_screen_stack.set(screen_stack or [])
    if self._dirty_regions:
        changed = Region.from_union(list(self._dirty_regions))
        self._dirty_regions.clear()
        for _ in self._get_renders(changed.intersection(self.size.region)):
            pass
    return None


def draw_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every widget draw itself whenever it would, and put no picture together of it."""
    monkeypatch.setattr(Compositor, "render_update", _drawn)
