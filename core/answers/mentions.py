"""Which options a text names from a certain place on, one after the other.

An option is named by its letter, or by its whole text. A letter is a letter only where nothing
but punctuation, a reason or the option's own text follows it: "A good choice" names nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_uppercase

from core.answers.cleaner import normalised

_YES = r"(?:yes|sì|sí|si'|si|是的|是|对的|对)"
_NO = r"(?:no|否|不是的|不是|不对|不会|不)"
_POLAR = {"yes": _YES, "sì": _YES, "sí": _YES, "si": _YES, "是": _YES, "no": _NO, "否": _NO}
_HAN = "\u3400-\u9fff"
_REASON = (
    r"(?:because|since|as|due|given|for|which|where|that|perché|poiché|siccome|in quanto|dato)\b"
)
_COPULA = re.compile(
    r"[)\]}.:,]?\s*(?:(?:is|are|was|were|isn't|aren't|would|could|can|cannot|can't|does|doesn't|has"
    r"|may|might|will|è|non|sono|sarebbe|può)\b|e'|[是不]|错)"
)
_AFTER_TEXT = re.compile(
    rf"\s*(?:$|[\n.,;:!?)\]}}\"'>/|&+\-]|因为|\s(?:{_REASON}|it\b|this\b|there\b))", re.IGNORECASE
)
_BEFORE_TEXT = re.compile(r"[ :.\-\"'(]*")
_CLOSED = re.compile(r"\s?[)\]}>]|[.:](?![^\W\d_]\.)|\\?\)")
_STRONG = re.compile(rf"\s*(?:$|\n|[,;/|&+\"!?\\(]|'(?!\w)|-(?!\w)|[{_HAN}])")
_WEAK = re.compile(rf"\s+(?:{_REASON}|(?:and|or|e|ed|o|oppure)\b|is\b|are\b|è|[A-Z](?![^\W_]|'))")
_WORDS = frozenset("AEIO")
"""Letters that are words in English or Italian."""
_SIGNS = re.compile(r"[\s\"'(\[{<\-•\\]*")
_NOUNS = re.compile(
    r"(?:(?:(?:the|options?|choices?|letters?|answers?|la|le|opzion[ei]|letter[ae]|rispost[ae]"
    r"|only|just|both|clearly|probably|likely|definitely|therefore|thus|solo|sia|probabilmente)"
    r"(?![^\W_])|l'|选项|选|\d{1,2}[.)](?=\s))\s*[:\"'(\[{<]*\s*){1,3}",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"\s+(?:and|or|e|ed|o|oppure)\s+|\s*(?:和|与|及|以及|或|或者|还是)")
_BETWEEN = re.compile(
    r"[ \"'\])}\\]*[,;/|&+.]?[ \"']*\n?[ ]*(?:(?:and|AND|e|ed|和|与|及|以及|跟|并)(?![a-z])"
    r"|(?P<either>or|OR|o|oppure|或者|或|还是)(?![a-z]))?[ ]*"
    r"(?:(?:also|maybe|perhaps|possibly|anche|forse|也许|可能)\b)?"
)
_PARAPHRASE = re.compile(
    r"[^\n.;]{0,200}?(?:[,;]\s*(?:and\s+|e\s+)?|\s(?:and|e)\s+|和|\.?\n[ \-•]*)(?=\(?[A-Z]\))"
)
_JOINED = re.compile(rf"[A-Z]{{2,26}}(?=\s*(?:$|[\n.,;:!?)\]}}\"'{_HAN}]))")
_SMALL = re.compile(r"[\s(\[\"']*[a-z](?:[\s)\].,;/&+\"'(\[]+[a-z])*[\s)\].!\"']*")
"""Nothing but single small letters with signs between them."""
_SMALL_LETTER = re.compile(r"[a-df-np-z]|(?<! )[eo]|[eo](?! )")
"""One of them, less the Italian words for "and" and "or"."""


@dataclass(slots=True)
class Named:
    """What is named from a place on."""

    picked: list[int] = field(default_factory=list)
    stranger: bool = False
    """Whether a letter is named that was not offered."""
    either: bool = False
    """Whether alternatives are named ("A or B"), or a letter with another option's text."""
    by_text: bool = False
    """Whether an option is named by its text."""
    end: int = 0
    """Where it ends."""

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.picked) or self.stranger


