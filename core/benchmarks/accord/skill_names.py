"""Readable names of skills and sizes."""

from __future__ import annotations

from core.text.language import _, ngettext


def skill_name(skill: str) -> str:
    """The readable name of a skill."""
    return skill.replace("_", " ")


def hops_in_words(hops: int) -> str:
    """`1 hop`, `2 hops`."""
    return ngettext("{hops} hop", "{hops} hops", hops, hops=hops)


def distractors_in_words(distractors: int) -> str:
    """`1 distractor`, `2 distractors`."""
    return ngettext(
        "{distractors} distractor",
        "{distractors} distractors",
        distractors,
        distractors=distractors,
    )


def cell_in_short(hops: int, distractors: int, *, factual: bool) -> str:
    """`2 hops 1 distr. anti`, in 20 cells: what tells the items of a pairing apart."""
    return ngettext(
        "{hops} hop {distractors} distr. {variant}",
        "{hops} hops {distractors} distr. {variant}",
        hops,
        hops=hops,
        distractors=distractors,
        variant=_("fact") if factual else _("anti"),
    )


def size_in_words(hops: int, distractors: int) -> str:
    """`2 hops, 1 distractor`."""
    return f"{hops_in_words(hops)}, {distractors_in_words(distractors)}"
