"""Numbers with their nouns: “1 item”, “2 items”."""

from __future__ import annotations

from core.text.language import ngettext


def counted(number: int, noun: str) -> str:
    """A number with an English noun that takes an s in the plural."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def items_in_words(number: int) -> str:
    """“1 item”, “2 items”, in the chosen language."""
    return ngettext("{number:,} item", "{number:,} items", number, number=number)


def clusters_in_words(number: int) -> str:
    """“1 cluster”, “2 clusters”, in the chosen language."""
    return ngettext("{number:,} cluster", "{number:,} clusters", number, number=number)


def questions_in_words(number: int) -> str:
    """“1 question”, “2 questions”, in the chosen language."""
    return ngettext("{number:,} question", "{number:,} questions", number, number=number)


def chosen_in_words(number: int) -> str:
    """“1 chosen item”, “2 chosen items”, in the chosen language."""
    return ngettext("{n:,} chosen item", "{n:,} chosen items", number, n=number)
