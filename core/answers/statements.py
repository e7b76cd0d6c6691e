"""Finds what else a reply says of the answer: statements, corrections, what it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from core.answers.markers import ABOUT, LINK

_SUBJECT = re.compile(
    r"(?:(?<![^\W_])(?:(?:it|this|that)(?=\s(?:is|was)\b|'s\b)|(?:story|statement|state|suspect"
    r"|criminal|outcome|conflict)|storia|stato(?:\s+fisico)?|colpevole)"
    rf"{ABOUT}(?:{LINK}|'s\b)|(?:^|[.\n])\s?è(?=\s)"
    r"|(?:故事|状态|凶手)\s?(?:很?是|为|:|(?=不|很)))\s*",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"(?<![^\W_])(?:\w{2,8}n't|eliminate|exclude|avoid|whether|if|unless|could|might|may|cannot|can't|not|perhaps|maybe|se|forse"
    r"|potrebbe)(?![^\W_])|是否|如果|也许|(?<!最)可能|无法",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?<![^\W_])(?:(?:no,?\s+)?wait|hold on|correction|on second thought|on reflection"
    r"|I take that back|no,? sorry|actually,? no|anzi|aspetta)(?![^\W_])"
    r"[,:.]?|\.\.\.\s?no\s?,|等等|更正",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?<![^\W_])(?:(?:not|non)\s|不是\s?)[^\n.]{1,80}?\s?[,;]?\s?"
    r"(?:(?<![^\W_])(?:but|ma|bensì)\s|而是)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s|[\u3400-\u9fff])|\n")
_BUT = re.compile(r"(?<![^\W_])(?:but|ma|however|però)(?![^\W_])|但是?|不过", re.IGNORECASE)
_NOT = re.compile(
    r"(?<![^\W_])(?:(?:but|ma)\s)?(?:not|non)\s(?:with\s|con\s)?[A-Z](?![A-Za-z])|不(?:是|选)?\s?[A-Z]",
    re.IGNORECASE,
)
_LONGEST_CLAUSE = 1000
"""Most characters of a sentence, from its end, in which options are looked for."""
_LOOKED_BACK = 200
"""Most characters of a sentence that are looked at for doubt."""


def statements(text: str) -> Iterator[int]:
    """Where a sentence says what the story, the state or the suspect is, unless it is unsure."""
    for match in _SUBJECT.finditer(text):
        before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
        sentence = re.split(r"[.\n:;,!?]", before)[-1]
        if not _UNSURE.search(sentence):
            yield match.end()


def last_clauses(text: str) -> Iterator[tuple[int, str]]:
    """The last two sentences, the last first, each from its last "but" on, and where they begin.

    What is said not to be the answer ("but not with C") is replaced by blanks.
    """
    plain = _NOT.sub(lambda match: " " * len(match.group()), text)
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(plain)), len(plain)]
    spans = [(a, b) for a, b in pairwise(ends) if plain[a:b].strip()]
    for start, end in reversed(spans[-2:]):
        clause = max((m.end() for m in _BUT.finditer(plain, start, end)), default=start)
        clause = max(clause, end - _LONGEST_CLAUSE)
        yield clause, plain[clause:end]


def is_unsure(text: str) -> bool:
    """Whether the last part of a sentence has a word of doubt or of denial before its end."""
    return _UNSURE.search(re.split(r"[,;:]", text)[-1]) is not None


def correction_end(text: str) -> int:
    """Where the last correction such as "wait" ends; 0 without one."""
    return max((match.end() for match in _CORRECTED.finditer(text)), default=0)


def contrasts(text: str) -> Iterator[re.Match[str]]:
    """The phrases such as "not A but", at whose end the other thing is named."""
    return _CONTRAST.finditer(text)
