"""Finds yes and no, true and false and their paraphrases in a reply, and what it claims by them.

A question such as "Is the story plausible?" with the options true and false is also answered with
yes, "plausible" or "it makes no sense". Every denial turns the meaning round: "not implausible" is
true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.answers import vocabulary as v
from core.answers.claims import (
    Claim,
    Force,
    Passages,
    closes,
    is_open,
    opens_clause,
    outweighs,
    weigh,
)
from core.answers.cleaner import normalised

_MOST_NAMES = 300
"""How many names are looked at, from the end of the reply; bounds the time."""
_IT = r"it (?:\w+ly )?(?:does|will|would|is|can|could)"
_YES = v.words(
    rf"yes|yep|yeah|yup|sì|sí|si|si'|affirmative|absolutely|definitely|I agree|{_IT}(?: be"
    rf"| indeed)?|I (?:(?:would|'d) say|think|believe|guess) so|(?:penso|credo) di sì",
    r"是的?|对的?|会的?|能的?|可以",
)
_NO = v.words(
    r"(?:probably|certainly|definitely|of course|surely|absolutely|clearly|likely) not"
    rf"|not (?:really|here|in this (?:case|context|situation))|no way|by no means|not at all"
    rf"|I'm afraid not|I disagree|hardly|non (?:in questo caso|credo|penso|direi)|no|it cannot|nope"
    rf"|nah|negative|{_IT}(?: not|n?'t)(?: be)?|I (?:do not|don't) (?:think|believe) so",
    r"否|不是的?|不对|不会的?|不能|不可以|不行?",
)
_TRUE = v.words(
    r"true|correct|right|accurate|valid|ver[oaie]|corrett[oa]|giust[oa]|esatt[oa]",
    r"真实?的?|正确的?|对的",
)
_FALSE = v.words(
    r"false|untrue|incorrect|wrong|inaccurate|invalid|fals[oaie]|sbagliat[oa]|errat[oa]|scorrett[oa]",
    r"虚?假的?|错误?的?",
)
_PLAUSIBLE = v.words(
    r"plausible|possible|believable|credible|coherent|consistent|logical|sensible|reasonable"
    r"|realistic|valid|feasible|sound|plausibil[ei]|possibil[ei]|credibil[ei]|coerent[ei]|logic[ao]"
    r"|sensat[ao]|verosimil[ei]|realistic[ao]|ragionevol[ei]|senza contraddizioni",
    r"合理的?|可信的?|合乎?逻辑的?|符合(?:逻辑|常理|常识|现实)的?|成立的?|通顺的?|连贯的?"
    r"|[说讲]得通的?",
)
_IMPLAUSIBLE = v.words(
    r"implausible|impossible|incoherent|inconsistent|illogical|contradictory|nonsensical|absurd"
    r"|unrealistic|unreasonable|infeasible|invalid|implausibil[ei]|impossibil[ei]|incoerent[ei]"
    r"|illogic[ao]|contraddittori[ao]|assurd[ao]|insensat[ao]|inverosimil[ei]|irrealistic[ao]",
    r"(?:自相)?矛盾的?|荒谬的?|[说讲]不通的?|不可能(?:发生)?的?",
)
_HOLDS = v.words(
    r"(?:makes?|making) (?:(?:perfect|complete|logical|good|much|any) )?sense|holds? (?:up"
    r"|together)|adds? up|hangs? together|works?|(?:can|could|would) (?:really |actually "
    r"|well )?happen|(?:ha|abbia) (?:perfettamente |molto |alcun )?senso|regge|sta in piedi|fila"
    r"|può (?:accadere|succedere)",
    r"有道理|能(?:够)?发生",
)
_FAILS = v.words(
    r"makes? no sense|contradicts?(?: itself)?|falls? apart|breaks? down|contradictions?"
    r"|inconsisten\w+|conflicts?|contraddizion[ei]|incongruenz[ae]|incoerenz[ae]"
    r"|(?:si )?contraddic\w+",
    r"(?:自相)?矛盾|冲突",
)
_LINKS = v.words(
    r"leads?(?: to)?|leading to|causes?|results? in|brings? (?:it )?about|encompass(?:es)?|covers?"
    r"|includes?|follows?|entails?|we can (?:know|consider|conclude|infer)|be (?:abstracted"
    r"|generali[sz]ed|called|regarded|described|considered|known|inferred|concluded|entailed)"
    r"|causal (?:link|relation\w*|connection)|link(?:ed)?|connected|connection|holds?"
    r"|an? (?:\w+ )?(?:kind|type|instance|abstraction) of|port[aei](?:no)?|conduc[ea]|causa"
    r"|provoc(?:a|hi)|nesso causale",
    r"会?(?:导致|引起|引发|使得?)|会发生|因果关系",
)
_UNLINKS = v.words(
    r"(?:is|are) (?:broken|cut|interrupted|prevented)|(?:è|viene) interrott\w",
    "被?(?:打破|中断|切断)",
)
_EITHER = re.compile(
    rf"(?:(?P<first>{_YES}|{_TRUE}|{_PLAUSIBLE})|{_NO}|{_FALSE}|{_IMPLAUSIBLE})[\"' ]*(?:,? *(?:and"
    rf"|or|nor|e|o|oppure)\b|/|[和或]者?|还是)[\"' ]*(?:(?P<second>{_YES}|{_TRUE}|{_PLAUSIBLE})"
    rf"|{_NO}|{_FALSE}|{_IMPLAUSIBLE})",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"\s+(?:story|sequence|narrative|scenario|one|order|in (?:this|the|that)|to me|for (?:me|this"
    r"|the)|from|here|overall|about|abstraction|generali[sz]ation|concept|hypernym"
    r"|inference|when|with|and|under|at all|enough|per|nel|in|e|di)\b|\s*(?:的|了)?(?:故事|$)",
    re.IGNORECASE,
)
"""What may follow a statement such as "The story is plausible" that still says so."""
_GOES_ON = re.compile(
    r"\s+(?:it|this|that|the story|the first|is (?:the|my)|lo|la|non|è)\b", re.IGNORECASE
)
_IS_HEADING = re.compile(
    rf"\s*:\s*(?:{_YES}|{_NO}|{_TRUE}|{_FALSE}|{_PLAUSIBLE}|{_IMPLAUSIBLE})[\s.]*\Z", re.IGNORECASE
)
"""What makes a word a heading: "Plausible: false"."""
_APPOSED = re.compile(r"[\"']?\s*[(\[,]\s*")
_PART = re.compile(
    r"\A\W*(?:\d{1,2}[.):]|(?:sentence|event|step|frase|evento|passo|第)\s?\d)|\?\W*\Z",
    re.IGNORECASE,
)
"""The line of one of several things, or of an answer to a question that the reply asks."""
_AFFIRMED = re.compile(
    r"\A\W*(?:certainly|of course|naturally|certo|certamente|ovviamente|naturalmente|当然)"
    r"(?=\s?[.,:;\-])(?!\W*(?:not|let|here|i'll|i will|i can|non|ecco|不))",
    re.IGNORECASE,
)
"""A yes that a reply begins with; before an exclamation mark it may be a mere greeting."""
_INITIAL = re.compile(r"\A\W*([yntf])\W*\Z", re.IGNORECASE)
_INITIALS = {"y": "yes", "n": "no", "t": "true", "f": "false"}
_SIGNS = str.maketrans("✅✓✔❌✗✘", ",,,,,,")
_WORD = re.compile(f"{_NO}|(?P<yes>{_YES})", re.IGNORECASE)
_TRUTH = re.compile(f"(?P<yes>{_TRUE})|{_FALSE}", re.IGNORECASE)
_SENSE = re.compile(f"(?P<yes>{_TRUE}|{_PLAUSIBLE})|{_FALSE}|{_IMPLAUSIBLE}", re.IGNORECASE)
_SENSE_VERB = re.compile(f"(?P<yes>{_HOLDS})|{_FAILS}", re.IGNORECASE)
_LINK_VERB = re.compile(f"(?P<yes>{_LINKS})|{_UNLINKS}", re.IGNORECASE)
_WORDS = {"yes": True, "no": False, "true": True, "false": False}
_SAME = {
    **dict.fromkeys(("sì", "sí", "si", "是", "会"), "yes"),
    **dict.fromkeys(("否", "不会"), "no"),
    **{"vero": "true", "真": "true", "falso": "false", "假": "false"},
}


@dataclass(frozen=True, slots=True)
class Polarity:
    """Two options that are yes and no, or true and false."""

    yes: int
    """Index of the option that is yes or true."""
    adjective: re.Pattern[str]
    """What is said of the subject of the question, such as "plausible"."""
    verb: re.Pattern[str]
    """What the subject of the question does, such as "makes sense"."""

    def claims(self, text: str, *, multiple: bool = False) -> Iterator[Claim]:
        """What a normalised reply claims, in the order of the reply."""
        text = _INITIAL.sub(lambda reply: _INITIALS[reply[1].casefold()], text.translate(_SIGNS))
        if self.adjective is _TRUTH:
            text = _AFFIRMED.sub("yes", text)
        passages = Passages(text)
        both = [
            match.span()
            for match in _EITHER.finditer(text)
            if (match["first"] is None) != (match["second"] is None)
        ]
        judged = [
            (match, judge)
            for pattern, judge in ((_WORD, _alone), (self.adjective, _said), (self.verb, _done))
            for match in pattern.finditer(text)
        ]
        judged.sort(key=lambda name: name[0].start())
        floor = 0
        for match, judge in judged[-_MOST_NAMES:]:
            before, after = passages.around(*match.span())
            if _IS_HEADING.match(after):
                continue
            between = text[floor : match.start()]
            if outweighs(between) or (
                floor and not is_open(before) and _APPOSED.fullmatch(between)
            ):
                before = before[max(0, floor - match.start() + len(before)) :]
            force, denials = judge(before, after)
            ambiguous = any(start <= match.start() < end for start, end in both)
            if force is Force.OPEN and denials < 0:
                continue
            if force is Force.STATED and _PART.search(
                text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            ):
                force = Force.BEGINS
            floor = match.end()
            positive = (match["yes"] is not None) == (denials % 2 == 0)
            picked = self.yes if positive else 1 - self.yes
            yield Claim(match.start(), match.end(), frozenset({picked}), force, ambiguous=ambiguous)


_NOTHING = (Force.OPEN, -1)


def _alone(before: str, after: str) -> tuple[Force, int]:
    """Judge "yes" and "no", which answer only where they stand alone: not in "no water"."""
    if not closes(after) and not _GOES_ON.match(after):
        return _NOTHING
    force, denials = weigh(before, after)
    if force >= Force.CONCLUDED or force is Force.OPEN:
        return force, denials
    return (Force.STATED, 0) if opens_clause(before) and not is_open(before) else _NOTHING


def _said(before: str, after: str) -> tuple[Force, int]:
    """Judge "plausible" and the like."""
    if not closes(after) and not _AROUND.match(after):
        return _NOTHING
    force, denials = weigh(before, after)
    if force >= Force.STATED or force is Force.OPEN:
        return force, denials
    return (Force.STATED, denials) if opens_clause(before) else _NOTHING


def _done(before: str, after: str) -> tuple[Force, int]:
    """Judge "makes sense" and the like, which join themselves to their subject."""
    force, denials = weigh(before, after, link=":")
    return (min(force, Force.STATED), denials)


@lru_cache(maxsize=64)
def polarity_of(options: Sequence[str]) -> Polarity | None:
    """How two opposite options may be named; None for other options."""
    known = [" ".join(normalised(option).split()).rstrip(".!").casefold() for option in options]
    values = [_WORDS.get(_SAME.get(word, word)) for word in known]
    if len(values) != 2 or set(values) != {True, False}:
        return None
    if _SAME.get(known[0], known[0]) in ("yes", "no"):
        return Polarity(values.index(True), _TRUTH, _LINK_VERB)
    return Polarity(values.index(True), _SENSE, _SENSE_VERB)
