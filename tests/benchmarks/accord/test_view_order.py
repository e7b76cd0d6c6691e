"""In what order an item's view says things: what is asked first, how it came about last."""

from __future__ import annotations

import pytest

from core.benchmarks.accord.benchmark import Accord
from core.contract.prompt_parts import without_brackets
from core.contract.setting import Setting
from core.contract.view import Graph, Grid, Statements, View

BENCH = Accord()
COLLECTION = BENCH.open(BENCH.samples())


def look(place: int) -> View:
    return BENCH.view(COLLECTION.item(place), Setting())


@pytest.mark.parametrize("place", [0, 1, 9, 20])
def test_the_question_with_all_options_comes_before_the_statements(place: int) -> None:
    tree, asked, stated, *rest = look(place).sections
    assert isinstance(tree, Graph)
    assert isinstance(asked, Statements)
    assert isinstance(stated, Statements)
    question = COLLECTION.item(place).question
    first, *options = asked.statements
    assert first.text == question.question
    assert [(one.number, one.text) for one in options] == list(question.choices)
    assert all(one.id.startswith("statement-") for one in stated.statements)
    assert not any(isinstance(block, Statements) for block in rest)


@pytest.mark.parametrize("place", [0, 1, 9, 20])
def test_grounding_is_a_table_at_the_end_of_the_view(place: int) -> None:
    tree, *_, last = look(place).sections
    assert isinstance(tree, Graph)
    assert isinstance(last, Grid)
    drawn = [node for node in tree.nodes if node.draw_switch]
    assert {f"V{node.id}" for node in drawn} <= {row[0].text for row in last.rows}
    for node in drawn:
        assert "factual: with this term" in node.note
        assert node.note.count(".") == 1


@pytest.mark.parametrize("place", [0, 9])
def test_a_model_reads_the_statements_before_the_question(place: int) -> None:
    item = COLLECTION.item(place)
    asked = BENCH.question(item, Setting(), "answer")
    assert asked is not None
    _, _, stated, *_ = look(place).sections
    assert isinstance(stated, Statements)
    read = without_brackets(asked.text)
    places = [read.index(one.text) for one in stated.statements]
    assert max(places) < read.index(item.question.question)
