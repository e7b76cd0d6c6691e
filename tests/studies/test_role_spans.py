"""Prompts are cut where roles begin and end, and paired part by part."""

from __future__ import annotations

from core.contract.prompt_parts import PromptPart
from core.contract.question import Question
from core.models.blocks import PromptToken
from core.studies.role_spans import SEVERAL, PairedRole, RoleSpan, paired_roles, role_spans


def tokens_of(text: str) -> list[PromptToken]:
    """A token for every word, with the blank before it."""
    words = text.split(" ")
    pieces = [words[0], *(f" {word}" for word in words[1:])]
    return [PromptToken(piece.encode(), piece) for piece in pieces]


def spans_of(text: str, *parts: tuple[str, str, bool]) -> list[RoleSpan]:
    """The spans of a question after an instruction; parts are texts with role and ordinary."""
    question = Question("1", "l", "Read this. ", text, ("yes", "no"), 0)
    made, at = [], 0
    for words, role, ordinary in parts:
        start = text.index(words, at)
        at = start + len(words)
        made.append(PromptPart(start, at, role, ordinary))
    return role_spans(tokens_of(f"Read this. {text}"), question, made)


def test_text_between_parts_has_a_role_of_its_own() -> None:
    spans = spans_of(
        "Of all: the cup , is wet ?", ("the cup", "thing", False), ("wet", "state", False)
    )
    assert [(each.role, each.span.tokens) for each in spans] == [
        ("instruction", (0, 2)),
        ("instruction", (2, 4)),
        ("thing", (4, 6)),
        ("wording", (6, 8)),
        ("state", (8, 10)),
    ]


def test_an_ordinary_part_has_the_role_of_its_counterpart() -> None:
    here = spans_of("A b . C d . So ?", ("A b .", "other", True), ("C d .", "other", True))
    there = spans_of("A b . E f . So ?", ("A b .", "other", True), ("E f .", "breakpoint", False))
    assert paired_roles(here, there) == (
        PairedRole("instruction", 0, 2),
        PairedRole("other", 2, 5),
        PairedRole("breakpoint", 5, 8),
        PairedRole("question", 8, 10),
    )


def test_parts_that_can_only_be_compared_together_are_one() -> None:
    cause, effect = ("A b .", "cause", False), ("C .", "effect", False)
    here = spans_of("A b . C . So ?", cause, effect)
    there = spans_of("A . C b . So ?", ("A .", "cause", False), ("C b .", "effect", False))
    paired = paired_roles(here, there)
    assert paired is not None
    assert PairedRole("cause + effect", 2, 7) in paired
    last, longer = ("D e f .", "end", False), ("D e .", "end", False)
    here = spans_of("A b . C . D e . So ?", cause, effect, longer)
    there = spans_of("A . C . D e f . So ?", ("A .", "cause", False), effect, last)
    paired = paired_roles(here, there)
    assert paired is not None
    assert PairedRole(SEVERAL, 2, 10) in paired


def test_prompts_of_other_lengths_are_no_pair() -> None:
    here = spans_of("A b . So ?", ("A b .", "cause", False))
    there = spans_of("A b c . So ?", ("A b c .", "cause", False))
    assert paired_roles(here, there) is None
