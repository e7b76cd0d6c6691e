"""METEOR of a prediction (Banerjee and Lavie, 2005), computed by NLTK as in the paper's code.

Words are split at blanks and lowercased; they match if they are equal, have the same Porter stem,
or share a synset of WordNet. The reference with the highest score counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.benchmarks.abspyramid.generation import Meteor
from core.benchmarks.abspyramid.wordnet import require_wordnet

Synonyms = Callable[[str], Iterable[str]]
"""The lemmas of all synsets that a word belongs to, after WordNet's own morphology."""


@dataclass(frozen=True, slots=True)
class _Lemma:
    word: str

    def name(self) -> str:
        return self.word


@dataclass(frozen=True, slots=True)
class _Synset:
    words: tuple[str, ...]

    def lemmas(self) -> list[_Lemma]:
        return [_Lemma(word) for word in self.words]


@dataclass(frozen=True, slots=True)
class _WordNet:
    """The WordNet interface that NLTK's METEOR uses."""

    synonyms: Synonyms

    def synsets(self, word: str) -> list[_Synset]:
        # METEOR takes the union over synsets, so that one stands for all of them.
        return [_Synset(tuple(lemma.replace(" ", "_") for lemma in self.synonyms(word)))]


@dataclass(frozen=True, slots=True)
class InstalledMeteor:
    """METEOR with one WordNet; two of the same WordNet are equal."""

    synonyms: Synonyms

    def __call__(self, prediction: str, references: Sequence[str]) -> float:
        """METEOR of a prediction with the best of the references."""
        return meteor(prediction, references, self.synonyms)


def installed_meteor() -> Meteor:
    """METEOR with the installed WordNet.

    Raises `NotFoundError` if there is none, and `DataError` if one of its files is missing.
    """
    wordnet = require_wordnet()
    wordnet.open_all()
    return InstalledMeteor(wordnet.lemmas)


def meteor(prediction: str, references: Sequence[str], synonyms: Synonyms) -> float:
    """METEOR with the best of the references, from 0 to 1.

    `references` must hold at least one. The parameters are NLTK's defaults, which the paper's
    code keeps: alpha 0.9, beta 3, gamma 0.5.
    """
    # NLTK takes longer to load than everything else here, and only scoring needs it.
    from nltk.translate.meteor_score import single_meteor_score

    words, wordnet = prediction.split(), _WordNet(synonyms)
    return max(
        float(single_meteor_score(reference.split(), words, wordnet=wordnet))
        for reference in references
    )
