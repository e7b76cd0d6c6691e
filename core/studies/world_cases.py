"""Counterfactual pairs: a question in its world as it is, and in one with another right answer.

Options may differ from item to item (ACCORD) and the right one may be the same in a whole layer
(Com²), so each pair is asked with the two options that are right in its two worlds, and no other.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.blocks.contrast_prompts import ContrastPrompt, changed_worlds
from core.contract.question import Question
from core.runs.questions import QuestionSource
from core.studies.plan import StudyPlan
from core.studies.state_capture import LAYERS, ONE_LAYER, lacks_two_options, two_option_cases
from core.studies.subject import Case, Subject
from core.text.errors import SettingError
from core.text.language import N_, _

CONTRAST = "contrast"
"""The option that says what a direction leads from and to."""
EITHER_ANSWER, WORLDS = N_("either right answer"), N_("changed worlds")
LOWERED = N_("the answer of the world as it is")
RAISED = N_("the answer of the changed world")


def direction_cases(subject: Subject, plan: StudyPlan) -> list[Case]:
    """The cases of a direction: those of changed worlds if asked for or without two options.

    Raises `SettingError` where there are none.
    """
    if plan.option(CONTRAST) == WORLDS:
        cases = world_cases(subject, plan.seed)
        if not cases:
            raise SettingError(
                _(
                    "In layer {layer} no question has another right answer in a changed world.",
                    layer=subject.layer.id,
                ),
                where="--worlds",
                hint=_("Leave --worlds out, or choose another --task-layer."),
            )
        return cases
    try:
        return two_option_cases(subject, alike=plan.option(LAYERS) != ONE_LAYER)
    except SettingError:
        cases = world_cases(subject, plan.seed)
        if not cases:
            raise
        return cases


def world_cases(subject: Subject, seed: int) -> list[Case]:
    """Two cases for each item that has another world: the item as it is, then changed.

    Of several other worlds one is drawn. Items that are the same in the world as it is count once.
    """
    cases: list[Case] = []
    known: set[tuple[str, str]] = set()
    for case in subject.cases():
        found = changed_worlds(subject.benchmark, case.item, case.setting, case.question)
        if found is None:
            continue
        first, others = found
        text = first.question.instruction, first.question.text
        if text in known:
            continue
        known.add(text)
        changed = random.Random(f"{seed}/{case.item.id}").choice(others)
        cases += [_asked(subject, case, label, first, changed) for label in (0, 1)]
    return cases


def _asked(
    subject: Subject, case: Case, label: int, first: ContrastPrompt, changed: ContrastPrompt
) -> Case:
    """The case of one of two worlds, with the right option of each and no other."""
    world = (first, changed)[label]
    pair = [each.question.options[each.question.gold or 0] for each in (first, changed)]
    question = replace(world.question, options=tuple(pair), gold=label, meanings=(), order=())
    prompt = subject.prompt(world.question)
    # “anti-factual: A attic”, “order (3-O0)”: what follows is of this item.
    kind = world.name.partition(":")[0].partition(" (")[0]
    return Case(case.item, world.setting, question, prompt, case.cluster, world=kind)


def worlds_of(cases: Sequence[Case]) -> dict[str, Any]:
    """From which worlds to which the pairs lead, with how many; empty for cases without worlds."""
    if not cases[0].world:
        return {}
    kinds: list[Counter[str]] = [Counter(), Counter()]
    for case in cases:
        kinds[case.question.gold or 0][case.world] += 1
    return {"worlds": [dict(kind.most_common()) for kind in kinds]}


def compared_names(result: Mapping[str, Any]) -> tuple[str, str]:
    """What the lowered and the raised option of a result are called on the screens."""
    names = result["lowered"], result["raised"]
    # Options are the benchmark's own words.
    return (_(names[0]), _(names[1])) if "worlds" in result else names


def lacks_contrasts(source: QuestionSource, name: str | None = None) -> str:
    """Why a collection cannot have a direction; empty where it can, by its first items."""

    def changes(position: int, question: Question) -> bool:
        if question.open or question.multiple or question.gold is None:
            return False
        item = source.collection.item(position)
        setting = source.setting(item)
        return changed_worlds(source.benchmark, item, setting, question) is not None

    return lacks_two_options(source, name, changes)
