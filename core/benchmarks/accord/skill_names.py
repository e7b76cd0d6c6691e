"""What a person reads of skills and sizes."""

from __future__ import annotations

from core.text.language import ngettext


def skill_name(skill: str) -> str:
    """A skill's name as a person reads it."""
    return skill.replace("_", " ")


def counted(number: int, thing: str) -> str:
    """`1 hop`, `2 hops`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def hops_said(hops: int) -> str:
    """`1 hop`, `2 hops`."""
    return ngettext("{hops} hop", "{hops} hops", hops, hops=hops)


def distractors_said(distractors: int) -> str:
    """`1 distractor`, `2 distractors`."""
    return ngettext(
        "{distractors} distractor",
        "{distractors} distractors",
        distractors,
        distractors=distractors,
    )


def size_in_words(hops: int, distractors: int) -> str:
    """`2 hops, 1 distractor`."""
    return f"{hops_said(hops)}, {distractors_said(distractors)}"
