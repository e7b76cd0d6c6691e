"""The question of each task layer about a story.

The three tasks of GITA4CALAMITA (Pensa et al., 2024, sections 2 and 3.5) with the names, texts,
options and order of options that its evaluation tasks use, so that prompts are equal to theirs
byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from core.benchmarks.gita import prompts
from core.benchmarks.gita.item import PAIRS, Story, StoryItem
from core.benchmarks.gita.switches import edited
from core.contract.prompt_parts import PromptPart, line_parts, placeholder_ranges
from core.contract.question import Question, Shot
from core.contract.setting import Choice, Setting
from core.contract.task_layer import TaskLayer
from core.text.language import N_

STORY = "story_class"
CONFLICT = "conflict_detec"
STATE = "physical_state"

LAYERS = (
    TaskLayer(STORY, N_("Plausible?"), N_("Is the story plausible?")),
    TaskLayer(
        CONFLICT, N_("Which sentences?"), N_("Which two sentences are in conflict?"), gated=True
    ),
    TaskLayer(
        STATE, N_("Which state?"), N_("Which physical state causes the conflict?"), gated=True
    ),
)

INSTRUCTIONS = Choice(
    "instructions",
    N_("Instructions"),
    (prompts.RELEASED, prompts.ITALIAN),
    (N_("as released"), N_("in Italian")),
)
"""Switches between the wordings of the questions."""

BREAKPOINT, CONFLICTING, OTHER = N_("breakpoint"), N_("conflict"), N_("other sentence")
"""The roles of sentences in a story."""
SHOT_TRAITS = ("pair", "state")
"""Tags in which varied worked examples differ: the conflicting sentences first, then the physical
states (paper, section 3.5)."""

_RELEASED_LENGTH = 5
"""Sentences of every released story."""


def story_setting(setting: Setting) -> Setting:
    """The part of a setting that changes the story and not the wording of the questions."""
    return Setting(tuple((k, v) for k, v in setting.changed if k != INSTRUCTIONS.key))


def question(
    item: StoryItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
) -> Question | None:
    """The question of a layer about the story under a setting; None where it has none.

    The second and third layer ask about implausible stories only: those released as such, and
    those that a person edited, which nobody has annotated and which have no gold answer.
    Raises `SettingError`.
    """
    result = edited(item, story_setting(setting))
    if layer != STORY and result.known and result.story.plausible:
        return None
    return _ask(item.id, result.story, setting, layer, shots, known=result.known)


def logged_question(item: StoryItem, layer: str) -> Question | None:
    """The question of an evaluation task on a story from its log.

    Unlike `question` it also asks the later layers of plausible stories: one of the two released
    sets of tasks asks the second layer of a plausible story with an annotated conflict.
    """
    return _ask(item.id, item.story, Setting(), layer, (), known=True)


def _ask(
    item: str, story: Story, setting: Setting, layer: str, shots: Sequence[Shot], *, known: bool
) -> Question | None:
    wording = prompts.wordings()[setting.value(INSTRUCTIONS)][layer]
    options = wording.options
    if layer == CONFLICT:
        options = tuple(_pair(i, j) for i, j in pairs(len(story.sentences)))
        if not options:
            return None
    answer = _answer(story, layer) if known else ""
    template, parts = wording.template, {"story": wording.story(story.sentences)}
    return Question(
        item=item,
        layer=layer,
        instruction=wording.instruction,
        text=template.fill(parts),
        template=template,
        parts=parts,
        options=options,
        gold=options.index(answer) if answer in options else None,
        setting=setting,
        shots=tuple(shots),
        tags=_tags(story, known=known),
    )


def prompt_parts(item: StoryItem, setting: Setting, question: Question) -> list[PromptPart]:
    """The sentences: of an annotated implausible story the breakpoint and the conflict, others."""
    story = edited(item, story_setting(setting)).story
    roles = {} if story.plausible else {story.conflict: CONFLICTING, story.breakpoint: BREAKPOINT}
    lines = [
        (sentence.strip(), roles.get(index, OTHER), index not in roles)
        for index, sentence in enumerate(story.sentences)
    ]
    return [
        part
        for name, start, stop in placeholder_ranges(question)
        if name == "story"
        for part in line_parts(question, start, stop, lines)
    ]


def pairs(sentences: int) -> tuple[tuple[int, int], ...]:
    """The pairs of sentences to choose from: the released ten for a story of five sentences.

    A story of another length, which the release does not have, gets all pairs in reading order,
    the earlier sentence first.
    """
    return PAIRS if sentences == _RELEASED_LENGTH else tuple(combinations(range(sentences), 2))


def _pair(conflict: int, breakpoint_: int) -> str:
    return f"{conflict} and {breakpoint_}"


def _annotated_pair(story: Story) -> str:
    # The released `confl_pairs` is not used: it is empty for half of the implausible stories.
    if story.conflict is None or story.breakpoint is None:
        return ""
    return _pair(story.conflict, story.breakpoint)


def _answer(story: Story, layer: str) -> str:
    if layer == STORY:
        return str(story.plausible).lower()
    return _annotated_pair(story) if layer == CONFLICT else story.state


def _tags(story: Story, *, known: bool) -> dict[str, str]:
    """Tags that summaries group by; those of the annotation are empty where there is none."""
    return {
        "key": story.key,
        "example_id": story.example_id,
        "story_id": str(story.story_id),
        "type": story.type or "",
        "plausible": str(story.plausible).lower() if known else "",
        "pair": _annotated_pair(story) if known else "",
        "state": story.state if known else "",
    }
