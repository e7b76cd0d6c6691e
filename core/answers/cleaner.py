"""Prepares a reply for reading without moving a single character."""

from __future__ import annotations

import re

_THINKING = r"(?:think(?:ing)?|thought|reasoning)"
_OPENS = re.compile(rf"<{_THINKING}>", re.IGNORECASE)
_CLOSES = re.compile(rf"</{_THINKING}>", re.IGNORECASE)
_BOLD = str.maketrans(dict.fromkeys("*_`#$~\t\r\u00a0\u3000\u200b\ufeff", " "))
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_PUNCTUATION = str.maketrans(
    {
        "、": ",",
        "。": ".",
        "【": "[",
        "】": "]",
        "「": '"',
        "」": '"',
        "『": '"',
        "』": '"',
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "‘": "'",
        "’": "'",
        "〈": "<",
        "〉": ">",
        "《": "<",
        "》": ">",
        "\u2028": "\n",
        "\u2029": "\n",
        "–": "-",
        "—": "-",
    }
)


def normalised(text: str) -> str:
    """The text with one sign for each kind of sign, every character in its place.

    Full-width letters and signs become the usual ones, typographic quotes straight ones, and
    marks of emphasis blanks.
    """
    return text.translate(_FULL_WIDTH).translate(_PUNCTUATION).translate(_BOLD)


def without_thinking(text: str) -> str | None:
    """The text with blanks in the place of its thinking; None where that never ends.

    Some chat templates open the thinking in the prompt, so that only its end is in the reply.
    """
    ends = [match.end() for match in _CLOSES.finditer(text)]
    spoken = ends[-1] if ends else 0
    if _OPENS.search(text, spoken):
        return None
    return " " * spoken + text[spoken:]
