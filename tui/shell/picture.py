"""A picture of the screen, as self-contained SVG or as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import Color, blend_rgb
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual._context import visible_screen_stack
from textual.app import App

from core.exchange.exporters.graphml import xml_text
from core.text.escaping import escape_control_characters

_WIDE, _HIGH = 12, 23
"""Width and height of a cell in pixels, for letters of `_SIZE` in `_FONTS`."""
_SIZE = 20
_BASE = 18
"""Pixels from the top of a line to the foot of its letters."""
_FONTS = "'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"
_WORDS = re.compile(r"[^ ]+(?: [^ ]+)*")
"""Words with single blanks; a reader of SVG draws several blanks as one."""
_FAINT = 0.4
"""The share of the background in the colour of faint letters."""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of one style."""

    text: str
    cells: int
    ink: str
    """The letters' colour, `#rrggbb`."""
    ground: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A screen: its lines from top to bottom, each from left to right."""

    lines: tuple[tuple[Run, ...], ...]

    def text(self) -> str:
        """The cells as text, without the blanks at the end of a line."""
        rows = ("".join(run.text for run in line).rstrip() for line in self.lines)
        return "".join(f"{row}\n" for row in rows)

    def svg(self, title: str) -> str:
        """The screen as an SVG picture without script, font or address."""
        return "\n".join(_drawn(self.lines, title)) + "\n"


def take(app: App[Any]) -> Picture:
    """A picture of the screen in front and those seen behind it."""
    screen = app.screen
    # As Textual's own `export_screenshot` does.
    before = visible_screen_stack.set(app._background_screens)
    try:
        strips = screen._compositor.render_strips()
    finally:
        visible_screen_stack.reset(before)
    return picture_of(strips, app.ansi_theme)


def picture_of(lines: Iterable[Iterable[Segment]], theme: TerminalTheme) -> Picture:
    """A picture of lines of segments; `theme` gives the terminal's own colours."""
    return Picture(tuple(tuple(_runs(line, theme)) for line in lines))


def _runs(line: Iterable[Segment], theme: TerminalTheme) -> Iterator[Run]:
    kept = (part for part in line if part.text and not part.control)
    for style, parts in groupby(kept, key=_look):
        text = escape_control_characters("".join(part.text for part in parts))
        ink = (style.color or Color.default()).get_truecolor(theme)
        ground = (style.bgcolor or Color.default()).get_truecolor(theme, foreground=False)
        if style.reverse:
            ink, ground = ground, ink
        if style.dim:
            ink = blend_rgb(ink, ground, _FAINT)
        yield Run(
            text,
            cell_len(text),
            ink.hex,
            ground.hex,
            bold=bool(style.bold),
            italic=bool(style.italic),
            underline=bool(style.underline),
            strike=bool(style.strike),
        )


def _look(part: Segment) -> Style:
    """The style of a segment, without its actions for clicks."""
    return part.style.clear_meta_and_links() if part.style is not None else Style.null()


def _drawn(lines: Sequence[Sequence[Run]], title: str) -> Iterator[str]:
    """The lines of an SVG file; a ground under the letters, and every run where its cells are."""
    wide = _WIDE * max((sum(run.cells for run in line) for line in lines), default=0)
    high = _HIGH * len(lines)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" role="img" font-family="{_FONTS}" font-size="{_SIZE}">'
    )
    yield f"<title>{escape(xml_text(title))}</title>"
    for row, line in enumerate(lines):
        x = 0
        for ground, runs in groupby(line, key=lambda run: run.ground):
            cells = sum(run.cells for run in runs)
            yield (
                f'<rect x="{x * _WIDE}" y="{row * _HIGH}" width="{cells * _WIDE}" '
                f'height="{_HIGH}" fill="{ground}"/>'
            )
            x += cells
    for row, line in enumerate(lines):
        x = 0
        for run in line:
            yield from _letters(run, x, row * _HIGH + _BASE)
            x += run.cells
    yield "</svg>"


def _letters(run: Run, at: int, foot: int) -> Iterator[str]:
    """The letters of a run, those of one width together: fonts differ in how wide wide ones are."""
    look = f'fill="{run.ink}"'
    look += ' font-weight="bold"' if run.bold else ""
    look += ' font-style="italic"' if run.italic else ""
    struck = (("underline", run.underline), ("line-through", run.strike))
    if lines := " ".join(name for name, drawn in struck if drawn):
        look += f' text-decoration="{lines}"'
    for part in _of_one_width(run.text):
        for words in _WORDS.finditer(part):
            x, cells = at + cell_len(part[: words.start()]), cell_len(words[0])
            # Stretched to its cells, so that borders meet whatever font there is.
            yield (
                f'<text x="{x * _WIDE}" y="{foot}" textLength="{cells * _WIDE}" '
                f'lengthAdjust="spacingAndGlyphs" {look}>{escape(xml_text(words[0]))}</text>'
            )
        at += cell_len(part)


def _of_one_width(text: str) -> Iterator[str]:
    """The text in parts whose letters have one width; combining marks stay with their letters."""
    part, width = "", 0
    for letter in text:
        taken = cell_len(letter)
        if part and taken not in (0, width):
            yield part
            part = ""
        width = taken or width
        part += letter
    if part:
        yield part
