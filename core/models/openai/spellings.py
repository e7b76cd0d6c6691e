"""Finds secrets in a text, however they are spelled, in time that grows with the text alone.

A letter of a secret may stand as it is, or escaped as in an address, JSON or a page, and texts
within texts have any number of backslashes before a letter. All readings of a text are followed
side by side, as the set of how much of each secret was read. Which set follows on which is kept
once it is known (K. Thompson, "Regular Expression Search Algorithm", 1968), so a letter takes one
look-up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_MOST_KEPT = 200_000
"""Most look-ups that are kept; they are found anew for whoever sends ever other ones."""
_BACKSLASH = "\\"
_SAME = {"%25": "%", "&#0": "&#", "&#x0": "&#x"}
"""Beginnings of escapes that are read as shorter ones: `%25` is an escaped percent sign, and the
number in `&#0…;` may begin with zeros."""
_AFTER_ENTITY = ";"
"""What may end a letter that is escaped as in a page."""

_Beginnings = Mapping[str, int]
"""What was read of an escaped letter, with the bits of what was read before it."""


@dataclass(slots=True, eq=False)
class _State:
    """Where all readings of a text stand."""

    bits: int = 0
    """A bit for each number of letters of each secret that were read, but for none."""
    beginnings: _Beginnings = field(default_factory=dict)
    begins: bool = False
    """Whether all that is read began with the last letter of the text."""
    ends: bool = False
    """Whether a secret ends with the last letter of the text."""
    following: dict[str, _State] = field(default_factory=dict)
    """The states that are known to follow, by the letter."""

    @property
    def is_start(self) -> bool:
        """Whether nothing is read of any secret."""
        return not (self.bits or self.beginnings)


class Spellings:
    """The spellings of some secrets."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """A backslash in a secret is skipped, like one before any letter."""
        self.start = _State()
        """Where a text begins."""
        self._letters: dict[str, int] = defaultdict(int)
        """The bits of what is read before each letter."""
        self._starts = self._ends = 0
        at = 0
        for letters in {each.replace(_BACKSLASH, "") for each in secrets} - {""}:
            self._starts |= 1 << at
            for letter in letters:
                self._letters[letter] |= 1 << at
                at += 1
            self._ends |= 1 << at
            at += 1
        every = (1 << at) - 1
        self._spelled: dict[str, str] = {}
        """The letter that each escaped one means."""
        self._leads: dict[str, int] = defaultdict(int)
        """The bits of what is read before the letters that an escaped one may begin."""
        for letter, before in (*self._letters.items(), (_BACKSLASH, every & ~self._starts)):
            for spelled in _escaped(letter):
                self._spelled[spelled] = letter
                for end in range(1, len(spelled) + 1):
                    self._leads[spelled[:end]] |= before
        for beginning in ("%2", *_SAME.values()):
            self._leads[beginning] = every
        self._states: dict[tuple[object, ...], _State] = {}
        self._kept = 0

    def after(self, state: _State, letter: str) -> _State:
        """The state that follows on another with a letter."""
        if not letter.isascii() and letter not in self._letters:
            return self.start
        if self._kept >= _MOST_KEPT:
            self._states.clear()
            self.start.following.clear()
            self._kept = 0
        bits, beginnings = self._read({**state.beginnings, "": state.bits}, letter)
        more, others = self._read({"": self._starts}, letter)
        begins = not (bits or beginnings)
        bits |= more
        for beginning, before in others.items():
            beginnings[beginning] = beginnings.get(beginning, 0) | before
        following = self._state(bits, beginnings, begins)
        state.following[letter] = following
        self._kept += 1
        return following

    def _state(self, bits: int, beginnings: dict[str, int], begins: bool) -> _State:
        if not (bits or beginnings):
            return self.start
        same = (bits, begins, *sorted(beginnings.items()))
        if same not in self._states:
            ends = bool(bits & self._ends)
            self._states[same] = _State(bits, beginnings, begins, ends)
        return self._states[same]

    def _read(self, beginnings: _Beginnings, letter: str) -> tuple[int, dict[str, int]]:
        """How much of each secret is read after one more letter, and which escapes have begun."""
        read, longer = 0, dict[str, int]()
        for beginning, before in beginnings.items():
            if beginning == "":
                read |= self._after_letter(letter, before)
            elif beginning == _AFTER_ENTITY:
                if letter == _AFTER_ENTITY:
                    read |= before
                continue
            # Only the first letter of an escaped one has to be small.
            spelled = beginning + letter.lower() if beginning else letter
            meant = (
                self._after_letter(self._spelled[spelled], before)
                if spelled in self._spelled
                else 0
            )
            if meant:
                read |= meant
                if spelled.startswith("&"):
                    longer[_AFTER_ENTITY] = longer.get(_AFTER_ENTITY, 0) | meant
            spelled = _SAME.get(spelled, spelled)
            if leading := before & self._leads.get(spelled, 0):
                longer[spelled] = longer.get(spelled, 0) | leading
        return read, longer

    def _after_letter(self, letter: str, before: int) -> int:
        """How much of each secret is read after a letter that was written plainly or escaped."""
        if letter == _BACKSLASH:
            return before & ~self._starts
        return (before & self._letters.get(letter, 0)) << 1


class Reading:
    """Finds secrets in a text that comes in pieces."""

    def __init__(self, spellings: Spellings) -> None:
        self._spellings = spellings
        self._state = spellings.start
        self.length = 0
        """Letters that were read."""
        self._begin = 0

    @property
    def goes_on(self) -> bool:
        """Whether the text so far ends with a part of a secret that more text may complete."""
        return not self._state.is_start

    def read(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets are that end in this piece, counted in letters of the whole text."""
        found, state, spellings = list[tuple[int, int]](), self._state, self._spellings
        for at, letter in enumerate(text):
            state = state.following.get(letter) or spellings.after(state, letter)
            if state.begins:
                self._begin = self.length + at
            if state.ends:
                entity = (
                    _AFTER_ENTITY in state.beginnings and text[at + 1 : at + 2] == _AFTER_ENTITY
                )
                found.append((self._begin, self.length + at + 1 + entity))
                state = spellings.start
        self._state = state
        self.length += len(text)
        return found


def _escaped(letter: str) -> tuple[str, ...]:
    """How a letter is escaped in a page, in JSON, in an address, and in what programs print."""
    code = ord(letter)
    escaped = (f"&#{code}", f"&#x{code:x}", f"u{code:04x}")
    return escaped if code > 0xFF else (*escaped, f"%{code:02x}", f"x{code:02x}")
