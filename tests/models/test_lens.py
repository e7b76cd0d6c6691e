"""Every block's output, projected, is what a model that ends with that block would say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.question import Message
from core.models.blocks import (
    Action,
    Edit,
    Part,
    Trajectory,
    Unreadable,
    prediction_depth,
    trajectory,
)
from core.models.llama.client import LlamaModel
from core.models.llama.graph import find_parts
from core.models.llama.lens import read_blocks, read_position
from core.models.resolver import demo_file
from core.text.errors import ModelError
from tests.gguf_files import not_a_number, write
from tests.models.blocks import (
    ARCHITECTURES,
    BESIDE,
    CONTRAST,
    OPTIONS,
    SEQUENTIAL,
    STORY,
    Opened,
    quantised,
    spec_of,
)
from tests.models.processes import worker_pid
from tests.models.reference import Reference

PRECISIONS = ("F16", "Q4_0", "Q4_K_M")
MANY = (" yes", " the cup was open", " the cup is closed", " no")


@pytest.fixture(scope="module", params=[*ARCHITECTURES, "20 blocks", "demo", *PRECISIONS])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    if request.param == "demo":
        return Opened(demo_file())
    path = tmp_path_factory.mktemp("models") / "m.gguf"
    if request.param in PRECISIONS:
        return Opened(quantised(path, request.param))
    return Opened(write(path, spec_of(request.param)))


def test_reading_is_exact_for_every_architecture(opened: Opened) -> None:
    assert opened.access.unreadable is None
    assert opened.access.attention
    assert {Part.RESIDUAL, Part.HEAD} <= opened.access.parts


@pytest.mark.parametrize(
    ("prompt", "options"),
    [("the cup was", OPTIONS), (STORY * 8 + "the", MANY), ("", MANY)],
    ids=["short", "long", "none"],
)
def test_the_last_row_is_the_plain_score_to_the_bit(
    opened: Opened, prompt: str, options: tuple[str, ...]
) -> None:
    before = opened.plain(prompt, options)
    pairs = opened.pairs(prompt, options)
    reading = read_blocks(opened.engine, opened.inspection, *pairs, options)
    assert [(score.logprob, score.tokens) for score in reading.scores[-1]] == before
    assert len(reading.scores) == len(reading.guesses) == opened.engine.blocks
    assert reading.rounding < 0.5
    assert opened.plain(prompt, options) == before


@pytest.mark.parametrize("architecture", SEQUENTIAL)
def test_a_lens_row_equals_the_scores_of_a_truncated_model(
    tmp_path: Path, architecture: str
) -> None:
    whole = Opened(write(tmp_path / "whole.gguf", spec_of(architecture, 3)))
    found = read_blocks(whole.engine, whole.inspection, *whole.pairs(STORY, MANY), MANY)
    for blocks in (1, 2):
        path = write(tmp_path / f"{blocks}.gguf", spec_of(architecture, blocks))
        expected = [logprob for logprob, _ in Opened(path).plain(STORY, MANY)]
        row = [score.logprob for score in found.scores[blocks - 1]]
        assert row == pytest.approx(expected, abs=1e-4)


def test_positions_are_those_of_the_prompt(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf", spec_of("llama"))
    opened = Opened(path)
    start, wholes = opened.pairs(STORY * 8)
    places = [start - 1, 0, 5, 130]
    logits = Reference(path).logits(wholes[0][:start])
    found = [
        read_position(opened.engine, opened.inspection, start, wholes, place) for place in places
    ]
    assert [reading.position for reading in found] == places
    for reading in found:
        row = logits[reading.position]
        normaliser = np.log(np.exp(row - row.max()).sum()) + row.max()
        expected = [row[whole[start]] - normaliser for whole in wholes]
        assert reading.logprobs[-1] == pytest.approx(expected, abs=1e-4)
        assert reading.guesses[-1][0].logprob == pytest.approx(row.max() - normaliser, abs=1e-4)
    answer = read_blocks(opened.engine, opened.inspection, start, wholes, ["a", "b"])
    for block, row in enumerate(answer.scores):
        assert found[0].logprobs[block] == pytest.approx([s.logprob for s in row], abs=1e-4)


async def test_through_the_worker(model: LlamaModel) -> None:
    plain = await model.score(STORY, MANY)
    needs = await model.blocks.needs()
    assert needs.context > 0
    assert needs.captured == 256 * 2**20
    access = await model.blocks.access()
    assert (access.blocks, access.heads, access.width) == (2, 4, 64)
    assert access.parts == frozenset(Part)
    reading = await model.blocks.read(STORY, MANY)
    assert reading.scores[-1] == plain == await model.score(STORY, MANY)
    assert reading.leading()[-1] == max(range(4), key=lambda place: plain[place].logprob)
    tokens = await model.blocks.tokens(STORY, OPTIONS)
    assert b"".join(token.data for token in tokens) == STORY.encode()
    turns = (Message("user", STORY),)
    assert (await model.blocks.read(turns, MANY)).scores[-1] == await model.score(turns, MANY)
    assert (await model.blocks.read_position(STORY, OPTIONS, 3)).position == 3
    await model.blocks.release()
    await model.blocks.release()
    assert await model.score(STORY, MANY) == plain
    assert (await model.blocks.read(STORY, MANY)).scores[-1] == plain


async def test_what_cannot_be_read_is_said(model: LlamaModel) -> None:
    pid = worker_pid(model)
    with pytest.raises(ModelError, match="no options"):
        await model.blocks.read(STORY, [])
    with pytest.raises(ModelError, match="adds no token"):
        await model.blocks.read(STORY, [""])
    with pytest.raises(ModelError, match="context takes"):
        await model.blocks.read("the cup " * 600, OPTIONS)
    for position in (-1, 10**9):
        with pytest.raises(ModelError, match="no token"):
            await model.blocks.read_position(STORY, OPTIONS, position)
    for prompt in ("\0", "\ud800", "\u202e\U0010ffff", "<|end|>" * 50):
        assert (await model.blocks.read(prompt, OPTIONS)).scores
    assert worker_pid(model) == pid


def test_more_than_may_be_held_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("llama")))
    monkeypatch.setattr("core.models.llama.block_memory.CAPTURED", 2**20)
    start, wholes = opened.pairs(STORY, [f" {number}" + " cup" * 400 for number in range(9)])
    with pytest.raises(ModelError, match="would hold"):
        read_blocks(opened.engine, opened.inspection, start, wholes, ["a"] * 9)


async def test_a_model_without_numbers_is_refused_and_goes_on(tmp_path: Path) -> None:
    model = await LlamaModel.load(not_a_number(tmp_path / "m.gguf"))
    access = await model.blocks.access()
    assert access.unreadable is Unreadable.NUMBERS
    with pytest.raises(ModelError, match="NaN"):
        await model.blocks.read(STORY, OPTIONS)
    assert len(await model.score(STORY, OPTIONS)) == 2
    await model.close()


def test_an_architecture_without_names_is_refused(tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("llama")))
    with pytest.raises(ModelError, match="block 3 no name"):
        find_parts(opened.inspection.nodes(), 4)


@pytest.mark.parametrize("times", [1, 9], ids=["short", "long"])
async def test_a_model_with_a_state_is_read_one_option_at_a_time(
    tmp_path: Path, times: int
) -> None:
    model = await LlamaModel.load(write(tmp_path / "m.gguf", spec_of("mamba")))
    access = await model.blocks.access()
    assert access.unreadable is None
    assert access.parts == {Part.RESIDUAL}
    assert not access.attention
    prompt, contrast = STORY * times, CONTRAST * times
    reading = await model.blocks.read(prompt, MANY)
    assert reading.scores[-1] == await model.score(prompt, MANY)
    assert reading.rounding < 1e-4
    # What no block computes any more is the contrast prompt's too.
    count = len(await model.blocks.tokens(prompt, OPTIONS))
    for block in range(access.blocks):
        edit = Edit(Action.COPY, Part.RESIDUAL, block, 0, count)
        patch = await model.blocks.patch(prompt, OPTIONS, [edit], contrast)
        expected = await model.score(contrast, OPTIONS)
        assert [score.logprob for score in patch.patched] == pytest.approx(
            [score.logprob for score in expected], abs=1e-6
        )
    assert await model.score(prompt, MANY) == reading.scores[-1]
    await model.close()


@pytest.mark.parametrize("architecture", ["phi2", *BESIDE])
def test_attention_and_feed_forward_beside_each_other(tmp_path: Path, architecture: str) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of(architecture)))
    assert opened.access.unreadable is None
    assert opened.access.parts == set(Part)
    assert opened.access.attribution
    reading = read_blocks(opened.engine, opened.inspection, *opened.pairs(STORY), OPTIONS)
    own = [score for score, _ in opened.plain(STORY)]
    assert [score.logprob for score in reading.scores[-1]] == own


@given(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=12))
def test_where_an_answer_settles(leading: list[int | None]) -> None:
    block = prediction_depth(leading)
    if leading[-1] is None:
        assert block is None
        assert trajectory(leading, 0)[0] is Trajectory.TIE
        return
    assert block is not None
    assert set(leading[block:]) == {leading[-1]}
    assert block == 0 or leading[block - 1] != leading[-1]
    fate, last = trajectory(leading, 0)
    assert (fate is Trajectory.WINS) == (leading[-1] == 0)
    assert (last is None) == (0 not in leading)
    if fate is Trajectory.LOST:
        assert last is not None
        assert leading[last] == 0
        assert 0 not in leading[last + 1 :]
