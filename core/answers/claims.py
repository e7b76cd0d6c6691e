"""How strongly a reply gives what it names as its answer, judged by the words around the name."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum

from core.answers import vocabulary as v

_REACH = 240
"""Most characters on either side of a name that are looked at, which bounds the time."""
_LONE_NOUN = rf"(?:^|\n){v.LEAD}(?:{v.ANSWER_NOUN})[\s:]*"
_HEADING = re.compile(rf"{_LONE_NOUN}\Z|:\s*\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(
    rf"(?<!\bi\.e)(?<!\be\.g)(?<!\bno)(?<!\bans)[.!?;]+(?=[\s\"')\]}}]|\Z|[{v.HAN}])|\n"
    rf"|{v.CORRECTION}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|\n)\W*(?:\d{1,2}|[A-Za-z])\Z")
_BOUNDARY = re.compile(
    rf"[,;:()\n]|\s-\s|[.!?](?=\s|\Z|[{v.HAN}])|{v.CONTRAST}|{v.CONCLUSION}|{v.REASON}",
    re.IGNORECASE,
)
_GAP = r"[\s:\"'(\[{<\-•]*(?:\d{1,2}[.)]\s+)?[^.;,?!\n:]{0,40}\Z"
_ANNOUNCED = re.compile(
    rf"(?:(?:{v.ANSWER_NOUN}"
    rf"|{v.OPTION_NOUN}(?!\s*\Z))(?P<said>[^.;?!\n:,]{{0,80}}?(?:,[^,.]{{1,60}},[^,]{{0,20}}?)?(?:{v.LINK}|\s*\n|\s*\Z){_GAP})|(?P<chosen>{v.CHOOSES}{_GAP})"
    r"|(?P<field>(?:[\"'][^\"'\n]{1,40}[\"']\s*:|\\boxed\s*\{)[^.;,?!\n:]{0,40}\Z))",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(rf"{v.CONCLUSION}[\s,]*{_GAP}", re.IGNORECASE)
_STATED = re.compile(
    rf"{v.TOPIC}[^.;?!\n:,]{{0,60}}?(?:,[^,.]{{1,60}},[^,]{{0,20}}?)?{v.LINK}{_GAP}", re.IGNORECASE
)
_NOT = re.compile(f"{v.NOT}|{v.DISMISSES}", re.IGNORECASE)
_UNSURE = re.compile(v.UNSURE, re.IGNORECASE)
_RIGHT = re.compile(v.RIGHT, re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:otherwise|without)\b.*\bwould be|(?:\bif\b(?! (?:I (?:had to|have to|must)|forced"
    r"|pressed|asked|you ask))|\A\W*(?:had|were))\b.*(?:\bwould\b|'d\b)"
    r"|\bse\b(?! dovessi).*\bsarebbe\b|(?:如果|假如|要是)(?!必须|一定要|非要).*(?:就|会|则|将)",
    re.IGNORECASE | re.DOTALL,
)
"""Says what would be right in another case."""
_WOULD = re.compile(r"\bwould\b|'d\b", re.IGNORECASE)
_FOR = re.compile(r"\s+(?:for (?:an? |[\"'])|if\b|had\b)", re.IGNORECASE)
_CONTRAST = re.compile(v.CONTRAST, re.IGNORECASE)
_CORRECTION = re.compile(v.CORRECTION, re.IGNORECASE)
_TURNS = re.compile(f"{v.REASON}|{v.CONTRAST}|{v.NOT}|{v.DISMISSES}", re.IGNORECASE)
_LEADS_ON = re.compile(rf"{v.CORRECTION}|{v.CONCLUSION}|\bno\b", re.IGNORECASE)
_CONDITION = re.compile(
    rf"[\s,\"']*(?:only )?\(?{v.CONDITION}"
    r"|[)\]\"' ]*\s+would (?:be|have been) (?:the )?\w+ (?:if|for|in|had)\b",
    re.IGNORECASE,
)
_TURNED = re.compile(f"{v.CONTRAST}|{v.CONCLUSION}", re.IGNORECASE)
_STRONGLY = re.compile(v.STRONGLY, re.IGNORECASE)
_WRONG = re.compile(v.WRONG, re.IGNORECASE)
_OPENS = re.compile(rf"{v.LEAD}\Z", re.IGNORECASE)
_CLOSES = re.compile(
    rf"[)\]\"'}}>\\\s]*(?:\Z|[.,;:!?\n(\-<>|✅✓✔]|(?:(?:and|e) no[nt]|né|nor)\b|{v.REASON}"
    rf"|{v.CONTRAST})",
    re.IGNORECASE,
)


class Force(IntEnum):
    """How strongly something is given as the answer."""

    OPEN = 0
    """It is asked, supposed or doubted."""
    PASSING = 1
    """It is a word that may stand there for any reason."""
    MENTIONED = 2
    BEGINS = 3
    """A line or a sentence begins with it."""
    STATED = 4
    """A sentence says it of what the question is about."""
    CONCLUDED = 5
    """It follows "therefore", or is called the right one."""
    ANNOUNCED = 6
    """It follows "The answer is" or the like, or stands in a box or a field."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A passage that gives options as the answer, or denies that they are."""

    start: int
    end: int
    picked: frozenset[int]
    """Empty where it says that there is no answer."""
    force: Force
    denied: bool = False
    ambiguous: bool = False
    """Whether it leaves a choice ("A or B") or contradicts itself."""
    unknown: bool = False
    """Whether it names a letter that was not offered."""


