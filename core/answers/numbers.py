"""Finds the pair of sentences that a reply names by their numbers, and what it claims of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.answers import vocabulary as v
from core.answers.claims import Claim, Force, Passages, refuted, supported, weigh
from core.answers.cleaner import with_ordinals

_MOST_NUMBERS = 300
"""How many numbers are looked at, from the end of the reply; bounds the time."""
_OPTION = re.compile(r"(\d+) and (\d+)")
_WORDS = ("zero", "one|uno|一", "two|due|二", "three|tre|三", "four|quattro|四", "five|cinque|五")
_WORD = f"(?:{'|'.join(_WORDS)})(?![a-z])"
_ORDINAL_NOUN = "sentence|one|frase|句"
_OF = r"(?:\b(?:sentences?|fras[ei])\s*|句子?\s*|第\s*|#\s*)"
_NUMBER = re.compile(
    rf"(?<![\d.{v.LATIN}])(?<!step )(?<!option )S?(?P<digits>\d{{1,3}})(?![\d%]|\.\d)",
    re.IGNORECASE,
)
_SPELT = re.compile(rf"{_OF}{_WORD}(?:(?:,| and| e|和) ?{_OF}?{_WORD})*", re.IGNORECASE)
_TWO = re.compile(
    r"(?:\bthe (?:(first)|last) two|\ble (?:(prime)|ultime) due|(?:(前)|最后)[两二])\s?(?:sentences"
    r"|frasi|句)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"\b(?:the|(?:da|de|a|ne|su)?ll?a|le)\s(?:first|second|third|fourth|fifth|last|prima|seconda"
    r"|terza|quarta|quinta|ultima)(?=\s*(?:[.,;:)\n]|\Z|(?:and|e) (?:the|la|l')))"
    r"|\bl'ultima(?=\s*(?:[.,;:)\n]|\Z))",
    re.IGNORECASE,
)
"""An ordinal that names a sentence without calling it one: "the first sentence and the fifth"."""
_BULLET = re.compile(r"(?:^|\n)[\s>\-]*\Z")
_BESIDE = re.compile(
    r"[ )\]}.\"'句]*(?:[,&/+:\-]|\b(?:and|e|with|vs)\b|[和与跟及])?[ (\[{\"']*(?:\b(?:and"
    r"|e)\b)?\s*(?:la )?"
    rf"{_OF}{{0,2}}",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(r"[.!?] +[A-Z(]")
_DENIED = re.compile(rf"\b(?:not|non|rather than|instead of)\s{_OF}?\Z|不是{_OF}?\Z", re.IGNORECASE)
_OR = re.compile(r"[ ,]*(?:or|oppure|o|或者?|还是)(?![a-z])", re.IGNORECASE)
_CONFLICTS = r"(?:in conflict|conflict|contradict|incompatib|in conflitto|contraddi|冲突|矛盾)"
_CONFLICT = re.compile(
    rf"\s*(?:句\s*)?(?:are|do|sono|si|is|互相|相互)?\s*{_CONFLICTS}", re.IGNORECASE
)
_BETWEEN = re.compile(rf"(?P<denied>{v.NOT}\s*)?(?:\w+ly )?{_CONFLICTS}", re.IGNORECASE)
"""What a sentence says that stands between two numbers: "2 contradicts 4"."""
_LABEL = re.compile(
    r"(?:(?P<breaks>break(?:point|ing point)?|punto di rottura|断点)|(?P<conflicts>conflict\w*"
    r"|in conflitto|冲突))[^\d\n.;,]{0,30}?(?:[:=|\n]|\b(?:is|è)\b"
    r"|是)[^\d\n:]{0,20}(?P<number>\d{1,2})(?!\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Number:
    value: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """Options that are pairs of numbers, such as "0 and 3"; made by `pairs_of`."""

    indices: Mapping[frozenset[int], int]
    """The options by their numbers, which may stand in either order."""

    def claims(self, text: str, *, multiple: bool) -> Sequence[Claim]:
        """What a normalised reply claims, in the order of the reply."""
        text = _SPELT.sub(lambda m: re.sub(_WORD, _value, m.group(), flags=re.IGNORECASE), text)
        numbered = [str(number) for number in sorted(set().union(*self.indices))]
        if numbered[0] == "1":  # the first sentence may be 0 or 1 where they begin with 0
            text = _TWO.sub(
                lambda m: " and ".join(numbered[:2] if any(m.groups()) else numbered[-2:]), text
            )
            text = with_ordinals(_ALONE.sub(r"\g<0> one", text), _ORDINAL_NOUN, numbered)
        passages, numbers = Passages(text), _numbers(text)
        groups = [run for run in _side_by_side(text, numbers) if len(run) == 2]
        beside = {number for run in groups for number in run}
        numbers = [n for n in numbers if not _DENIED.search(text[max(0, n.start - 20) : n.start])]
        for _, group in groupby(numbers, key=lambda number: passages.sentence(number.start)):
            if not beside & set(sentence := list(group)):
                groups.append(sentence)
        claims = [self._claim(passages, numbers) for numbers in groups]
        claims += [self._claim(passages, numbers)] if not any(claims) else []
        claims.append(self._labelled(text))
        return sorted(filter(None, claims), key=lambda claim: claim.end)

    def _claim(self, passages: Passages, numbers: Sequence[_Number]) -> Claim | None:
        """What a passage claims that has these numbers; None if they are no option."""
        index = self.indices.get(frozenset(number.value for number in numbers))
        if index is None:
            return None
        start, end = numbers[0].start, numbers[-1].end
        before, after = passages.around(start, end)
        force, denials = weigh(before, after.removeprefix("句"))
        force = force and max(force, supported(after))
        between = _BETWEEN.search(passages.text, numbers[0].end, numbers[-1].start)
        if Force.MENTIONED <= force < Force.STATED and (between or _CONFLICT.match(after)):
            force = Force.STATED
        denials += between is not None and between["denied"] is not None
        denied = denials % 2 == 1 or refuted(after)
        ambiguous = _OR.match(after) is not None
        return Claim(start, end, frozenset({index}), force, denied=denied, ambiguous=ambiguous)

    def _labelled(self, text: str) -> Claim | None:
        """The pair whose numbers follow "Breakpoint:" and "Conflicting sentence:"."""
        breaks = conflicts = None
        for match in _LABEL.finditer(text):
            if match["breaks"]:
                breaks = match
            else:
                conflicts = match
        if breaks is None or conflicts is None:
            return None
        index = self.indices.get(frozenset({int(breaks["number"]), int(conflicts["number"])}))
        start, end = (
            sorted((breaks.start(), conflicts.start()))[0],
            max(breaks.end(), conflicts.end()),
        )
        return None if index is None else Claim(start, end, frozenset({index}), Force.ANNOUNCED)


def pairs_of(options: Sequence[str]) -> Pairs | None:
    """How options that are pairs of numbers may be named; None for others."""
    pairs = [_OPTION.fullmatch(option) for option in options]
    indices = {
        frozenset(map(int, pair.groups())): index for index, pair in enumerate(pairs) if pair
    }
    return Pairs(indices) if indices and len(indices) == len(options) else None


def _numbers(text: str) -> list[_Number]:
    """The numbers in a text, without those that number the lines of a list from 0 or 1 on."""
    numbers, numbering = [], []
    for match in list(_NUMBER.finditer(text))[-_MOST_NUMBERS:]:
        number = _Number(int(match["digits"]), match.start(), match.end())
        line = text[max(0, number.start - 20) : number.start]
        if _BULLET.search(line) and re.match(r"[.)]\s+(?!and\b|e\b)\S", text[number.end :]):
            numbering.append(number)
        else:
            numbers.append(number)
    values = [number.value for number in numbering]
    if values and (values[0] > 1 or values != list(range(values[0], values[0] + len(values)))):
        numbers = sorted([*numbers, *numbering], key=lambda number: number.start)
    return numbers


def _value(word: re.Match[str]) -> str:
    spelled = word.group().casefold()
    return next(str(value) for value, words in enumerate(_WORDS) if spelled in words.split("|"))


def _side_by_side(text: str, numbers: Sequence[_Number]) -> Iterator[list[_Number]]:
    """The numbers in groups between which nothing but "and" or punctuation stands."""
    run: list[_Number] = []
    for number in numbers:
        gap = text[run[-1].end : number.start] if run else ""
        if run and (len(gap) > 40 or not _BESIDE.fullmatch(gap) or _NEXT_SENTENCE.search(gap)):
            yield run
            run = []
        run.append(number)
    if run:
        yield run
