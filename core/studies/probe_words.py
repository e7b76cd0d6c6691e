"""What the words of a question say of its right answer, without the work of a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.blocks.spans import occurrences, sentences
from core.contract.prompt_parts import without_brackets
from core.contract.question import Question
from core.studies.option_states import option_ranges, shown_options
from core.studies.ranking import Floats

_MOST_WORDS = 5_000
_WORD = re.compile(r"\w+")
_IDEOGRAM = re.compile(r"([\u3400-\u9fff])")


def bag_of_words(texts: Sequence[str]) -> Floats:
    """The words of each text, (texts, words): counts weighted by rarity (TF-IDF)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(max_features=_MOST_WORDS, token_pattern=r"(?u)\w+")
    features: Floats = vectors.fit_transform(texts).toarray()
    return features


def option_words(questions: Sequence[Question]) -> Floats:
    """What a reader who knows no order of words can tell of each option, (options, features).

    The words of a whole question are the same for all its options and compare none. So these are
    the words of the option; those of the sentences before the options that name it; how many such
    sentences there are; which share of its words stands before the options; and its length.
    """
    texts: list[str] = []
    naming: list[str] = []
    figures: list[tuple[float, float, float]] = []
    for question in questions:
        end = option_ranges(question)[0][0]
        parts = [question.text[each.start : each.stop] for each in sentences(question.text, 0, end)]
        before = set(_words(question.text[:end]))
        for option in shown_options(question):
            named = [part for part in parts if _names(part, option)]
            words = _words(option)
            known = sum(word in before for word in words) / max(1, len(words))
            texts.append(_spaced(option))
            naming.append(_spaced(" ".join(named)))
            figures.append((len(named), known, len(option)))
    bags = [bag_of_words(each) for each in (texts, naming) if any(map(_words, each))]
    return np.hstack([*bags, np.array(figures, dtype=np.float64)])


def _names(sentence: str, option: str) -> bool:
    bare = without_brackets(sentence).casefold()
    return next(iter(occurrences(bare, without_brackets(option).casefold())), None) is not None


def _words(text: str) -> list[str]:
    return _WORD.findall(_spaced(text).casefold())


def _spaced(text: str) -> str:
    """The text with ideograms as words of their own, since no blanks stand between them."""
    return _IDEOGRAM.sub(r" \1 ", text)
