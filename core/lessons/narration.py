"""The texts of a lesson: Markdown without links and pictures, for screens and for pages."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from core.text.escaping import escape_control_characters

LIMIT = 20_000
"""Maximum number of characters of a text that are shown."""
MOST_BLOCKS = 200
"""Most paragraphs, lists and their parts of a text that are shown: a screen is slow with many."""
_HIGHEST, _LOWEST = 3, 6
"""Levels of headings within a step; the heading of the step itself is of level 2."""


def plain_markdown() -> MarkdownIt:
    """A parser of Markdown that shows links, pictures and HTML as they are written.

    Control characters from character references are made visible as well. After `MOST_BLOCKS`
    blocks the text ends in "…".
    """
    parser = MarkdownIt("commonmark", {"html": False}).disable(
        ["link", "image", "autolink", "html_inline", "html_block", "reference"]
    )
    # Cut before the texts within the blocks are parsed.
    parser.core.ruler.after("block", "cut", _cut)
    parser.core.ruler.push("visible", _make_visible)
    return parser


def _cut(state: StateCore) -> None:
    """Leave out the blocks after `MOST_BLOCKS`, but not the ends of those that have begun."""
    begins = [
        at for at, token in enumerate(state.tokens) if token.nesting >= 0 and token.type != "inline"
    ]
    if len(begins) <= MOST_BLOCKS:
        return
    first = begins[MOST_BLOCKS]
    level = state.tokens[first].level
    kept = state.tokens[:first]
    for token in state.tokens[first:]:
        if token.nesting == -1 and token.level < level:
            kept.append(token)
            level = token.level
    more = Token("inline", "", 0, content="…", children=[])
    state.tokens = [*kept, Token("paragraph_open", "p", 1), more, Token("paragraph_close", "p", -1)]


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
