"""Rows of spans as a part of somebody else's page, such as the output of a cell of a notebook.

It has no script and loads nothing, and its styles reach nothing outside of it. The template escapes
all texts. A picture stands in an image, where no script of it could run either.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from core.contract.view import Role
from core.exchange.exporters.colours import DARK, LIGHT, colours
from core.exchange.exporters.self_contained import template
from core.layout.rows import Ink, Row
from core.text.escaping import escape_control_characters

_SCOPE = "commonsense-tui"
_TOKENS: dict[Role | Ink, str] = {
    Ink.HEADING: "cs-plain",
    Ink.TRACK: "cs-bar",
    Ink.KEY: "cs-key",
    Ink.LIT: "cs-key",
}
"""The colours of inks that are not called like one."""
_BOLD: set[Role | Ink] = {Ink.HEADING, Ink.KEY, Ink.LIT, Role.BREAK, Role.FORCED, Role.OBSERVED}
_ITALIC: set[Role | Ink] = {Ink.GLOSS, Role.CHANGED, Role.IMAGINED}


def rows_html(rows: Sequence[Row], picture: str = "", described: str = "") -> str:
    """Rows as a block of text with colours of its own, light or dark as the reader prefers.

    Args:
        rows: drawn by `core.layout`.
        picture: an SVG file that shows the same; the rows are then folded below it.
        described: the picture in a few words.
    """
    inks = {span.ink for row in rows for span in row}
    spans = [
        [
            (
                escape_control_characters(span.text),
                "" if span.ink is Role.PLAIN else str(span.ink),
            )
            for span in row
        ]
        for row in rows
    ]
    encoded = base64.b64encode(picture.encode("utf-8")).decode("ascii")
    return template("rows.html.j2").render(
        scope=_SCOPE,
        style=_style(inks),
        rows=spans,
        picture=encoded,
        described=escape_control_characters(described),
    )


def _style(inks: Iterable[Role | Ink]) -> str:
    ordered = sorted(inks)
    fixed = (
        f".{_SCOPE} pre{{font:13px/1.25 'DejaVu Sans Mono',ui-monospace,monospace;"
        "padding:.75em;overflow-x:auto;white-space:pre}"
        f".{_SCOPE} img{{max-width:100%}}"
    )
    kinds = [
        f".{_SCOPE} .cs-{ink}{{font-{'weight:600' if ink in _BOLD else 'style:italic'}}}"
        for ink in ordered
        if ink in _BOLD | _ITALIC
    ]
    dark = f"@media(prefers-color-scheme:dark){{{_coloured(DARK, ordered)}}}"
    return fixed + "".join(kinds) + _coloured(LIGHT, ordered) + dark


def _coloured(theme: str, inks: Iterable[Role | Ink]) -> str:
    known = colours(theme)
    ground = f".{_SCOPE} pre{{background:{known['surface']};color:{known['cs-plain']}}}"
    return ground + "".join(
        f".{_SCOPE} .cs-{ink}{{color:{known[_TOKENS.get(ink, f'cs-{ink}')]}}}" for ink in inks
    )
