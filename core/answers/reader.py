"""Reads the answer out of a model's reply.

The rules, each of them against a way of being wrong by luck:

* Thinking between tags does not count; thinking that never ends is a reply that was cut.
* The last announced answer counts, because models change their minds aloud.
* A letter counts only if it was offered and only where it can be nothing but a letter; an
  option's text only as a whole, and only if no other option has the same. No part of a word ever.
* Without an announcement the whole reply must be the answer, or one line of it be an option's
  text; to a yes-no question, the first word of the first line.
* Two options where one was asked for are ambiguous, not the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.cleaner import normalised, without_thinking
from core.answers.markers import markers
from core.answers.mentions import Named, Names, names_of
from core.contract.question import Status


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says."""

    status: Status
    picked: tuple[int, ...] = ()
    """Indices of the options, ascending; empty unless the status is OK."""
    span: tuple[int, int] | None = None
    """Where the answer stands in the reply."""


@dataclass(frozen=True, slots=True)
class _Found:
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
    spoken = without_thinking(text)
    if spoken is None:
        return Reading(Status.TRUNCATED)
    level = normalised(spoken)
    names = names_of(tuple(options), lettered=lettered)
    found = _announced(level, names, multiple=multiple)
    if found is None:
        found = _unannounced(level, names, multiple=multiple)
    if found is None or not found.named:
        return Reading(Status.NO_ANSWER if complete else Status.TRUNCATED)
    span = (found.start, found.end)
    if not complete and not level[found.end :].strip():
        return Reading(Status.TRUNCATED, span=span)
    if found.named.stranger:
        return Reading(Status.OUT_OF_RANGE, span=span)
    picked = tuple(sorted(set(found.named.picked)))
    if found.named.either or (len(picked) > 1 and not multiple):
        return Reading(Status.AMBIGUOUS, span=span)
    return Reading(Status.OK, picked, span)


def _announced(text: str, names: Names, *, multiple: bool) -> _Found | None:
    """What the last marker announces that announces anything; None without such a marker."""
    last: _Found | None = None
    for marker in markers(text):
        named = _value(text, marker.value, names)
        if not named and not marker.strict:
            continue
        found = _Found(named, marker.value, named.end)
        joined = last is not None and last.named and _joins(text, last.end, marker.start)
        if joined and multiple and last is not None:
            named.picked = [*last.named.picked, *named.picked]
            found = _Found(named, last.start, named.end)
        last = found
    return last


def _value(text: str, place: int, names: Names) -> Named:
    """What stands at a place; small letters count where they are all that the line says."""
    named = names.at(text, place)
    if named:
        return named
    end = text.find("\n", place)
    line = text[place:] if end < 0 else text[place:end]
    whole = names.whole(line)
    if whole is None:
        return named
    whole.end += place
    return whole


def _joins(text: str, end: int, start: int) -> bool:
    """Whether nothing but a comma or the like stands between two boxes."""
    gap = text[end:start]
    return text.startswith("\\boxed", start) and (
        re.fullmatch(r"[\s})\]$]*[,;&]?\s*(?:and|e|和|与)?\s*", gap) is not None
    )


def _unannounced(text: str, names: Names, *, multiple: bool) -> _Found | None:
    start = len(text) - len(text.lstrip())
    reply = text.strip()
    whole = names.whole(reply)
    if whole is not None:
        return _Found(whole, start, start + whole.end)
    if names.polar:
        return _polar(text, names)
    return _lines(text, names, multiple=multiple)


def _polar(text: str, names: Names) -> _Found | None:
    """The first word, yes or no; the last line must not begin with the opposite."""
    found: list[_Found] = []
    place = 0
    for line in text.splitlines(keepends=True):
        named = names.at(line, 0)
        if named and (found or not text[:place].strip()):
            found.append(_Found(named, place, place + named.end))
        place += len(line)
    if not found:
        return None
    first, last = found[0], found[-1]
    if set(first.named.picked) != set(last.named.picked):
        first.named.either = True
    return first


def _lines(text: str, names: Names, *, multiple: bool) -> _Found | None:
    """The lines that are an option's whole text, with its letter or without."""
    found: list[_Found] = []
    place = others = 0
    for line in text.splitlines(keepends=True):
        named = names.whole(line)
        if named is not None and named.by_text:
            found.append(_Found(named, place, place + len(line.rstrip())))
        elif line.strip():
            others += 1
        place += len(line)
    if not found:
        return None
    merged = Named(
        [index for one in found for index in one.named.picked],
        stranger=any(one.named.stranger for one in found),
        either=any(one.named.either for one in found),
    )
    if multiple and others and len(set(merged.picked)) > 1:
        merged.either = True
    return _Found(merged, found[0].start, found[-1].end)
