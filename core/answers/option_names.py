"""Finds where a reply names options: by letter, by text, or several at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from string import ascii_uppercase

from core.answers import vocabulary as v
from core.answers.claims import closes
from core.answers.cleaner import normalised

_LETTER = re.compile(
    rf"(?<![{v.LATIN}.])(?<![{v.LATIN}]')(?:([A-Z])(?![{v.LATIN}]|['-][A-Za-z]|\.[A-Za-z])"
    rf"|([a-z])(?=\)))"
)
_WORDS = frozenset("AEIO")
"""Letters that are words in English or Italian; what follows must show that they are none."""
_NO_WORD = re.compile(
    rf"\s*(?:\Z|[)\].,:;!?\"'\n<>/|&+({{}}\-✅✓✔❌✗✘{v.HAN}]|(?-i:[A-Z])(?![{v.LATIN}'])|{v.REASON}"
    rf"|{v.CONTRAST}|(?:and|or|nor|e|ed|o|oppure|sia|che|is|are|è|it|seems|remains|here|yes|true"
    rf"|false|sì|over)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\s(?:may|might|could|would|will|does|doesn't|helps?|works?|fits?|follows?|applies)\b"
)
_LISTED = re.compile(
    r"(?:\b[A-Z]\)?,?\s(?:and|or|e|o)|\b(?:[Oo]ptions?|[Cc]hoices?|[Oo]pzion[ei]"
    r"|[Ll]etter[ae]?))\s\Z"
)
_RUN_TOGETHER = re.compile(rf"(?<![{v.LATIN}])[A-Z]{{2,14}}(?![{v.LATIN}])")
_OWN_TEXT = re.compile(r"[\s).:,\-\"'(\[\]]{0,8}")
_ALL = re.compile(
    v.words(
        r"(?:all|any|each|every(?: one)?)(?: of)? (?:(?:the|these|them|those|four|five"
        r"|six)\b ?)*(?:options?|choices?|above|answers|actions)?|all|everything"
        r"|tutt[eio](?: e \w+)?(?: (?:le (?:opzioni|risposte|\w+)|quante))?",
        r"(?:以上[两三四五六]?项?|全部?|所有)(?:选项)?(?:都是|选|都选|都对|全部|所有|皆是|都)?",
    ),
    re.IGNORECASE,
)
_EXCEPTED = re.compile(
    r"[A-Z](?:\W{1,3}(?:(?:and|or|e) )?(?:la )?[A-Z])*(?![A-Za-z])[^.,;\n]{0,80}"
)
_RANGE = re.compile(
    rf"(?<![{v.LATIN}])([A-Z])\)? ?(?:to|through|-|到|至|alla) ?\(?([A-Z])\)?(?![{v.LATIN}])"
)
_EXCEPT_ZH = re.compile(
    r"(?<!排)除了?(?:选项)?\s?[A-Z](?:[,和与、]\s?[A-Z])*(?:[以之]?外)?,?(?:都?[选是对])?"
)
_EXCEPT = re.compile(
    r"\s*(?:except|but|tranne|apart from|salvo|eccetto|meno)(?: for| per)?\s(?:option |l'opzione "
    r"|la )?",
    re.IGNORECASE,
)
_NONE = re.compile(
    v.words(
        r"none(?: of (?:the (?:options?|above|choices|suspects|answers|listed|given)|these|them))?"
        r"|nessuna(?: delle \w+)?|unknown|n/a|undetermined|unclear|cannot be determined",
        r"都不[是对选]|无法(?:确定|判断)|不确定|未知|没有答案",
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Name:
    """Options that are named side by side."""

    start: int
    end: int
    picked: frozenset[int]
    ambiguous: bool = False
    """Whether alternatives are named, or a letter with another option's text."""
    unknown: bool = False
    """Whether a letter is named that was not offered."""
    plain: bool = False
    """Whether it is a single word that may be there without meaning the option."""
    letter: bool = False


