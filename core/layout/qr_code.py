"""A QR code as text: two modules of it above each other in each cell."""

from __future__ import annotations

import segno

_QUIET = 2
"""Modules of the margin."""
_BLOCKS = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def qr_rows(text: str, *, dark: bool) -> list[str]:
    """The code of a text in rows of half blocks.

    `dark` says that the background is dark: the light modules are drawn then, else the dark ones.
    """
    code = segno.make(text, error="l", micro=False)
    modules = [[bool(cell) != dark for cell in row] for row in code.matrix_iter(border=_QUIET)]
    if len(modules) % 2:
        modules.append([dark] * len(modules[0]))
    return [
        "".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(modules[::2], modules[1::2], strict=True)
    ]


def qr_svg(text: str) -> str:
    """The code of a text as an inline SVG drawing."""
    return str(
        segno.make(text, error="l", micro=False).svg_inline(scale=5, border=4, light="white")
    )
