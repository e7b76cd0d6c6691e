"""Finds the options that a reply names by letter or by text, and what it claims of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from string import ascii_uppercase

from core.answers import vocabulary as v
from core.answers.claims import (
    Claim,
    Force,
    Passages,
    closes,
    is_open,
    refuted,
    supported,
    turns,
    weigh,
)
from core.answers.cleaner import normalised, with_ordinals

_MOST_NAMES = 300
"""How many names are looked at, from the end of the reply; bounds the time."""
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
_SMALL = re.compile(
    r"(?m)(?:^|[:=>{(\[\"'])[ \"'(\[]*[a-z][).\]]?(?:[ ]*(?:[,;/&+]|\b(?:and|or|e|o)\b"
    r"|[ ])[ ]*\(?[a-z][).\]]?)*(?=[ .!\"')\]}>]*(?:$|<))"
)
"""Lower-case letters that are all that a line or a field says."""
_LETTER_SAID = re.compile(
    rf"(?<![{v.LATIN}])(?:option|letter|opzione|lettera|answer is)\s[a-z](?=[.,;:!?)]|\s*\Z)"
)
_DOTS = re.compile(r"\.{2,} ?(?=[A-Z]\))")
"""What stands between options in "A)..C)..E)"."""
_SMALL_LETTER = re.compile(rf"(?<![{v.LATIN}])(?:[a-df-np-z]|(?<! )[eo]|[eo](?! ))(?![{v.LATIN}])")
"""One of them, except the Italian words for "and" and "or"."""
_OWN_TEXT = re.compile(r"[\s).:,\-\"'(\[\]]{0,8}")
_BETWEEN = re.compile(
    r"[ \"')\]}]*(?:[ ]*[,;/|&+][ ]*|(?<=\))|[ ]+(?!\()|[ ]*(?=[和与及或、并还])"
    r"|[.;,]?[ ]*\n[ ]*(?:[-•·]|\d{1,2}[.)])?[ ]*)(?:\b(?:and|e|ed|sia|che|nor|né)\b|和|与|以?及|跟"
    r"|并|(?P<either>\b(?:or|o|oppure)\b|或者?|还是))?[ ]*(?:(?:\b(?:also|then|option)\b"
    r"|选项)[ ]*)?(?:\b(?:la|il|le)\b[ ]*|l')?(?:\\boxed\s*\{)?[\"'\[( ]*",
    re.IGNORECASE,
)
_STILL_NAMED = re.compile(
    rf"[\"')\]]*\s+(?:(?:state|conflict|issue|problem|is|are|was|were|did|it|this|there|of|in|here"
    rf"|at)\b|è|(?-i:[A-Z])[):])|\s*[{v.HAN}]",
    re.IGNORECASE,
)
"""What may follow an option's text that is named as a whole: "rain and wind" does not name rain."""
_PARAPHRASED = re.compile(
    r"[^\n.;]{0,200},?\s(?:(?:and|e)\s)?[(\[]?|[^\n]{0,200}\n\s{0,4}(?:[-•]|\d{1,2}[.)])?\s*"
)
"""What stands between two options of a list in the reply's own words."""
_ALONE = re.compile(rf"[)\]\"'.,!\s]*(?:\Z|{v.REASON})", re.IGNORECASE)
_TICK = re.compile(r"(?:\A|[\n,;])[^\w|]*[✅✓✔]\s*\Z")
_CROSS = re.compile(r"(?:\A|[\n,;])[^\w|]*[❌✗✘]\s*\Z")
_INTRODUCED = re.compile(
    r"(?:\b(?:the|an?|in|at|(?:instance|kind|type) of|una?|il|lo|la|nel|nella|dal|dalla)|l')\s*\Z",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"(?:\b(?:only|solo|soltanto)|只有)\s?(?:option |la |l'opzione )?\Z", re.IGNORECASE
)
_SCORED = re.compile(r"[)\]\"']*\s*[:=(]\s*\d+(?:\.\d+)?\s*(?:%|[,;}\n]|\Z)")
_DENYING_LABEL = re.compile(
    rf"(?:\A|[.;,|\n{{])[^\w:✗❌|]*(?:{v.NOT}|{v.DISMISSES}|[✗❌]|\b(?:no(?=\s*:)|false|incorrect"
    rf"|wrong|implausible"
    r"|unlikely|impossible|alternatives?|errat[ei]|sbagliat[ei]|implausibil[ei]|fals[ei])\b"
    r"|错误)[^:.;,\n]{0,20}:[^:.;\n]{0,20}\Z",
    re.IGNORECASE,
)
"""A label such as "Incorrect:", which denies what stands after it."""
_COMPARED = re.compile(r"(?:\b(?:between|among|tra|fra)|在)\s*\Z", re.IGNORECASE)
_ALL = re.compile(
    v.words(
        r"(?:all|any|each|every(?: one)?)(?: of)? (?:(?:the|these|them|those|four|five"
        r"|six)\b ?)*(?:options?|choices?|above|answers|actions)?|all|everything"
        r"|tutt[eio](?: e \w+)?(?: (?:le (?:opzioni|risposte|\w+)|quante))?",
        r"(?:以上[两三四五六]?项?|全部?|所有)(?:选项)?(?:都是|选|都选|都对|全部|所有|皆是|都)?",
    ),
    re.IGNORECASE,
)
_ORDINAL_NOUN = r"options?|one|alternative|answer choice|opzione|alternativa|选项|项|(?=[.! ]*\Z)"
_NUMBERED = re.compile(
    r"\b(?:option|number|opzione|numero)\s([1-9]|one|two|three|four|five)\b|选项([1-9一二三四五])",
    re.IGNORECASE,
)
_CARDINALS = ("1|one|一", "2|two|二", "3|three|三", "4|four|四", "5|five|五")
_BULLET = re.compile(r"(?:^|\n)[\s\-•\d.)(]*\Z")
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
    spoiled: bool = False
    """Whether alternatives are named, or a letter with another option's text."""
    unknown: bool = False
    """Whether a letter is named that was not offered."""
    plain: bool = False
    """Whether it is a single word that may be there without meaning the option."""
    letter: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How the options of a question may be named."""

    count: int
    lettered: bool
    texts: tuple[re.Pattern[str] | None, ...]
    """The text of each option; None where it is empty or another option has the same."""

    def claims(self, text: str, *, multiple: bool) -> Iterator[Claim]:
        """What a normalised reply claims of the options, in the order of the reply."""
        if self.lettered:
            text = with_ordinals(text, _ORDINAL_NOUN, ascii_uppercase[: self.count])
            text = _DOTS.sub(", ", text)
            text = _NUMBERED.sub(self._numbered, text)
            text = _LETTER_SAID.sub(_upper_letters, text)
            text = _SMALL.sub(_upper_letters, text)
        names = list(self._groups(text, multiple=multiple))[-_MOST_NAMES:]
        passages, floor = Passages(text), 0
        discussed = len(frozenset[int]().union(*(name.picked for name in names))) == self.count
        for name in names:
            before, after = passages.around(name.start, name.end)
            between = text[floor : name.start]
            if floor and before.endswith(between):
                before = f"|{between}"  # so that it does not seem to begin the sentence
            floor = name.end
            claim = _claim(name, before, after, multiple=multiple, discussed=discussed)
            rest = text[name.end :].strip(" .!)\"'\n")
            if not rest and before.strip(" -•(\"'") == "" and "\n" in text[: name.start].lstrip():
                claim = replace(claim, force=max(claim.force, Force.CONCLUDED))
            whole = len(name.picked) == self.count
            whole = whole and (not multiple or "\n" in text[name.start : name.end])
            if whole and (claim.force < Force.CONCLUDED or not multiple):
                # The options as the question lists them.
                claim = replace(claim, force=Force.PASSING)
            yield claim

    def _numbered(self, match: re.Match[str]) -> str:
        word = (match[1] or match[2]).casefold()
        index = next((i for i, known in enumerate(_CARDINALS) if word in known.split("|")), 9)
        return f"option {ascii_uppercase[index]}" if index < self.count else match.group()

    def _groups(self, text: str, *, multiple: bool) -> Iterator[Name]:
        """The names, those that stand side by side put together."""
        group: Name | None = None
        for name in self._names(text):
            if group is not None and (joined := _joined(text, group, name, multiple=multiple)):
                group = joined
                continue
            if group is not None:
                yield group
            group = name
        if group is not None:
            yield group

    def _names(self, text: str) -> list[Name]:
        """The single names in order; of overlapping ones the longest."""
        found = [*self._texts(text), *_quantified(text, self.count)]
        if self.lettered:
            found += self._letters(text)
        found.sort(key=lambda name: (name.start, -name.end))
        names: list[Name] = []
        for name in found:
            last = names[-1] if names else None
            if last is None or name.start >= last.end:
                own = _OWN_TEXT.fullmatch(text, last.end, name.start) if last else None
                if last and own and last.letter and last.end - last.start <= 4 and not name.letter:
                    other = last.picked != name.picked and own.group().strip(" ") != ","
                    if last.picked == name.picked or (other and own.group().strip()):
                        names[-1] = replace(last, end=name.end, spoiled=other)
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


def _claim(name: Name, before: str, after: str, *, multiple: bool, discussed: bool) -> Claim:
    """What is claimed of a name between these parts of its sentence."""
    force, denials = weigh(before, after)
    if force is not Force.OPEN:
        force = max(force, supported(after))  # "B is the best one"
    if _TICK.search(before) or (force and _ONLY.search(before)):
        force = max(force, Force.STATED)
    judged = supported(after) or refuted(after)
    if force and not (name.letter or judged or closes(after) or _STILL_NAMED.match(after)):
        force = Force.PASSING
    if force is Force.MENTIONED and (name.letter or name.plain):
        introduced = name.letter or _INTRODUCED.search(before)
        force = Force.MENTIONED if introduced and closes(after) else Force.PASSING
    # A line of a list that discusses every option picks none.
    if (
        force is Force.BEGINS
        and multiple
        and discussed
        and len(name.picked) == 1
        and not _ALONE.match(after)
    ):
        force = Force.PASSING
    if _COMPARED.search(before) or _SCORED.match(after):  # "between A and B"
        force = Force.PASSING
    denials += bool(refuted(after) or _CROSS.search(before) or _DENYING_LABEL.search(before))
    denials = denials if name.picked or name.unknown else 0
    return Claim(
        name.start,
        name.end,
        name.picked,
        Force.OPEN if denials > 1 else force,
        denied=denials == 1,
        spoiled=name.spoiled or (len(name.picked) > 1 and not multiple),
        unknown=name.unknown,
    )


def _joined(text: str, group: Name, name: Name, *, multiple: bool) -> Name | None:
    """A group with the next name, if that stands beside it."""
    gap = text[group.end : name.start]
    if group.picked & name.picked:
        return None
    if not ((group.picked or group.unknown) and (name.picked or name.unknown)) or len(gap) > 200:
        return None
    between = _BETWEEN.fullmatch(text, group.end, name.start)
    if (";" in gap and not (multiple and closes(text[name.end : name.end + 20]))) or (
        gap == " " and text[name.start] == "("
    ):
        return None
    if between is None:
        lettered = group.letter and name.letter and ")" in text[name.start : name.start + 3]
        listed = "\n" not in gap or _BULLET.search(text[: group.start][-20:])
        paraphrased = not gap or (
            _PARAPHRASED.fullmatch(gap) and ("\n" in gap or not turns(gap)) and not is_open(gap)
        )
        if not (multiple and lettered and listed and paraphrased):
            return None
    if (refuted(text[name.end : name.end + 60]) or refuted(gap)) and (
        between is None or "\n" in gap
    ):
        return None
    return Name(
        group.start,
        name.end,
        group.picked | name.picked,
        spoiled=group.spoiled or name.spoiled or bool(between and between["either"]),
        unknown=group.unknown or name.unknown,
        plain=group.plain and name.plain,
        letter=group.letter or name.letter,
    )


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


def _upper_letters(line: re.Match[str]) -> str:
    return _SMALL_LETTER.sub(lambda letter: letter.group().upper(), line.group())


@lru_cache(maxsize=64)
def options_of(options: tuple[str, ...], *, lettered: bool) -> Options:
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
    return Options(len(known), letters, texts)


def _person(name: str) -> re.Pattern[str]:
    """A name of two words, of which either may stand alone."""
    first, last = map(re.escape, name.split())
    return re.compile(
        rf"(?i:(?<![{v.LATIN}]){first}\s+{last}(?![{v.LATIN}]))|(?<![{v.LATIN}])(?:(?:Mrs?|Ms"
        rf"|Miss)\.?\s)?(?:{first}|{last})(?![{v.LATIN}])"
    )


def _wording(option: str) -> re.Pattern[str]:
    """An option's words with any blanks between them, as a whole and in either case."""
    words = (r"\s+" if len(option) > 20 else r"[\s_-]*").join(map(re.escape, option.split()))
    before = rf"(?<![{v.LATIN}])" if re.match(f"[{v.LATIN}]", option) else ""
    after = rf"(?![{v.LATIN}])" if re.search(f"[{v.LATIN}]\\Z", option) else ""
    return re.compile(before + words + after, re.IGNORECASE)
