"""Answers in a model's own words: asked for, read, recorded and replayed."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answers.scoring import READER
from core.contract import registry
from core.contract.question import Form, OptionScore, Prompt, Question, Scoring, Status, Verdict
from core.models.protocol import Ability, Token
from core.runs.asking import answer_steps
from core.runs.replay import conditions, replay
from core.runs.store import Store
from core.runs.summaries import plain_summary, summarise
from core.text.errors import ModelError
from tests.asked import ask
from tests.runs.models import INFO, HashingModel
from tests.runs.tower_runs import begin, finish

TOWERS = 12
BOTH = replace(INFO, abilities=frozenset({Ability.SCORE, Ability.GENERATE}))
ASKED = Question(
    "i", "one", "", "Which?\nA) grit\nB) slow\nC) wait", ("grit", "slow", "wait"), None,
    golds=(0, 1), multiple=True, scoring=Scoring.GENERATED, answer_limit=30, stop=("\n\n",),
)  # fmt: skip


class Writing(HashingModel):
    """Scores as the other does; writes what `says` makes of a prompt, a token for each word."""

    def __init__(self, says: Callable[[Prompt], str], *, seconds: float = 0.0, **more: Any) -> None:
        super().__init__(**({"info": BOTH} | more))
        self._says = says
        self._wait = seconds
        self.limits: list[tuple[int, tuple[str, ...]]] = []
        self.closed = 0

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        self.asked.append(prompt)
        self.limits.append((max_tokens, tuple(stop)))
        words = self._says(prompt).split(" ")
        try:
            for number, word in enumerate(words[:max_tokens]):
                await asyncio.sleep(self._wait)
                yield Token(f" {word}" if number else word, cut=number + 1 == max_tokens)
        finally:
            self.closed += 1


async def test_a_question_is_put_as_it_prefers() -> None:
    model = Writing(lambda _: "It is icy. Answer: A, B")
    shapes = registry.load("shapes")
    *heard, found = [step async for step in answer_steps(model, shapes, ASKED, Form.BASE)]
    assert isinstance(found, Verdict)
    assert (found.answers, found.credit, found.right) == ((0, 1), 1.0, True)
    assert (found.scoring, found.status) == (Scoring.GENERATED, Status.OK)
    assert "".join(map(str, heard)) == found.text == "It is icy. Answer: A, B"
    assert found.output_tokens == len(heard) == 6
    assert model.limits == [(30, ("\n\n",))]
    assert found.scores == ()


async def test_the_caller_may_have_it_read_otherwise() -> None:
    model = Writing(lambda _: "Answer: A")
    shapes = registry.load("shapes")
    scored = await ask(model, shapes, ASKED, Form.BASE, scoring=Scoring.LOGLIKELIHOOD)
    assert scored.scoring is Scoring.LOGLIKELIHOOD
    assert len(scored.scores) == 3
    assert model.limits == []
    plain = replace(ASKED, scoring=Scoring.LOGLIKELIHOOD)
    written = await ask(model, shapes, plain, Form.BASE, scoring=Scoring.GENERATED)
    assert (written.answers, written.credit, written.right) == ((0,), 0.5, False)


@pytest.mark.parametrize(
    ("says", "status"),
    [
        ("word " * 40, Status.TRUNCATED),
        ("<think> " + "word " * 40 + "</think> Answer: A", Status.TRUNCATED),
        ("word " * 20, Status.NO_ANSWER),
        ("Answer: A or B", Status.AMBIGUOUS),
        ("Answer: A, F", Status.OUT_OF_RANGE),
    ],
)
async def test_what_cannot_be_read_is_said_and_picks_nothing(says: str, status: Status) -> None:
    found = await ask(Writing(lambda _: says), registry.load("shapes"), ASKED, Form.BASE)
    assert (found.status, found.answers, found.credit) == (status, (), 0.0)
    assert plain_summary([found]).counts[f"one {status}"] == 1


@pytest.mark.parametrize("scoring", [Scoring.LOGLIKELIHOOD, Scoring.GENERATED])
async def test_a_model_that_cannot_is_refused_in_words(scoring: Scoring) -> None:
    able = {Scoring.LOGLIKELIHOOD: Ability.GENERATE, Scoring.GENERATED: Ability.SCORE}[scoring]
    model = Writing(lambda _: "A", info=replace(INFO, abilities=frozenset({able})))
    with pytest.raises(ModelError, match=f"gives no {scoring} answers") as raised:
        await ask(model, registry.load("shapes"), ASKED, Form.BASE, scoring=scoring)
    assert raised.value.hint
    assert model.asked == []


async def test_cancelling_closes_what_is_being_written() -> None:
    model = Writing(lambda _: "word " * 40, seconds=0.01)
    begun = asyncio.Event()
    shapes = registry.load("shapes")

    async def read() -> None:
        async for _ in answer_steps(model, shapes, ASKED, Form.BASE):
            begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.closed == 1


def says_no(prompt: Prompt) -> str:
    """Right and wrong in turns, now and then nothing."""
    return ("no", "Answer: yes", "Who knows?")[len(str(prompt)) % 3]


async def test_a_run_of_one_way_is_never_a_run_of_the_other(tmp_path: Path, data: Path) -> None:
    with Store(tmp_path / "runs.sqlite") as store:
        model = Writing(says_no)
        plain = begin(store, data, model)
        written = begin(store, data, model, scoring=Scoring.GENERATED)
        named = begin(store, data, model, scoring=Scoring.LOGLIKELIHOOD)
        assert named.run.id == plain.run.id != written.run.id
        await finish(plain)
        await finish(written)
        assert {v.scoring for v in store.verdicts(plain.run.id)} == {Scoring.LOGLIKELIHOOD}
        found = store.verdicts(written.run.id)
        assert {v.scoring for v in found} == {Scoring.GENERATED}
        assert len([v for v in found if v.layer == "stands"]) == 12
        assert store.run(written.run.id).plan.scoring is Scoring.GENERATED
        assert store.run(written.run.id).scorings == (Scoring.GENERATED,)
        assert "generated answers" in conditions(store.run(written.run.id).plan)
        notes = " ".join(summarise(store, store.run(written.run.id)).notes)
        assert "All answers are generated ones: not comparable" in notes
        unread = sum(v.status is not Status.OK for v in found if v.layer == "stands")
        assert f"Stands, not read: {unread} of 12" in notes
        counts = summarise(store, store.run(written.run.id)).counts
        assert counts["not_read"] == sum(v.status is not Status.OK for v in found)
        assert summarise(store, store.run(plain.run.id)).counts["not_read"] == 0
        assert "generated" not in " ".join(summarise(store, store.run(plain.run.id)).notes)
        again = Writing(says_no)
        await finish(begin(store, data, again, scoring=Scoring.GENERATED))
        assert again.asked == []


async def test_a_record_replays_what_was_written(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        first = begin(store, data, Writing(says_no), scoring=Scoring.GENERATED)
        await finish(first)
        record = replay(path, first.run.id)
        again = begin(store, data, record)  # type: ignore[arg-type]
        await finish(again)
        assert again.run.id != first.run.id
        assert store.verdicts(again.run.id) == store.verdicts(first.run.id)
        forced = begin(store, data, record, scoring=Scoring.GENERATED)  # type: ignore[arg-type]
        await finish(forced)
    question = Question("x", "stands", "", "", ("no", "yes"), 0)
    assert record.recorded(question) is None


async def test_a_record_is_not_read_in_another_way(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        run = begin(store, data, Writing(says_no))
        await finish(run)
        record = replay(path, run.run.id)
        other = begin(store, data, record, scoring=Scoring.GENERATED)  # type: ignore[arg-type]
        with pytest.raises(ModelError, match="answered by log-likelihood, not by generated"):
            await finish(other)


def test_scores_of_multiple_select_pick_what_is_above_the_uniform_share() -> None:
    from core.contract.question import Answer, score_by_likelihood

    scores = tuple(OptionScore(value) for value in (-1.0, -1.1, -6.0))
    found = score_by_likelihood(ASKED, Answer(scores))
    assert (found.answers, found.right, found.answer, found.gold) == ((0, 1), True, None, None)


async def test_a_run_that_goes_on_under_other_rules_of_reading_says_so_once(
    tmp_path: Path, data: Path
) -> None:
    file = tmp_path / "runs.sqlite"
    with Store(file) as store:
        evaluation = begin(store, data, Writing(says_no), scoring=Scoring.GENERATED)
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                if progress.done == 5:
                    evaluation.cancel()
        run = store.run(evaluation.run.id)
        assert store.made_with(run.id)["reader"] == READER
        assert begin(store, data, Writing(says_no), scoring=Scoring.GENERATED).run.notes == ()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE runs SET reader = '1'")
    with Store(file) as store:
        for _ in range(2):
            evaluation = begin(store, data, Writing(says_no), scoring=Scoring.GENERATED)
            (note,) = evaluation.run.notes
            assert f"The first {run.verdicts} answers were read by rules 1" in note
        await finish(evaluation)
        assert note in summarise(store, store.run(run.id)).notes
        assert store.made_with(run.id)["reader"] == READER
