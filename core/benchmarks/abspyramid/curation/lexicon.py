"""The word lists of the paper's appendix A, from `lexicon.yaml` beside this file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from core.files.prompt_files import read_wording

_CLITIC = re.compile(r"(n't|'\w+)$")


@dataclass(frozen=True)
class Lexicon:
    """The word lists, all in lower case."""

    light_verbs: frozenset[str]
    """Lemmas."""
    relatives: frozenset[str]
    stopwords: str
    """Divided by blanks."""
    transparent_nouns: frozenset[str]
    """Lemmas."""

    @cached_property
    def stopword_forms(self) -> frozenset[str]:
        """The stopwords and the clitics that parsers split off contractions: "n't" of "don't"."""
        words = frozenset(self.stopwords.split())
        return words | {match[1] for word in words if (match := _CLITIC.search(word))}


@cache
def lexicon() -> Lexicon:
    """Load the word lists; raises `DataError` if the file is missing or malformed."""
    return read_wording(Path(__file__).with_name("lexicon.yaml"), Lexicon, "The word lists")
