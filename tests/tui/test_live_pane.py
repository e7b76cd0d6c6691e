"""What the live pane says of an answer."""

from __future__ import annotations

import pytest

from core.answers.scoring import score_answer
from core.contract.question import Answer, OptionScore, Question, Scoring
from tui.browse.asking import describe_verdict

ONE = Question("i", "l", "", "A) grit B) wait", ("grit", "wait"), 0)
MANY = Question("i", "l", "", "A) grit B) wait", ("grit", "wait"), None, golds=(0,), multiple=True)


def said(text: str) -> Answer:
    return Answer(text=text, scoring=Scoring.GENERATED, tokens=7)


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (ONE, Answer((OptionScore(-1.0), OptionScore(-2.0))), "grit (log-likelihood -1.00), right"),
        (ONE, said("Answer: B"), "wait (7 tokens), wrong"),
        (ONE, said("Who knows?"), "no answer"),
        (ONE, said("Answer: A or B"), "ambiguous"),
        (ONE, said("Answer: X"), "out of range"),
        (MANY, said("Answer: A, B"), "grit, wait (7 tokens), wrong"),
        (MANY, Answer((OptionScore(-1.0), OptionScore(-2.0))), "grit, right"),
    ],
)
def test_an_answer_in_a_few_words(question: Question, answer: Answer, words: str) -> None:
    assert describe_verdict(score_answer(question, answer)) == words
