"""Reads WordNet from its released database files (Fellbaum, 1998), as packaged by Debian.

The manual pages wndb(5WN) and morphy(7WN) describe the format. NLTK's reader needs `lexnames`,
which the Debian package `wordnet-base` lacks, and takes seconds to load; here words are found by
binary search.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.benchmarks.abspyramid.tuples import Relation
from core.files.regular_file import open_regular_file
from core.text.errors import DataError, NotFoundError

NOUN, VERB, ADJECTIVE, ADVERB = "noun", "verb", "adj", "adv"
_LETTERS = {NOUN: "n", VERB: "v"}
_HYPERNYMS = frozenset({"@", "@i"})
_ENDINGS = {
    NOUN: (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
           ("shes", "sh"), ("men", "man"), ("ies", "y")),
    VERB: (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""),
           ("ing", "e"), ("ing", "")),
    ADJECTIVE: (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    ADVERB: (),
}  # fmt: skip
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
"""Syntactic marker after an adjective."""
FOLDERS = (Path("/usr/share/wordnet"), Path("/usr/local/WordNet-3.0/dict"))
_DEEPEST = 100
"""Longer hypernym paths must contain a cycle; WordNet 3.0 has at most 19 steps."""
_CACHED = 20_000


class Synset(NamedTuple):
    """A sense shared by some words."""

    part: str
    """`NOUN`, `VERB`, `ADJECTIVE` or `ADVERB`."""
    offset: int
    """Byte offset in the data file of its part of speech, which identifies it."""
    words: tuple[str, ...]
    """With spaces for underscores."""
    hypernyms: tuple[int, ...]
    """Offsets of its hypernyms and instance hypernyms."""
    gloss: str
    """Its definition, without the examples."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of a verb."""

    name: str
    """Name in the usual form: "chase.v.01"."""
    gloss: str
    """Its definition, without the examples."""
    hypernyms: tuple[str, ...]
    """Words of all direct hypernyms, with spaces for underscores."""


class WordNet:
    """A WordNet database. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Open the nouns and verbs of the database in a folder; raises `DataError`."""
        self.folder = folder
        self._index: dict[str, mmap.mmap] = {}
        self._data: dict[str, mmap.mmap] = {}
        self._irregular: dict[str, dict[str, tuple[str, ...]]] = {}
        self._open(NOUN, VERB)
        self._depth = lru_cache(maxsize=_CACHED)(self._longest_path)

    def senses(self, word: str, part: str) -> tuple[Synset, ...]:
        """The senses of a word, the most frequent first, then those of its base forms.

        "saw" is the tool, then the past of "see". Case is ignored; words may have spaces. Empty if
        the word is unknown. Raises `DataError`.
        """
        forms = dict.fromkeys(self._forms("_".join(word.casefold().split()), part))
        offsets = dict.fromkeys(o for form in forms for o in self._offsets(form, part))
        return tuple(self._synset(offset, part) for offset in offsets)

    def open_all(self) -> None:
        """Also open adjectives and adverbs, which `lemmas` needs; raises `DataError`."""
        self._open(ADJECTIVE, ADVERB)

    def lemmas(self, word: str) -> Iterator[str]:
        """The words of all senses of a word and its base forms, of any part of speech.

        As NLTK's METEOR expects, multiword expressions are not inflected. Needs `open_all`. Raises
        `DataError`.
        """
        lowered = word.lower()
        for part in self._index:
            for form in dict.fromkeys((lowered, *self._bases(lowered, part))):
                for offset in self._offsets(form, part):
                    yield from self._synset(offset, part).words

    def hypernyms(self, synset: Synset) -> tuple[Synset, ...]:
        """The direct hypernyms of a sense; raises `DataError`."""
        return tuple(self._synset(offset, synset.part) for offset in synset.hypernyms)

    def depth(self, word: str, relation: Relation) -> int | None:
        """Length of the longest hypernym path of the first sense of a noun or verb.

        With the longest path every sense is deeper than its hypernyms. Concepts of events are
        looked up as nouns, then as verbs. None if the word is unknown. Raises `DataError`.
        """
        for part in {Relation.NOUN: (NOUN,), Relation.VERB: (VERB,)}.get(relation, (NOUN, VERB)):
            if synsets := self.senses(word, part):
                return self._depth(synsets[0].offset, part)
        return None

    def verb_senses(self, verb: str) -> Sequence[Sense]:
        """The senses of a verb in any inflection, the most frequent first; raises `DataError`."""
        return [
            Sense(
                self._name(synset),
                synset.gloss,
                tuple(dict.fromkeys(w for up in self.hypernyms(synset) for w in up.words)),
            )
            for synset in self.senses(verb, VERB)
        ]

    def _open(self, *parts: str) -> None:
        for part in parts:
            self._data[part] = _map_file(self.folder / f"data.{part}")
            self._irregular[part] = _irregular(self.folder / f"{part}.exc")
            self._index[part] = _map_file(self.folder / f"index.{part}")

    def _name(self, synset: Synset) -> str:
        """The usual name of a sense: its first word, part of speech and sense number."""
        word = synset.words[0].replace(" ", "_").lower()
        number = self._offsets(word, synset.part).index(synset.offset) + 1
        return f"{word}.{_LETTERS[synset.part]}.{number:02}"

    def _forms(self, word: str, part: str) -> Iterator[str]:
        """The word, then its base forms; in a multiword expression one word is inflected."""
        yield word
        before, link, last = word.rpartition("_")
        first, gap, after = word.partition("_")
        yield from self._bases(word, part)
        if part == NOUN and link:
            yield from (f"{before}_{base}" for base in self._bases(last, part))
        elif part == VERB and gap:
            yield from (f"{base}_{after}" for base in self._bases(first, part))

    def _bases(self, word: str, part: str) -> Iterator[str]:
        known = self._irregular[part].get(word)
        if known:
            yield from known
            return
        for ending, base in _ENDINGS[part]:
            if word.endswith(ending) and len(word) > len(ending):
                yield word.removesuffix(ending) + base

    def _offsets(self, lemma: str, part: str) -> list[int]:
        line = lemma and _find_line(self._index[part], lemma.encode(errors="surrogatepass"))
        if not line:
            return []
        try:
            fields = line.decode().split()
            senses, pointers = int(fields[2]), int(fields[3])
            offsets = [int(field) for field in fields[6 + pointers :]]
        except (ValueError, IndexError) as error:
            raise self._broken("index", part) from error
        if not offsets or len(offsets) != senses:
            raise self._broken("index", part)
        return offsets

    def _synset(self, offset: int, part: str) -> Synset:
        data = self._data[part]
        end = data.find(b"\n", offset)
        try:
            fields, _, gloss = data[offset:end].decode().partition(" | ")
            words = fields.split()
            if int(words[0]) != offset:
                raise self._broken("data", part)
            count = int(words[3], 16)
            names = tuple(_MARKER.sub("", words[4 + 2 * i]).replace("_", " ") for i in range(count))
            pointers = words[5 + 2 * count :][: 4 * int(words[4 + 2 * count])]
            hypernyms = tuple(
                int(pointers[i + 1])
                for i in range(0, len(pointers), 4)
                if pointers[i] in _HYPERNYMS
            )
        except (ValueError, IndexError) as error:
            raise self._broken("data", part) from error
        return Synset(part, offset, names, hypernyms, gloss.partition('; "')[0].strip(" ;"))

    def _longest_path(self, offset: int, part: str) -> int:
        level, depth = {offset}, 0
        while level := {up for low in level for up in self._synset(low, part).hypernyms}:
            depth += 1
            if depth > _DEEPEST:
                raise self._broken("data", part)
        return depth

    def _broken(self, kind: str, part: str) -> DataError:
        return DataError(
            "This file of WordNet is damaged.",
            where=self.folder / f"{kind}.{part}",
            hint="Install WordNet again.",
        )


