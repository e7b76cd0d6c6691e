"""The parts of a question's text, with the roles that they have in the structure of the item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.contract.question import Question
from core.files.prompt_files import PLACEHOLDER
from core.text.language import N_

INSTRUCTION = N_("instruction")
"""The role of all that stands before the first part: instruction, worked examples, a lead-in."""
WORDING = N_("wording")
"""The role of text between two parts."""
QUESTION = N_("question")
"""The role of text after the last part."""
BRACKETS = "[]"
"""What ACCORD's prompts have around terms."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A range of a question's text and its role."""

    start: int
    """Index of its first character."""
    stop: int
    role: str
    """Its role in the structure of the item, in English: "breakpoint", "hop 2", "concept"."""
    ordinary: bool = False
    """Whether the role only says that it has none: any other sentence of a story. The part at the
    same tokens of a contrast prompt may have one."""


def placeholder_ranges(question: Question) -> Iterator[tuple[str, int, int]]:
    """The texts that fill the placeholders of a question's wording: name, start and stop of each.

    Nothing where the wording is not known.
    """
    template = question.template
    if template is None or template.fill(question.parts) != question.text:
        return
    offset = 0
    for match in PLACEHOLDER.finditer(template.text):
        value = question.parts.get(match[1])
        if value is None:
            continue
        start = match.start() + offset
        yield match[1], start, start + len(value)
        offset += len(value) - len(match[0])


def placeholder_parts(question: Question) -> list[PromptPart]:
    """The parts that the placeholders of the wording make, with their names as roles."""
    return [
        PromptPart(start, stop, name.replace("_", " "))
        for name, start, stop in placeholder_ranges(question)
        if question.text[start:stop].strip()
    ]


def line_parts(
    question: Question, start: int, stop: int, lines: list[tuple[str, str, bool]]
) -> Iterator[PromptPart]:
    """The parts of a range that holds some texts in order, each with its role.

    Each part reaches from the end of the one before to the end of its text. A text that is not
    found is left out.

    Args:
        question: the question.
        start: where the range begins.
        stop: where it ends.
        lines: for each text its role, and whether that is an ordinary one.
    """
    for text, role, ordinary in lines:
        at = question.text.find(text, start, stop) if text else -1
        if at < 0:
            continue
        end = at + len(text)
        yield PromptPart(start, end, role, ordinary)
        start = end


def without_brackets(text: str) -> str:
    """The text without the brackets around terms."""
    return "".join(character for character in text if character not in BRACKETS)
