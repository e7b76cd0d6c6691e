"""ROUGE of one prediction against one reference (Lin, 2004), with stemming.

It agrees with the `rouge-score` package, which the paper's code uses: text is put in lower case,
everything but ASCII letters and digits parts words, and words of more than three characters are
stemmed by the Porter stemmer of NLTK.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from core.benchmarks.abspyramid.bleu import ngrams

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

_WORD = re.compile("[a-z0-9]+")
_SHORT = 3
"""Words up to this length are not stemmed."""


def rouge_words(text: str) -> list[str]:
    """The stemmed words that ROUGE compares."""
    words = _WORD.findall(text.lower())
    return [stem for word in words if (stem := word if len(word) <= _SHORT else _stem(word))]


def rouge_recall(prediction: Sequence[str], reference: Sequence[str], order: int) -> float:
    """ROUGE-N recall: the share of the reference's n-grams that the prediction has; 0 if none.

    The paper's code takes the recall of ROUGE-1 and ROUGE-2, and the F measure of ROUGE-L.
    """
    theirs = Counter(ngrams(reference, order))
    shared = Counter(ngrams(prediction, order)) & theirs
    return shared.total() / max(theirs.total(), 1)


def rouge_l(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-L F: the harmonic mean of the shares of both that their longest common subsequence is.

    0 where either has no word.
    """
    common = common_length(prediction, reference)
    return 2 * common / (len(prediction) + len(reference)) if common else 0.0


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of a longest common subsequence, by bit-parallel rows (Hyyrö, 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << place
    everywhere = (1 << len(first)) - 1
    row = everywhere
    for word in second:
        matching = row & places.get(word, 0)
        row = (row + matching | row - matching) & everywhere
    return len(first) - row.bit_count()


@lru_cache(maxsize=2**16)
def _stem(word: str) -> str:
    stem: str = _stemmer().stem(word)
    return stem


@cache
def _stemmer() -> PorterStemmer:
    # NLTK takes longer to load than everything else here, and only scoring needs it.
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()
