"""The word lists in `words/`; see there for where they are from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "words"


def _lines(name: str) -> list[str]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _half(name: str, part: str) -> list[str]:
    """The `nouns` or `verbs` of a file that has both, with the line "verbs" between them."""
    lines = _lines(name)
    middle = lines.index("verbs")
    return lines[:middle] if part == "nouns" else lines[middle + 1 :]


@cache
def terms() -> tuple[str, ...]:
    """Words and phrases that ACCORD's statements can be about."""
    return tuple(_lines("terms.txt"))


@cache
def common() -> tuple[str, ...]:
    """Common nouns."""
    return tuple(_lines("common.txt"))


@cache
def small() -> tuple[str, ...]:
    """Small words of any English text."""
    return tuple(_lines("small.txt"))


@cache
def people() -> tuple[str, ...]:
    """Names of people."""
    return tuple(_lines("people.txt"))


@cache
def strange() -> tuple[str, ...]:
    """Words of the bundled samples that training knows nothing about."""
    return tuple(_lines("samples.txt"))


@cache
def absurd() -> tuple[str, ...]:
    """Events that no everyday event leads to, with {P} for a person."""
    return tuple(_lines("absurd.txt"))


@cache
def other_names(part: str) -> dict[str, tuple[str, ...]]:
    """By concept of `nouns` or `verbs`: other names of it."""
    rows = (line.split(" | ") for line in _half("other_names.txt", part))
    return {concept: tuple(names.split(", ")) for concept, names in rows}


@cache
def everyday(part: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Our own `nouns` or `verbs`, each with the concepts of one of its meanings, nearest first."""
    found = []
    for line in _half("everyday.txt", part):
        words, concepts = (names.split(", ") for names in line.split(" | "))
        found += [(word, tuple(concepts)) for word in words]
    return tuple(found)


@cache
def kinds(name: str) -> dict[str, tuple[str, ...]]:
    """By word of `nouns` or `verbs`: what it is a kind of, nearest first."""
    rows = (line.split("\t") for line in _lines(f"{name}.tsv"))
    return {word: tuple(above) for word, *above in rows}
