"""What a reply claims of the options that it names by letter or by text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from core.answers.cleaner import with_ordinals
from core.answers.option_names import Name, OptionNames

_MOST_NAMES = 300
"""How many names are looked at, from the end of the reply; bounds the time."""
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
_ORDINAL_NOUN = r"options?|one|alternative|answer choice|opzione|alternativa|选项|项|(?=[.! ]*\Z)"
_NUMBERED = re.compile(
    r"\b(?:option|number|opzione|numero)\s([1-9]|one|two|three|four|five)\b|选项([1-9一二三四五])",
    re.IGNORECASE,
)
_CARDINALS = ("1|one|一", "2|two|二", "3|three|三", "4|four|四", "5|five|五")
_BULLET = re.compile(r"(?:^|\n)[\s\-•\d.)(]*\Z")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a question, which a reply may claim to be right or wrong."""

    names: OptionNames

    @property
    def count(self) -> int:
        """How many options there are."""
        return self.names.count

    def claims(self, text: str, *, multiple: bool) -> Iterator[Claim]:
        """What a normalised reply claims of the options, in the order of the reply."""
        if self.names.lettered:
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
        for name in self.names.find(text):
            if group is not None and (joined := _joined(text, group, name, multiple=multiple)):
                group = joined
                continue
            if group is not None:
                yield group
            group = name
        if group is not None:
            yield group


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
        ambiguous=name.ambiguous or (len(name.picked) > 1 and not multiple),
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
        ambiguous=group.ambiguous or name.ambiguous or bool(between and between["either"]),
        unknown=group.unknown or name.unknown,
        plain=group.plain and name.plain,
        letter=group.letter or name.letter,
    )


def _upper_letters(line: re.Match[str]) -> str:
    return _SMALL_LETTER.sub(lambda letter: letter.group().upper(), line.group())
