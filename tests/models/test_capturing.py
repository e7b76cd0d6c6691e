"""Captured states are the residual stream, and reading them changes no score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.models.blocks import EMBEDDING, Action, Edit, Part
from core.models.llama.client import LlamaModel
from core.models.llama.lens import read_position
from core.models.llama.states import MOST_BYTES, capture_states
from core.models.resolver import demo_file
from core.text.errors import ModelError
from tests.gguf_files import write
from tests.models.blocks import OPTIONS, SEQUENTIAL, STORY, Opened, spec_of
from tests.models.reference import Reference

LONG = STORY * 8 + "the"


@pytest.fixture(scope="module", params=["llama", "gemma2", "phi2", "demo"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    if request.param == "demo":
        return Opened(demo_file())
    path = tmp_path_factory.mktemp("models") / "m.gguf"
    opened = Opened(write(path, spec_of(request.param)))
    opened.architecture = request.param
    return opened


def captured(
    opened: Opened, positions: list[int], blocks: list[int], prompt: str = LONG
) -> tuple[list[tuple[float, int]], tuple[int, ...], NDArray[np.float32]]:
    pairs = opened.pairs(prompt)
    return capture_states(opened.engine, opened.inspection, *pairs, positions, blocks)


def test_capturing_changes_no_score_and_the_last_state_is_the_models_own_output(
    opened: Opened,
) -> None:
    last = opened.engine.blocks - 1
    scores, positions, states = captured(opened, [-1], [0, last])
    assert scores == opened.plain(LONG)
    assert positions == (opened.tokens(LONG) - 1,)
    with opened.engine.request():
        own = opened.engine.read(opened.pairs(LONG)[1][0][: positions[0] + 1], positions[0])
    (logits,) = opened.inspection.project(states[0, 1:])
    assert np.array_equal(logits, own[positions[0]])


def test_states_of_earlier_positions_are_what_the_lens_projects(opened: Opened) -> None:
    places = [5, 100, -1]
    blocks = list(range(opened.engine.blocks))
    scores, positions, states = captured(opened, places, blocks)
    assert [score for score, _ in scores] == pytest.approx(
        [score for score, _ in opened.plain(LONG)], abs=1e-3
    )
    pairs = opened.pairs(LONG)
    for position, rows in zip(positions, states, strict=True):
        reading = read_position(opened.engine, opened.inspection, *pairs, position)
        for block, logits in enumerate(opened.inspection.project(rows)):
            assert reading.guesses[block][0].text == opened.engine.spelled(int(logits.argmax()))
            wide = logits.astype(np.float64)
            top = wide.max() - (wide.max() + np.log(np.exp(wide - wide.max()).sum()))
            assert reading.guesses[block][0].logprob == pytest.approx(top, abs=1e-3)


def test_embeddings_depend_on_the_token_alone(opened: Opened) -> None:
    tokens = opened.pairs(LONG)[1][0]
    same = [place for place, token in enumerate(tokens[:100]) if token == tokens[4]]
    assert len(same) > 1
    _, _, states = captured(opened, same, [EMBEDDING, 0])
    assert np.array_equal(states[0, 0], states[1, 0])
    assert not np.array_equal(states[0, 1], states[1, 1])


@pytest.mark.parametrize("architecture", SEQUENTIAL[:2])
def test_a_middle_state_is_the_last_state_of_a_truncated_model(
    tmp_path: Path, architecture: str
) -> None:
    whole = Opened(write(tmp_path / "whole.gguf", spec_of(architecture, 3)))
    part = write(tmp_path / "part.gguf", spec_of(architecture, 2))
    _, _, states = captured(whole, [-1], [1], STORY)
    tokens = whole.pairs(STORY)[1][0][: whole.tokens(STORY)]
    (logits,) = whole.inspection.project(states[0])
    assert logits == pytest.approx(Reference(part).logits(tokens)[-1], abs=1e-3)


def test_what_does_not_exist_and_what_is_too_much_is_refused(opened: Opened) -> None:
    width = opened.inspection.width
    for positions, blocks, match in (
        ([10_000], [0], "no token"),
        ([-10_000], [0], "no token"),
        ([0], [99], "no block"),
        ([0], [-2], "no block"),
        ([], [0], "No states"),
        ([0] * (MOST_BYTES // (4 * width) + 1), [0], "at most"),
    ):
        with pytest.raises(ModelError, match=match):
            captured(opened, positions, blocks)


async def test_through_the_worker(model: LlamaModel) -> None:
    states = await model.blocks.capture(STORY, OPTIONS, [0, -1], [EMBEDDING, 1])
    tokens = len(await model.blocks.tokens(STORY, OPTIONS))
    assert states.positions == (0, tokens - 1)
    array = np.frombuffer(states.data, "<f4").reshape(2, 2, 64)
    again = await model.blocks.capture(STORY, OPTIONS, [-1], [1])
    assert again.scores == await model.score(STORY, OPTIONS)
    assert np.frombuffer(again.data, "<f4") == pytest.approx(array[1, 1], abs=1e-3)


async def test_edits_one_by_one_are_what_each_does_alone(model: LlamaModel) -> None:
    tokens = len(await model.blocks.tokens(STORY, OPTIONS))
    vector = tuple(float(number) for number in np.linspace(-1, 1, 64))
    edits = [
        Edit(Action.ADD, Part.RESIDUAL, 0, -1, 0, vector=vector),
        Edit(Action.ADD, Part.RESIDUAL, 1, tokens - 1, tokens, vector=vector),
        Edit(Action.ZERO, Part.ATTENTION, 0, 2, 5),
    ]
    found = await model.blocks.patch_each(STORY, OPTIONS, edits)
    assert found.plain == await model.score(STORY, OPTIONS)
    edits[0] = replace(edits[0], start=tokens - 1, stop=tokens)
    for edit, scores in zip(edits, found.patched, strict=True):
        assert scores == (await model.blocks.patch(STORY, OPTIONS, [edit])).patched != found.plain
    copy = Edit(Action.COPY, Part.RESIDUAL, 0, -1, 0)
    with pytest.raises(ModelError, match="take nothing from other prompts"):
        await model.blocks.patch_each(STORY, OPTIONS, [copy])
    with pytest.raises(ModelError, match="no tokens"):
        await model.blocks.patch_each(STORY, OPTIONS, [replace(edits[0], start=-99, stop=-98)])
