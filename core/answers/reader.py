"""Reads the answer out of a model's reply.

The rules, each of which prevents a way of being right or wrong by luck:

* Thinking between tags does not count; thinking that never ends is a reply that was cut.
* The last announced answer counts, because models change their minds aloud.
* A letter counts only if it was offered and cannot be read as a word; an option's text counts
  only as a whole, and only if no other option has the same. Parts of words never count.
* Of "not A but B" only B is read, and an option that is called wrong is not an answer.
* What follows "wait" or another correction counts, if it names an option.
* Without an announcement these are read, the first that there is: a reply that is nothing but the
  answer; an option that the first or the last line begins with (ambiguous if they are opposites);
  a statement such as "The story is false"; two numbers where pairs of them are offered; lines that
  are an option's text; what one of the last two sentences names. Sentences that are unsure
  ("whether", "might", "either") are not answers.
* Two options where one was asked for are ambiguous, not the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from core.answers.cleaner import normalised, without_thinking
from core.answers.markers import markers
from core.answers.mentions import Named, Names, names_of
from core.answers.statements import (
    contrasts,
    correction_end,
    is_unsure,
    last_clauses,
    statements,
)
from core.contract.question import Status

_OR = re.compile(r"(?<![^\W_])(?:or|either|neither|oppure|o)(?![^\W_])|或|还是", re.IGNORECASE)
_TICKED = re.compile(
    r"(?:(?P<yes>[✅✓✔]\ufe0f?)|[❌✗✘]\ufe0f?)?\s*-?\s*\(?(?P<letter>[A-Z])[):.]?[^\n]{0,200}?"
    r"(?P<said>(?<![^\W_])(?:yes|no))?[.!]?",
)
_CLOSED = re.compile(r"\s*(?:$|[.,;:)\]\"'\-\n(]|because\b|since\b|perché\b)")


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a reply."""

    status: Status
    picked: tuple[int, ...] = ()
    """Indices of the options, ascending; empty unless the status is OK."""
    span: tuple[int, int] | None = None
    """Start and end of the answer in the reply."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """The options that a passage names, with its start and end in the reply."""

    named: Named
    start: int
    end: int


def read(
    text: str,
    options: Sequence[str],
    *,
    multiple: bool = False,
    complete: bool = True,
    lettered: bool = True,
) -> Reading:
    """Read which of `options` a reply names.

    Args:
        text: the reply, of any kind and length.
        options: the options as offered, named by the letters from A on or by their texts.
        multiple: whether any number of them may be picked.
        complete: whether the model ended by itself, rather than at a limit.
        lettered: whether the options were offered with letters.
    """
    answer_text = without_thinking(text)
    if answer_text is None:
        return Reading(Status.TRUNCATED)
    names = names_of(tuple(options), lettered=lettered)
    clean = _without_rejected(normalised(answer_text), names)
    mention = _corrected(clean, names, multiple=multiple) or _found(clean, names, multiple=multiple)
    if mention is None or not mention.named:
        return Reading(Status.NO_ANSWER if complete else Status.TRUNCATED)
    span = (mention.start, mention.end)
    if not complete and not clean[mention.end :].strip():
        return Reading(Status.TRUNCATED, span=span)
    if mention.named.unknown_letter:
        return Reading(Status.OUT_OF_RANGE, span=span)
    picked = tuple(sorted(set(mention.named.picked)))
    if mention.named.either or (len(picked) > 1 and not multiple):
        return Reading(Status.AMBIGUOUS, span=span)
    return Reading(Status.OK, picked, span)


def _without_rejected(text: str, names: Names) -> str:
    """The text with the phrases "not A but" replaced by blanks where an option follows."""
    pieces, position = [], 0
    for match in contrasts(text):
        if names.read_from(text, match.end()):
            pieces += [text[position : match.start()], " " * len(match.group())]
            position = match.end()
    return "".join([*pieces, text[position:]])


def _corrected(text: str, names: Names, *, multiple: bool) -> _Mention | None:
    """The options that are named after the last correction."""
    start = correction_end(text)
    if not start:
        return None
    mention = _found(" " * start + text[start:], names, multiple=multiple)
    return mention if mention and mention.named else None


def _found(text: str, names: Names, *, multiple: bool) -> _Mention | None:
    """The options that a text names, announced or not."""
    announced = _announced(text, names, multiple=multiple)
    if announced is None:
        return _unannounced(text, names, multiple=multiple)
    if announced.named:
        return announced
    # A heading without an answer is followed by one in a sentence, or by none.
    return _unannounced(" " * announced.start + text[announced.start :], names, multiple=multiple)


def _announced(text: str, names: Names, *, multiple: bool) -> _Mention | None:
    """The options that the last announcement names; None without an announcement."""
    last: _Mention | None = None
    for marker in markers(text):
        named = _value(text, marker.value, names)
        if not named and not marker.strict:
            continue
        mention = _Mention(named, marker.value, named.end)
        joined = last is not None and last.named and _joins(text, last.end, marker.start)
        if joined and multiple and last is not None:
            named.picked = [*last.named.picked, *named.picked]
            mention = _Mention(named, last.start, named.end)
        last = mention
    return last


def _value(text: str, position: int, names: Names) -> Named:
    """The options named at a position; lower-case letters count if nothing else is on the line."""
    named = names.read_from(text, position)
    if named:
        return named
    end = text.find("\n", position)
    line = text[position:] if end < 0 else text[position:end]
    whole = names.read_whole(line)
    if whole is None:
        return named
    whole.end += position
    return whole


def _joins(text: str, end: int, start: int) -> bool:
    """Whether only a comma or a word for "and" stands between two boxed answers."""
    gap = text[end:start]
    return text.startswith("\\boxed", start) and (
        re.fullmatch(r"[\s})\]$]*[,;&]?\s*(?:and|e|和|与)?\s*", gap) is not None
    )


def _unannounced(text: str, names: Names, *, multiple: bool) -> _Mention | None:
    """The options that a reply without an announcement names."""
    start = len(text) - len(text.lstrip())
    reply = text.strip()
    whole = names.read_whole(reply)
    if whole is not None:
        return _Mention(whole, start, start + whole.end)
    for find in (_ticked, _line_starts, _stated):
        if mention := find(text, names):
            return mention
    if numbers := names.in_numbers(text):
        return _Mention(numbers, start, start + len(reply))
    return _lines(text, names, multiple=multiple) or _last_named(text, names, multiple=multiple)


def _line_starts(text: str, names: Names) -> _Mention | None:
    """The option that the first line begins with, or the last; ambiguous if they are opposites."""
    lines, position = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            lines.append((line, position))
        position += len(line)
    mentions = []
    for line, start in lines[:: max(1, len(lines) - 1)]:
        named = names.read_from(line, 0)
        if named and (names.polar or _CLOSED.match(line, named.end)):
            mentions.append(_Mention(named, start, start + named.end))
    if not mentions:
        return None
    first, last = mentions[0], mentions[-1]
    if set(first.named.picked) != set(last.named.picked):
        first.named.either = True
    return first


def _stated(text: str, names: Names) -> _Mention | None:
    """The option that the last statement such as "The story is false" names."""
    last: _Mention | None = None
    for start in statements(text):
        if named := names.read_from(text, start):
            last = _Mention(named, start, named.end)
    return last


def _last_named(text: str, names: Names, *, multiple: bool) -> _Mention | None:
    """What the last sentence but one, or the last, names, unless it is unsure or names two."""
    for start, clause in last_clauses(text):
        found = sorted(names.within(clause), key=lambda named: named[1])
        if not found:
            continue
        picked = {index for index, _, _ in found}
        first, last = found[0][1], found[-1][2]
        if is_unsure(clause[:first]) or _OR.search(clause[:last]):
            return None
        if len(picked) > 1 and not multiple:
            return None
        if multiple and not names.letters_in(clause) <= picked:
            return None
        return _Mention(Named(sorted(picked), end=last), start + first, start + last)
    return None


def _ticked(text: str, names: Names) -> _Mention | None:
    """The options that a list says yes to, one line for each option."""
    marked = [match for line in text.splitlines() if (match := _TICKED.fullmatch(line.strip()))]
    letters = {match["letter"]: bool(match["yes"] or match["said"] == "yes") for match in marked}
    if not names.lettered or sorted(letters) != list(ascii_uppercase[: names.count]):
        return None
    picked = [ascii_uppercase.index(letter) for letter, ticked in letters.items() if ticked]
    return _Mention(Named(sorted(picked), end=len(text)), 0, len(text))


def _lines(text: str, names: Names, *, multiple: bool) -> _Mention | None:
    """The lines that are the whole text of an option, with or without its letter."""
    mentions: list[_Mention] = []
    position = others = 0
    for line in text.splitlines(keepends=True):
        named = names.read_whole(line)
        if named is not None and named.by_text:
            mentions.append(_Mention(named, position, position + len(line.rstrip())))
        elif line.strip():
            others += 1
        position += len(line)
    if not mentions:
        return None
    merged = Named(
        [index for mention in mentions for index in mention.named.picked],
        unknown_letter=any(mention.named.unknown_letter for mention in mentions),
        either=any(mention.named.either for mention in mentions),
    )
    if multiple and others and len(set(merged.picked)) > 1:
        merged.either = True
    return _Mention(merged, mentions[0].start, mentions[-1].end)
