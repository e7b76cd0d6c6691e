"""Reads the lists that a model wrote, and says of each concept why it is not taken.

A model's text is hostile: only a numbered list in the form of the worked examples is read, and of
it only short plain phrases that are new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.rejection import Reason, Rejected

WANTED = 10
"""Concepts of an instance, and hard negatives (section 4.3: K = 10)."""
MOST_WORDS = 8
MOST_CHARACTERS = 80
_LONGEST = 20_000
"""Most characters of an answer that are read."""
_MARK = re.compile(r"\((\d{1,3})\)[ \t]+")
_LINE = re.compile(r"[ \t]*(?:\((\d{1,3})\)|(\d{1,3})[.)])[ \t]+(\S.*)")
_ARTICLE = re.compile(r"(?:an?|the) ")
_FORBIDDEN = frozenset("<>[]{}\\|")
"""Characters of markup and of the release's brackets."""


class Refusal(StrEnum):
    """Why a concept is not taken."""

    BLANK = "blank"
    """There is no word in it."""
    LONG = "long"
    """It has more than `MOST_WORDS` words or `MOST_CHARACTERS` characters."""
    MARKUP = "markup"
    """It holds a character that is not printed, or one of markup."""
    INSTANCE = "instance"
    """It is the instance itself."""
    REPEATED = "repeated"
    """It was named before."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A concept that is not taken, or a whole answer."""

    text: str
    reason: str


@dataclass(slots=True)
class Sieve:
    """Takes the concepts of one instance, one after the other."""

    instance: str
    others: Iterable[str] = ()
    """What is taken already elsewhere: the concepts, for the negatives."""
    wanted: int = WANTED
    taken: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._known.update(map(same_as, self.others))

    @property
    def full(self) -> bool:
        """Whether as many as are wanted are taken."""
        return len(self.taken) >= self.wanted

    def add(self, concepts: Iterable[str]) -> None:
        """Take what can be taken, up to what is wanted; note why the rest is not."""
        for concept in concepts:
            text = " ".join(concept.split())
            reason = self._refusal(text)
            if reason is not None:
                self.refused.append(Refused(concept[: 2 * MOST_CHARACTERS], reason.value))
            elif not self.full:
                self.taken.append(text)
                self._known.add(same_as(text))

    def _refusal(self, text: str) -> Refusal | None:
        if not any(c.isalpha() for c in text):
            return Refusal.BLANK
        if not text.isprintable() or _FORBIDDEN & set(text):
            return Refusal.MARKUP
        if len(text) > MOST_CHARACTERS or len(text.split()) > MOST_WORDS:
            return Refusal.LONG
        if same_as(text) == same_as(self.instance):
            return Refusal.INSTANCE
        return Refusal.REPEATED if same_as(text) in self._known else None


def same_as(text: str) -> str:
    """A concept as concepts are compared: case, punctuation and a first article do not count."""
    return _ARTICLE.sub("", normalise(text).strip(), count=1)


def read_list(text: str, *, complete: bool = True) -> tuple[str, ...]:
    """The entries of a numbered list: "(1) a, (2) b, ..." on one line, or an entry a line.

    Numbers must rise by one from 1. A list that a limit cut loses its last entry. Lines after the
    list are not read. Raises `Rejected` where the answer does not begin with such a list.
    """
    if len(text) > _LONGEST:
        raise Rejected(Reason.TRUNCATED, f"It has more than {_LONGEST} characters.")
    body = text.strip()
    found = _across(body) if len(_MARK.findall(_first_line(body))) > 1 else _down(body)
    if not complete:
        found = found[:-1]
    if not found:
        raise Rejected(Reason.UNREADABLE, f"There is no numbered list in “{body[:60]}”.")
    return tuple(found)


def _first_line(body: str) -> str:
    return body.split("\n", 1)[0]


def _across(body: str) -> list[str]:
    line = _first_line(body)
    marks = list(_MARK.finditer(line))
    if marks[0].start() != 0:
        return []
    found: list[str] = []
    for i, mark in enumerate(marks):
        if int(mark[1]) != i + 1:
            break
        end = marks[i + 1].start() if i + 1 < len(marks) else len(line)
        found.append(line[mark.end() : end].strip(" \t,;."))
    return found


def _down(body: str) -> list[str]:
    found: list[str] = []
    for line in body.split("\n"):
        match = _LINE.fullmatch(line.rstrip())
        if match is None or int(match[1] or match[2]) != len(found) + 1:
            break
        found.append(match[3].strip(" \t,;."))
    return found
