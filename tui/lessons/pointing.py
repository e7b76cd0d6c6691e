"""Brings what a step of a lesson points at into sight."""

from __future__ import annotations

from core.lessons.lesson import Point, Pointing
from tui.browse.feature import ItemHost
from tui.lessons.player import LessonPlayer

_POINTED = {Pointing.STATEMENT: "view", Pointing.NODE: "graph", Pointing.RUNG: "ladder"}


class Pointer:
    """Puts cursors on what the present step points at."""

    def __init__(self, host: ItemHost, player: LessonPlayer) -> None:
        self._host = host
        self._player = player
        self.seen = False
        """While presenting: whether the pane that the step is about was shown already."""

    @property
    def _item_pane(self) -> str:
        return "graph" if self._host.graph_shown else "view"

    def point_out(self, block_pane: str, *, presenting: bool) -> None:
        """Put the cursor on what the present step points at, and enter an open `block_pane`."""
        point = self._player.point
        if point is None:
            self._host.enter_pane(self._item_pane, focus=presenting)
            if not presenting:
                self._host.enter_pane("lesson")
                return
        else:
            self._point_at(point)
        if block_pane:
            self._host.enter_pane(block_pane)

    def _point_at(self, point: Point) -> None:
        host = self._host
        evidence = self._player.bound_lesson.evidence(self._player.bound_step)
        host.enter_pane(_POINTED[point.kind])
        match point.kind:
            case Pointing.STATEMENT:
                host.item_text.cursor = evidence.statement(point.ref).id
            case Pointing.NODE:
                host.graph.cursor = evidence.node(point.ref).id
            case Pointing.RUNG:
                host.ladder.cursor = point.ref

    def come_forward(self, block_pane: str) -> bool:
        """Bring the pane that the step is about to the front, once; returns whether it did."""
        point = self._player.point
        if self.seen or not (point or block_pane or self._player.item_changed):
            return False
        self.seen = True
        self._host.enter_pane(block_pane or (_POINTED[point.kind] if point else self._item_pane))
        return True
