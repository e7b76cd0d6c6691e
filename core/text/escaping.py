"""Replaces control characters in text from elsewhere by visible signs.

Stories, model output, file names and GGUF headers come from elsewhere. A terminal would execute an
escape sequence in them, and a character that reorders a line would mislead the reader, so both are
replaced before anything is drawn or printed.
"""

from __future__ import annotations

import re

from core.text.language import _

_NAMES = {
    0x061C: "ALM",
    0x200B: "ZWSP",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LS",
    0x2029: "PS",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
_TAGS = range(0xE0000, 0xE0080)
_CONTROL_PICTURES = 0x2400


def _table() -> dict[int, str]:
    table = {code: chr(_CONTROL_PICTURES + code) for code in range(0x20)}
    table[0x7F] = "␡"
    table |= {code: f"⟨{code:02X}⟩" for code in range(0x80, 0xA0)}
    table |= {code: f"⟨{name}⟩" for code, name in _NAMES.items()}
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    table |= dict.fromkeys(_TAGS, "⟨TAG⟩")
    return table


_ONE_LINE = _table()
_LINES = {code: sign for code, sign in _ONE_LINE.items() if code != 0x0A}
UNESCAPED_IN_JSON = re.compile(
    f"[\x7f-\x9f{''.join(map(chr, _NAMES))}{chr(_TAGS.start)}-{chr(_TAGS.stop - 1)}]"
)
"""Characters that JSON writes as they are and a terminal obeys."""
LIMIT = 4000
"""Maximum number of characters of a text that are shown."""
QUOTED = 60
"""Most characters of a value that a message repeats."""


def escape_control_characters(text: str, *, lines: bool = False, limit: int = LIMIT) -> str:
    """Return `text` with every control character replaced by a visible sign.

    Args:
        text: anything, of any length.
        lines: keep line feeds as line feeds.
        limit: characters kept; a longer text ends in "…" and its length.
    """
    kept = text[:limit].translate(_LINES if lines else _ONE_LINE)
    if len(text) > limit:
        return _("{kept}… ({n:,} characters)", kept=kept, n=len(text))
    return kept


def shortened(text: str) -> str:
    """A wrong value without quotes, as messages repeat it."""
    return escape_control_characters(text, limit=QUOTED)


def quoted(text: str) -> str:
    """A wrong value in quotes, as messages repeat it."""
    return f"“{shortened(text)}”"
