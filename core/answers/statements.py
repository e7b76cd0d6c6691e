"""Finds what else a reply says of the answer: statements, corrections, what it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.answers.markers import ABOUT, LINK

_SUBJECT = re.compile(
    r"(?:(?<![^\W_])(?:(?:it|this|that)(?=\s(?:is|was)\b|'s\b)|(?:story|statement|state|suspect"
    r"|criminal|outcome|conflict)|storia|stato(?:\s+fisico)?|colpevole)"
    rf"{ABOUT}(?:{LINK}|'s\b)|(?:^|[.\n])\s?è(?=\s)"
    r"|(?:故事|状态|凶手)\s?(?:很?是|为|:|(?=不|很)))\s*",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"(?<![^\W_])(?:whether|if|unless|could|might|may|cannot|can't|not|perhaps|maybe|se|forse"
    r"|potrebbe)(?![^\W_])|是否|如果|也许|可能|无法",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?<![^\W_])(?:(?:no,?\s+)?wait|hold on|correction|on second thought|anzi|aspetta)(?![^\W_])"
    r"[,:.]?|等等|更正",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?<![^\W_])(?:(?:not|non)\s|不是\s?)[^\n.]{1,80}?\s?[,;]?\s?"
    r"(?:(?<![^\W_])(?:but|ma|bensì)\s|而是)",
    re.IGNORECASE,
)
_LOOKED_BACK = 200
"""Most characters of a sentence that are looked at for doubt."""


def statements(text: str) -> Iterator[int]:
    """Where a sentence says what the story, the state or the suspect is, unless it is unsure."""
    for match in _SUBJECT.finditer(text):
        before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
        sentence = re.split(r"[.\n:;!?]", before)[-1]
        if not _UNSURE.search(sentence):
            yield match.end()


def last_sentence(text: str) -> str | None:
    """The last sentence of a text; None where it is unsure of what it says."""
    sentences = [part for part in re.split(r"(?<=[.!?])\s|\n", text) if part.strip()]
    return None if not sentences or _UNSURE.search(sentences[-1]) else sentences[-1]


def correction_end(text: str) -> int:
    """Where the last correction such as "wait" ends; 0 without one."""
    return max((match.end() for match in _CORRECTED.finditer(text)), default=0)


def contrasts(text: str) -> Iterator[re.Match[str]]:
    """The phrases such as "not A but", at whose end the other thing is named."""
    return _CONTRAST.finditer(text)
