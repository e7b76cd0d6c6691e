"""A patched rung shows what the changed model answers, and counts as what the model itself did."""

from __future__ import annotations

from dataclasses import replace

from rich.cells import cell_len

from core.answers.scoring import score_answer
from core.contract.question import Answer, OptionScore, Question
from core.contract.rungs import PatchedAnswer, Phase, Rung
from core.contract.task_layer import TaskLayer
from core.layout.ladder import draw_ladder, outcome
from core.layout.rows import plain

FIRST, SECOND = TaskLayer("one", "One?", "Asks one."), TaskLayer("two", "Two?", "Asks two.")
QUESTION = Question("i", "one", "", "Is it?", ("yes", "no"), 0)


def answer(*values: float) -> Answer:
    return Answer(tuple(OptionScore(value, 1, 1) for value in values))


RIGHT, WRONG = (score_answer(QUESTION, answer(*values)) for values in ((-0.1, -3.0), (-3.0, -0.1)))
PATCH = PatchedAnswer(WRONG, RIGHT, "span 3 at block 2 is the contrast prompt's")


def drawn(*rungs: Rung, width: int = 60) -> str:
    return plain(draw_ladder(rungs, width, cell_len))


def test_the_patched_answer_stands_in_the_place_of_the_own_one_which_is_said() -> None:
    own = Rung(FIRST, QUESTION, RIGHT, Phase.ANSWERED, remark="A remark about its answer.")
    text = drawn(replace(own, patched=PATCH))
    assert "⇄ patched ✗ wrong" in text
    assert next(line for line in text.splitlines() if "▸" in line).split()[:2] == ["▸", "no"]
    words = " ".join(text.split())
    assert "span 3 at block 2 is the contrast prompt's; unpatched: yes .95" in words
    assert "remark" not in text
    assert "⇄" not in drawn(own)


def test_a_patched_answer_does_not_change_the_outcome() -> None:
    second = Rung(SECOND, replace(QUESTION, layer="two"), WRONG, Phase.ANSWERED)
    own = Rung(FIRST, QUESTION, RIGHT, Phase.ANSWERED)
    rungs = (
        replace(own, patched=PATCH),
        replace(second, verdict=WRONG._replace(layer="two")),
    )
    assert outcome(rungs) == outcome((own, rungs[1]))
    assert "not counted" not in drawn(*rungs)


def test_a_rung_that_was_never_asked_can_be_patched() -> None:
    text = drawn(Rung(FIRST, QUESTION, patched=PATCH), width=30)
    assert "patched" in text
    assert all(cell_len(line) <= 30 for line in text.splitlines())
