"""How an option may be worded in a reply: as it is, or in the other words that people read as it.

Options that are yes and no, or true and false, are answered in any of the three languages, and with
each other's words, since "true" and "false" answer a question such as "Is the story plausible?".
Options that are pairs of numbers may stand in either order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_END = r"(?![^\W_])"
_LEADS = r"(?:leads?\s+to\s+the\s+second|porta\s+al\s+secondo|会?导致第二件事)"
"""The words in which the question of a link asks."""
_YES = (
    rf"(?:yes|yep|yeah|sì|sí|si'|si|是的|是|对的|对|会的|会|it\s+does(?!\s+not|n't)|{_LEADS}){_END}"
)
_NO = (
    rf"(?:no|nope|否|不是的|不是|不对|不会|不|it\s+does(?:\s+not|n't)"
    rf"|(?:does\s*(?:not|n't)\s+|non\s+|不){_LEADS}){_END}"
)
_PLAUSIBLE = (
    r"(?:true|ver[oa]|plausible|plausibile|makes?\s+sense|ha\s+senso|真的?|正确的?|合理的?|可信的?)"
)
_NEGATION = (
    r"(?:(?:(?:is|are|does|was|did)\s*(?:not|n't)|cannot|can't|not|non(?:\s+è)?)\s+"
    r"(?:(?:be|seem|sound|look|very)\s+)?|并?不(?:是|太)?\s*)"
)
_TRUE = rf"(?:(?:{_PLAUSIBLE}|{_NEGATION}(?:false|fals[oa]|implausible)){_END}|{_YES})"
_FALSE = (
    rf"(?:(?:false|fals[oa]|implausible|implausibile|假的?|错误的?|{_NEGATION}{_PLAUSIBLE}){_END}"
    rf"|{_NO})"
)
_OPPOSITES = ({"yes": _YES, "no": _NO}, {"true": _TRUE, "false": _FALSE})
_SAME = {"sì": "yes", "sí": "yes", "si": "yes", "是": "yes", "否": "no"}
_PAIR = re.compile(r"(\d+) and (\d+)")
_SENTENCE = r"(?:(?:sentences?|fras[ei]|句子?|第)\s*)"
_AND = r"[\s}]*(?:,|&|and|e|和|与)[\s}]*"
_NUMBER = re.compile(r"(?<![\d.])\d{1,3}(?!\d|\.\d)")


def opposites(options: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """The patterns of options that are yes and no, or true and false; empty for others."""
    words = [_SAME.get(option.casefold(), option.casefold()) for option in options]
    for known in _OPPOSITES:
        if len(words) == 2 and set(words) == set(known):
            return tuple(re.compile(known[word], re.IGNORECASE) for word in words)
    return ()


def wording(option: str) -> re.Pattern[str]:
    """The pattern of any other option: its words with any blanks, or two numbers in any order."""
    pair = _PAIR.fullmatch(option)
    if pair is None:
        return re.compile(r"\s+".join(map(re.escape, option.split())), re.IGNORECASE)
    first, second = (rf"{_SENTENCE}{{0,2}}{number}(?!\d)(?:\s*句)?" for number in pair.groups())
    third = r"(?!\s*(?:,|&|and|or|e|o|和|与|或)\s*\d)"
    return re.compile(
        rf"(?<!\d,\s)(?<!\d,)(?:{first}{_AND}{second}|{second}{_AND}{first}){third}", re.IGNORECASE
    )


def pairs(options: Sequence[str]) -> Mapping[frozenset[int], int]:
    """The options by their two numbers; empty if one is not a pair or two have the same numbers."""
    found = [_PAIR.fullmatch(option) for option in options]
    by_numbers = {
        frozenset(map(int, pair.groups())): index for index, pair in enumerate(found) if pair
    }
    return by_numbers if len(by_numbers) == len(options) else {}


def numbers(text: str) -> frozenset[int]:
    """The whole numbers in a text."""
    return frozenset(int(match.group()) for match in _NUMBER.finditer(text))
