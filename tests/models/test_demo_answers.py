"""The recorded answers of the bundled model are those that it gives.

Where they are not, `python -m tools.demo_answers` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Answer, Question
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.models.demo_answers import answers_file, demo_answers, stand_in
from core.models.llama.client import LlamaModel
from core.models.model_files import fingerprint
from core.models.resolver import demo_file
from core.runs.asking import given_answer, natural_form, natural_scoring
from core.runs.refusals import refusal
from tests.gguf_files import with_32_bit_weights

CLOSE = 0.02
"""Log-likelihoods differ by less from one processor's way of rounding to another's."""


def some_questions(name: str, every: int) -> list[Question]:
    """The questions about one of so many samples of a benchmark, as it is."""
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    return [
        rung.question
        for index in range(0, len(collection), every)
        for rung in build_rungs(benchmark, collection.item(index), Setting())
        if rung.question is not None
    ]


BENCHMARKS = ("gita", "accord", "com2", "abspyramid")


def test_the_record_is_of_the_bundled_model_and_small() -> None:
    assert demo_answers().fingerprint == fingerprint(demo_file())
    assert answers_file().stat().st_size < 1_000_000


@pytest.mark.usefixtures("demo_model")
@pytest.mark.parametrize(("every", "asked"), [(12, 5), pytest.param(1, 1, marks=pytest.mark.slow)])
async def test_bundled_items_are_in_the_record_and_answered_as_the_model_does(
    every: int, asked: int
) -> None:
    record = stand_in(demo_answers(), "llama.cpp is being compiled")
    model = await LlamaModel.load(demo_file(), demo=True)
    form = natural_form(model.info)
    scoring = natural_scoring(model.info, form)
    try:
        for name in BENCHMARKS:
            questions = some_questions(name, every)
            assert len(questions) > 20
            assert [each for each in questions if refusal(record, each) is not None] == []
            # Those that begin alike are asked after each other, which is faster.
            for question in sorted(questions[::asked], key=Question.base):
                kept = record.recorded(question)
                given = await given_answer(model, question, form, scoring=scoring)
                assert kept is not None
                assert as_recorded(kept) == as_recorded(given)
                assert [each.logprob for each in kept.scores] == pytest.approx(
                    [each.logprob for each in given.scores], abs=CLOSE
                )
    finally:
        await model.close()


def as_recorded(answer: Answer) -> tuple[object, ...]:
    """What of an answer is the same on every processor."""
    sizes = [(each.tokens, each.bytes) for each in answer.scores]
    return answer.scoring, answer.text, answer.tokens, answer.complete, sizes


def test_what_is_not_recorded_is_said_to_wait() -> None:
    record = stand_in(demo_answers(), "llama.cpp is being compiled: 1 of 4 files")
    asked = Question("0", "story_class", "", "A story of nobody's.", ("true", "false"), None)
    error = refusal(record, asked)
    assert error is not None
    assert "llama.cpp is being compiled: 1 of 4 files. This can be asked once it is there." in str(
        error
    )


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
async def test_options_asked_alone_score_as_together_up_to_the_rounding_of_8_bit_weights(
    tmp_path: Path,
) -> None:
    unrounded = tmp_path / "unrounded.gguf"
    with_32_bit_weights(demo_file(), unrounded)
    rounded_by, by_32_bits = [await most_changed_alone(each) for each in (demo_file(), unrounded)]
    assert by_32_bits < 0.001
    assert rounded_by < 0.1, "more than a near tie"


async def most_changed_alone(file: Path) -> float:
    """How far, in nats, an option alone scores from itself among the others, at most."""
    model = await LlamaModel.load(file, demo=True)
    differences = []
    try:
        for name in BENCHMARKS:
            for question in some_questions(name, 12)[::12]:
                options = [f" {option}" for option in question.options]
                together = await model.score(question.base(), options)
                for option, score in zip(options, together, strict=True):
                    [alone] = await model.score(question.base(), [option])
                    differences.append(abs(alone.logprob - score.logprob))
    finally:
        await model.close()
    assert len(differences) > 60
    return max(differences)
