"""Which words and concepts of the bundled samples the training text pairs as well.

AbsPyramid's sentences are new to the model, but that a spaniel is an animal it may have been told:
the everyday words were chosen to cover the samples.
"""

from __future__ import annotations

import re
from functools import cache

from nltk.stem.porter import PorterStemmer

from tools.train_demo_model.cases import Case
from tools.train_demo_model.concepts import meant_by

_ASKED = re.compile(r"does the meaning of (?P<concept>.*) encompass (?P<word>.*)\?$")
_IRREGULAR = {"gave": "give", "given": "give", "made": "make"}


def is_pair(case: Case) -> bool:
    """Whether it asks if a concept holds of a noun or verb."""
    return case.benchmark == "abspyramid" and case.part in ("noun", "verb") and bool(case.options)


def is_told(case: Case) -> bool:
    """Whether training says that this noun or verb is a kind of this concept, in whatever form.

    A noun counts as told where its last words are: "elderly spaniel" with "spaniel".

    Raises:
        ValueError: no noun or verb is asked about.
    """
    asked = _ASKED.search(case.text)
    if asked is None:
        raise ValueError(f"no noun or verb: {case.text}")
    word, concept = (_stems(asked[name]) for name in ("word", "concept"))
    told = _told(f"{case.part}s")
    starts = range(len(word) if case.part == "noun" else 1)
    return any(concept in told.get(word[start:], ()) for start in starts)


@cache
def _told(part: str) -> dict[tuple[str, ...], frozenset[tuple[str, ...]]]:
    """By the stems of a word of `nouns` or `verbs`: those of all that it is said to be."""
    found: dict[tuple[str, ...], frozenset[tuple[str, ...]]] = {}
    for word, concepts in meant_by(part).items():
        known = found.get(_stems(word), frozenset())
        found[_stems(word)] = known | {_stems(concept) for concept in concepts}
    return found


@cache
def _stems(phrase: str) -> tuple[str, ...]:
    stem = PorterStemmer().stem
    return tuple(stem(_IRREGULAR.get(word, word)) for word in phrase.casefold().split())
