"""Draws what a model wrote: its thinking, folded or whole, then its answer."""

from __future__ import annotations

from core.answers.cleaner import thinking_of
from core.contract.view import Role
from core.layout.rows import Measure, Row, indented
from core.text.escaping import escape_control_characters
from core.text.language import ngettext

LONGEST = 20_000
"""Most characters of a reply that are drawn."""
_FOLDED, _WHOLE = "▸", "▾"


def folded_thinking(text: str) -> str:
    """How much a reply thinks, to stand in the place of that; empty where it does not."""
    words = len(thinking_of(text).split())
    if not words:
        return ""
    return ngettext("▸ thought {words:,} word", "▸ thought {words:,} words", words, words=words)


def draw_reply(
    text: str, width: int, measure: Measure, *, whole: bool, by: int = 5, ref: str = ""
) -> list[Row]:
    """A reply after a margin of `by` blanks; its thinking is folded unless it is to be `whole`."""
    thinking = thinking_of(text)
    answer = text[len(thinking) :]
    folded = folded_thinking(text)
    if whole:
        folded = folded.replace(_FOLDED, _WHOLE, 1)
    rows = indented(folded, Role.MUTED, width, measure, by=by, ref=ref)
    if whole:
        rows += _lines(thinking, Role.MUTED, width, measure, by, ref)
    return rows + _lines(answer, Role.PLAIN, width, measure, by, ref)


def _lines(text: str, role: Role, width: int, measure: Measure, by: int, ref: str) -> list[Row]:
    """A text line by line, without its blank lines."""
    shown = escape_control_characters(text, lines=True, limit=LONGEST)
    return [
        row
        for line in shown.splitlines()
        if line.strip()
        for row in indented(line.strip(), role, width, measure, by=by, ref=ref)
    ]
