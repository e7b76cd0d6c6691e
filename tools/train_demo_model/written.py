"""Families of stories written by hand, in `lexicon/written_stories*.txt`; see there for the format.

Only the pair in conflict and its state are known of them, not what each sentence needs or changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random

from core.benchmarks.gita.item import STATES
from tools.train_demo_model.lexicon import STATE_NAMES, load_lexicon
from tools.train_demo_model.stories import LENGTH, Story
from tools.train_demo_model.world import Link

FOLDER = Path(__file__).parent / "lexicon"
FIRST_PERSON = "io"
_KEPT = 10
"""Every so many families are kept out of training, to measure on stories of people."""
_RENAMED = 0.6
_SWAPPED_WORDS = 0.6
_WORD = re.compile(r"\b[a-zà-ù]{5,}\b")
_SWAPPED = 0.35
"""Share of implausible stories that are an order, of families that have both kinds."""

Order = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Where two sentences exclude each other (0-based), and about which state."""

    pair: tuple[int, int]
    state: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One story of a family: the order of its sentences, what is replaced, what is in conflict."""

    order: Order = tuple(range(LENGTH))
    replaced: tuple[int, tuple[str, ...]] | None = None
    conflict: Conflict | None = None


@dataclass(slots=True)
class WrittenFamily:
    """A plausible story, each sentence in one or more wordings, and its variants."""

    name: str
    feminine: bool
    state: str
    sentences: list[tuple[str, ...]] = field(default_factory=list)
    plausible: list[Variant] = field(default_factory=lambda: [Variant()])
    orders: list[Variant] = field(default_factory=list)
    clozes: list[Variant] = field(default_factory=list)

    @property
    def texts(self) -> Iterator[str]:
        """Every sentence in every wording, also what stands in for another."""
        replaced = (v.replaced[1] for v in (*self.plausible, *self.clozes) if v.replaced)
        return (text for wordings in (*self.sentences, *replaced) for text in wordings)

    def tell(self, variant: Variant, rng: Random, rename: bool) -> Story:
        """The sentences of a variant in any of their wordings, perhaps with another first name."""
        said = [rng.choice(wordings) for wordings in self.sentences]
        if variant.replaced is not None:
            position, wordings = variant.replaced
            said[position] = rng.choice(wordings)
        sentences = tuple(said[place] for place in variant.order)
        if rename and self.name != FIRST_PERSON:
            sentences = self._renamed(sentences, rng)
        conflict = variant.conflict
        links: tuple[Link, ...] = ()
        if conflict is not None:
            (earlier, later), state = conflict.pair, conflict.state
            attribute = "pieces" if state == "in pieces" else state
            links = (Link((earlier,), later, attribute, holds=False),)
        return Story(
            sentences=sentences,
            pair=conflict.pair if conflict else None,
            state=conflict.state if conflict else None,
            operation="written",
            effects=(),
            links=links,
            new_frames=(False,) * LENGTH,
        )

    def _renamed(self, sentences: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        told = " ".join(sentences)
        names = [
            actor.nome
            for actor in load_lexicon().actors
            if actor.feminine == self.feminine and actor.nome not in told
        ]
        # "d'Anna" and "ad Anna" depend on the first letter.
        vowel = self.name[0] in "AEIOU"
        other = rng.choice([name for name in names if (name[0] in "AEIOU") == vowel])
        return tuple(re.sub(rf"\b{self.name}\b", other, text) for text in sentences)


@cache
def written_families(kept: bool = False) -> tuple[WrittenFamily, ...]:
    """The families that training tells or, with `kept`, those that it does not."""
    return tuple(
        family
        for path in sorted(FOLDER.glob("written_stories*.txt"))
        for number, family in enumerate(read_families(path))
        if (number % _KEPT == _KEPT - 1) == kept
    )


def read_families(path: Path) -> tuple[WrittenFamily, ...]:
    """Every family of a file in its order.

    Raises:
        ValueError: a line that is not as the top of the file says, with its number.
    """
    families: list[WrittenFamily] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            _read(line.strip(), families)
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path.name}, line {number}: {error}: {line!r}") from error
    for family in families:
        if len(family.sentences) != LENGTH:
            raise ValueError(f"{path.name}: a family of {family.name} has not {LENGTH} sentences")
    return tuple(families)


def _read(line: str, families: list[WrittenFamily]) -> None:
    key, rest = line[0], line[1:].strip()
    if key == "=":
        *state, name, gender = rest.split()
        families.append(WrittenFamily(name, _feminine(gender), _state(" ".join(state))))
        return
    family = families[-1]
    if key.isdigit():
        if int(key) != len(family.sentences) + 1:
            raise ValueError("sentences are numbered from 1 to 5")
        family.sentences.append(_wordings(rest))
    elif key == "O":
        order, _, pair = rest.partition("|")
        conflict = Conflict(_pair(pair.split()), family.state)
        family.orders.append(Variant(order=_order(order), conflict=conflict))
    elif key == "Q":
        family.plausible.append(Variant(order=_order(rest)))
    elif key == "C":
        text, _, where = rest.rpartition("|")
        first, second, *state = where.split()
        conflict = Conflict(_pair((first, second)), _state(" ".join(state)))
        family.clozes.append(Variant(replaced=_replaced(text), conflict=conflict))
    elif key == "P":
        family.plausible.append(Variant(replaced=_replaced(rest)))
    else:
        raise ValueError("a line begins with =, 1 to 5, O, C, P or Q")


def _feminine(gender: str) -> bool:
    if gender not in ("m", "f"):
        raise ValueError("the gender is m or f")
    return gender == "f"


def _state(name: str) -> str:
    state = STATE_NAMES.get(name, name)
    if state not in STATES:
        raise ValueError(f"{name!r} is no physical state")
    return state


def _order(text: str) -> Order:
    order = tuple(int(place) - 1 for place in text.split())
    if sorted(order) != list(range(LENGTH)):
        raise ValueError("an order has the numbers from 1 to 5")
    return order


def _pair(places: Sequence[str]) -> tuple[int, int]:
    first, second = (int(place) - 1 for place in places)
    if not 0 <= first < second < LENGTH:
        raise ValueError("a pair has two positions, the earlier one first")
    return first, second


def _replaced(text: str) -> tuple[int, tuple[str, ...]]:
    number, _, sentence = text.strip().partition(" ")
    position = int(number) - 1
    if not 0 <= position < LENGTH:
        raise ValueError("a replaced sentence has a number from 1 to 5")
    return position, _wordings(sentence)


def _wordings(text: str) -> tuple[str, ...]:
    wordings = tuple(part.strip() for part in text.split(" / "))
    if not all(part.endswith((".", "!", "?")) for part in wordings):
        raise ValueError("a sentence ends with a full stop")
    return wordings


def written_story(rng: Random, plausible: bool, kept: bool = False) -> Story:
    """Any story of a family, told as in training unless `kept`."""
    while True:
        family = rng.choice(written_families(kept))
        if plausible:
            variants = family.plausible
        elif family.orders and (not family.clozes or rng.random() < _SWAPPED):
            variants = family.orders
        else:
            variants = family.clozes
        if variants:
            return family.tell(rng.choice(variants), rng, not kept and rng.random() < _RENAMED)


def told_strangely(story: Story, rng: Random) -> Story:
    """The same story with other words for some of those that several sentences have in common.

    A word gives way to one with the same last letter, which keeps most endings in agreement, and
    the same one everywhere; so what happens to things must be read, not remembered.
    """
    found = Counter(word for text in story.sentences for word in set(_WORD.findall(text)))
    swapped = {
        word: rng.choice(_words()[word[-1]])
        for word in sorted(found)
        if found[word] > 1 and rng.random() < _SWAPPED_WORDS
    }

    def other(match: re.Match[str]) -> str:
        return swapped.get(match[0], match[0])

    return replace(story, sentences=tuple(_WORD.sub(other, text) for text in story.sentences))


@cache
def _words() -> dict[str, tuple[str, ...]]:
    """The longer words of the stories by their last letter."""
    found: dict[str, set[str]] = {}
    for family in written_families():
        for text in family.texts:
            for word in _WORD.findall(text):
                found.setdefault(word[-1], set()).add(word)
    return {letter: tuple(sorted(words)) for letter, words in found.items()}
