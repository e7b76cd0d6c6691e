"""A person answers like a model: through the same reader, judged and recorded alike."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.contract.question import Form, Question, Status, Verdict
from core.contract.setting import Setting
from core.models.person import PersonModel
from core.models.resolver import load_model
from core.text.errors import ModelError
from tests.asked import ask

COM2 = Com2()
ITEMS = (
    "birch-pollen:counterfactual",
    "vendemmia-grandine:decision",
    "shouji-dianliang:intervention",
    "case-cold-lighthouse:counterfactual",
)


@cache
def questions() -> list[Question]:
    """Every scenario of a few items, of each language and of several right answers too."""
    collection = COM2.open(COM2.samples())
    found = []
    for name in ITEMS:
        item = collection.item(collection.find(name))
        scenario = next(switch for switch in COM2.switches(item) if switch.key == "scenario")
        for value in scenario.values:
            setting = Setting.of(COM2.switches(item), {"scenario": value})
            for layer in ("link-1", "answer"):
                question = COM2.question(item, setting, layer)
                if question is not None:
                    found.append(question)
    return found


def answered(question: Question, picked: tuple[int, ...]) -> Verdict:
    async def person(asked: Question) -> tuple[int, ...]:
        assert asked == question
        return picked

    return asyncio.run(ask(PersonModel("Anna", person), COM2, question, Form.BASE))


def test_whatever_is_picked_is_read_back_in_every_language() -> None:
    for question in questions():
        every = range(len(question.options))
        picks = [(i,) for i in every]
        if question.multiple:
            picks += [(0, 2), tuple(every)]
        for picked in picks:
            verdict = answered(question, picked)
            assert verdict.status is Status.OK
            got = verdict.answers if question.multiple else (verdict.answer,)
            assert got == picked


def test_the_right_answers_are_right() -> None:
    for question in questions():
        gold = question.golds if question.multiple else (question.gold,)
        verdict = answered(question, tuple(g for g in gold if g is not None))
        assert verdict.right is True
        assert verdict.credit == 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\x1b[2Jb"])
async def test_a_person_needs_a_name(name: str) -> None:
    async def person(question: Question) -> tuple[int, ...]:
        return (0,)

    with pytest.raises(ModelError, match="needs a name"):
        await load_model(f"person:{name}", person=person)
    with pytest.raises(ModelError, match="only inside the program"):
        await load_model("person:Anna")


def test_a_person_is_the_same_however_the_name_was_typed() -> None:
    async def nobody(_question: Question) -> tuple[int, ...]:
        raise AssertionError

    composed, decomposed = "Zo\u00eb  K.", " Zoe\u0308 K. "
    assert PersonModel(composed, nobody).info == PersonModel(decomposed, nobody).info
