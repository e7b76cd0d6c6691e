"""The sentence above a ladder claims what is known, and nothing of what was not asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from core.answers.scoring import score_answer
from core.contract.question import Answer, OptionScore, Question, Scoring, Status
from core.contract.rungs import Phase, Rung
from core.contract.task_layer import TaskLayer
from core.contract.view import Role
from core.layout.ladder import draw_ladder, outcome
from core.layout.rows import plain

LAYERS = tuple(TaskLayer(f"layer-{i}", f"Title {i}", f"Asks {i}.") for i in (1, 2, 3))
BESIDE = TaskLayer("bare", "Bare", "Asks barely.", aside=True)
TRAP = TaskLayer("trap", "Invalid", "Asks.", aside=True, fault="says yes where no is right")
YES, NO = Answer((OptionScore(-0.1), OptionScore(-3))), Answer((OptionScore(-3), OptionScore(-0.1)))


def rung(layer: TaskLayer, answer: Answer | None, gold: int | None = 0) -> Rung:
    asked = Question("i", layer.id, "", "Is it?", ("yes", "no"), gold)
    if answer is None:
        return Rung(layer, asked)
    return Rung(layer, asked, score_answer(asked, answer), Phase.ANSWERED)


def silent(layer: TaskLayer) -> Rung:
    return Rung(layer, None)


def ladder(*answers: Answer | None) -> list[Rung]:
    return [rung(layer, answer) for layer, answer in zip(LAYERS, answers, strict=True)]


@pytest.mark.parametrize(
    ("rungs", "said", "role"),
    [
        (ladder(None, None, None), "Not asked yet", Role.MUTED),
        (ladder(YES, None, None), "Layers answered: 1 of 3, right so far", Role.MUTED),
        (ladder(None, YES, YES), "Layers answered: 2 of 3, right so far", Role.MUTED),
        (ladder(YES, YES, YES), "Right at every layer", Role.GOOD),
        (ladder(NO, None, None), "First failure: layer 1, Title 1", Role.BAD),
        (ladder(YES, NO, None), "First failure: layer 2, Title 2", Role.BAD),
        (ladder(None, NO, None), "Wrong at layer 2, Title 2 · Layers answered: 1 of 3", Role.BAD),
        (ladder(YES, None, NO), "Wrong at layer 3, Title 3 · Layers answered: 2 of 3", Role.BAD),
    ],
)
def test_what_is_not_known_is_not_claimed(rungs: list[Rung], said: str, role: Role) -> None:
    assert outcome(rungs) == (said, role)


def test_a_layer_that_asks_nothing_is_not_waited_for() -> None:
    rungs = [rung(LAYERS[0], YES), silent(LAYERS[1]), rung(LAYERS[2], YES)]
    assert outcome(rungs) == ("Right at every layer", Role.GOOD)
    rungs = [silent(LAYERS[0]), rung(LAYERS[1], NO)]
    assert outcome(rungs)[0] == "First failure: layer 2, Title 2"
    rungs = [rung(LAYERS[0], YES), silent(LAYERS[1])]
    assert outcome(rungs)[0] == "Right at the only layer that applies"
    assert outcome([silent(LAYERS[0])]) == ("There is nothing to ask here", Role.MUTED)


def test_what_has_no_gold_answer_is_not_called_right() -> None:
    without = rung(LAYERS[0], YES, gold=None)
    assert outcome([without]) == ("There is no gold answer here", Role.MUTED)
    assert outcome([without, rung(LAYERS[1], None)])[0] == "Layers answered: 1 of 2"
    said, role = outcome([without, rung(LAYERS[1], YES)])
    assert (said, role) == ("Right at every layer that has a gold answer", Role.MUTED)


def test_what_stands_beside_the_ladder_is_not_counted_among_its_layers() -> None:
    beside = rung(BESIDE, NO)
    assert outcome([beside, *ladder(None, None, None)])[0] == "Layers answered: 0 of 3"
    assert outcome([beside, *ladder(YES, YES, YES)]) == ("Right at every layer", Role.GOOD)
    assert outcome([beside])[0] == "No layer applies"


def test_yes_to_everything_is_told_with_being_right() -> None:
    traps = [rung(TRAP, YES, gold=1), rung(replace(TRAP, id="trap-2"), NO, gold=1)]
    fell = "but it says yes where no is right (1 of 2)"
    said = f"Right at every layer, {fell}"
    assert outcome([*ladder(YES, YES, YES), *traps]) == (said, Role.GOOD)
    assert outcome([*ladder(YES, None, None), *traps])[0].endswith(f"right so far, {fell}")
    assert outcome(traps)[0] == f"No layer applies, {fell}"
    assert outcome([*ladder(YES, YES, YES), traps[1]]) == ("Right at every layer", Role.GOOD)
    failed = outcome([*ladder(YES, NO, YES), *traps])
    assert failed == ("First failure: layer 2, Title 2", Role.BAD)


def test_an_answer_that_could_not_be_read_says_no_yes() -> None:
    asked = Question("i", TRAP.id, "", "Is it?", ("yes", "no"), 1, scoring=Scoring.GENERATED)
    read = score_answer(asked, Answer(text="Perhaps.", scoring=Scoring.GENERATED, tokens=2))
    assert read.status is Status.NO_ANSWER
    trap = Rung(TRAP, asked, read, Phase.ANSWERED)
    assert outcome([*ladder(YES, YES, YES), trap]) == ("Right at every layer", Role.GOOD)


def test_the_gate_does_not_mind_what_stands_beside() -> None:
    rungs = [rung(TRAP, YES, gold=1), *ladder(YES, YES, YES)]
    assert "not counted" not in plain(draw_ladder(rungs, 80, cell_len))
