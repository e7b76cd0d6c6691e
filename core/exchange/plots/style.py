"""The look of plots: one style for matplotlib, the palette, text that is only text, and the page.

The palette is that of Okabe and Ito (2008), which colour-blind readers can tell apart; markers and
hatches say the same without colour. Nothing here touches matplotlib's global state, and pyplot is
never imported.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.colorbar import Colorbar
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import text_to_path

from core.text.escaping import escape_control_characters

Colour = tuple[float, float, float]

WIDTH = 3.4
"""Width of a column of a paper, in inches."""
TITLE, BODY, SMALL = 8.0, 7.0, 5.5
"""Sizes of text in points."""
KEY = 6.5
"""Size of the text of a legend, in points."""
LONGEST_NAME = 160
"""Characters of a name that is broken into lines; what goes beyond is cut."""
INK, MUTED = "0.1", "0.45"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++", "oooo")
_OKABE_ITO = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (240, 228, 66),
    # Grey, where the palette has black, on which no interval would be seen.
    (115, 115, 115),
)
_FAMILY = "DejaVu Sans"
"""Comes with matplotlib, so that a plot looks the same everywhere."""
STYLE = {
    "font.family": [_FAMILY],
    "font.size": BODY,
    "text.parse_math": False,
    "text.usetex": False,
    "text.color": INK,
    "axes.titlesize": BODY,
    "axes.labelsize": BODY,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": KEY,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "commonsense-tui",
}
_METADATA: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".pdf": {"Creator": "commonsense-tui", "Producer": None, "CreationDate": None},
    ".svg": {"Creator": None, "Date": None, "Type": None, "Format": None},
}
"""What matplotlib writes into a file unasked, replaced: no dates and no versions."""
_DPI = 300
_MARK = (1.8 + 0.5 + 1.2) * KEY / 72
"""Width of what stands beside a label in the legend, in inches."""
_PAD = 0.05
_GAP = 0.07
_LINE = 1.3
"""Line height by size of text."""
_CONTROL_PICTURES = range(0x2400, 0x2422)
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>]*>\s*")


def colour(index: int) -> Colour:
    """The colour of a series, as red, green and blue from 0 to 1."""
    red, green, blue = _OKABE_ITO[index]
    return red / 255, green / 255, blue / 255


def shown(text: str, limit: int = 60) -> str:
    """A text in one line that can be drawn: without control characters, none without a glyph."""
    glyphs = get_font(findfont(_FAMILY))
    escaped = escape_control_characters(" ".join(text.split()))
    drawn = "".join(c if glyphs.get_char_index(ord(c)) else _code(c) for c in escaped)
    return drawn if len(drawn) <= limit else f"{drawn[: limit - 1]}…"


def _code(character: str) -> str:
    """The number of a character that the font lacks, as control characters are shown."""
    code = ord(character)
    return f"⟨{code - _CONTROL_PICTURES.start if code in _CONTROL_PICTURES else code:02X}⟩"


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """The width of a line, in inches."""
    font = FontProperties(family=[_FAMILY], size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 72


def wrapped(text: str, size: float, width: float, weight: str = "normal") -> list[str]:
    """The lines of a text that is broken at spaces, and within a word that is wider than a line."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size, weight) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and text_width(lines[-1] + character, size, weight) > width:
                lines.append("")
            lines[-1] += character
    return lines


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of the legend."""

    mark: Artist
    label: str


def page(title: str, keys: Sequence[Key], caption: Sequence[str], body: float) -> Figure:
    """A figure one column wide: title and legend above, `body` inches for axes, caption below."""
    inner = WIDTH - 2 * _PAD
    heads = wrapped(shown(title, 120), TITLE, inner, "bold")
    foot = [line for text in caption for line in wrapped(shown(text, 1500), SMALL, inner)]
    labels = [wrapped(shown(key.label, LONGEST_NAME), KEY, inner - _MARK - _PAD) for key in keys]
    columns = _columns(labels, inner)
    rows = -(-len(keys) // columns)
    # Labels of several lines stand in one column.
    more_lines = sum(len(lines) - 1 for lines in labels)
    head_height = len(heads) * TITLE * _LINE / 72
    key_height = (rows * 1.42 + more_lines * 1.35) * KEY / 72 + 0.04
    foot_height = len(foot) * SMALL * _LINE / 72
    height = 2 * _PAD + head_height + key_height + body + _GAP + foot_height
    bottom = (_PAD + foot_height + _GAP) / height
    layout = ConstrainedLayoutEngine(
        rect=(0, bottom, 1, body / height), w_pad=_PAD, h_pad=0.02, hspace=0.02, wspace=0.02
    )
    figure = Figure(figsize=(WIDTH, height), layout=layout)
    left = _PAD / WIDTH
    title_look: dict[str, Any] = {"size": TITLE, "weight": "bold"}
    _write_lines(figure, heads, height - _PAD, title_look)
    _write_lines(figure, foot, _PAD + foot_height, {"size": SMALL, "color": "0.25"})
    if keys:
        legend = figure.legend(
            [key.mark for key in keys],
            [str(index) for index in range(len(keys))],
            ncols=columns,
            loc="upper left",
            bbox_to_anchor=(left, 1 - (_PAD + head_height + 0.02) / height),
            borderpad=0,
            borderaxespad=0.2,
            handlelength=1.8,
            handletextpad=0.5,
            columnspacing=1.2,
            labelspacing=0.35,
        )
        legend.set_in_layout(False)
        # Set afterwards, as matplotlib leaves out what a label with “_” before it names.
        for text, lines in zip(legend.get_texts(), labels, strict=True):
            text.set_text("\n".join(lines))
    return figure


def _write_lines(figure: Figure, lines: Sequence[str], top: float, look: dict[str, Any]) -> None:
    """Write lines one below another; `top` is in inches from the lower edge of the page.

    One by one, since matplotlib lets the signs in a line decide how far the next one is.
    """
    width, height = figure.get_size_inches()
    for index, line in enumerate(lines):
        y = top - (index + 0.8) * look["size"] * _LINE / 72
        figure.text(_PAD / width, y / height, line, va="baseline", in_layout=False, **look)


def _columns(labels: Sequence[Sequence[str]], width: float) -> int:
    """The most columns of a legend in which all labels have room, each in one line."""
    if not labels or any(len(lines) > 1 for lines in labels):
        return 1
    widest = max(text_width(lines[0], KEY) for lines in labels)
    return max(1, min(len(labels), int((width + 0.1) / (widest + _MARK))))


def finish_colour_bar(bar: Colorbar, label: str) -> None:
    """Give a colour bar its label, and make it lines: else it is an image in files of lines."""
    bar.outline.set_visible(False)
    assert bar.solids is not None
    bar.solids.set_rasterized(False)
    bar.solids.set_edgecolor("face")
    bar.set_label(label, size=6.5)


def encoded(figure: Figure, ending: str, title: str) -> bytes:
    """The figure as a file; equal figures give equal bytes."""
    metadata = {**_METADATA[ending], "Title": shown(title, 120)}
    buffer = io.BytesIO()
    figure.savefig(buffer, format=ending[1:], dpi=_DPI, metadata=metadata)
    # Programs that read the type of an SVG document would fetch it from elsewhere.
    return _DOCTYPE.sub(b"", buffer.getvalue(), count=1) if ending == ".svg" else buffer.getvalue()
