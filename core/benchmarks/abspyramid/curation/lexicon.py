"""The word lists of the paper's appendix A, from `lexicon.yaml` beside this file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.text.errors import DataError

_FILE = Path(__file__).with_name("lexicon.yaml")
_CLITIC = re.compile(r"(n't|'\w+)$")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The word lists, all in lower case."""

    light_verbs: frozenset[str]
    """Lemmas."""
    relatives: frozenset[str]
    stopwords: frozenset[str]
    """Includes the clitics that parsers split off contractions: "n't" of "don't"."""
    transparent_nouns: frozenset[str]
    """Lemmas."""


@dataclass(frozen=True, slots=True)
class _File:
    light_verbs: frozenset[str]
    relatives: frozenset[str]
    stopwords: str
    transparent_nouns: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """Load the word lists; raises `DataError` if the file is missing or malformed."""
    import msgspec

    try:
        lists = msgspec.yaml.decode(_FILE.read_bytes(), type=_File)
    except OSError as error:
        raise DataError(
            f"The word lists cannot be read: {error.strerror}.",
            where=_FILE,
            hint="Install the program again.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"The word lists are not as expected: {' '.join(str(error).split())}.",
            where=_FILE,
        ) from error
    words = frozenset(lists.stopwords.split())
    clitics = {match[1] for word in words if (match := _CLITIC.search(word))}
    return Lexicon(lists.light_verbs, lists.relatives, words | clitics, lists.transparent_nouns)
