"""Adds vectors to the residual stream at the answer position, one at a time."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.question import OptionScore, Prompt
from core.models.blocks import Action, Edit, Part
from core.studies.ranking import Floats
from core.studies.subject import Subject

Scores = Sequence[OptionScore]
_MOST_NUMBERS = 200_000
"""Most numbers of the vectors of one request."""


def added(block: int, vector: Floats) -> Edit:
    """A vector (width,) added at the answer position, wherever a prompt has it."""
    return Edit(Action.ADD, Part.RESIDUAL, block, -1, 0, vector=tuple(vector.tolist()))


async def scored_with_each(
    subject: Subject, prompt: Prompt, options: Sequence[str], edits: Sequence[Edit]
) -> tuple[Scores, list[Scores]]:
    """The options' scores without edits, and with each edit alone; raises `ModelError`."""
    at_once = max(1, _MOST_NUMBERS // subject.access.width)
    plain: Scores = ()
    patched: list[Scores] = []
    for start in range(0, len(edits), at_once):
        scored = await subject.blocks.patch_each(prompt, options, edits[start : start + at_once])
        plain = scored.plain
        patched += scored.patched
    return plain, patched
