"""The options and answers of released Com² questions, in whatever form they were written.

Options are one text ("A) ...", an option a line), a list of texts, or an object by letter. An
answer names a letter ("C) ...", "A, C, E."), or repeats an option's text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from core.benchmarks.com2.item import MOST_OPTIONS
from core.benchmarks.com2.scenarios import comparable
from core.text.errors import DataError
from core.text.language import N_, _

_AT_LINE = re.compile(r"^[ \t]*\(?([A-Z])[).:][ \t]*", re.MULTILINE)
_ANYWHERE = re.compile(r"(?:^|\s|\\n)\(?([A-Z])[).:]\s+")
_MARKED = re.compile(r"\s*\(?([A-Z])[).:]\s*")
_LETTERS = re.compile(
    r"\s*\(?[A-Z][).]*(?:(?:\s*[,;&/]\s*(?:and\s+)?|\s+and\s+|\s+)\(?[A-Z][).]*)*\s*"
)
_EXPECTED = N_("Write a list of 2 to 26 texts, or one text with a line for each: A) ...")


@dataclass(frozen=True, slots=True)
class Offered:
    """The options of a question."""

    texts: tuple[str, ...]
    letters: tuple[str, ...]
    """The letter of each; other than A, B, C and so on only by mistake."""


def options_of(given: Any, where: str, repairs: list[str]) -> Offered:
    """Read the options; repaired letters go to `repairs`.

    Raises `DataError`.
    """
    if isinstance(given, str):
        letters, texts = _split(given)
        if not letters:
            repairs.append("its options have no letters, and a line is an option")
    elif isinstance(given, Mapping):
        letters = [str(key).strip().rstrip(").:") for key in given]
        texts = [text.strip() if isinstance(text, str) else "" for text in given.values()]
    elif isinstance(given, list):
        marks = [_MARKED.match(text) if isinstance(text, str) else None for text in given]
        letters = [mark[1] for mark in marks if mark]
        whole = [text if isinstance(text, str) else "" for text in given]
        texts = [text.strip() for text in whole]
        if letters == list(ascii_uppercase[: len(given)]):
            texts = [_MARKED.sub("", text, count=1).strip() for text in whole]
        letters = list(ascii_uppercase[: len(given)])
    else:
        raise DataError(_("“options” are missing or no options."), where=where, hint=_(_EXPECTED))
    if not 2 <= len(texts) <= MOST_OPTIONS:
        raise DataError(
            _("“options” hold {texts} options.", texts=len(texts)), where=where, hint=_(_EXPECTED)
        )
    if not all(texts):
        raise DataError(_("An option is empty or no text."), where=where, hint=_(_EXPECTED))
    usual = list(ascii_uppercase[: len(texts)])
    if letters and letters != usual:
        called = ", ".join(letter[:20] for letter in letters)
        repairs.append(f"its options were called {called}; they are {usual[0]} to {usual[-1]} here")
    return Offered(tuple(texts), tuple(letters or usual))


def _split(text: str) -> tuple[list[str], list[str]]:
    """The letters and texts of options in one text; no letters where a line is an option."""
    marks = list(_AT_LINE.finditer(text))
    if len(marks) < 2:
        marks = _ascending(text)
    if len(marks) < 2:
        return [], [line.strip() for line in text.splitlines() if line.strip()]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    parts = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    return [mark[1] for mark in marks], [part.removesuffix("\\n").strip() for part in parts]


def _ascending(text: str) -> list[re.Match[str]]:
    """The marks A, B, C in a text without lines, each the first after the one before."""
    marks: list[re.Match[str]] = []
    for mark in _ANYWHERE.finditer(text):
        if len(marks) < MOST_OPTIONS and mark[1] == ascii_uppercase[len(marks)]:
            marks.append(mark)
    return marks


def answer_of(
    given: Any, offered: Offered, where: str, repairs: list[str], *, multiple: bool
) -> frozenset[int] | None:
    """The indices of the right options; None where no answer is stated.

    A letter counts before the text behind it. Raises `DataError` for an answer that names no
    option, or several where `multiple` is False.
    """
    parts = given if isinstance(given, list) else [given]
    parts = [part for part in parts if part is not None and part != ""]
    if not parts:
        repairs.append("it states no answer")
        return None
    right: set[int] = set()
    for part in parts:
        if not isinstance(part, str):
            raise DataError(_("“answer” is no text."), where=where, hint=_("Write it as C) ..."))
        right |= _named(part, offered, where, repairs, multiple=multiple)
    if len(right) > 1 and not multiple:
        raise DataError(
            _("“answer” names several options, and only one may be right."), where=where
        )
    return frozenset(right)


def _named(
    part: str, offered: Offered, where: str, repairs: list[str], *, multiple: bool
) -> set[int]:
    same = [i for i, text in enumerate(offered.texts) if comparable(text) == comparable(part)]
    if len(same) == 1:
        return set(same)
    if _LETTERS.fullmatch(part):
        return {_index(letter, offered, where) for letter in re.findall(r"[A-Z]", part)}
    marked = _MARKED.match(part)
    if marked is None:
        raise DataError(
            _("“answer” names no option: “{part}”.", part=part.strip()[:60]),
            where=where,
            hint=_("Write letters, such as B, or A, C for a decision."),
        )
    if not multiple:
        index = _index(marked[1], offered, where)
        answer_text = part[marked.end() :]
        if comparable(answer_text) and comparable(answer_text) != comparable(offered.texts[index]):
            repairs.append(
                f"its answer's text is not that of option {marked[1]}; the letter counts"
            )
        return {index}
    return _several(part, offered, where)


def _several(part: str, offered: Offered, where: str) -> set[int]:
    """The options of "A) ..., C) ...": marks inside an option's own text do not count."""
    right: set[int] = set()
    at = 0
    while mark := _ANYWHERE.search(part, at):
        index = _index(mark[1], offered, where)
        right.add(index)
        at = mark.end()
        own = offered.texts[index].rstrip(". ")
        if part.startswith(own, at):
            at += len(own)
    if not right:
        mark = _MARKED.match(part)
        right = {_index(mark[1], offered, where)} if mark else right
    return right


def _index(letter: str, offered: Offered, where: str) -> int:
    positions = [i for i, known in enumerate(offered.letters) if known == letter]
    if len(positions) != 1:
        what = _("“answer” names {letter}, and no option is called so.", letter=letter)
        if positions:
            what = _("“answer” names {letter}, and several options are called so.", letter=letter)
        raise DataError(what, where=where)
    return positions[0]
