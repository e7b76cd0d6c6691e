"""The ladder of answers in a model's own words, and of questions with several right options."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from core.answers.scoring import score_answer
from core.contract.question import Answer, OptionScore, Question, Scoring
from core.contract.rungs import ComparedAnswer, Phase, Rung
from core.contract.task_layer import TaskLayer
from core.layout.ladder import draw_ladder
from core.layout.rows import plain

LAYER = TaskLayer("one", "One?", "Asks one.")


ADVICE = Question(
    "i", "one", "", "A) grit B) slow C) wait D) go E) stay F) run",
    ("grit the road", "slow down", "wait", "go", "stay", "run"), None,
    golds=(1, 4), multiple=True,
)  # fmt: skip


def several(answer: Answer, question: Question = ADVICE, **more: int | bool) -> str:
    rung = Rung(LAYER, question, score_answer(question, answer), Phase.ANSWERED)
    return plain(draw_ladder([rung], 60, cell_len, **more))


def written(text: str, **more: bool) -> Answer:
    return Answer(text=text, scoring=Scoring.GENERATED, tokens=12, **more)


def test_every_pick_and_every_right_option_is_marked() -> None:
    lines = several(written("Answer: A, E")).split("\n")
    assert "✗ wrong" in lines[0]
    assert "credit" not in lines[0]
    marks = {line.strip(" ▸").split("  ")[0]: ("▸" in line, "◆ gold" in line) for line in lines}
    assert marks["A grit the road"] == (True, False)
    assert marks["B slow down"] == (False, True)
    assert marks["E stay"] == (True, True)
    assert "wrote 12 tokens, read A, E" in lines[-1]


def test_a_part_of_the_credit_is_shown_as_a_share() -> None:
    assert "✗ wrong, credit .50" in several(written("Answer: B"))
    assert "✓ right" in several(written("Answer: B, E"))


def test_picks_and_right_options_are_drawn_however_few_fit() -> None:
    drawn = several(written("Answer: A, F"), most=2)
    for name in ("grit the road", "slow down", "stay", "run"):
        assert name in drawn
    assert "wait" not in drawn


@pytest.mark.parametrize(
    ("answer", "status", "why"),
    [
        (written("Perhaps."), "no answer", "no option is named"),
        (written("Answer: A or B"), "ambiguous", "several options are named"),
        (written("Answer: Q"), "not an option", "no such option"),
        (written("First,", complete=False), "cut off", "cut before an answer"),
    ],
)
def test_what_could_not_be_read_is_told_apart(answer: Answer, status: str, why: str) -> None:
    heading, *_, last = several(answer).split("\n")
    assert heading.endswith(status)
    assert why in last
    assert "▸" not in several(answer)


def test_likely_options_of_multiple_select_have_bars() -> None:
    scores = Answer(tuple(OptionScore(value) for value in (-1.0, -1.2, -9, -9, -9, -9)))
    drawn = several(scores)
    assert drawn.count("▸") == 2
    assert drawn.count("◆ gold") == 2
    assert "█" in drawn


def test_options_with_bars_have_the_letters_that_the_prompt_shows() -> None:
    scores = Answer((OptionScore(-1.0), OptionScore(-2.0)))
    lettered = Question("i", "one", "", "What follows?\nA) rain\nB) snow", ("rain", "snow"), 0)
    assert "A rain" in several(scores, lettered)
    assert "B snow" in several(scores, lettered)
    assert "A rain" not in several(scores, replace(lettered, text="What follows?"))


def test_a_reply_to_yes_or_no_names_the_word() -> None:
    question = Question("i", "one", "", "Does it?", ("yes", "no"), 0)
    assert "read “no”" in several(written("No."), question)


@pytest.mark.parametrize("width", [30, 40, 60, 120])
def test_written_answers_fit_their_pane(width: int) -> None:
    rung = Rung(LAYER, ADVICE, score_answer(ADVICE, written("Answer: A, Z")), Phase.ANSWERED)
    for line in plain(draw_ladder([rung], width, cell_len)).split("\n"):
        assert cell_len(line) <= width


def test_unfolded_a_rung_shows_all_that_was_written_without_markup_or_control() -> None:
    text = "<think>Snow \x1b[31mis\nslippery.</think>\nAnswer: A, E\n\n\nThat is [bold]all[/]."
    folded = several(written(text))
    assert "▸ thought 3 words" in folded
    assert "slippery" not in folded
    unfolded = several(written(text), unfolded=True)
    assert "▾ thought 3 words" in unfolded
    assert "▸ thought" not in unfolded
    assert "\x1b" not in unfolded
    lines = [line.strip() for line in unfolded.split("\n")]
    assert "slippery.</think>" in lines
    assert lines[-2:] == ["Answer: A, E", "That is [bold]all[/]."]


def test_unfolded_answers_of_two_runs_stand_after_their_letters() -> None:
    first, second = (
        score_answer(ADVICE, written(f"<think>{thought}</think>{answer}"))
        for thought, answer in (("Ice.", "Answer: A"), ("Rain.", "Answer: B"))
    )
    rung = Rung(LAYER, ADVICE, second, Phase.ANSWERED, compared=ComparedAnswer(first))
    drawn = plain(draw_ladder([rung], 60, cell_len, unfolded=True))
    lines = [line.strip() for line in drawn.split("\n")]
    texts = ["A", "▾ thought 1 word", "<think>Ice.</think>", "Answer: A"]
    texts += ["B", "▾ thought 1 word", "<think>Rain.</think>", "Answer: B"]
    assert lines[-8:] == texts
