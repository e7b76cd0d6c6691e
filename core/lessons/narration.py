"""The texts of a lesson: Markdown without what leads elsewhere, for screens and for pages."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from core.text.escaping import escape_control_characters

LIMIT = 20_000
"""Most characters of a text that are shown."""
_FIRST = 3
"""The level of the highest heading within a step, whose own heading is of the level above."""
_LAST = 6


def plain_markdown() -> MarkdownIt:
    """Markdown without what leads elsewhere: a link is shown as it is written.

    What a character reference stands for is made visible, too.
    """
    known = MarkdownIt("commonmark", {"html": False}).disable(
        ["link", "image", "autolink", "html_inline", "html_block", "reference"]
    )
    known.core.ruler.push("visible", _make_visible)
    return known


def _make_visible(state: StateCore) -> None:
    for token in state.tokens:
        token.info = ""
        for part in (token, *(token.children or ())):
            part.content = escape_control_characters(part.content, lines=True, limit=LIMIT)


@dataclass(frozen=True, slots=True)
class Narration:
    """A text as HTML, which holds nothing but what Markdown makes: no link, no picture."""

    heading: str
    """The heading that it begins with, as plain text; empty for one that is not `titled`."""
    html: str
    """What comes after that."""


def narration(text: str, *, titled: bool = False) -> Narration:
    """A Markdown text as HTML; headings within it begin with `<h3>`.

    Of one that is `titled` the heading with which it begins is taken apart.
    """
    known = plain_markdown()
    tokens = known.parse(escape_control_characters(text, lines=True, limit=LIMIT))
    heading = ""
    if titled and tokens and tokens[0].type == "heading_open":
        heading = "".join(part.content for part in tokens[1].children or ())
        tokens = tokens[3:]
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(_LAST, max(_FIRST, int(token.tag[1:]) + 1))}"
    return Narration(heading, str(known.renderer.render(tokens, known.options, {})))
