"""The dependency parse of an event, in Universal Dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.text.errors import DataError
from core.text.escaping import escape_control_characters

ROOT = -1
"""The governor of the word that has none."""
MOST_WORDS = 200
"""Of one event."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a parse."""

    form: str
    lemma: str
    upos: str
    """Universal part of speech: NOUN, VERB, AUX ..."""
    governor: int
    """Index of the word it depends on, from 0; `ROOT` for the root."""
    relation: str
    """How it depends on it: nsubj, obj, nmod:poss ..."""
    space_after: bool = True
    possessive: bool = False
    """Whether its features or its own tag say that it possesses: "her" in "her car"."""

    @property
    def kind(self) -> str:
        """The relation without its subtype: nmod of nmod:poss."""
        return self.relation.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Parse:
    """Words that form one tree."""

    words: tuple[Word, ...]
    origin: str
    """`file:line`, or the parser."""

    def __post_init__(self) -> None:
        """Raises `DataError` where the words form no tree with one root."""
        if not self.words:
            raise DataError("There are no words in this parse.", where=self.origin)
        if len(self.words) > MOST_WORDS:
            raise DataError(f"More than {MOST_WORDS} words are no event.", where=self.origin)
        roots = [i for i, word in enumerate(self.words) if word.governor == ROOT]
        if len(roots) != 1:
            raise DataError(f"A parse has one root, not {len(roots)}.", where=self.origin)
        reached = set(self.below(roots[0]))
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

    def below(self, top: int) -> Iterator[int]:
        """Indices of a word and of all that hangs on it, in no certain order."""
        waiting, seen = [top], {top}
        while waiting:
            at = waiting.pop()
            yield at
            fresh = [i for i in self.dependents(at) if i not in seen]
            seen.update(fresh)
            waiting += fresh

    def graph(self) -> tuple[tuple[str, int, str], ...]:
        """What the paper compares after parsing anew: every word, its governor and relation."""
        return tuple((w.form.casefold(), w.governor, w.relation) for w in self.words)


def squeezed(text: str) -> str:
    """An event as events and parses are matched: case and blanks do not count."""
    return "".join(text.split()).casefold()
