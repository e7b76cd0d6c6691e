"""Assigns every story a unique key where the released ids are repeated or wrong.

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
"""The kind of a story by its fields; `IMPLAUSIBLE` is an implausible story without a type."""

_ID = re.compile(r"(\d{1,15})(?:-([A-Z])(\d{1,6}))?", re.ASCII)


class IdParts(NamedTuple):
    """The parts of a released id: "57-O1" is family 57, letter "O"."""

    family: int
    letter: str


class Claims(NamedTuple):
    """The ids, families and kinds that the stories of a file claim, by position in the file."""

    ids: list[str]
    families: array[int]
    """`story_id` of each."""
    letters: bytearray
    """`NO_LETTER`, `ORDER`, `CLOZE` or `IMPLAUSIBLE`."""


class Text(NamedTuple):
    """The fields by which stories of a family are compared."""

    sentences: tuple[str, ...]
    actor: str


def id_parts(example_id: str) -> IdParts | None:
    """The parts of an id; None when it does not have the released form."""
    match = _ID.fullmatch(example_id)
    return IdParts(int(match[1]), match[2] or "") if match else None


def repaired(claims: Claims, text: Callable[[int], Text]) -> dict[int, tuple[int, str]]:
    """The family and key of each story whose own id is replaced, by position.

    An id is replaced when several stories have it, except in the first story whose fields agree
    with it. It is also replaced when its number contradicts `story_id` and the sentences of the
    two families agree with `story_id`. `text` reads a story; it is called for doubtful ones only.
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
        misplaced = self._misplaced()
        kept = {name for i, name in enumerate(ids) if name not in repeated and i not in misplaced}
        doubtful = [i for i, name in enumerate(ids) if name in repeated or i in misplaced]
        if not doubtful:
            return {}
        claimed = [(self._family(i), self._letter(i)) for i in doubtful]
        moved: dict[int, tuple[int, str]] = {}
        without_key = []
        for i, (family, letter) in zip(doubtful, claimed, strict=True):
            own = id_parts(ids[i])
            agrees = own is None or (own.family, own.letter) == (family, letter)
            if agrees and ids[i] not in kept:
                kept.add(ids[i])
                if family != self._claims.families[i]:
                    moved[i] = (family, ids[i])
            else:
                without_key.append((i, family, letter))
        following: Counter[tuple[int, str]] = Counter()
        for i, family, letter in without_key:
            key = f"{family}-{letter}0" if letter else str(family)
            while key in kept:
                # One story has the plain number; further plausible stories are P1, P2, ...
                following[family, letter] += 1
                key = f"{family}-{letter or 'P'}{following[family, letter]}"
            kept.add(key)
            moved[i] = (family, key)
        return moved

    def _misplaced(self) -> frozenset[int]:
        """Positions whose id names another family than their `story_id` does."""
        return frozenset(
            i
            for i, (name, family) in enumerate(
                zip(self._claims.ids, self._claims.families, strict=True)
            )
            # Comparing texts is faster than parsing every id.
            if name.partition("-")[0] != str(family)
            and (own := id_parts(name)) is not None
            and own.family != family
        )

    def _members(self, family: int) -> Sequence[int]:
        """Positions of the stories whose `story_id` and id both claim a family."""
        if not self._families:
            for i, (name, number) in enumerate(
                zip(self._claims.ids, self._claims.families, strict=True)
            ):
                own = id_parts(name)
                if own is None or own.family == number:
                    self._families.setdefault(number, []).append(i)
        return self._families.get(family, ())

    def _family(self, i: int) -> int:
        """The family of a story, by shared sentences, then actor, then neighbours in the file."""
        claimed = self._claims.families[i]
        own = id_parts(self._claims.ids[i])
        if own is None or own.family == claimed:
            return claimed
        mine = self._text(i)

        def similarity(family: int) -> tuple[int, bool, bool]:
            others = [j for j in self._members(family) if j != i][:8]
            texts = [self._text(j) for j in others]
            shared = max((len({*mine.sentences} & {*t.sentences}) for t in texts), default=0)
            same_actor = any(mine.actor == t.actor for t in texts)
            adjacent = any(abs(j - i) == 1 for j in others)
            return shared, same_actor, adjacent

        return max((claimed, own.family), key=similarity)

    def _letter(self, i: int) -> str:
        """O, C or none: by type, or else by whether a plausible story has the same sentences."""
        letter = self._claims.letters[i]
        if letter == ORDER:
            return "O"
        if letter == CLOZE:
            return "C"
        if letter == NO_LETTER:
            return ""
        own = id_parts(self._claims.ids[i])
        if own is not None and own.letter in {"O", "C"}:
            return own.letter
        mine = sorted(self._text(i).sentences)
        members = self._members(self._claims.families[i])
        plausible = [j for j in members if self._claims.letters[j] == NO_LETTER]
        same = any(sorted(self._text(j).sentences) == mine for j in plausible[:8])
        return "O" if same else "C"
