"""Finds the items of a collection by their id or by their text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence

from core.text.errors import NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.suggestions import suggestion

_SHOWN = 80


def folded(text: str) -> str:
    """A text prepared for searching: case-folded, with composed accents."""
    return unicodedata.normalize("NFC", text).casefold()


class TextIndex:
    """The texts of items for searching, case-folded at the first search."""

    def __init__(self, count: int, text: Callable[[int], str]) -> None:
        """`text` gives the searched text of each of `count` items; it is called once for each."""
        self._count = count
        self._text = text
        self._folded: list[str] = []

    def matching(self, text: str) -> Sequence[int]:
        """Positions of the texts that contain `text`, ignoring case; all for an empty one."""
        needle = folded(text)
        if not needle:
            return range(self._count)
        if not self._folded:
            self._folded = [folded(self._text(index)) for index in range(self._count)]
        return [index for index, text in enumerate(self._folded) if needle in text]


def position_of(item_id: str, positions: Mapping[str, int]) -> int:
    """The position of an id; raises `NotFoundError` naming the nearest ids."""
    try:
        return positions[item_id]
    except KeyError:
        raise unknown_item(item_id, positions) from None


def unknown_item(item_id: str, known: Collection[str]) -> NotFoundError:
    """The error for an id that no item has, naming the nearest of those that are known."""
    shown = escape_control_characters(item_id, limit=_SHOWN)
    hint = suggestion(_("Some of the items are"), known, item_id)
    return NotFoundError(_("There is no item “{item_id}”.", item_id=shown), hint=hint)
