"""The question of each task layer: bare, each hop of the path, the whole tree, the factual twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.surface import Asked, asked, bare, statements
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.prompts import wording
from core.benchmarks.accord.rungs import rung
from core.benchmarks.accord.scoring import ANTI_FACTUAL, FACTUAL
from core.benchmarks.accord.switches import Reply, Situation, named, situation
from core.benchmarks.accord.task_layers import ANSWER, BARE, HOP, TWIN
from core.contract.prompt_parts import QUESTION, PromptPart, line_parts, placeholder_ranges
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting
from core.text.language import N_

ON_PATH, OF_OTHER = N_("hop"), N_("another option's hop")
"""The roles of statements on a path, before the number of the hop."""
DISTRACTOR, CHOICES, ANSWER_LINE = N_("distractor"), N_("options"), N_("answer line")
_ANSWER_TOKENS = 500
"""Token limit of the NAACL 2025 version (appendix H)."""


def question(
    item: AccordItem,
    setting: Setting,
    layer: str,
    shots: Sequence[Shot] = (),
    order: Sequence[int] = (),
) -> Question | None:
    """The question of a task layer; None if the layer does not apply. Raises `SettingError`.

    Items of a suite are asked as they were generated, without the layers of single hops. `order`
    has the index of the choice that is shown at each place, by default its own.
    """
    now = situation(item, setting)
    if layer == BARE:
        if item.fixed is not None:
            return None
        prompt = bare(item.question, json=now.reply is Reply.JSON, order=order)
        asks = _question(now, layer, prompt, setting, shots, {"variant": "bare"})
        return _in_order(asks, order)
    instance = _instance(now, layer)
    if not isinstance(instance, Instance):
        return None
    style = now.style_of(instance)
    prompt = asked(instance, item.grounds.skills, style, json=now.reply is Reply.JSON, order=order)
    return _in_order(_question(now, layer, prompt, setting, shots, _tags(instance)), order)


def _in_order(question: Question, order: Sequence[int]) -> Question:
    """A question whose prompt shows the choices in this order, with their texts in it too."""
    if not order:
        return question
    meanings = tuple(question.meanings[index] for index in order)
    return replace(question, meanings=meanings, order=tuple(order))


def prompt_parts(item: AccordItem, setting: Setting, question: Question) -> list[PromptPart]:
    """The statements: those on the path of the implied answer by hop, those of others, distractors;
    then the question, its options and the line for the answer."""
    now = situation(item, setting)
    instance = None if question.layer == BARE else _instance(now, question.layer)
    lines = []
    if isinstance(instance, Instance):
        hops = {template: hop for hop, template in enumerate(instance.structure.path.templates, 1)}
        before, after = wording().brackets
        for statement in statements(instance, now.item.grounds.skills, now.style_of(instance)):
            hop, role = hops.get(statement.template), DISTRACTOR
            if hop is not None:
                chosen = statement.label == instance.chosen
                role = f"{ON_PATH if chosen else OF_OTHER} {hop}"
            lines.append((statement.text(before, after), role, False))
    parts: list[PromptPart] = []
    for name, start, stop in placeholder_ranges(question):
        if name == "statements":
            parts += line_parts(question, start, stop, lines)
        elif name == "choices":
            parts.append(PromptPart(start, stop, CHOICES))
            parts.append(PromptPart(stop, len(question.text), ANSWER_LINE))
        else:
            parts.append(PromptPart(start, stop, QUESTION))
    return parts


def skip_reason(item: AccordItem, setting: Setting, layer: str) -> str:
    """Why a layer has no question; empty if that needs no explanation."""
    now = situation(item, setting)
    if layer in {BARE, TWIN} or item.fixed is not None:
        return ""
    if now.structure is not None and now.instance is None:
        return "The tree could not be grounded; see the item." if layer == ANSWER else ""
    instance = _instance(now, layer)
    return instance if isinstance(instance, str) else ""


def _instance(now: Situation, layer: str) -> Instance | str | None:
    """The item whose statements a layer uses, or why not; None if the layer does not apply."""
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
    # Without distractors, the last hop equals the whole tree.
    last = whole.structure.hops - (whole.structure.distractors == 0)
    return rung(whole, hops, now.item.grounds) if hops <= last else None


def _question(
    now: Situation,
    layer: str,
    prompt: Asked,
    setting: Setting,
    shots: Sequence[Shot],
    tags: dict[str, str],
) -> Question:
    item, labels = now.item, now.question.labels
    return Question(
        item=item.id,
        layer=layer,
        instruction=prompt.instruction,
        text=prompt.text,
        template=prompt.template,
        parts=prompt.parts,
        options=prompt.options,
        gold=prompt.gold,
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


def _tags(instance: Instance) -> dict[str, str]:
    structure = instance.structure
    pairing = structure.pairing
    return {
        "variant": FACTUAL if instance.default else ANTI_FACTUAL,
        "skill": pairing.skill,
        "pairing": f"{structure.question.id} {named(pairing)} {pairing.end}",
        "hops": str(structure.hops),
        "distractors": str(structure.distractors),
        "tree": instance.group,
        "own": "grounding" if instance.factual else "",
    }