@dataclass(frozen=True)
class Passages:
    """A normalised reply, divided into sentences."""

    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Find where sentences begin."""
        starts = [0]
        for match in _SENTENCE_END.finditer(self.text):
            before = self.text[max(starts[-1], match.start() - _REACH) : match.start()]
            if match.group() == "\n" and _HEADING.search(before):
                continue
            if match.group() == "." and _NUMBERED.search(before):
                continue
            starts.append(match.end())
        object.__setattr__(self, "starts", starts)

    def sentence(self, position: int) -> int:
        """The index of the sentence at a position."""
        return bisect_right(self.starts, position) - 1

    def around(self, start: int, end: int) -> tuple[str, str]:
        """What the sentence of a passage says before it and after it."""
        first = self.sentence(start)
        last = self.sentence(max(start, end - 1))
        stop = self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text)
        opening = max(self.starts[first], start - _REACH)
        return self.text[opening:start], self.text[end : min(stop, end + _REACH)]


def weigh(before: str, after: str, *, link: str = "") -> tuple[Force, int]:
    """How strongly a name between these parts of a sentence is given, and how often denied.

    A verb passes ":" as `link`, because nothing joins it to its subject.
    """
    scope = before[_last_boundary(before) :]
    opens = _OPENS.match(_NOT.sub("", before.rpartition(":")[2])) is not None and closes(after)
    force = Force.BEGINS if opens else Force.MENTIONED
    if match := _ANNOUNCED.search(before):
        cue, announcement = Force.ANNOUNCED, match["said"] or match["chosen"] or ""
        cue = Force.CONCLUDED if match["chosen"] else cue
    elif match := _CONCLUDED.search(before):
        cue, announcement = Force.CONCLUDED, match.group()
    elif match := _STATED.search(before + link):
        cue, announcement = Force.STATED, match.group().removesuffix(link)
    if match is not None:
        leading = before[: match.start()]
        leading = leading[_last_boundary(leading) :]
        if _UNSURE.search(leading):
            return Force.OPEN, 0
        if cue is Force.ANNOUNCED and not leading.rstrip().endswith(("that", "che")):
            leading = ""
        if not _NOT.search(leading):
            force, scope = cue, announcement
    # "It seems to be A at first" leaves A open.
    turned = max((match.end() for match in _TURNED.finditer(before)), default=0)
    if _SUPPOSED.search(before + after[:8], turned) or (_WOULD.search(scope) and _FOR.match(after)):
        return Force.OPEN, 0
    asked = after.rstrip("\n \"')").endswith("?")
    if asked or _UNSURE.search(scope) or _CONDITION.match(after):
        return Force.OPEN, 0
    return force, len(_NOT.findall(scope[scope.rfind(":") + 1 :]))


def closes(after: str) -> bool:
    """Whether a name may end before this text: at punctuation, a reason or a contrast."""
    return _CLOSES.match(after) is not None


def supported(after: str) -> Force:
    """How strongly the words after a name call it right."""
    match = _RIGHT.match(after)
    if match is None:
        return Force.OPEN
    return Force.CONCLUDED if _STRONGLY.search(match.group()) else Force.STATED


def refuted(after: str) -> bool:
    """Whether the words after a name call it wrong."""
    return _WRONG.match(after) is not None


def opens_clause(before: str) -> bool:
    """Whether nothing but denials and words without weight stand before a name in its clause."""
    return _OPENS.match(_NOT.sub("", before[_last_boundary(before) :])) is not None


def correction_end(text: str) -> int:
    """Where the last correction such as "wait" ends; 0 without one."""
    return max((match.end() for match in _CORRECTION.finditer(text)), default=0)


def turns(between: str) -> bool:
    """Whether a reason, a contrast or a denial stands in this text."""
    return _TURNS.search(between) is not None


def leads_on(between: str) -> bool:
    """Whether this text leads from one answer to another, rather than only parts them."""
    return turns(between) or _LEADS_ON.search(between) is not None


def is_open(before: str) -> bool:
    """Whether a sentence supposes or doubts something, and does not yet conclude from it."""
    turned = max((match.end() for match in _TURNED.finditer(before)), default=0)
    return _UNSURE.search(before, turned) is not None


def outweighs(between: str) -> bool:
    """Whether what follows this text outweighs what came before it."""
    return _CONTRAST.search(between) is not None


def _last_boundary(text: str) -> int:
    return max((match.end() for match in _BOUNDARY.finditer(text)), default=0)
