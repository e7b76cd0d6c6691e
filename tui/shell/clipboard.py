"""Copying a text to the clipboard of the terminal, with a notice of what was copied."""

from __future__ import annotations

from typing import Any

from textual.app import App

from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext

_SHORT = 40
"""Most characters of a text that the notice repeats."""


def copy(app: App[Any], what: str, text: str) -> None:
    """Copy a text, unless it is empty; `what` says what it is ("item"), not yet translated.

    Control characters are copied as signs, because a terminal in which they are pasted would obey
    them. Line feeds and tabs stay.
    """
    if not text:
        return
    text = "\t".join(
        escape_control_characters(part, lines=True, limit=len(part)) for part in text.split("\t")
    )
    app.copy_to_clipboard(text)
    if len(text) <= _SHORT:
        shown = escape_control_characters(text)
        message = _("Copied the {what}: {text}", what=_(what), text=shown)
    else:
        message = ngettext(
            "Copied the {what}: {n:,} character",
            "Copied the {what}: {n:,} characters",
            len(text),
            what=_(what),
            n=len(text),
        )
    app.notify(message, markup=False, timeout=3)
