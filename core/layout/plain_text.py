"""Views as plain text: the same drawing as on screen, without colours or control characters."""

from __future__ import annotations

import unicodedata

from core.contract.view import View
from core.layout.rows import SIGNS, plain, wrap
from core.layout.sections import draw_view
from core.text.escaping import escape_control_characters

_WIDE = frozenset("WF")


def cells(text: str) -> int:
    """How many terminal cells a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in _WIDE else 1
        for c in text
    )


def view_text(view: View, width: int, *, glosses: bool = False) -> str:
    """A view as lines of at most `width` cells: title, subtitle, badges, then its sections."""
    width = max(20, width)
    head = wrap(escape_control_characters(view.title), width, cells)
    if view.subtitle:
        head += wrap(escape_control_characters(view.subtitle), width, cells)
    if view.badges:
        badges = " · ".join(
            f"{SIGNS[badge.role]} {escape_control_characters(badge.text)}".strip()
            for badge in view.badges
        )
        head += wrap(badges, width, cells)
    body = plain(draw_view(view, width, cells, glosses=glosses))
    return "\n".join([*head, "", body] if body else head)
