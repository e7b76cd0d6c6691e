"""The zero-shot prompts of GITA's three layers, byte for byte as the published runs used them.

Base form: the instruction minus one newline, then the text of the story; what is scored is a space
and the choice. The wording is the program's own copy of the released prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.benchmarks.gita.prompts import RELEASED, wordings
from tools.train_demo_model.stories import Story

Layer = Literal["story_class", "conflict_detec", "physical_state"]
LAYERS: tuple[Layer, ...] = ("story_class", "conflict_detec", "physical_state")

_WORDINGS = wordings()[RELEASED]

CHOICES: dict[Layer, tuple[str, ...]] = {layer: _WORDINGS[layer].options for layer in LAYERS}


def prefix(layer: Layer) -> str:
    """The part of the prompt that is the same for every story."""
    wording = _WORDINGS[layer]
    return wording.instruction[:-1] + wording.opening


def body_parts(layer: Layer, sentences: Sequence[str]) -> list[str]:
    """The rest of the prompt: one part per sentence, ending with that sentence's own text.

    The part after the last sentence is the fixed question. Joining them gives the whole body.
    """
    wording = _WORDINGS[layer]
    before, _, after = wording.sentence.partition("{sentence}")
    parts = [
        f"{after if number else ''}{before.replace('{number}', str(number))}{text}"
        for number, text in enumerate(sentences)
    ]
    return [*parts, (after if sentences else "") + wording.closing]


def prompt(layer: Layer, sentences: Sequence[str]) -> str:
    """The whole zero-shot prompt; the scored continuation is `" " + choice`."""
    return prefix(layer) + "".join(body_parts(layer, sentences))


def target(layer: Layer, story: Story) -> str:
    """The gold choice; ValueError for layers 2 and 3 of a plausible story."""
    if layer == "story_class":
        return "true" if story.plausible else "false"
    if story.pair is None or story.state is None:
        raise ValueError("a plausible story has no conflict")
    return f"{story.pair[0]} and {story.pair[1]}" if layer == "conflict_detec" else story.state
