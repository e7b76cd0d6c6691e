"""Where the answer is read, in prompts that end in a line break, as most chat templates do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.contract.question import Message
from core.models.blocks import Action, Edit, Part, TraceBase, TraceCell
from core.models.llama.attention import read_attention
from core.models.llama.client import LlamaModel
from core.text.errors import ModelError
from tests.gguf_files import CHAT, Tiny, write
from tests.models.blocks import Opened

PROMPT = (Message("user", "the cup was open. il cibo?"),)
OPTIONS = (" yes", " no")
BROKEN = CHAT.replace("{{ '<|bot|>' }}", "{{ '<|bot|>\\n' }}")


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chatting(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LlamaModel]:
    assert BROKEN != CHAT
    path = tmp_path_factory.mktemp("models") / "chat.gguf"
    model = await LlamaModel.load(write(path, Tiny(chat=BROKEN)))
    yield model
    await model.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(tiny: Path) -> AsyncIterator[LlamaModel]:
    loaded = await LlamaModel.load(tiny)
    yield loaded
    await loaded.close()


async def test_the_last_block_guesses_the_first_generated_token(chatting: LlamaModel) -> None:
    reading = await chatting.blocks.read(PROMPT, OPTIONS)
    assert reading.scores[-1][0].tokens == 2  # the line break, which is no part of the prompt
    written = [token async for token in chatting.generate(PROMPT, max_tokens=1)]
    assert reading.guesses[-1][0].text == written[0].text


async def test_the_last_token_is_where_the_answer_is_read(chatting: LlamaModel) -> None:
    blocks = chatting.blocks
    tokens = await blocks.tokens(PROMPT, OPTIONS)
    assert tokens[-1].data.isspace()
    last = len(tokens) - 1
    there = await blocks.read_position(PROMPT, OPTIONS, last)
    reading = await blocks.read(PROMPT, OPTIONS)
    for found, expected in zip(there.guesses, reading.guesses, strict=True):
        assert [one.text for one in found] == [one.text for one in expected]
    attention = await blocks.attention(PROMPT, OPTIONS, 1)
    assert {len(head) for head in attention.weights} == {len(tokens)}
    for stop in (last + 2, last + 3):
        edit = Edit(Action.ZERO, Part.RESIDUAL, 0, last + 1, stop)
        with pytest.raises(ModelError, match="no tokens"):
            await blocks.patch(PROMPT, OPTIONS, [edit])


async def test_the_whole_prompt_can_be_traced(chatting: LlamaModel) -> None:
    """With its line break copied too, the contrast run is this prompt's."""
    blocks = chatting.blocks
    contrast = (Message("user", "the cup was closed. il cibo?"),)
    stop = len(await blocks.tokens(PROMPT, OPTIONS))
    assert stop == len(await blocks.tokens(contrast, OPTIONS))
    spans = [(0, stop), (stop - 1, stop)]
    base, *cells = [one async for one in blocks.trace(PROMPT, contrast, OPTIONS, spans)]
    assert isinstance(base, TraceBase)
    assert base.prompt != base.contrast
    for cell in cells:
        assert isinstance(cell, TraceCell)
        edit = Edit(Action.COPY, Part.RESIDUAL, cell.block, *spans[cell.span])
        patched = (await blocks.patch(contrast, OPTIONS, [edit], PROMPT)).patched
        assert cell.scores == patched
        if cell.span == 0:
            assert cell.scores == base.prompt


async def test_options_are_told_apart_at_every_position(chatting: LlamaModel) -> None:
    last = len(await chatting.blocks.tokens(PROMPT, OPTIONS)) - 1
    for position in (0, last):
        reading = await chatting.blocks.read_position(PROMPT, OPTIONS, position)
        for yes, no in reading.logprobs:
            assert yes != no


@pytest.mark.parametrize("prompt", ["the cup was", "the cup was:\n", "the cup was\n", "il\n\n"])
async def test_attention_is_that_of_the_token_before_the_answer(
    tiny: Path, model: LlamaModel, prompt: str
) -> None:
    opened = Opened(tiny)
    whole = opened.pairs(prompt, [" yes"])[1][0]
    for block in range(2):
        found = await model.blocks.attention(prompt, [" yes"], block)
        assert found.weights == read_attention(opened.inspection, whole[:-1], block).weights
