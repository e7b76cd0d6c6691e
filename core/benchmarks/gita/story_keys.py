"""Giving every story a key of its own where a release repeats or misnames ids.

GITA4CALAMITA has 349 ids for 356 stories: cloze stories that carry the id of an order story,
order stories without a letter, an id of the next family. The right key follows from a story's
`type`, its family and the next free number, in that order; it is the key under which GITA v1
lists the same story.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

NO_LETTER, ORDER, CLOZE, IMPLAUSIBLE = b" OC?"
"""What a story's fields say it is; `IMPLAUSIBLE` is an implausible story without a type."""

_ID = re.compile(r"(\d{1,15})(?:-([A-Z])(\d{1,6}))?", re.ASCII)


class Parts(NamedTuple):
    """A released id taken apart: "57-O1" is family 57, letter "O"."""

    family: int
    letter: str


class Claims(NamedTuple):
    """What the stories of a file say about themselves, by position in the file."""

    ids: list[str]
    families: array[int]
    """`story_id` of each."""
    letters: bytearray
    """`NO_LETTER`, `ORDER`, `CLOZE` or `IMPLAUSIBLE`."""


class Text(NamedTuple):
    """What two stories of a family have in common."""

    sentences: tuple[str, ...]
    actor: str


def parts(example_id: str) -> Parts | None:
    """Take an id apart; None when it does not have the released form."""
    found = _ID.fullmatch(example_id)
    return Parts(int(found[1]), found[2] or "") if found else None


def repaired(claims: Claims, text: Callable[[int], Text]) -> dict[int, tuple[int, str]]:
    """The family and key of each story whose own id cannot stand, by position.

    An id cannot stand when several stories carry it, except for the first story whose fields
    agree with it, or when its number contradicts `story_id` and the sentences of the two
    families side with `story_id`. `text` reads a story; it is called for doubtful ones only.
    """
    return _Repairer(claims, text).repaired()


class _Repairer:
    def __init__(self, claims: Claims, text: Callable[[int], Text]) -> None:
        self._claims = claims
        self._text = text
        self._families: dict[int, list[int]] = {}

    def repaired(self) -> dict[int, tuple[int, str]]:
        ids = self._claims.ids
        repeated = {name for name, count in Counter(ids).items() if count > 1}
        stray = self._stray()
        kept = {name for i, name in enumerate(ids) if name not in repeated and i not in stray}
        doubtful = [i for i, name in enumerate(ids) if name in repeated or i in stray]
        if not doubtful:
            return {}
        homes = [(self._family(i), self._letter(i)) for i in doubtful]
        moved: dict[int, tuple[int, str]] = {}
        wanting = []
        for i, home in zip(doubtful, homes, strict=True):
            own = parts(ids[i])
            agrees = own is None or (own.family, own.letter) == home
            if agrees and ids[i] not in kept:
                kept.add(ids[i])
                if home[0] != self._claims.families[i]:
                    moved[i] = (home[0], ids[i])
            else:
                wanting.append((i, home))
        following: Counter[tuple[int, str]] = Counter()
        for i, (family, letter) in wanting:
            key = f"{family}-{letter}0" if letter else str(family)
            while key in kept:
                # The plain number is taken once; further plausible stories count from P1.
                following[family, letter] += 1
                key = f"{family}-{letter or 'P'}{following[family, letter]}"
            kept.add(key)
            moved[i] = (family, key)
        return moved

    def _stray(self) -> frozenset[int]:
        """Positions whose id names another family than their `story_id` does."""
        stray = []
        for i, (name, family) in enumerate(
            zip(self._claims.ids, self._claims.families, strict=True)
        ):
            number = str(family)
            if name != number and not name.startswith(f"{number}-"):
                own = parts(name)
                if own is not None and own.family != family:
                    stray.append(i)
        return frozenset(stray)

    def _members(self, family: int) -> Sequence[int]:
        """Positions that claim a family, by `story_id` and id both."""
        if not self._families:
            for i, (name, number) in enumerate(
                zip(self._claims.ids, self._claims.families, strict=True)
            ):
                own = parts(name)
                if own is None or own.family == number:
                    self._families.setdefault(number, []).append(i)
        return self._families.get(family, ())

    def _family(self, i: int) -> int:
        """The family of a story: by shared sentences, then actor, then place in the file."""
        claimed = self._claims.families[i]
        own = parts(self._claims.ids[i])
        if own is None or own.family == claimed:
            return claimed
        mine = self._text(i)

        def likeness(family: int) -> tuple[int, bool, bool]:
            others = [j for j in self._members(family) if j != i][:8]
            texts = [self._text(j) for j in others]
            shared = max((len({*mine.sentences} & {*t.sentences}) for t in texts), default=0)
            same_actor = any(mine.actor == t.actor for t in texts)
            beside = any(abs(j - i) == 1 for j in others)
            return shared, same_actor, beside

        return max((claimed, own.family), key=likeness)

    def _letter(self, i: int) -> str:
        """O, C or none: by type, else by whether the sentences are a plausible story's."""
        letter = self._claims.letters[i]
        if letter == ORDER:
            return "O"
        if letter == CLOZE:
            return "C"
        if letter == NO_LETTER:
            return ""
        own = parts(self._claims.ids[i])
        if own is not None and own.letter in {"O", "C"}:
            return own.letter
        mine = sorted(self._text(i).sentences)
        bases = [
            j
            for j in self._members(self._claims.families[i])
            if self._claims.letters[j] == NO_LETTER
        ]
        same = any(sorted(self._text(j).sentences) == mine for j in bases[:8])
        return "O" if same else "C"
