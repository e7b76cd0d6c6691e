"""What each layer asks: the bare question, each hop of the path, the whole tree, its twin."""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.surface import Asked, asked, bare
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.rungs import Unsound, rung
from core.benchmarks.accord.scoring import ANTI_FACTUAL, FACTUAL
from core.benchmarks.accord.switches import Reply, Situation, named, situation
from core.benchmarks.accord.task_layers import ANSWER, BARE, HOP, TWIN
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting

_ANSWER_TOKENS = 500
"""What the NAACL 2025 version lets models write (appendix H)."""


def question(
    item: AccordItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
) -> Question | None:
    """What a layer asks; None where it has nothing to ask. Raises `SettingError`.

    An item of a suite is asked as it was generated, without rungs; a bare question without any
    tree.
    """
    now = situation(item, setting)
    if layer == BARE:
        if item.fixed is not None:
            return None
        made = bare(item.question, json=now.reply is Reply.JSON)
        return _question(now, layer, made, setting, shots, {"variant": "bare"})
    instance = _instance(now, layer)
    if not isinstance(instance, Instance):
        return None
    made = asked(instance, item.grounds.skills, now.style, json=now.reply is Reply.JSON)
    return _question(now, layer, made, setting, shots, _tags(now, instance))


def skip_reason(item: AccordItem, setting: Setting, layer: str) -> str:
    """Why a layer has nothing to ask, where that does not go without saying."""
    now = situation(item, setting)
    if layer in {BARE, TWIN} or item.fixed is not None:
        return ""
    if now.structure is not None and now.instance is None:
        return "The tree could not be grounded; see the item." if layer == ANSWER else ""
    instance = _instance(now, layer)
    return instance.reason if isinstance(instance, Unsound) else ""


def _instance(now: Situation, layer: str) -> Instance | Unsound | None:
    """What a layer states, if it states anything."""
    whole = now.instance
    if whole is None:
        return None
    if layer == ANSWER:
        return whole
    if now.item.fixed is not None:
        return None
    if layer == TWIN:
        return None if now.factual else whole.implying(now.question.answer)
    hops = int(layer.removeprefix(HOP))
    # Without distractors the last rung would be the whole tree.
    last = whole.structure.hops - (whole.structure.distractors == 0)
    return rung(whole, hops, now.item.grounds) if hops <= last else None


def _question(
    now: Situation,
    layer: str,
    made: Asked,
    setting: Setting,
    shots: Sequence[Shot],
    tags: dict[str, str],
) -> Question:
    item, labels = now.item, now.question.labels
    return Question(
        item=item.id,
        layer=layer,
        instruction=made.instruction,
        text=made.text,
        options=made.options,
        gold=made.gold,
        meanings=now.question.texts,
        setting=setting,
        shots=tuple(shots),
        scoring=Scoring.LOGLIKELIHOOD,
        answer_limit=_ANSWER_TOKENS,
        tags={
            "question": item.question.id,
            "default": str(labels.index(item.question.answer)),
            **tags,
        },
    )


def _tags(now: Situation, instance: Instance) -> dict[str, str]:
    """Facts of what is stated, by which figures are grouped."""
    structure = instance.structure
    pairing = structure.pairing
    return {
        "variant": FACTUAL if instance.default else ANTI_FACTUAL,
        "skill": pairing.skill,
        "pairing": f"{structure.question.id} {named(pairing)} {pairing.end}",
        "hops": str(structure.hops),
        "distractors": str(structure.distractors),
        "own": "grounding" if instance.factual else "",
    }
