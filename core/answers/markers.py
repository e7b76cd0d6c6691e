"""Finds phrases that announce an answer, in English, Italian and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINK = (
    r"(?:[\s\"']{0,4}(?::|=|->|→|>|-(?=\s)"
    r"|\b(?:is|are|was|would be|should be|must be|will be)\b\s*:?"
    r"|(?:\bè|\be'|\bsono\b|\bsarebbe(?:ro)?\b|\bdovrebbe(?:ro)? essere\b)\s*:?)"
    r"|\s+(?=(?:is|are|isn't|non)\s))"
)
"""What joins a noun to the answer; nothing before a negation, which is part of the answer."""
ABOUT = r"(?:\s+(?:to|for|of|alla?|al|per|della?|delle|causing|that|which|che|in)\s[^.:\n]{1,80}?)?"
"""What a noun may be further described with: "the state that causes the conflict"."""
_BEST = (
    r"(?:correct|right|best|(?:most\s)?(?:plausible|appropriate|likely|reasonable)"
    r"|(?:pi[uù]\s)?(?:corrett|giust|esatt|plausibil|probabil)[aei])"
)
_QUALITY = rf"(?:\s+(?:{_BEST}|(?:definitiv|miglior|final)[aei]?)|\s+(?:is|are)(?=\s?:)){{0,2}}"
_NOUN = (
    rf"(?<![^\W_])(?:answers?|ans\b\.?|(?:final|my) (?:choice|pick)s?|response"
    rf"|verdict|conclusion|result|choices?|{_BEST} (?:one|options?|choices?|outcome)"
    rf"|rispost[ae]|soluzion[ei]|(?:mia|mie) scelt[ae]|opzion[ei] {_BEST})"
)
_CHOOSE = (
    r"(?<![^\W_])(?:I(?:'d| would| will|'ll|'m| am)? (?:choose|pick|select|say|take"
    r"|(?:go|going) (?:with|for))|scelgo|sceglierei|rispondo"
    r"|direi(?: di)?)\b"
)
_SO = (
    r"(?<![^\W_])(?:so|therefore|thus|hence|leaves|quindi|dunque|perciò)\b\s?[,:]?"
    r"|(?:所以|因此)[,:]?"
)
_CHINESE = (
    r"(?:答案|回答|最?(?:正确|合理|合适)的?(?:选项|答案)|我的选择|答)"
    r"\s?(?:应该|应当|应|就|即)?\s?(?:[是为选选]\s*:?|:|\])"
    r"|(?<!不)(?<!不能)(?<!不该)(?<!不应)(?<!不应该)选择?(?!项)\s*:?"
)
_BEFORE = re.compile(rf"{_NOUN}{_QUALITY}{ABOUT}{LINK}|{_CHOOSE}|{_SO}|{_CHINESE}", re.IGNORECASE)
_FIELD = re.compile(r"\{\s{0,20}[\"'][^\"'\n]{1,40}[\"']\s?:\s?")
"""The name of the first field of a JSON object."""
_BOXED = re.compile(r"\\boxed\s*\{")
_MORE = r"(?:\s?[):][^.\n]{0,80}?|(?:\s?(?:,\s?and\b|,|&|\band\b|\be\b)\s?\(?[A-Z]\b\)?){1,8})?"
"""After a letter, the option's text or further letters."""
_AFTER = re.compile(
    rf"(?<![A-Za-z])\(?[A-Z]\)?{_MORE}\s+(?:(?:is|are)\s+(?:all\s+)?(?:right\b|correct\b"
    rf"|the\s+{_BEST}\b)|are\s+(?:all\s+)?plausible\b|(?:è|e'|sono)\s+(?:la|le|l'|quell[ae])?\s*"
    rf"(?:rispost[ae]|opzion[ei]|scelt[ae])?\s*{_BEST}\b)"
    r"|(?<![A-Za-z])[A-Z](?:[和与,][A-Z]){0,8}\s?(?:选项|项)?[是为最都]{0,2}(?:正确|合理|合适)"
)
_OPENING = re.compile(
    r"[\s>\-\"'{(\[•]*(?:(?:the|so|my|final|correct|right|best|thus|therefore|hence|and|la|le|mia"
    r"|quindi|dunque|正确|最终|最后|所以|因此|故|的|我)[,:\s]*)*",
    re.IGNORECASE,
)
_LONGEST_OPENING = 200
"""Most characters before a heading in its line; bounded, as all that is looked at twice."""
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
    unordered = [*_before(text), *_enclosed(text)]
    unordered += [Marker(m.start(), m.start(), strict=False) for m in _AFTER.finditer(text)]
    return sorted(unordered, key=lambda marker: marker.value)


def _before(text: str) -> Iterator[Marker]:
    for match in _BEFORE.finditer(text):
        start = match.start()
        line = text.rfind("\n", max(0, start - _LONGEST_OPENING), start) + 1
        short = line > 0 or start <= _LONGEST_OPENING
        heading = short and _OPENING.fullmatch(text, line, start) is not None
        strict = heading and match.group().rstrip().endswith(":")
        blank = _BLANK.match(text, match.end())
        yield Marker(match.start(), blank.end() if blank else match.end(), strict)


def _enclosed(text: str) -> Iterator[Marker]:
    for match in _BOXED.finditer(text):
        yield Marker(match.start(), match.end(), strict=True)
    for match in _FIELD.finditer(text):
        yield Marker(match.start(), match.end(), strict=False)
