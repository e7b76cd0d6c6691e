"""Shows where the audience of a lesson votes."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from core.lessons.votes_file import Votes
from core.text.language import _


def show_room(screen: Screen[Any], votes: Votes | None) -> None:
    """Show the address of the room as a code, or how a room is opened."""
    if votes is None:
        closed = _("No room is open: commonsense-tui serve --room --allow-network")
        screen.notify(closed, markup=False)
        return
    # A lesson without a room needs no QR codes.
    from tui.lessons.room_screen import RoomScreen

    screen.app.push_screen(RoomScreen(votes.address))
