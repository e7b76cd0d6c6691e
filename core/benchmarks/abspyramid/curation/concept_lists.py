"""Reads lists of concepts that a model wrote, and gives a reason for each rejected concept.

Model output is untrusted: only a numbered list in the form of the worked examples is read, and
only short plain phrases that are new are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.rejection import Reason, Rejected

WANTED = 10
"""Number of concepts, and of hard negatives, of an instance (section 4.3: K = 10)."""
MOST_WORDS = 8
MOST_CHARACTERS = 80
_LONGEST = 20_000
"""Most characters of an answer; longer ones are rejected."""
_MARK = re.compile(r"\((\d{1,3})\)[ \t]+")
_LINE = re.compile(r"[ \t]*(?:\((\d{1,3})\)|(\d{1,3})[.)])[ \t]+(\S.*)")
_ARTICLE = re.compile(r"(?:an?|the) ")
_FORBIDDEN = frozenset("<>[]{}\\|")
"""Characters of markup, and the brackets of the released format."""


class Refusal(StrEnum):
    """Why a concept is rejected."""

    BLANK = "blank"
    """It contains no letter."""
    LONG = "long"
    """It has more than `MOST_WORDS` words or `MOST_CHARACTERS` characters."""
    MARKUP = "markup"
    """It contains an unprintable character or one of markup."""
    INSTANCE = "instance"
    """It is the instance itself."""
    REPEATED = "repeated"
    """It is already in the list, or in the list of concepts for a hard negative."""


@dataclass(frozen=True, slots=True)
class RefusedConcept:
    """A rejected concept with the reason."""

    text: str
    reason: str


@dataclass(slots=True)
class ConceptFilter:
    """Accepts or rejects the concepts of one instance, one by one."""

    instance: str
    others: Iterable[str] = ()
    """Texts that count as repeated: the concepts, when filtering hard negatives."""
    wanted: int = WANTED
    taken: list[str] = field(default_factory=list)
    refused: list[RefusedConcept] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._known.update(map(comparison_key, self.others))

    @property
    def full(self) -> bool:
        """Whether the wanted number of concepts was accepted."""
        return len(self.taken) >= self.wanted

    def add(self, concepts: Iterable[str]) -> None:
        """Accept concepts up to the wanted number; record the reason for each rejected one."""
        for concept in concepts:
            text = " ".join(concept.split())
            reason = self._refusal(text)
            if reason is not None:
                self.refused.append(RefusedConcept(concept[: 2 * MOST_CHARACTERS], reason.value))
            elif not self.full:
                self.taken.append(text)
                self._known.add(comparison_key(text))

    def _refusal(self, text: str) -> Refusal | None:
        if not any(c.isalpha() for c in text):
            return Refusal.BLANK
        if not text.isprintable() or _FORBIDDEN & set(text):
            return Refusal.MARKUP
        if len(text) > MOST_CHARACTERS or len(text.split()) > MOST_WORDS:
            return Refusal.LONG
        if comparison_key(text) == comparison_key(self.instance):
            return Refusal.INSTANCE
        return Refusal.REPEATED if comparison_key(text) in self._known else None


def comparison_key(text: str) -> str:
    """The key for comparing concepts: without case, punctuation and a leading article."""
    return _ARTICLE.sub("", normalise(text).strip(), count=1)


def read_list(text: str, *, complete: bool = True) -> tuple[str, ...]:
    """The entries of a numbered list: "(1) a, (2) b, ..." on one line, or one entry per line.

    Numbers must count up from 1. `complete` is false for an answer cut at the token limit, whose
    last entry is dropped. Lines after the list are ignored. Raises `Rejected` if the answer does
    not begin with such a list.
    """
    if len(text) > _LONGEST:
        raise Rejected(Reason.TRUNCATED, f"It has more than {_LONGEST} characters.")
    body = text.strip()
    entries = (
        _entries_on_one_line(body)
        if len(_MARK.findall(_first_line(body))) > 1
        else _entries_by_line(body)
    )
    if not complete:
        entries = entries[:-1]
    if not entries:
        raise Rejected(Reason.UNREADABLE, f"There is no numbered list in “{body[:60]}”.")
    return tuple(entries)


def _first_line(body: str) -> str:
    return body.split("\n", 1)[0]


def _entries_on_one_line(body: str) -> list[str]:
    line = _first_line(body)
    marks = list(_MARK.finditer(line))
    if marks[0].start() != 0:
        return []
    entries: list[str] = []
    for i, mark in enumerate(marks):
        if int(mark[1]) != i + 1:
            break
        end = marks[i + 1].start() if i + 1 < len(marks) else len(line)
        entries.append(line[mark.end() : end].strip(" \t,;."))
    return entries


def _entries_by_line(body: str) -> list[str]:
    entries: list[str] = []
    for line in body.split("\n"):
        match = _LINE.fullmatch(line.rstrip())
        if match is None or int(match[1] or match[2]) != len(entries) + 1:
            break
        entries.append(match[3].strip(" \t,;."))
    return entries
