"""BLEU over several references (Papineni et al., 2002), computed as by the paper's code.

The code calls the Hugging Face `evaluate` library, which tokenises like mteval-v13a, keeps case,
and takes the *shortest* reference for the brevity penalty (sacrebleu takes the closest).

The paper does not define its BLEU-2. Its text ("36.28% of generated bi-grams are covered by the
references", section 7.2) and the code's output suggest the bigram precision; elsewhere BLEU-2 is
cumulative: the brevity penalty times the geometric mean of both precisions. Both are computed here
under different names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

ORDERS = 4
"""Largest n-gram order that is counted."""

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SIGN = re.compile(r"""([!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])""")
_POINT_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")

NGram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BleuCounts:
    """The counts behind BLEU, of one prediction or summed over many."""

    matches: tuple[float, ...]
    """Matched n-grams of the prediction, clipped by the references, for orders 1 to `ORDERS`."""
    possible: tuple[float, ...]
    """N-grams of the prediction, by order."""
    length: float
    """Tokens of the prediction."""
    reference_length: float
    """Tokens of the shortest reference."""

    def precision(self, order: int) -> float:
        """Share of the generated n-grams of one order that the references cover; 0 without any."""
        possible = self.possible[order - 1]
        return self.matches[order - 1] / possible if possible else 0.0

    @property
    def brevity_penalty(self) -> float:
        """1 if the predictions are at least as long as the references, else less."""
        if self.length >= self.reference_length:
            return 1.0
        return math.exp(1 - self.reference_length / self.length) if self.length else 0.0

    def cumulative(self, order: int) -> float:
        """The geometric mean of the precisions up to an order, times the brevity penalty."""
        precisions = [self.precision(each) for each in range(1, order + 1)]
        if not all(precisions):
            return 0.0
        mean = math.exp(sum(math.log(each) for each in precisions) / order)
        return self.brevity_penalty * mean


def bleu_counts(prediction: str, references: Sequence[str]) -> BleuCounts:
    """The counts of one prediction against at least one reference."""
    tokens = tokenise_13a(prediction)
    reference_tokens = [tokenise_13a(reference) for reference in references]
    matches, possible = [], []
    for order in range(1, ORDERS + 1):
        covered: Counter[NGram] = Counter()
        for reference in reference_tokens:
            covered |= Counter(ngrams(reference, order))
        counts = Counter(ngrams(tokens, order))
        matches.append(float((counts & covered).total()))
        possible.append(float(counts.total()))
    shortest = min(len(reference) for reference in reference_tokens)
    return BleuCounts(tuple(matches), tuple(possible), float(len(tokens)), float(shortest))


def ngrams(tokens: Sequence[str], order: int) -> list[NGram]:
    """All n-grams of length `order`, in order."""
    return [tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)]


def tokenise_13a(text: str) -> list[str]:
    """Tokenise one line of a Western language like the NIST script mteval-v13a."""
    text = text.strip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    text = _SIGN.sub(r" \1 ", f" {text} ")
    text = _POINT_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _POINT_BEFORE_OTHER.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()
