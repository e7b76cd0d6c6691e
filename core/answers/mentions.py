"""Reads the options that a text names from a given position on, one after the other.

An option is named by its letter or by its whole text. A letter counts only if it is followed by
punctuation, a reason or the option's own text: "A good choice" names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_uppercase

from core.answers.cleaner import normalised
from core.answers.wordings import numbers, opposites, pairs, wording

_HAN = "\u3400-\u9fff"
_REASON = (
    r"(?:because|since|as|due|given|for|which|where|that|perché|poiché|siccome|in quanto|dato)\b"
)
_COPULA = re.compile(
    r"[)\]}.:,]?\s*(?:(?:is|was|isn't|aren't|would|could|can|cannot|can't|does|doesn't|has"
    r"|may|might|will|è|non|sono|sarebbe|può)\b|e'|[是不]|错)"
)
_AFTER_TEXT = re.compile(
    rf"\s*(?:$|[\n.,;:!?()\]}}\"'<>/|&+\-→]|因为|\s(?:{_REASON}|it\b|this\b|there\b|of\b|[A-Z][):]))",
    re.IGNORECASE,
)
_BEFORE_TEXT = re.compile(r"[ :.\-\"'()]*")
_CLOSED = re.compile(r"\s?[)\]}>]|[.:](?![^\W\d_]\.)|\\?\)")
_STRONG = re.compile(rf"\s*(?:$|\n|[,;/|&+\"!?\\(<]|'(?!\w)|-(?!\w)|[{_HAN}])")
_WEAK = re.compile(
    rf"\s+(?:{_REASON}|(?:and|or|e|ed|o|oppure|sia)\b|is\b|are\b|è|[A-Z](?![^\W_]|'))"
)
_WORDS = frozenset("AEIO")
"""Letters that are words in English or Italian."""
_SIGNS = re.compile(r"[\s\"'(\[{<>\-•→➡\ufe0f\\]*")
_NOUNS = re.compile(
    r"(?:(?:(?:the|that|options?|choices?|letters?|answers?|la|le|il|lo|opzion[ei]|letter[ae]"
    r"|rispost[ae]|caused\s+by|(?:physical\s+)?state|step\s\d{1,2}|only|just|both|clearly|probably"
    r"|likely|definitely|therefore|thus|solo|sia|probabilmente)(?![^\W_])"
    r"|l'|选项|选|\d{1,2}[.)](?=\s))\s*[:\"'(\[{<]*\s*){1,4}",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:all\s+(?:of\s+)?(?:the|these|them)(?:\s+(?:options|above))?|tutte(?:\s+le\s+opzioni)?"
    r"|以上都是|全部(?:都?[是对])?)(?=\s*(?:$|[\n.,!\"'}]))",
    re.IGNORECASE,
)
_LETTER = re.compile(rf"[A-Z](?:(?![^\W_])|(?=[{_HAN}]))")
_REJECTED = re.compile(
    r"[)\]}.:]?\s*(?:(?:is|was|are|seems|è|sono|是)\s*(?:(?:clearly|very|chiaramente)\s+)?"
    r"(?:not\b|wrong|incorrect|unlikely|implausible|impossible|false\b|ruled\s+out|sbagliat|innocent|errat"
    r"|improbabil|错)|(?:isn't|can't\s+be|cannot\s+be|non\s+è)\b|不(?:对|正确|可能|合理)|错)",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?:[\"']|\b(?:the|an?|about|il|lo|la)\s+[\"']?|l'|是\s?)$", re.IGNORECASE
)
_LETTER_NAMED = re.compile(
    rf"(?<![A-Za-zÀ-ÿ])([A-Z])(?=\s*(?:$|[),:;!?\"\]<]|[{_HAN}]|\.(?![^\W\d_]\.))"
    r"|\s+(?:and|or|e|ed|o)\s+(?:also\s+)?[A-Z](?![A-Za-zÀ-ÿ'])"
    r"|\s+(?:it\s+is|is\s+(?:the\s+)?(?:more|most|best|right)|remains|seems|here|would\s+be)\b)"
    r"|(?<![A-Za-zÀ-ÿ])(?:and|or|e|ed|o)\s+([A-Z])(?![A-Za-zÀ-ÿ'])"
)
_AROUND = re.compile(r"\s(?:in|to|here|at|for|with|on|overall)\b")
_LEFT_OUT = re.compile(r"(?:\s?[以之]外)?都?[选是对]?")
_EXCEPT = re.compile(
    r"(?:(?:all|everything|tutt[eo])(?:\s+(?:of\s+(?:them|these)|options|le\s+opzioni))?\s+"
    r"(?:except|but|tranne)(?:\s+for)?|除了?)\s*",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"\s+(?:and|or|e|ed|o|oppure)\s+|\s*(?:和|与|及|以及|或|或者|还是)")
_BETWEEN = re.compile(
    r"[ \"'\])}\\]*[,;/|&+.]?[ \"']*\n?[ ]*(?:(?:and|AND|e|ed|sia|和|与|及|以及|跟|并)(?![a-z])"
    r"|(?P<either>or|OR|o|oppure|或者|或|还是)(?![a-z]))?[ ]*"
    r"(?:(?:also|maybe|perhaps|possibly|anche|forse|也许|可能)\b)?"
)
_PARAPHRASE = re.compile(
    r"[^\n.;]{0,200}?(?:[,;]\s*(?:and\s+|e\s+)?|\s(?:and|e)\s+|和|\.?\n[ \-•]*)(?=\(?[A-Z]\))"
)
_JOINED = re.compile(rf"[A-Z]{{2,26}}(?=\s*(?:$|[\n.,;:!?)\]}}\"'{_HAN}]))")
_SMALL = re.compile(r"[\s(\[\"']*[a-z](?:[\s)\].,;/&+\"'(\[]+[a-z])*[\s)\].!\"'}]*")
"""A text of single lower-case letters with punctuation between them."""
_SMALL_LETTER = re.compile(r"[a-df-np-z]|(?<! )[eo]|[eo](?! )")
"""One of these letters, except the Italian words for "and" and "or"."""


@dataclass(slots=True)
class Named:
    """The options that are named from a position on."""

    picked: list[int] = field(default_factory=list)
    unknown_letter: bool = False
    """Whether a letter is named that was not offered."""
    either: bool = False
    """Whether alternatives are named ("A or B"), or a letter with another option's text."""
    by_text: bool = False
    """Whether an option is named by its text."""
    end: int = 0
    """Where the last name ends."""

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.picked) or self.unknown_letter


