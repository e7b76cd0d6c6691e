"""Animates a change of states, frame by frame, along the links of a graph."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual.timer import Timer
from textual.widget import Widget

from core.contract.view import Graph

SECONDS = 0.55
"""How long a change travels."""
_PICTURES = 5
"""Most frames between the two states."""


class GraphTravel:
    """The frames of a change, and the timer that paints them.

    Args of `__init__`:
        widget: where they are painted.
        paint: paints one.
    """

    def __init__(self, widget: Widget, paint: Callable[[Graph], None]) -> None:
        self._widget = widget
        self._paint = paint
        self._pictures: list[Graph] = []
        self._timer: Timer | None = None
        self._began = 0.0
        self._apart = 0.0
        """Seconds between two pictures."""

    @property
    def under_way(self) -> bool:
        """Whether pictures are still to come."""
        return bool(self._pictures)

    def start(self, before: Graph, now: Graph) -> None:
        """Paint the pictures between two states of a graph, and last the graph as it is now."""
        from core.layout.graph.travel import pictures_between

        between = pictures_between(before, now, _PICTURES)
        if not between or self._widget.app.animation_level == "none":
            return
        self._pictures = [*between, now]
        self._apart = SECONDS / len(self._pictures)
        self._began = monotonic()
        self._timer = self._widget.set_interval(self._apart, self._next)
        self._next()

    def _next(self) -> None:
        if not self._pictures:
            return
        # A busy machine leaves pictures out, instead of taking longer.
        due = round((monotonic() - self._began) / self._apart)
        if due < len(self._pictures) - 1:
            self._paint(self._pictures[due])
        else:
            self.finish()

    def finish(self) -> None:
        """Paint the last picture at once."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._pictures:
            last = self._pictures[-1]
            self._pictures = []
            self._paint(last)
