"""Pairs of word and concept that the bundled samples ask about: training says nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from nltk.stem.porter import PorterStemmer

from core.contract.registry import load, open_collection
from core.contract.setting import Setting

Stems = tuple[str, ...]
"""The words of a phrase without their endings."""

ASKED = re.compile(r"does the meaning of (?P<concept>.*) encompass (?P<word>.*)\?$")
_IRREGULAR = {
    **{"gave": "give", "given": "give", "made": "make", "paid": "pay", "built": "build"},
    **{"is": "be", "been": "be", "has": "have", "goes": "go", "does": "do"},
    **{"succeeds": "succeed", "succeeded": "succeed", "proceeds": "proceed"},
}
"""What the stemmer takes for another word."""
_BEFORE_THE_WORD = re.compile("^[^A-Za-z]+")
"""A blank, a bracket or a quotation mark."""
_OF_ANY_SENTENCE = frozenset({"of", "on", "up"})


def is_bundled(part: str, word: str, concept: str) -> bool:
    """Whether a bundled question is about this pair of `nouns` or `verbs`, in whatever form.

    A noun counts where it ends one that is asked about: "spaniel" for "elderly spaniel".
    """
    return (stems(word), stems(concept)) in _pairs(part)


@cache
def _pairs(part: str) -> frozenset[tuple[Stems, Stems]]:
    return frozenset(
        (ending, stems(concept))
        for asked, word, concept in _asked()
        if asked == part
        for ending in endings(part, word)
    )


def _asked() -> Iterator[tuple[str, str, str]]:
    bench = load("abspyramid")
    collection = open_collection(bench, bench.samples())
    for index in range(len(collection)):
        item = collection.item(index)
        for layer in bench.layers:
            question = bench.question(item, Setting(), layer.id)
            if question is not None and (found := ASKED.search(question.text)):
                yield f"{question.tags['relation']}s", found["word"], found["concept"]


def is_asked_about(token: str) -> bool:
    """Whether a token of the vocabulary is a word of a noun or verb that is asked about."""
    return not _asked_stems().isdisjoint(stems(_BEFORE_THE_WORD.sub("", token)))


@cache
def _asked_stems() -> frozenset[str]:
    said = {stem for _, word, _ in _asked() for stem in stems(word)}
    return frozenset(said - _OF_ANY_SENTENCE)


def endings(part: str, word: str) -> Iterator[Stems]:
    """The stems of a word and, of a noun with words in front, of all that it ends with."""
    said = stems(word)
    yield from (said[start:] for start in range(len(said) if part == "nouns" else 1))


@cache
def stems(phrase: str) -> Stems:
    """The stems of a phrase, without regard to case."""
    stem = PorterStemmer().stem
    return tuple(stem(_IRREGULAR.get(word, word)) for word in phrase.casefold().split())
