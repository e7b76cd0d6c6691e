"""What was read is kept: asked of the model once, bounded, and a trace is gone on with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.result_cache import BlockResultCache
from core.models.blocks import Action, Part, TraceBase, TraceCell
from core.models.llama.client import LlamaModel
from core.text.errors import ModelError
from tests.gguf_files import write
from tests.models.blocks import CONTRAST, OPTIONS, STORY

SPANS = [(0, 5), (5, 10), (10, 14)]


@pytest_asyncio.fixture
async def model(tmp_path: Path) -> AsyncIterator[LlamaModel]:
    loaded = await LlamaModel.load(write(tmp_path / "m.gguf"))
    yield loaded
    await loaded.close()


async def test_what_is_known_is_not_asked_again(model: LlamaModel) -> None:
    store = BlockResultCache()
    kept = store.of(model.info.fingerprint, model.blocks)

    async def everything() -> list[object]:
        return [
            await kept.tokens(STORY, OPTIONS),
            await kept.read(STORY, OPTIONS),
            await kept.attention(STORY, OPTIONS, 1),
            await kept.attribute(STORY, *OPTIONS),
            [await kept.read_position(STORY, OPTIONS, place) for place in (3, 1)],
            [one async for one in kept.trace(STORY, CONTRAST, OPTIONS, SPANS)],
            [one async for one in kept.trace(STORY, CONTRAST, OPTIONS, SPANS, Part.HEAD, 1)],
            [one async for one in kept.change_heads(STORY, OPTIONS, Action.ZERO, SPANS)],
        ]

    found = await everything()
    assert found[1] == await model.blocks.read(STORY, OPTIONS)
    assert found[5] == [one async for one in model.blocks.trace(STORY, CONTRAST, OPTIONS, SPANS)]
    assert found[5] != found[6]
    await model.close()
    assert await everything() == found
    for asking in (kept.read(CONTRAST, OPTIONS), kept.read(STORY, OPTIONS[::-1])):
        with pytest.raises(ModelError, match="closed"):
            await asking
    with pytest.raises(ModelError, match="closed"):
        await store.of("other weights", model.blocks).read(STORY, OPTIONS)


async def test_a_trace_that_was_left_is_gone_on_with(model: LlamaModel) -> None:
    kept = BlockResultCache().of("m", model.blocks)
    whole = [one async for one in model.blocks.trace(STORY, CONTRAST, OPTIONS, SPANS)]
    for many in (0, 1, 4, len(whole)):
        cells = kept.trace(STORY, CONTRAST, OPTIONS, SPANS)
        seen: list[TraceBase | TraceCell] = []
        async with aclosing(cells):
            while len(seen) < many:
                seen.append(await anext(cells))
        assert seen == whole[:many]
    assert [one async for one in kept.trace(STORY, CONTRAST, OPTIONS, SPANS)] == whole
    await model.close()
    assert [one async for one in kept.trace(STORY, CONTRAST, OPTIONS, SPANS)] == whole


async def test_an_error_is_not_kept(model: LlamaModel) -> None:
    kept = BlockResultCache().of("m", model.blocks)
    for _ in range(2):
        with pytest.raises(ModelError, match="no tokens from 90"):
            async for _ in kept.trace(STORY, CONTRAST, OPTIONS, [(90, 91)]):
                pass
        with pytest.raises(ModelError, match="no block"):
            await kept.attention(STORY, OPTIONS, 7)
        with pytest.raises(ModelError, match="no token"):
            await kept.read_position(STORY, OPTIONS, 900)
    assert (await kept.read(STORY, OPTIONS)).scores[-1] == await model.score(STORY, OPTIONS)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4000)), max_size=40))
def test_no_more_is_kept_than_may_be(asked: list[tuple[int, int]]) -> None:
    store = BlockResultCache(most_bytes=5000)
    for key, length in asked:
        store.put(bytes([key]), "x" * length)
        assert 0 <= store.bytes <= 5000
        assert store.get(bytes([key]), str) == "x" * length
    used = {key: place for place, (key, _) in enumerate(asked)}
    present = [place for key, place in used.items() if store.get(bytes([key]), str) is not None]
    gone = [place for key, place in used.items() if store.get(bytes([key]), str) is None]
    assert all(lost < kept for lost in gone for kept in present)


def test_what_is_too_large_by_itself_is_not_kept() -> None:
    store = BlockResultCache(most_bytes=1000)
    store.put(b"small", "x")
    store.put(b"large", "x" * 2000)
    assert store.get(b"small", str) == "x"
    assert store.get(b"large", str) is None