def find_wordnet() -> WordNet | None:
    """The installed WordNet; None if there is none. Raises `DataError`.

    It stays open until another one is found. Searches the folder WNSEARCHDIR, then `dict` in
    WNHOME, as WordNet itself does, then the default folders of Debian and WordNet.
    """
    named = [Path(name) for name in (os.environ.get("WNSEARCHDIR"),) if name]
    named += [Path(home, "dict") for home in (os.environ.get("WNHOME"),) if home]
    for folder in (*named, *FOLDERS):
        if all((folder / f"data.{part}").is_file() for part in (NOUN, VERB)):
            return _opened(folder)
    return None


@lru_cache(maxsize=1)
def _opened(folder: Path) -> WordNet:
    return WordNet(folder)


def require_wordnet() -> WordNet:
    """The installed WordNet; raises `NotFoundError` if there is none, and `DataError`."""
    wordnet = find_wordnet()
    if wordnet is None:
        raise NotFoundError(
            "WordNet is not installed.",
            hint="Install it (on Debian: apt install wordnet-base), or name the folder of its "
            "database in WNSEARCHDIR.",
        )
    return wordnet


def _map_file(path: Path) -> mmap.mmap:
    try:
        with open_regular_file(path, DataError, name="This file of WordNet") as handle:
            return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise DataError("This file of WordNet is missing.", where=path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"This cannot be read: {error}.", where=path) from error


def _irregular(path: Path) -> dict[str, tuple[str, ...]]:
    """Irregular inflections with their base forms."""
    rows = (line.split() for line in _map_file(path)[:].decode(errors="replace").splitlines())
    return {row[0]: tuple(row[1:]) for row in rows if len(row) > 1}


def _find_line(index: mmap.mmap, lemma: bytes) -> bytes | None:
    """The line of a sorted file that begins with a word and a space, by binary search."""
    wanted = lemma + b" "
    low, high = 0, len(index)
    while low < high:
        middle = index.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = index.find(b"\n", middle)
        end = len(index) if end < 0 else end
        line = index[middle:end]
        if line.startswith(wanted):
            return line
        # The licence lines begin with spaces, so they sort before every word.
        if line.split(b" ", 1)[0] + b" " < wanted:
            low = end + 1
        else:
            high = middle
    return None
