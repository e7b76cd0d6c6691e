"""The texts of a lesson: Markdown without links and pictures, for screens and for pages."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from core.text.escaping import escape_control_characters

LIMIT = 20_000
"""Maximum number of characters of a text that are shown."""
_HIGHEST, _LOWEST = 3, 6
"""Levels of headings within a step; the heading of the step itself is of level 2."""


def plain_markdown() -> MarkdownIt:
    """A parser of Markdown that shows links, pictures and HTML as they are written.

    Control characters from character references are made visible as well.
    """
    parser = MarkdownIt("commonmark", {"html": False}).disable(
        ["link", "image", "autolink", "html_inline", "html_block", "reference"]
    )
    parser.core.ruler.push("visible", _make_visible)
    return parser


def _make_visible(state: StateCore) -> None:
    for token in state.tokens:
        token.info = ""
        for part in (token, *(token.children or ())):
            part.content = escape_control_characters(part.content, lines=True, limit=LIMIT)


@dataclass(frozen=True, slots=True)
class Narration:
    """A text as HTML without links and pictures."""

    heading: str
    """The heading at the beginning of a `titled` text, as plain text; empty for other texts."""
    html: str
    """The rest of the text."""


def narration(text: str, *, titled: bool = False) -> Narration:
    """A Markdown text as HTML; headings within it begin with `<h3>`.

    The heading at the beginning of a `titled` text is separated from it.
    """
    parser = plain_markdown()
    tokens = parser.parse(escape_control_characters(text, lines=True, limit=LIMIT))
    heading = ""
    if titled and tokens and tokens[0].type == "heading_open":
        heading = "".join(part.content for part in tokens[1].children or ())
        tokens = tokens[3:]
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(_LOWEST, max(_HIGHEST, int(token.tag[1:]) + 1))}"
    return Narration(heading, str(parser.renderer.render(tokens, parser.options, {})))
