"""What the live pane says of an answer."""

from __future__ import annotations

import json

import pytest

from core.answers.scoring import score_answer
from core.contract.question import Answer, OptionScore, Question, Scoring
from tests.models.openai.faulty import END, Reply, faulty_server
from tests.tui.support import opened
from tui.browse.asking import describe_verdict
from tui.browse.ladder_pane import LadderPane

ONE = Question("i", "l", "", "A) grit B) wait", ("grit", "wait"), 0)
MANY = Question("i", "l", "", "A) grit B) wait", ("grit", "wait"), None, golds=(0,), multiple=True)


def said(text: str) -> Answer:
    return Answer(text=text, scoring=Scoring.GENERATED, tokens=7)


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (ONE, Answer((OptionScore(-1.0), OptionScore(-2.0))), "grit (log-likelihood -1.00), right"),
        (
            ONE,
            Answer((OptionScore(-0.004), OptionScore(-9.0))),
            "grit (log-likelihood -0.004), right",
        ),
        (ONE, said("Answer: B"), "wait (7 tokens), wrong"),
        (ONE, said("Who knows?"), "no answer"),
        (ONE, said("Answer: A. Answer: B"), "ambiguous"),
        (ONE, said("Answer: A or B"), "no answer"),
        (ONE, said("Answer: X"), "out of range"),
        (MANY, said("Answer: A, B"), "grit, wait (7 tokens), wrong"),
        (MANY, Answer((OptionScore(-1.0), OptionScore(-2.0))), "grit, right"),
    ],
)
def test_an_answer_in_a_few_words(question: Question, answer: Answer, words: str) -> None:
    assert describe_verdict(score_answer(question, answer)) == words


async def test_thinking_is_kept_and_shown_folded() -> None:
    deltas = [{"reasoning_content": piece} for piece in ("Hens ", "do not ", "swim.")]
    deltas += [{"content": "Answer: "}, {"content": "False"}]
    raw = "".join(f"data: {json.dumps({'choices': [{'delta': d}]})}\n\n" for d in deltas)
    with faulty_server(Reply(raw=raw + END)) as server:
        async with opened(model=server.url) as program:
            ladder = program.browse.query_one(LadderPane)
            await program.press("space")
            await program.until(lambda: all(r.verdict for r in ladder.rungs if r.question))
            live = program.browse.live.tab("live").text
            drawn = "\n".join("".join(span.text for span in row) for row in ladder.draw(60))
    assert "▸ thinking… ▸ thought 4 words: Answer: False" in " ".join(live.split())
    assert "Hens" not in live + drawn
    assert "▸ thought 4 words" in drawn
    verdict = next(rung.verdict for rung in ladder.rungs if rung.verdict)
    assert verdict.text == "<think>Hens do not swim.</think>\nAnswer: False"
