"""Lists and tables in which a reply judges one thing after another, with their judgements as signs.

"A: yes", "| A | no |", "A) it rains - true", "A? No." and what stands below "Incorrect options:"
become "A ✅" and "A ❌".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.answers import vocabulary as v

_TABLE_ROW = re.compile(r"(?m)^ *\|(.*)\| *$")
_SHORT_QUESTION = re.compile(r"(?<=[.!;]) (?=\w[^.?!:\n]{0,60}\? (?:yes|no|sì)\b)", re.IGNORECASE)
_ITEM = re.compile(r"(?P<name>\W{0,12}\w[^:|?\n]{0,80}?)[\"' ]*(?:[:|?]| - )(?P<said>.*)")
_WHOLE = re.compile(
    rf"{v.ANSWER_NOUN}|{v.CONCLUSION}|\bstor|plausib|coheren|situation", re.IGNORECASE
)
"""What is no part of the whole that a question is about."""
_YES = (
    "yes|follows?|applies|fits|holds|true|correct|right|plausible|possible|possibile|relevant|sì|vero|是|对"
    "|正确"
)
_NO = (
    r"no|not \w+|(?:does not|doesn't) \w+|false|incorrect|wrong|implausible|impossible|irrelevant"
    r"|impossibile|implausibile|falso|否|不是|不对|错误?"
)
_LETTER = re.compile(rf"(?P<name>\W{{0,12}}[A-Z])\)\s*(?P<said>(?:{_YES}|{_NO})\W*)", re.IGNORECASE)
_JUDGEMENT = re.compile(
    rf"[ \"'([]*(?P<word>(?P<yes>{_YES})|{_NO})[ \"')\]}}]*(?:$|[,.;|(-])|.*(?: - |[:,] (?:(?:so"
    rf"|hence|thus|quindi) )?)(?:(?P<last>{_YES})|{_NO})[ .]*$"
    r"|.*?(?:(?P<tick>[✅✓✔])|[❌✗✘])[ .]*$",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"\W*(?:(?P<no>not \w+|incorrect|wrong|implausible|unlikely|rejected|sbagliat[ei]|errat[ei]"
    r"|implausibil[ei]|non \w+|错误|不)|correct|right|plausible|likely|corrett[ei]|plausibil[ei]"
    r"|正确)[^:\n]{0,30}:\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-•]\s*|\d{1,2}[.)]\s+)")


def with_signs(text: str) -> str:
    """The text with the judgements of its lists and tables as signs behind or before the names."""
    rows = _TABLE_ROW.sub(lambda row: row[1].strip(), text)
    lines = _SHORT_QUESTION.sub("\n", rows).split("\n")
    sections = [match for line in lines if (match := _SECTION.fullmatch(line))]
    if len({match["no"] is None for match in sections}) == 2:
        lines = list(_by_section(lines))
    judged = [_judged(line) for line in lines]
    several = sum(line != before for line, before in zip(judged, lines, strict=True)) > 1
    return "\n".join(judged if several else lines)


def _judged(line: str) -> str:
    item = _LETTER.fullmatch(line) or _ITEM.fullmatch(line)
    if item is None or _WHOLE.search(item["name"]):
        return line
    for part in item["said"].split("|"):
        if judgement := _JUDGEMENT.match(part):
            sign = "✅" if any(judgement.group("yes", "last", "tick")) else "❌"
            return f"{item['name']} {sign} {item['said'].replace(judgement['word'] or '', '', 1)}"
    return line


def _by_section(lines: list[str]) -> Iterator[str]:
    sign = ""
    for line in lines:
        if section := _SECTION.fullmatch(line):
            sign = "❌ " if section["no"] else "✅ "
            yield ""
        elif line.strip():
            yield sign + _BULLET.sub("", line) if sign else line
        else:
            yield line
