"""Dependency parses of events in Universal Dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.text.errors import DataError
from core.text.escaping import escape_control_characters

ROOT = -1
"""The governor of the root word."""
MOST_WORDS = 200
"""Most words of one event."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a parse with its governor."""

    form: str
    lemma: str
    upos: str
    """Universal part of speech: NOUN, VERB, AUX ..."""
    governor: int
    """Index of the word it depends on, from 0; `ROOT` for the root."""
    relation: str
    """Relation to the governor: nsubj, obj, nmod:poss ..."""
    space_after: bool = True
    possessive: bool = False
    """Whether its features or its tag mark it as possessive: "her" in "her car"."""

    @property
    def kind(self) -> str:
        """The relation without its subtype: nmod for nmod:poss."""
        return self.relation.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Parse:
    """A dependency tree over words."""

    words: tuple[Word, ...]
    origin: str
    """`file:line`, or the name of the parser."""

    def __post_init__(self) -> None:
        """Raises `DataError` unless the words form a tree with one root."""
        if not self.words:
            raise DataError("There are no words in this parse.", where=self.origin)
        if len(self.words) > MOST_WORDS:
            raise DataError(f"More than {MOST_WORDS} words are no event.", where=self.origin)
        roots = [i for i, word in enumerate(self.words) if word.governor == ROOT]
        if len(roots) != 1:
            raise DataError(f"A parse has one root, not {len(roots)}.", where=self.origin)
        reached = set(self.subtree(roots[0]))
        for i, word in enumerate(self.words):
            if i not in reached:
                raise DataError(
                    f"“{escape_control_characters(word.form, limit=40)}” does not hang on "
                    "the root.",
                    where=self.origin,
                )

    @property
    def root(self) -> int:
        """Index of the root."""
        return next(i for i, word in enumerate(self.words) if word.governor == ROOT)

    def dependents(self, governor: int) -> Iterator[int]:
        """Indices of the words that depend on a word, from left to right."""
        return (i for i, word in enumerate(self.words) if word.governor == governor)

    def subtree(self, top: int) -> Iterator[int]:
        """Indices of a word and all its descendants, in no particular order."""
        waiting, seen = [top], {top}
        while waiting:
            index = waiting.pop()
            yield index
            unseen = [i for i in self.dependents(index) if i not in seen]
            seen.update(unseen)
            waiting += unseen

    def graph(self) -> tuple[tuple[str, int, str], ...]:
        """Each word with governor and relation, which the paper compares between two parses."""
        return tuple((w.form.casefold(), w.governor, w.relation) for w in self.words)


def match_key(text: str) -> str:
    """The key that matches events with their parses: without case and blanks."""
    return "".join(text.split()).casefold()
