"""Scores held against the options' log-probabilities after a content-free prompt."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract import registry
from core.contract.prompt_template import PromptTemplate
from core.contract.question import (
    Answer,
    Form,
    OptionScore,
    Prompt,
    Question,
    Scoring,
    Shot,
    Verdict,
    score_by_likelihood,
)
from core.contract.summary import Summary
from core.models.protocol import Ability
from core.runs.evaluation import Evaluation
from core.runs.option_length import accuracies, with_option_length
from core.runs.planning import plan_for
from core.runs.priors import CONTENT_FREE, content_free
from core.runs.questions import QuestionSource
from core.runs.replay import replay
from core.runs.store import Store
from core.text.errors import ModelError
from tests.runs.models import INFO, HashingModel

TOWERS = 12


class CountingModel(HashingModel):
    """The hashing model, which also remembers each option with its prompt."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.scored: Counter[tuple[Prompt, str]] = Counter()

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        scores = await super().score(prompt, options)
        self.scored.update((prompt, option) for option in options)
        return scores

    @property
    def content_free(self) -> Counter[tuple[Prompt, str]]:
        return Counter({key: n for key, n in self.scored.items() if CONTENT_FREE in str(key[0])})


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


async def evaluated(
    store_path: Path, data: Path, model: HashingModel, *, prior: bool, **plan: object
) -> tuple[str, list[Verdict]]:
    benchmark = registry.load("shapes")
    source = QuestionSource(benchmark, benchmark.open(data))
    made = plan_for(model, source, data, **{"form": Form.BASE, **plan})  # type: ignore[arg-type]
    with Store(store_path) as store:
        evaluation = Evaluation(store, made, model, source, prior=prior)
        async for _ in evaluation.steps():
            pass
        return evaluation.run.id, store.verdicts(evaluation.run.id)


async def test_each_option_is_asked_once_after_each_content_free_prompt(
    store_path: Path, data: Path
) -> None:
    model = CountingModel()
    _, verdicts = await evaluated(store_path, data, model, prior=True, shots=2)
    head = "Towers are built from the bottom up.\n"
    asks = {
        "stands": "Does it stand?",
        "culprit": "Which part is to blame?",
        "top": "Its top is",
    }
    expected = {
        (f"{head}The tower: N/A.\n{asks[v.layer]}", f" {option}")
        for v in verdicts
        for option in v.options
    }
    assert set(model.content_free) == expected
    assert set(model.content_free.values()) == {1}
    other = CountingModel()
    for verdict in verdicts:
        prompt = f"{head}The tower: N/A.\n{asks[verdict.layer]}"
        scores = await other.score(prompt, [f" {option}" for option in verdict.options])
        assert verdict.priors == tuple(score.logprob for score in scores)


async def test_a_finished_run_is_completed_and_asks_no_question_again(
    store_path: Path, data: Path
) -> None:
    first, before = await evaluated(store_path, data, HashingModel(), prior=False)
    assert not any(verdict.priors for verdict in before)
    model = CountingModel()
    second, after = await evaluated(store_path, data, model, prior=True)
    assert second == first
    assert model.scored == model.content_free
    assert [verdict._replace(priors=()) for verdict in after] == before
    again = CountingModel()
    assert await evaluated(store_path, data, again, prior=True) == (first, after)
    assert not again.scored


async def test_a_stopped_run_asks_only_the_priors_that_are_missing(
    store_path: Path, data: Path
) -> None:
    whole = CountingModel()
    _, expected = await evaluated(store_path.with_name("whole"), data, whole, prior=True)
    answers = sum(verdict.layer == "stands" for verdict in expected)
    model = CountingModel(fails_after=answers + 3)
    with pytest.raises(ModelError):
        await evaluated(store_path, data, model, prior=True)
    later = CountingModel()
    assert (await evaluated(store_path, data, later, prior=True))[1] == expected
    assert model.scored + later.scored == whole.scored


@pytest.mark.parametrize(
    ("abilities", "scoring", "message"),
    [
        ({Ability.GENERATE}, Scoring.GENERATED, "gives no log-likelihoods"),
        ({Ability.GENERATE, Ability.SCORE}, Scoring.GENERATED, "Generated answers"),
    ],
)
async def test_a_model_without_log_likelihoods_is_refused(
    store_path: Path, data: Path, abilities: set[Ability], scoring: Scoring, message: str
) -> None:
    model = HashingModel(replace(INFO, abilities=frozenset(abilities)))
    with pytest.raises(ModelError, match=message):
        await evaluated(store_path, data, model, prior=True, scoring=scoring)
    with Store(store_path) as store:
        assert store.runs() == []