@dataclass(frozen=True, slots=True)
class Names:
    """How the options of a question may be named. Made by `names_of`."""

    count: int
    lettered: bool
    texts: tuple[re.Pattern[str] | None, ...]
    """The whole text of each option; None where it is empty or another option has the same."""
    polar: bool
    """Whether the options are yes and no, or true and false."""
    pairs: Mapping[frozenset[int], int]
    """The options by their numbers, where each is a pair of numbers."""

    def read_from(self, text: str, position: int) -> Named:
        """The options that `text` names from `position` on; none where other words stand there."""
        named = Named(end=position)
        start = self._skip_lead(text, position)
        every = _ALL.match(text, start)
        if every is not None and not self.polar:
            return Named(list(range(self.count)), by_text=True, end=every.end())
        excepted = _EXCEPT.match(text, start)
        if excepted is not None and not self.polar:
            left = self.read_from(text, excepted.end())
            others = [index for index in range(self.count) if index not in left.picked]
            end = _LEFT_OUT.match(text, left.end)
            left.end = end.end() if end else left.end
            return Named(others, end=left.end) if left.picked else named
        if self._rejected(text, start):
            return named
        while (after := self._read_name(text, start, named)) is not None:
            named.end = after
            between = _BETWEEN.match(text, after)
            if between is None:
                break
            start, either = self._skip_lead(text, between.end()), between["either"] is not None
            if "\n\n" in text[after:start] or not self._is_name(text, start):
                skipped = _PARAPHRASE.match(text, after)
                if skipped is None:
                    break
                start, either = self._skip_lead(text, skipped.end()), False
            named.either = named.either or either
        return named

    def _skip_lead(self, text: str, position: int) -> int:
        """Where a name may begin, after punctuation and words such as "option"."""
        signs = _SIGNS.match(text, position)
        start = signs.end() if signs else position
        if self._text_at(text, start):
            return start
        nouns = _NOUNS.match(text, start)
        return nouns.end() if nouns else start

    def _rejected(self, text: str, position: int) -> bool:
        """Whether the option at a position is then called wrong, as in "B) slow down is wrong"."""
        if self.polar:
            return False
        end = position
        if self.lettered and _LETTER.match(text, position):
            end = position + 1
        beyond = _BEFORE_TEXT.match(text, end)
        start = beyond.end() if beyond else end
        for pattern in self.texts:
            if pattern is not None and (match := pattern.match(text, start)):
                end = max(end, match.end())
        return end > position and _REJECTED.match(text, end) is not None

    def within(self, text: str) -> list[tuple[int, int, int]]:
        """The options named anywhere in a sentence: index, start and end; none that are rejected.

        A single word such as "open" may be there for any reason: it counts with an article or in
        quotation marks only. So does a letter only at the end of a clause, or where more is said
        for it. Of nested names such as "plausible" in "not plausible" the longest counts.
        """
        found = []
        for index, pattern in enumerate(self.texts):
            for match in pattern.finditer(text) if pattern is not None else ():
                start, end = match.span()
                inside = re.match(r"[A-Za-zÀ-ÿ]", text[start - 1 : start] + text[start])
                if start and inside and re.match(r"[A-Za-zÀ-ÿ]", text[start - 1]):
                    continue
                words = self.polar or re.search(rf"\s|[{_HAN}]{{2}}", match.group())
                if not words and not _INTRODUCED.search(text[max(0, start - 12) : start]):
                    continue
                if self._ends(text, end) or self._goes_on(text, match):
                    found.append((index, start, end))
        for match in _LETTER_NAMED.finditer(text) if self.lettered else ():
            group = 1 if match[1] else 2
            index = ascii_uppercase.index(match[group])
            if index < self.count:
                found.append((index, *match.span(group)))
        return [
            (index, start, end)
            for index, start, end in found
            if not self._rejected(text, start)
            and not any(s <= start and end <= e and (s, e) != (start, end) for _, s, e in found)
        ]

    def letters_in(self, text: str) -> set[int]:
        """The options whose letters stand in a text, whatever is said of them."""
        if not self.lettered:
            return set()
        letters = re.findall(r"(?<![A-Za-zÀ-ÿ])[B-DF-HJ-NP-Z](?![A-Za-zÀ-ÿ'])", text)
        return {index for index in map(ascii_uppercase.index, letters) if index < self.count}

    def _goes_on(self, text: str, match: re.Match[str]) -> bool:
        """Whether a sentence that goes on after an option's text still names it."""
        if self.polar:  # "plausible in this order", but not "no water"
            after = text[match.end() : match.end() + 9]
            return len(match.group()) > 3 and _AROUND.match(after) is not None
        return (
            re.match(r"\s(?:is|are|was|were|did)\b", text[match.end() : match.end() + 6])
            is not None
        )

    def in_numbers(self, text: str) -> Named | None:
        """The pair, if a text has exactly its two numbers: "4 contradicts 2", "Breakpoint: 4"."""
        index = self.pairs.get(numbers(text))
        return None if index is None else Named([index], by_text=True, end=len(text))

    def _is_name(self, text: str, position: int) -> bool:
        """Whether another name begins at a position."""
        return self._read_name(text, position, Named([0])) is not None

    def _read_name(self, text: str, position: int, named: Named) -> int | None:
        """Add the name at a position to `named`; returns where it ends, or None without a name."""
        if position >= len(text):
            return None
        by_text = self._text_at(text, position)
        if by_text is not None:
            index, end = by_text
            named.picked.append(index)
            named.by_text = True
            return end
        if not self.lettered or (position and re.match(r"[A-Za-z0-9À-ÿ]", text[position - 1])):
            return None
        return self._joined(text, position, named) or self._letter(text, position, named)

    def _text_at(self, text: str, position: int) -> tuple[int, int] | None:
        """The option whose whole text begins at a position, and where it ends; the longest wins."""
        best: tuple[int, int] | None = None
        for index, pattern in enumerate(self.texts):
            match = pattern.match(text, position) if pattern else None
            if match and self._ends(text, match.end()):
                best = max(best or (index, -1), (index, match.end()), key=lambda option: option[1])
        return best

    def _ends(self, text: str, position: int) -> bool:
        """Whether an option's text may end at a position: "rain and wind" does not name "rain"."""
        if _AFTER_TEXT.match(text, position):
            return True
        conjunction = _CONJUNCTION.match(text, position)
        return conjunction is not None and any(
            pattern is not None and pattern.match(text, conjunction.end()) is not None
            for pattern in self.texts
        )

    def _joined(self, text: str, position: int, named: Named) -> int | None:
        """Read letters without blanks between them, such as "ABD"."""
        match = _JOINED.match(text, position)
        if match is None:
            return None
        letters = [ascii_uppercase.index(letter) for letter in match.group()]
        known = [letter for letter in letters if letter < self.count]
        if len(set(letters)) < len(letters) or not known:
            return None
        if len(known) < len(letters):
            if letters != sorted(letters):
                return None
            named.unknown_letter = True
        named.picked += known
        return match.end()

    def _letter(self, text: str, position: int, named: Named) -> int | None:
        """Read a single letter, with the option's own text if that follows."""
        letter = text[position]
        if letter.isascii() and text.startswith(")", position + 1):
            letter = letter.upper()
        if letter not in ascii_uppercase:
            return None
        after, first = position + 1, not named
        closed = _CLOSED.match(text, after)
        strong = closed is not None or _STRONG.match(text, after) is not None
        if not first and _COPULA.match(text, after):
            return None
        index = ascii_uppercase.index(letter)
        if index >= self.count:
            if not strong:
                return None
            named.unknown_letter = True
            return closed.end() if closed else after
        weak = first and letter not in _WORDS and text[after : after + 1].isspace()
        if not (strong or weak or _WEAK.match(text, after)):
            return None
        end = closed.end() if closed else after
        named.picked.append(index)
        beyond = _BEFORE_TEXT.match(text, end)
        own = self._text_at(text, beyond.end()) if beyond else None
        if own is None:
            return end
        if own[0] != index and beyond is not None and beyond.group().strip(" ") + text[after:end]:
            named.either = True
        named.by_text = True
        return own[1]

    def read_whole(self, text: str) -> Named | None:
        """The options, if `text` names nothing else; lower-case letters count too."""
        if self.lettered and _SMALL.fullmatch(text):
            text = _SMALL_LETTER.sub(lambda letter: letter.group().upper(), text)
        named = self.read_from(text, 0)
        if named and not text[named.end :].strip(" \n.,;!\"')]}>\\"):
            return named
        return None


@lru_cache(maxsize=64)
def names_of(options: tuple[str, ...], *, lettered: bool) -> Names:
    """Work out how the options of a question may be named.

    Letters count if there are enough of them and `lettered` says that they were shown, but not if
    an option's own text is a letter, or if the options are yes and no, or true and false.
    """
    known = [" ".join(normalised(option).split()).rstrip(".!") for option in options]
    folded = [text.casefold() for text in known]
    texts: tuple[re.Pattern[str] | None, ...] = opposites(known)
    polar = bool(texts)
    if not polar:
        texts = tuple(
            wording(text) if text and folded.count(text.casefold()) == 1 else None for text in known
        )
    letters = lettered and not polar and len(known) <= len(ascii_uppercase)
    lettered = letters and not any(re.fullmatch(r"[A-Za-z]", text) for text in known)
    return Names(len(known), lettered, texts, polar, pairs(known))
