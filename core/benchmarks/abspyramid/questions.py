"""The questions of the task layers: whether a concept is valid, and which one a model names."""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.abspyramid.item import AbsItem
from core.benchmarks.abspyramid.prompts import prompts
from core.benchmarks.abspyramid.pyramids import Concept
from core.benchmarks.abspyramid.switches import Situation, apply_setting
from core.benchmarks.abspyramid.task_layers import CONCEPT, GENERATION, MOST_CONCEPTS
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting

YES, NO = 0, 1
OPTIONS = ("Yes", "No")
_THINKING_TOKENS = 512
_NAMING_TOKENS = 24
"""Concepts are a few words; the authors' code scores only the first line."""


def question(
    item: AbsItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
) -> Question | None:
    """The question of a layer; None if the item has no such concept. Raises `SettingError`."""
    # Most layers have no question for most items; skip those without reading the item.
    if not setting and _number(layer) > _most(item, layer):
        return None
    situation = apply_setting(item, setting)
    if layer == GENERATION:
        return _generation(situation, setting, shots)
    number = _number(layer)
    if layer.startswith(CONCEPT):
        if number > min(len(situation.steps), MOST_CONCEPTS):
            return None
        level, concept = situation.steps[number - 1]
        return _detection(situation, layer, concept, level, setting, shots)
    if number > min(len(situation.pyramid.false), MOST_CONCEPTS):
        return None
    return _detection(situation, layer, situation.pyramid.false[number - 1], 0, setting, shots)


def _number(layer: str) -> int:
    return 1 if layer == GENERATION else int(layer.rpartition("-")[2])


def _most(item: AbsItem, layer: str) -> int:
    if layer == GENERATION:
        return item.counts.references
    return item.counts.held if layer.startswith(CONCEPT) else item.counts.false


def _detection(
    situation: Situation,
    layer: str,
    concept: Concept,
    level: int,
    setting: Setting,
    shots: Sequence[Shot],
) -> Question:
    wording, pyramid = situation.prompt.of(situation.pyramid.relation), situation.pyramid
    thinks = situation.prompt.thinks
    # Without worked examples it is one paragraph, as in the paper.
    template = PromptTemplate(f"{wording.instruction} ", wording.question)
    parts = {
        "head": pyramid.head,
        "tail": pyramid.tail(concept.text),
        "instance": pyramid.instance,
        "concept": concept.text,
    }
    return Question(
        item=situation.item.id,
        layer=layer,
        instruction=f"{wording.instruction}\n\n" if shots else template.instruction,
        text=template.fill(parts),
        template=template,
        parts=parts,
        options=OPTIONS,
        gold=None if concept.label is None else YES if concept.label else NO,
        setting=setting,
        shots=tuple(shots),
        scoring=Scoring.GENERATED if thinks else Scoring.LOGLIKELIHOOD,
        answer_limit=_THINKING_TOKENS,
        about=concept.text,
        tags={**_tags(situation), "rung": str(level) if level else ""},
    )


def _generation(situation: Situation, setting: Setting, shots: Sequence[Shot]) -> Question | None:
    # There are references only for the item's own instance and head event.
    if not situation.item.references or situation.pyramid is not situation.item.pyramid:
        return None
    pyramid = situation.pyramid
    template = PromptTemplate("", prompts().generation[pyramid.relation])
    parts = {"head": pyramid.head, "instance": pyramid.instance}
    return Question(
        item=situation.item.id,
        layer=GENERATION,
        instruction="",
        text=template.fill(parts),
        template=template,
        parts=parts,
        options=situation.item.references,
        gold=None,
        setting=setting,
        shots=tuple(shots),
        scoring=Scoring.GENERATED,
        answer_limit=_NAMING_TOKENS,
        stop=("\n",),
        open=True,
        tags=_tags(situation),
    )


def _tags(situation: Situation) -> dict[str, str]:
    """Tags by which figures are grouped."""
    return {"relation": situation.pyramid.relation.value, "head": situation.pyramid.head}