async def test_a_record_is_refused(store_path: Path, data: Path) -> None:
    run_id, _ = await evaluated(store_path, data, HashingModel(), prior=False)
    with pytest.raises(ModelError, match="gives no log-likelihoods"):
        await evaluated(store_path, data, replay(store_path, run_id), prior=True)  # type: ignore[arg-type]


def test_a_content_free_question_keeps_the_wording_and_the_blanks_around_texts() -> None:
    template = PromptTemplate("Say. ", "{context}Q: {question}{more}\n")
    parts = {"context": "Once\nthere {question}.\n\n", "question": "a {more}?", "more": ""}
    question = Question(
        "1", "answer", "Say.\n\n", template.fill(parts), ("a", "b"), 0,
        shots=(Shot("x", "a"),), template=template, parts=parts,
    )  # fmt: skip
    assert content_free(question).base() == "Say. N/A\n\nQ: N/A\n"
    unknown = replace(question, template=None)
    assert content_free(unknown).base() == "Say.\nN/A"


OPTIONS = ("yes", "noo", "may")


def scored(gold: int, logprobs: Sequence[float], priors: Sequence[float] = ()) -> Verdict:
    question = Question("1", "answer", "", "", OPTIONS, gold)
    answer = Answer(tuple(OptionScore(logprob, 1, 3) for logprob in logprobs))
    return score_by_likelihood(question, answer)._replace(item=str(gold), priors=tuple(priors))


@given(st.lists(st.tuples(*[st.tuples(*[st.floats(-50, 0)] * 3)] * 2), min_size=1, max_size=6))
def test_the_answer_against_the_prior_is_that_of_numpy(drawn: list[tuple]) -> None:
    import numpy as np

    verdicts = [scored(1, *each)._replace(item=str(i)) for i, each in enumerate(drawn)]
    rules = {rule.rule: rule for rule in accuracies(verdicts)["answer"]}
    sums, priors = (np.array(side) for side in zip(*drawn, strict=True))
    picks = (sums - priors).argmax(axis=1)
    assert rules["against the prior"].right == int((picks == 1).sum())
    assert rules["against the prior"].n == len(drawn)


def test_options_of_one_length_get_the_table_where_their_priors_were_asked() -> None:
    (table,) = with_option_length(
        Summary("plain", ()), [scored(2, (-1, -2, -3), (-1, -2, -9))], {}
    ).tables
    shares = dict(zip(table.columns, (cell.text for cell in table.rows[0]), strict=True))
    assert shares["by sum"].startswith(".000")
    assert shares["against the prior"].startswith("1.00")


def test_a_run_without_priors_says_that_they_were_not_asked() -> None:
    asked, unasked = scored(0, (-1, -2, -3), (-1, -2, -3)), scored(1, (-1, -2, -3))
    (table,) = with_option_length(Summary("plain", ()), [asked, unasked], {}).tables
    assert dict(zip(table.columns, table.rows[0], strict=True))["against the prior"].text == (
        "not asked"
    )
    assert "--prior" in table.note


def test_an_impossible_option_is_never_the_answer() -> None:
    verdict = scored(1, (-math.inf, -2.0, -3.0), (-math.inf, -1.0, -1.0))
    rules = {rule.rule: rule.right for rule in accuracies([verdict])["answer"]}
    assert rules["against the prior"] == 1


async def test_priors_of_options_in_another_order_are_those_of_the_letters_shown(
    store_path: Path,
) -> None:
    accord = registry.load("accord")
    collection = accord.open(accord.samples())
    model = HashingModel()
    recorded: list[list[Verdict]] = []
    for order in (0, 1, 1):
        source = QuestionSource(accord, collection, limit=2, order=order)
        plan = plan_for(model, source, accord.samples(), form=Form.BASE)
        with Store(store_path) as store:
            evaluation = Evaluation(store, plan, model, source, prior=True)
            async for _ in evaluation.steps():
                pass
            recorded.append(store.verdicts(evaluation.run.id))
    own, other, again = recorded
    assert other == again
    assert any(verdict.order != tuple(range(5)) for verdict in other)
    by_letter = {(verdict.layer, verdict.item): verdict.priors for verdict in own}
    for verdict in other:
        letters = by_letter[verdict.layer, verdict.item]
        assert tuple(verdict.priors[index] for index in verdict.order) == letters
