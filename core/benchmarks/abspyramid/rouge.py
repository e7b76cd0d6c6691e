"""ROUGE of one prediction against one reference (Lin, 2004), with stemming.

Agrees with the `rouge-score` package, which the paper's code uses: text is lowercased, words are
runs of ASCII letters and digits, and words of more than three characters are stemmed with NLTK's
Porter stemmer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from core.benchmarks.abspyramid.bleu import ngrams

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

_WORD = re.compile("[a-z0-9]+")
_SHORT = 3
"""Longest words that are not stemmed, in characters."""


def rouge_words(text: str) -> list[str]:
    """The stemmed words that ROUGE compares."""
    words = _WORD.findall(text.lower())
    return [stem for word in words if (stem := word if len(word) <= _SHORT else _stem(word))]


def rouge_recall(prediction: Sequence[str], reference: Sequence[str], order: int) -> float:
    """ROUGE-N recall: the share of the reference's n-grams in the prediction; 0 without n-grams.

    The paper's code takes the recall of ROUGE-1 and ROUGE-2, and the F measure of ROUGE-L.
    """
    reference_ngrams = Counter(ngrams(reference, order))
    shared = reference_ngrams & _counted(tuple(prediction), order)
    return shared.total() / max(reference_ngrams.total(), 1)


def rouge_l(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-L F1 from the longest common subsequence of both.

    0 if either has no word.
    """
    common = lcs_length(prediction, reference)
    return 2 * common / (len(prediction) + len(reference)) if common else 0.0


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of a longest common subsequence, by bit-parallel rows (Hyyrö, 2004)."""
    positions = _positions(tuple(first))
    everywhere = (1 << len(first)) - 1
    row = everywhere
    for word in second:
        matching = row & positions.get(word, 0)
        row = (row + matching | row - matching) & everywhere
    return len(first) - row.bit_count()


# A prediction is compared with many references.
@lru_cache(maxsize=4)
def _counted(words: tuple[str, ...], order: int) -> Counter[tuple[str, ...]]:
    return Counter(ngrams(words, order))


@lru_cache(maxsize=4)
def _positions(words: tuple[str, ...]) -> Mapping[str, int]:
    """Where each word stands, as bits."""
    positions: dict[str, int] = {}
    for index, word in enumerate(words):
        positions[word] = positions.get(word, 0) | 1 << index
    return positions


@lru_cache(maxsize=2**16)
def _stem(word: str) -> str:
    stem: str = _stemmer().stem(word)
    return stem


@cache
def _stemmer() -> PorterStemmer:
    # NLTK takes longer to load than everything else here, and only scoring needs it.
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()
