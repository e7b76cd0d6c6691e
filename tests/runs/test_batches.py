"""Runs that ask several questions in one forward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Form, OptionScore, Prompt, Scoring
from core.models.protocol import Ability, Token, Writing
from core.runs.database import connect
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Plan
from core.runs.replay import conditions
from core.runs.store import Store
from core.text.errors import ModelError
from tests.runs.models import INFO, HashingModel

TOWERS = 11


class TogetherModel(HashingModel):
    """Its answer to a question depends on the questions that are asked with it."""

    def __init__(self) -> None:
        super().__init__(replace(INFO, abilities=frozenset({Ability.SCORE, Ability.GENERATE})))
        self.requests: list[tuple[Prompt, ...]] = []

    async def score_together(
        self, asked: Sequence[tuple[Prompt, Sequence[str]]], *, batch: int
    ) -> list[tuple[OptionScore, ...]]:
        if not asked:
            return []
        self.requests.append(tuple(prompt for prompt, _ in asked))
        together = f"{self.requests[-1]}"
        return [await self.score(f"{together}{prompt}", options) for prompt, options in asked]

    async def generate_together(self, asked: Sequence[Writing], *, batch: int) -> list[list[Token]]:
        if asked:
            self.requests.append(tuple(writing.prompt for writing in asked))
        return [[Token("The answer "), Token("is A.")] for _ in asked]


def planned(model: HashingModel, data: Path, **more: object) -> tuple[QuestionSource, Plan]:
    benchmark = registry.load("shapes")
    source = QuestionSource(benchmark, benchmark.open(data))
    return source, plan_for(model, source, data, form=Form.BASE, **more)  # type: ignore[arg-type]


async def test_a_run_that_was_stopped_ends_with_the_scores_of_one_that_was_not(
    tmp_path: Path, data: Path
) -> None:
    scores = []
    for name, stop_after in (("whole", None), ("stopped", 5)):
        model = TogetherModel()
        source, plan = planned(model, data, batch=4)
        with Store(tmp_path / f"{name}.db") as store:
            evaluation = Evaluation(store, plan, model, source)
            async for progress in evaluation.steps():
                if stop_after and progress.done >= stop_after:
                    evaluation.cancel()
            asked = len(model.requests)
            again = Evaluation(store, plan, model, source)
            assert [p async for p in again.steps()]
            assert again.run.id == evaluation.run.id
            assert (len(model.requests) > asked) is bool(stop_after)
            verdicts = store.placed(again.run.id)
            scores.append({seq: verdict.scores for seq, verdict in verdicts.items()})
        # Of those not recorded one was under way when the run was stopped.
        assert len(model.requests) - len(set(model.requests)) <= 1
    assert scores[0] == scores[1]


async def test_a_group_of_which_a_part_is_recorded_is_asked_again_as_a_whole(
    tmp_path: Path, data: Path
) -> None:
    model = TogetherModel()
    source, plan = planned(model, data, batch=4)
    with Store(tmp_path / "runs.db") as store:
        evaluation = Evaluation(store, plan, model, source)
        assert [p async for p in evaluation.steps()]
        run_id, before = evaluation.run.id, store.placed(evaluation.run.id)
    connection = connect(tmp_path / "runs.db", create=False)
    connection.execute("DELETE FROM verdicts WHERE run = ? AND seq = 2", (run_id,))
    connection.close()
    model.requests.clear()
    with Store(tmp_path / "runs.db") as store:
        assert [p async for p in Evaluation(store, plan, model, source).steps()]
        assert store.placed(run_id) == before
    assert [len(request) for request in model.requests] == [4]


async def test_its_plan_says_so_and_is_another_than_that_of_questions_asked_alone(
    tmp_path: Path, data: Path
) -> None:
    model = TogetherModel()
    with Store(tmp_path / "runs.db") as store:
        ids = []
        for batch in (0, 4, 8):
            source, plan = planned(model, data, batch=batch)
            evaluation = Evaluation(store, plan, model, source)
            assert [p async for p in evaluation.steps()]
            ids.append(evaluation.run.id)
            assert store.run(evaluation.run.id).plan.batch == batch
            assert ("in a forward pass" in conditions(plan)) is bool(batch)
        assert len(set(ids)) == 3
        connection = connect(tmp_path / "runs.db", create=False)
        numbers = [
            connection.execute(
                "SELECT DISTINCT batch FROM verdicts WHERE run = ? AND layer = ? ORDER BY batch",
                (run_id, source.benchmark.layers[0].id),
            ).fetchall()
            for run_id in ids
        ]
        connection.close()
    assert numbers == [[(None,)], [(0,), (1,), (2,)], [(0,), (1,)]]


async def test_written_answers_come_in_groups_that_refill(tmp_path: Path, data: Path) -> None:
    model = TogetherModel()
    source, plan = planned(model, data, batch=2, scoring=Scoring.GENERATED)
    with Store(tmp_path / "runs.db") as store:
        evaluation = Evaluation(store, plan, model, source)
        assert [p async for p in evaluation.steps()]
        verdicts = store.verdicts(evaluation.run.id)
    assert max(map(len, model.requests)) == 8
    assert all(verdict.text == "The answer is A." for verdict in verdicts)
    assert all(verdict.output_tokens == 2 for verdict in verdicts)


async def test_a_model_that_answers_one_question_at_a_time_is_refused(
    tmp_path: Path, data: Path
) -> None:
    model = HashingModel()
    source, plan = planned(model, data, batch=2)
    with (
        Store(tmp_path / "runs.db") as store,
        pytest.raises(ModelError, match="several questions in one forward pass") as caught,
    ):
        async for _ in Evaluation(store, plan, model, source).steps():
            pass
    assert "--concurrency" in caught.value.hint