@dataclass(frozen=True, slots=True)
class OptionNames:
    """How the options of a question may be named."""

    count: int
    lettered: bool
    texts: tuple[re.Pattern[str] | None, ...]
    """The text of each option; None where it is empty or another option has the same."""

    def find(self, text: str) -> list[Name]:
        """The single names in a reply, in order; of overlapping ones the longest."""
        matches = [*self._texts(text), *_quantified(text, self.count)]
        if self.lettered:
            matches += self._letters(text)
        matches.sort(key=lambda name: (name.start, -name.end))
        names: list[Name] = []
        for name in matches:
            last = names[-1] if names else None
            if last is None or name.start >= last.end:
                own = _OWN_TEXT.fullmatch(text, last.end, name.start) if last else None
                if last and own and name.letter and last.picked == name.picked:
                    names[-1] = replace(last, end=name.end, letter=True)  # "a hat (C)"
                    continue
                if last and own and last.letter and last.end - last.start <= 4 and not name.letter:
                    other = last.picked != name.picked and own.group().strip(" ") != ","
                    if last.picked == name.picked or (other and own.group().strip()):
                        names[-1] = replace(last, end=name.end, ambiguous=other)
                        continue
                names.append(name)
        return names

    def _texts(self, text: str) -> Iterator[Name]:
        for index, pattern in enumerate(self.texts):
            for match in pattern.finditer(text) if pattern is not None else ():
                words = match.group().split()
                start = _opened(text, match.start())
                plain = len(words) == 1 and start == match.start()
                plain = plain and not re.search(f"[{v.HAN}]{{2}}", words[0])
                yield Name(start, match.end(), frozenset({index}), plain=plain)

    def _letters(self, text: str) -> Iterator[Name]:
        for match in _LETTER.finditer(text):
            letter, end = match.group().upper(), match.end()
            listed = _LISTED.search(text[max(0, match.start() - 20) : match.start()])
            verb = letter in "AE" and _VERB.match(text, end)
            if letter in _WORDS and not (listed or verb or _NO_WORD.match(text, end)):
                continue
            index = ascii_uppercase.index(letter)
            known = index < self.count
            if known or _NO_WORD.match(text, match.end()):
                picked = frozenset({index} if known else ())
                start = _opened(text, match.start())
                yield Name(start, end, picked, unknown=not known, letter=True)
        for match in _RUN_TOGETHER.finditer(text):
            indices = [ascii_uppercase.index(letter) for letter in match.group()]
            if indices == sorted(set(indices)) and indices[0] < self.count:
                picked = frozenset(index for index in indices if index < self.count)
                unknown = len(picked) < len(indices)
                yield Name(*match.span(), picked, unknown=unknown, plain=True)


def _whole(after: str) -> bool:
    verb = re.match(
        r"\s*(?:is|are|would|help|work|apply|fit|seem|sono|aiutano)|\s*(?:都|正确)", after
    )
    return closes(after) or verb is not None


def _quantified(text: str, count: int) -> Iterator[Name]:
    """Where a reply names all options, all but some, or none."""
    for match in _NONE.finditer(text):
        yield Name(*match.span(), frozenset(), plain=True)
    for match in _ALL.finditer(text):
        rest = _EXCEPT.match(text, match.end())
        letters = _EXCEPTED.match(text, rest.end() if rest else match.end())
        if rest and letters:
            out = {
                ascii_uppercase.index(letter)
                for letter in re.findall(r"\b[A-Z]\b", letters.group())
            }
            left = frozenset(range(count)) - out
            yield Name(match.start(), letters.end(), left)
        elif not rest and _whole(text[match.end() : match.end() + 60]):
            yield Name(*match.span(), frozenset(range(count)), plain=True)
    for match in _RANGE.finditer(text):
        first, last = (ascii_uppercase.index(letter) for letter in match.groups())
        yield Name(*match.span(), frozenset(range(first, last + 1)), unknown=last >= count)
    for match in _EXCEPT_ZH.finditer(text):
        out = {ascii_uppercase.index(letter) for letter in re.findall("[A-Z]", match.group())}
        yield Name(*match.span(), frozenset(range(count)) - out)


def _opened(text: str, start: int) -> int:
    """Where the bracket or quotation mark before a name begins."""
    return start - 1 if start and text[start - 1] in "([\"'" else start


@lru_cache(maxsize=64)
def option_names(options: tuple[str, ...], *, lettered: bool) -> OptionNames:
    """How the options of a question may be named.

    Letters count if there are enough of them and `lettered` says that they were shown, but not if
    an option's own text is a letter.
    """
    known = [" ".join(normalised(option).split()).rstrip(".!") for option in options]
    folded = [text.casefold() for text in known]
    texts = tuple(
        _wording(text) if text and folded.count(text.casefold()) == 1 else None for text in known
    )
    if all(re.fullmatch(r"[A-Z]\w+ [A-Z]\w+", text) for text in known):
        texts = tuple(_person(text) for text in known)
    letters = lettered and len(known) <= len(ascii_uppercase)
    letters = letters and not any(re.fullmatch(r"[A-Za-z]", text) for text in known)
    return OptionNames(len(known), letters, texts)


def _person(name: str) -> re.Pattern[str]:
    """A name of two words, of which either may stand alone."""
    first, last = map(re.escape, name.split())
    return re.compile(
        rf"(?i:(?<![{v.LATIN}]){first}\s+{last}(?![{v.LATIN}]))|(?<![{v.LATIN}])(?:(?:Mrs?|Ms"
        rf"|Miss)\.?\s)?(?:{first}|{last})(?![{v.LATIN}])"
    )


def _wording(option: str) -> re.Pattern[str]:
    """An option's words with any blanks between them, as a whole and in either case.

    A single word may be made a noun: "wetness", "edibility".
    """
    words = (r"\s+" if len(option) > 20 else r"[\s_-]*").join(map(re.escape, option.split()))
    if re.fullmatch("[A-Za-z]{3,}", option):
        words = f"{words}(?:(?:li)?ness|ity|ence)?"
        if option.endswith("ble"):
            words = f"(?:{words}|{option[:-2]}ility)"
    before = rf"(?<![{v.LATIN}])" if re.match(f"[{v.LATIN}]", option) else ""
    after = rf"(?![{v.LATIN}])" if re.search(f"[{v.LATIN}]\\Z", option) else ""
    return re.compile(before + words + after, re.IGNORECASE)
