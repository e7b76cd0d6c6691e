"""Finds phrases that announce an answer, in English, Italian and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINK = (
    r"[\s\"']{0,4}(?::|=|->|→|\b(?:is|are|was|would be|should be|must be|will be)\b\s*:?"
    r"|(?:\bè|\be'|\bsono\b|\bsarebbe(?:ro)?\b|\bdovrebbe(?:ro)? essere\b)\s*:?)"
)
_QUALITY = (
    r"(?:\s+(?:corrett|giust|esatt|definitiv|miglior|final)[aei]?|\s+(?:is|are)(?=\s?:)){0,2}"
)
_ABOUT = r"(?:\s+(?:to|for|of|alla?|al|per|della?|delle)\s[^.:\n]{1,80}?)?"
_NOUN = (
    r"(?<![^\W_])(?:answers?|ans|my choice|(?:correct|right|best) (?:one|options?|choices?)"
    r"|rispost[ae]|soluzion[ei]|(?:mia|mie) scelt[ae]|opzion[ei] (?:corrett|giust|esatt)[ae])"
)
_CHOOSE = (
    r"(?<![^\W_])(?:I(?:'d| would| will|'ll)? (?:choose|pick|select|go with)|scelgo|sceglierei)\b"
)
_CHINESE = (
    r"(?:答案|回答|正确的?选项|我的选择|答)\s?(?:应该|应当|应|就|即)?\s?(?:[是为選选]\s*:?|:|\])"
    r"|(?<!不)(?<!不能)(?<!不该)(?<!不应)(?<!不应该)选择?(?!项)\s*:?"
)
_BEFORE = re.compile(rf"{_NOUN}{_QUALITY}{_ABOUT}{_LINK}|{_CHOOSE}|{_CHINESE}", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*\{")
_WRAPPED = re.compile(r"\s*\\(?:text|textbf|mathrm|mathbf|textrm)\s*\{")
_AFTER = re.compile(
    r"(?<![^\W_])\(?[A-Z]\)?\s+(?:(?:is|are)\s+the\s+(?:correct|right|best)\s+"
    r"(?:answer|option|choice|one)|(?:è|e')\s+(?:la|l'|quella)\s*(?:risposta|opzione|scelta)?\s*"
    r"(?:corretta|giusta|esatta))|(?<![^\W_])[A-Z](?:选项)?(?:是|为)正确"
)
_OPENING = re.compile(
    r"[\s>\-\"'{(\[•]*(?:(?:the|so|my|final|correct|right|best|thus|therefore|hence|and|la|le|mia"
    r"|quindi|dunque|正确|最终|最后|所以|因此|故|的|我)[,:\s]*)*",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[ ]*(?:\n[ ]*){0,2}")


@dataclass(frozen=True, slots=True)
class Marker:
    """A phrase that announces an answer."""

    start: int
    value: int
    """Where the announced answer begins."""
    strict: bool
    """Whether it is a heading such as "Answer:", which only an answer can follow."""


def markers(text: str) -> list[Marker]:
    """All markers of a normalised text, ordered by where their answers begin."""
    unordered = [*_before(text), *_boxed(text)]
    unordered += [Marker(m.start(), m.start(), strict=False) for m in _AFTER.finditer(text)]
    return sorted(unordered, key=lambda marker: marker.value)


def _before(text: str) -> Iterator[Marker]:
    for match in _BEFORE.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        heading = _OPENING.fullmatch(text, line, match.start()) is not None
        strict = heading and match.group().rstrip().endswith(":")
        blank = _BLANK.match(text, match.end())
        yield Marker(match.start(), blank.end() if blank else match.end(), strict)


def _boxed(text: str) -> Iterator[Marker]:
    for match in _BOXED.finditer(text):
        wrapped = _WRAPPED.match(text, match.end())
        yield Marker(match.start(), wrapped.end() if wrapped else match.end(), strict=True)
