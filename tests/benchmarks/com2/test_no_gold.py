"""Where a world has no right answer, the view says why before it asks."""

from __future__ import annotations

from core.benchmarks.com2.item import Com2Item, Scenario
from core.benchmarks.com2.view import view
from core.contract.setting import Setting
from core.contract.view import Note, Role, Statements
from tests.benchmarks.com2.graphs import graph, item, options, task

ROAD = graph("rain wet late", "ice late", on=("rain",))
ITEM = item(ROAD, task(Scenario.DIRECT, options(ROAD, "a circus", "late"), "rain wet late"))


def notes_and_question(made: Com2Item, setting: Setting) -> list[Note | Statements]:
    blocks = view(made, setting).sections
    return [block for block in blocks if isinstance(block, Note | Statements)]


def test_a_derived_answer_is_explained_below_the_question() -> None:
    asked, why, *_ = notes_and_question(ITEM, Setting())
    assert isinstance(asked, Statements)
    assert isinstance(why, Note)
    assert why.text == "From the graph: happens: because of “It is wet.”."


def test_without_an_answer_the_reason_stands_above_the_question() -> None:
    why, asked, *others = notes_and_question(ITEM, Setting((("event.rain", "do=0"),)))
    assert isinstance(why, Note)
    assert why.role is Role.BAD
    assert why.text.startswith("No gold answer: none of the options' events happens in this world")
    assert isinstance(asked, Statements)
    assert [one.role for one in asked.statements if one.number] == [Role.PLAIN, Role.PLAIN]
    assert not any("From the graph" in one.text for one in others if isinstance(one, Note))
