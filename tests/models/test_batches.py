"""Questions of one forward pass are answered as each is alone, but for rounding, and repeatably."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.contract.question import Prompt
from core.models.llama.client import LlamaModel
from core.models.protocol import Token, Writing
from core.text.errors import ModelError
from tests.models.reference import Reference

pytestmark = pytest.mark.asyncio(loop_scope="module")

STORY = "the cup was open. the cup was closed. perché il cibo?\n"
OPTIONS = [" yes", " no", " the cup was open", " implausible closed àà"]
PROMPTS = [
    "the cup was",
    STORY,
    STORY * 6 + "yes",
    STORY * 6 + "no, the cup",
    "",
    STORY + "  ",
    "yes " * 140,
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(tiny: Path) -> AsyncIterator[LlamaModel]:
    loaded = await LlamaModel.load(tiny)
    yield loaded
    await loaded.close()


@pytest.mark.parametrize("batch", [1, 2, 3, 32])
async def test_scores_together_are_those_of_each_option_alone(
    model: LlamaModel, reference: Reference, batch: int
) -> None:
    asked = [(prompt, OPTIONS[: 1 + number % 4]) for number, prompt in enumerate(PROMPTS)]
    found = await model.score_together(asked, batch=batch)
    assert [len(scores) for scores in found] == [len(options) for _, options in asked]
    for (prompt, options), scores in zip(asked, found, strict=True):
        for option, score in zip(options, scores, strict=True):
            expected, tokens = reference.score(prompt, option)
            assert score.logprob == pytest.approx(expected, abs=1e-3)
            assert (score.tokens, score.bytes) == (tokens, len(option.encode()))


async def test_a_question_with_more_options_than_a_pass_takes_is_asked_alone(
    model: LlamaModel,
) -> None:
    many = [f" {number} cup" for number in range(50)]
    asked = [("the cup", many), ("the cup was", OPTIONS), (STORY, many)]
    found = await model.score_together(asked, batch=8)
    assert found[0] == await model.score("the cup", many)
    assert [len(scores) for scores in found] == [50, 4, 50]


async def alone(
    model: LlamaModel, prompt: Prompt, tokens: int, stop: tuple[str, ...]
) -> list[Token]:
    return [token async for token in model.generate(prompt, max_tokens=tokens, stop=stop)]


@pytest.mark.parametrize("batch", [1, 2, 5, 32])
async def test_texts_written_together_are_those_written_alone(
    model: LlamaModel, batch: int
) -> None:
    asked = [
        Writing(prompt, tokens, stop)
        for prompt in PROMPTS
        for tokens, stop in ((0, ()), (1, ()), (9, ()), (30, ("\n", " cup")))
    ]
    together = await model.generate_together(asked, batch=batch)
    for writing, tokens in zip(asked, together, strict=True):
        expected = await alone(model, writing.prompt, writing.max_tokens, tuple(writing.stop))
        assert [(t.text, t.cut) for t in tokens] == [(t.text, t.cut) for t in expected]


async def test_the_same_questions_have_the_same_answers_to_the_last_bit(
    model: LlamaModel, tiny: Path
) -> None:
    asked = [(prompt, OPTIONS) for prompt in PROMPTS]
    writings = [Writing(prompt, 12) for prompt in PROMPTS]
    scores = await model.score_together(asked, batch=4)
    texts = await model.generate_together(writings, batch=4)
    await model.score(STORY * 3, OPTIONS)
    assert await model.score_together(asked, batch=4) == scores
    assert await model.generate_together(writings, batch=4) == texts
    fresh = await LlamaModel.load(tiny)
    assert await fresh.score_together(asked, batch=4) == scores
    await fresh.close()


async def test_batches_change_nothing_of_what_is_asked_alone(model: LlamaModel) -> None:
    before = await model.score(STORY * 9, OPTIONS)
    await model.generate_together([Writing(STORY * 4, 5), Writing(STORY * 9, 9)], batch=2)
    await model.score_together([(STORY * 9, OPTIONS), (STORY, OPTIONS)], batch=2)
    assert await model.score(STORY * 9, OPTIONS) == before


async def test_a_prompt_that_is_too_long_is_refused_and_the_next_are_answered(
    model: LlamaModel,
) -> None:
    with pytest.raises(ModelError, match="context takes 512"):
        await model.generate_together([Writing("the", 3), Writing(" cup" * 600, 3)], batch=2)
    with pytest.raises(ModelError, match="context takes 512"):
        await model.score_together([("the", OPTIONS), (" cup" * 600, OPTIONS)], batch=2)
    assert len(await model.generate_together([Writing("the", 3)], batch=2)) == 1


async def test_prompts_that_fill_the_context_are_written_one_after_the_other(
    model: LlamaModel,
) -> None:
    long = [" cup" * (490 - number) for number in range(3)]
    together = await model.generate_together([Writing(each, 40) for each in long], batch=3)
    for prompt, tokens in zip(long, together, strict=True):
        assert [t.text for t in tokens] == [t.text for t in await alone(model, prompt, 40, ())]


async def test_a_cancelled_batch_stops_and_leaves_the_model_usable(slow: Path) -> None:
    loaded = await LlamaModel.load(slow)
    before = await loaded.score("the cup", OPTIONS)
    writings = [Writing(STORY * 20, 500) for _ in range(8)]
    request = asyncio.create_task(loaded.generate_together(writings, batch=8))
    await asyncio.sleep(0.3)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert await loaded.score("the cup", OPTIONS) == before
    await loaded.close()


async def test_layers_on_an_accelerator_are_refused_where_llama_cpp_has_none(tiny: Path) -> None:
    from llama_cpp import llama_cpp

    if llama_cpp.llama_supports_gpu_offload():
        pytest.skip("this llama.cpp has an accelerator")
    with pytest.raises(ModelError, match="built without an accelerator") as caught:
        await LlamaModel.load(tiny, gpu_layers=3)
    assert "--gpu" in caught.value.hint