@dataclass(frozen=True, slots=True)
class Names:
    """How the options of a question may be named. Made by `names_of`."""

    count: int
    lettered: bool
    texts: tuple[re.Pattern[str] | None, ...]
    """The whole text of each option; None where another has the same, or it says nothing."""
    polar: bool
    """Whether the options are yes and no."""

    def at(self, text: str, place: int) -> Named:
        """What `text` names from `place` on; nothing, where anything else stands there."""
        found = Named(end=place)
        here = self._begin(text, place)
        while (after := self._one(text, here, found)) is not None:
            found.end = after
            between = _BETWEEN.match(text, after)
            if between is None:
                break
            here, either = self._begin(text, between.end()), between["either"] is not None
            if "\n\n" in text[after:here] or not self._names(text, here):
                skipped = _PARAPHRASE.match(text, after)
                if skipped is None:
                    break
                here, either = self._begin(text, skipped.end()), False
            found.either = found.either or either
        return found

    def _begin(self, text: str, place: int) -> int:
        """Where a name may begin, after signs and words such as "option"."""
        signs = _SIGNS.match(text, place)
        here = signs.end() if signs else place
        if self._text_at(text, here):
            return here
        nouns = _NOUNS.match(text, here)
        return nouns.end() if nouns else here

    def _names(self, text: str, place: int) -> bool:
        """Whether another name stands there."""
        return self._one(text, place, Named([0])) is not None

    def _one(self, text: str, place: int, found: Named) -> int | None:
        """Take one name into `found`; returns where it ends, or None where there is none."""
        if place >= len(text):
            return None
        by_text = self._text_at(text, place)
        if by_text is not None:
            index, end = by_text
            found.picked.append(index)
            found.by_text = True
            return end
        if not self.lettered or (place and re.match(r"[A-Za-z0-9À-ÿ]", text[place - 1])):
            return None
        return self._joined(text, place, found) or self._letter(text, place, found)

    def _text_at(self, text: str, place: int) -> tuple[int, int] | None:
        """The option whose whole text stands there, the longest of several, and where it ends."""
        best: tuple[int, int] | None = None
        for index, pattern in enumerate(self.texts):
            match = pattern.match(text, place) if pattern else None
            if match and self._ends(text, match.end()):
                best = max(best or (index, -1), (index, match.end()), key=lambda found: found[1])
        return best

    def _ends(self, text: str, place: int) -> bool:
        """Whether an option's text is over there: "rain" is not named by "rain and wind"."""
        if _AFTER_TEXT.match(text, place):
            return True
        conjunction = _CONJUNCTION.match(text, place)
        return conjunction is not None and any(
            pattern is not None and pattern.match(text, conjunction.end()) is not None
            for pattern in self.texts
        )

    def _joined(self, text: str, place: int, found: Named) -> int | None:
        match = _JOINED.match(text, place)
        if match is None:
            return None
        letters = [ascii_uppercase.index(letter) for letter in match.group()]
        known = [letter for letter in letters if letter < self.count]
        if len(set(letters)) < len(letters) or not known:
            return None
        if len(known) < len(letters):
            if letters != sorted(letters):
                return None
            found.stranger = True
        found.picked += known
        return match.end()

    def _letter(self, text: str, place: int, found: Named) -> int | None:
        letter = text[place]
        if letter.isascii() and text.startswith(")", place + 1):
            letter = letter.upper()
        if letter not in ascii_uppercase:
            return None
        after, first = place + 1, not found
        closed = _CLOSED.match(text, after)
        strong = closed is not None or _STRONG.match(text, after) is not None
        if not first and _COPULA.match(text, after):
            return None
        index = ascii_uppercase.index(letter)
        if index >= self.count:
            if not strong:
                return None
            found.stranger = True
            return closed.end() if closed else after
        weak = first and letter not in _WORDS and text[after : after + 1].isspace()
        if not (strong or weak or _WEAK.match(text, after)):
            return None
        end = closed.end() if closed else after
        found.picked.append(index)
        beyond = _BEFORE_TEXT.match(text, end)
        own = self._text_at(text, beyond.end()) if beyond else None
        if own is None:
            return end
        if own[0] != index and beyond is not None and beyond.group().strip(" ") + text[after:end]:
            found.either = True
        found.by_text = True
        return own[1]

    def whole(self, text: str) -> Named | None:
        """What `text` names and nothing else, small letters too; None where it says more."""
        if self.lettered and _SMALL.fullmatch(text):
            text = _SMALL_LETTER.sub(lambda letter: letter.group().upper(), text)
        found = self.at(text, 0)
        if found and not text[found.end :].strip(" \n.,;!\"')]}>\\"):
            return found
        return None


@lru_cache(maxsize=64)
def names_of(options: tuple[str, ...], *, lettered: bool) -> Names:
    """How options may be named.

    By letters in their order, where there are letters for all of them and `lettered` says that
    they were shown; never where an option's own text is a letter, or yes or no.
    """
    known = [" ".join(normalised(option).split()).rstrip(".!") for option in options]
    polar = len(known) == 2 and {_POLAR.get(text.casefold()) for text in known} == {_YES, _NO}
    texts: list[re.Pattern[str] | None] = []
    for text in known:
        if polar:
            pattern = rf"{_POLAR[text.casefold()]}(?![^\W_])"
        elif text and [other.casefold() for other in known].count(text.casefold()) == 1:
            pattern = r"\s+".join(map(re.escape, text.split()))
        else:
            texts.append(None)
            continue
        texts.append(re.compile(pattern, re.IGNORECASE))
    letters = lettered and not polar and len(known) <= len(ascii_uppercase)
    lettered = letters and not any(re.fullmatch(r"[A-Za-z]", text) for text in known)
    return Names(len(known), lettered, tuple(texts), polar)
