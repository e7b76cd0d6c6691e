"""What each layer asks: whether a concept holds, and which concept a model names itself."""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.abspyramid.item import AbsItem, tail
from core.benchmarks.abspyramid.prompts import filled, prompts
from core.benchmarks.abspyramid.pyramids import Concept
from core.benchmarks.abspyramid.switches import Situation, situation
from core.benchmarks.abspyramid.task_layers import GENERATION, MOST_RUNGS, RUNG
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting

YES, NO = 0, 1
OPTIONS = ("Yes", "No")
_THINKING_TOKENS = 512
_NAMING_TOKENS = 24
"""Concepts are a few words; the authors' score only the first line."""


def question(
    item: AbsItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
) -> Question | None:
    """What a layer asks; None where there is no such concept. Raises `SettingError`."""
    # Most layers ask nothing of most items, and in a run that must not cost a reading each.
    if not setting and _number(layer) > _most(item, layer):
        return None
    now = situation(item, setting)
    if layer == GENERATION:
        return _generation(now, setting, shots)
    number = _number(layer)
    if layer.startswith(RUNG):
        if number > min(len(now.steps), MOST_RUNGS):
            return None
        rung, concept = now.steps[number - 1]
        return _detection(now, layer, concept, rung, setting, shots)
    if number > min(len(now.pyramid.false), MOST_RUNGS):
        return None
    return _detection(now, layer, now.pyramid.false[number - 1], 0, setting, shots)


def _number(layer: str) -> int:
    return 1 if layer == GENERATION else int(layer.rpartition("-")[2])


def _most(item: AbsItem, layer: str) -> int:
    if layer == GENERATION:
        return item.most.references
    return item.most.held if layer.startswith(RUNG) else item.most.false


def _detection(
    now: Situation,
    layer: str,
    concept: Concept,
    rung: int,
    setting: Setting,
    shots: Sequence[Shot],
) -> Question:
    wording, pyramid = now.prompt.of(now.pyramid.relation), now.pyramid
    thinks = now.prompt.thinks
    return Question(
        item=now.item.id,
        layer=layer,
        # Without worked examples it is one paragraph, as printed.
        instruction=f"{wording.instruction}\n\n" if shots else f"{wording.instruction} ",
        text=filled(
            wording.question,
            head=pyramid.head,
            tail=tail(pyramid, concept.text),
            instance=pyramid.instance,
            concept=concept.text,
        ),
        options=OPTIONS,
        gold=None if concept.label is None else YES if concept.label else NO,
        setting=setting,
        shots=tuple(shots),
        scoring=Scoring.GENERATED if thinks else Scoring.LOGLIKELIHOOD,
        answer_limit=_THINKING_TOKENS,
        about=concept.text,
        tags={**_tags(now), "rung": str(rung) if rung else ""},
    )


def _generation(now: Situation, setting: Setting, shots: Sequence[Shot]) -> Question | None:
    # The references are of the item's own instance in its own head event.
    if not now.item.references or now.pyramid is not now.item.pyramid:
        return None
    pyramid = now.pyramid
    wording = prompts().generation[pyramid.relation]
    return Question(
        item=now.item.id,
        layer=GENERATION,
        instruction="",
        text=filled(wording, head=pyramid.head, tail="", instance=pyramid.instance, concept=""),
        options=now.item.references,
        gold=None,
        setting=setting,
        shots=tuple(shots),
        scoring=Scoring.GENERATED,
        answer_limit=_NAMING_TOKENS,
        stop=("\n",),
        open=True,
        tags=_tags(now),
    )


def _tags(now: Situation) -> dict[str, str]:
    """Facts by which figures are grouped."""
    return {"relation": now.pyramid.relation.value, "head": now.pyramid.head}
