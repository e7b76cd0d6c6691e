"""An edit does what the same change of the weights does, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.models.block_requests import ChangeHeads
from core.models.blocks import Action, ChangedHead, Edit, Part, PlainRun
from core.models.llama.captured import SpanRows, capture, target_of
from core.models.llama.client import LlamaModel
from core.models.llama.completion import common_prefix_length
from core.models.llama.patcher import score_patched
from core.models.resolver import demo_file
from core.text.errors import ModelError
from tests.gguf_files import write
from tests.models.blocks import (
    ARCHITECTURES,
    CONTRAST,
    OPTIONS,
    SEQUENTIAL,
    STORY,
    Change,
    Opened,
    changed,
    spec_of,
)
from tests.models.processes import worker_pid

LONG = 9
"""Times the story that need more than one chunk."""


@pytest.fixture(scope="module", params=[*SEQUENTIAL, "phi2", "gptneox"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return _open(tmp_path_factory.mktemp("models") / "m.gguf", request.param)


def _open(path: Path, architecture: str) -> Opened:
    opened = Opened(write(path, spec_of(architecture)))
    opened.architecture = architecture
    return opened


def _zeroed(names: Sequence[str], opened: Opened, path: Path, change: Change) -> list[object]:
    spec = spec_of(opened.architecture)
    return list(Opened(changed(path, spec, names, change)).plain(STORY * LONG))


def _zero(_: str, drawn: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.zeros_like(drawn)


@pytest.mark.parametrize(
    ("action", "part", "weights"),
    [
        (Action.ZERO, Part.FEED_FORWARD, ("ffn_down",)),
        (Action.ZERO, Part.ATTENTION, ("attn_output",)),
        (Action.SKIP, Part.RESIDUAL, ("attn_output", "ffn_down")),
    ],
)
@pytest.mark.parametrize("block", [0, 1, 2])
def test_parts_left_out_are_weights_of_zero(
    opened: Opened,
    tmp_path: Path,
    action: Action,
    part: Part,
    weights: tuple[str, ...],
    block: int,
) -> None:
    prompt = STORY * LONG
    names = [f"blk.{block}.{name}.{kind}" for name in weights for kind in ("weight", "bias")]
    edit = Edit(action, part, block, 0, opened.tokens(prompt))
    found = opened.patched(prompt, [edit])
    assert found == _zeroed(names, opened, tmp_path / "m.gguf", _zero)
    assert found != opened.plain(prompt)


@pytest.mark.parametrize("head", [0, 1, 3])
def test_a_head_left_out_is_columns_of_zero(opened: Opened, tmp_path: Path, head: int) -> None:
    def change(_: str, drawn: NDArray[np.float32]) -> NDArray[np.float32]:
        without = drawn.copy()
        without[:, 16 * head : 16 * head + 16] = 0
        return without

    prompt = STORY * LONG
    edit = Edit(Action.ZERO, Part.HEAD, 1, 0, opened.tokens(prompt), head=head)
    found = opened.patched(prompt, [edit])
    names = ["blk.1.attn_output.weight"]
    assert found == _zeroed(names, opened, tmp_path / "m.gguf", change)
    assert found != opened.plain(prompt)


def test_a_vector_added_is_what_a_residual_stream_differs_by(opened: Opened) -> None:
    vector = tuple(float(number) for number in np.linspace(-1, 1, 64))
    count = opened.tokens(STORY)
    last = opened.engine.blocks - 1
    added = opened.patched(STORY, [Edit(Action.ADD, Part.RESIDUAL, last, 0, count, vector=vector)])
    parts = [
        Edit(Action.ADD, part, last, 0, count, vector=tuple(number / 2 for number in vector))
        for part in (Part.RESIDUAL, Part.RESIDUAL)
    ]
    twice = opened.patched(STORY, parts)
    assert [score for score, _ in twice] == pytest.approx([s for s, _ in added], abs=1e-4)
    assert added != opened.plain(STORY)


def test_zero_then_add_is_the_vector_alone(opened: Opened) -> None:
    """In the last block the residual stream is all that the logits depend on."""
    vector = tuple(float(number) for number in np.linspace(-1, 1, 64))
    last = opened.engine.blocks - 1
    start = opened.tokens(STORY)
    edits = [
        Edit(Action.ZERO, Part.RESIDUAL, last, start - 1, start),
        Edit(Action.ADD, Part.RESIDUAL, last, start - 1, start, vector=vector),
    ]
    found = opened.patched(STORY, edits)
    (row,) = opened.inspection.project(np.array([vector], np.float32))
    wide = row.astype(np.float64)
    normaliser = np.log(np.exp(wide - wide.max()).sum()) + wide.max()
    _, wholes = opened.pairs(STORY)
    expected = [float(wide[whole[start]]) - normaliser for whole in wholes]
    assert [score for score, _ in found] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("architecture", [*ARCHITECTURES, "demo"])
def test_a_block_copied_everywhere_is_the_contrast_prompt(
    tmp_path: Path, architecture: str
) -> None:
    """For options of one token: what comes after the prompt is not copied."""
    options = OPTIONS
    if architecture == "demo":
        opened, options = Opened(demo_file()), (" sporco", " bagnato")
    else:
        opened = _open(tmp_path / "m.gguf", architecture)
    for times in (1, LONG):
        prompt, contrast = (STORY * times).strip(), (CONTRAST * times).strip()
        count = opened.tokens(prompt)
        assert opened.tokens(contrast) == count
        expected = opened.plain(contrast, options)
        assert expected != opened.plain(prompt, options)
        assert [tokens for _, tokens in expected] == [1, 1]
        for block in range(opened.engine.blocks):
            edit = Edit(Action.COPY, Part.RESIDUAL, block, 0, count)
            assert opened.patched(prompt, [edit], contrast, options) == expected


def test_all_parts_copied_are_the_contrast_prompt(opened: Opened) -> None:
    """Attention and feed-forward of every block, and heads in place of attention."""
    count = opened.tokens(STORY)
    # No part of a block replaces the embedding, so the first block is copied as a whole.
    last = Edit(Action.COPY, Part.RESIDUAL, 0, 0, count)
    rest = [
        Edit(Action.COPY, part, block, 0, count)
        for block in (1, 2)
        for part in (Part.ATTENTION, Part.FEED_FORWARD)
    ]
    heads = [
        Edit(Action.COPY, Part.HEAD, 1, 0, count, head=head) for head in range(opened.access.heads)
    ]
    expected = opened.plain(CONTRAST)
    assert opened.patched(STORY, [last, *rest], CONTRAST) == expected
    assert opened.patched(STORY, [last, *heads], CONTRAST) == expected
    assert opened.patched(STORY, heads, CONTRAST) not in (expected, opened.plain(STORY))


def test_what_is_the_same_in_the_contrast_prompt_changes_nothing(opened: Opened) -> None:
    edits = [
        Edit(Action.COPY, part, 1, 0, 3, head=1)
        for part in (Part.RESIDUAL, Part.ATTENTION, Part.FEED_FORWARD, Part.HEAD)
    ]
    assert opened.patched(STORY * LONG, edits, CONTRAST * LONG) == opened.plain(STORY * LONG)


HOSTILE = [
    (Edit(Action.ZERO, Part.RESIDUAL, 2, 0, 1), "no block 2"),
    (Edit(Action.ZERO, Part.RESIDUAL, -1, 0, 1), "no block -1"),
    (Edit(Action.ZERO, Part.RESIDUAL, 10**30, 0, 1), "no block"),
    (Edit(Action.ZERO, Part.RESIDUAL, 0, -1, 1), "no tokens from -1"),
    (Edit(Action.ZERO, Part.RESIDUAL, 0, 1, 1), "no tokens from 1"),
    (Edit(Action.ZERO, Part.RESIDUAL, 0, 0, 10**9), "no tokens from 0"),
    (Edit(Action.ZERO, Part.HEAD, 0, 0, 1), "no head None"),
    (Edit(Action.ZERO, Part.HEAD, 0, 0, 1, head=4), "no head 4"),
    (Edit(Action.ZERO, Part.HEAD, 0, 0, 1, head=-1), "no head -1"),
    (Edit(Action.SKIP, Part.ATTENTION, 0, 0, 1), "Only a whole block"),
    (Edit(Action.COPY, Part.RESIDUAL, 0, 0, 1), "no contrast prompt"),
    (Edit(Action.ADD, Part.RESIDUAL, 0, 0, 1), "vector of 0 numbers"),
    (Edit(Action.ADD, Part.RESIDUAL, 0, 0, 1, vector=(0.0,) * 65), "vector of 65 numbers"),
    (Edit(Action.ADD, Part.HEAD, 0, 0, 1, head=3, vector=(0.0,) * 64), "it takes 16"),
    (Edit(Action.ADD, Part.RESIDUAL, 0, 0, 1, vector=(float("nan"),) * 64), "not finite"),
    (Edit(Action.ADD, Part.RESIDUAL, 0, 0, 1, vector=(1e300,) * 64), "not finite"),
]


async def test_edits_that_cannot_be_made(model: LlamaModel) -> None:
    plain = await model.score(STORY, OPTIONS)
    pid = worker_pid(model)
    for edit, message in HOSTILE:
        with pytest.raises(ModelError, match=message):
            await model.blocks.patch(STORY, OPTIONS, [edit])
    with pytest.raises(ModelError, match="At most"):
        await model.blocks.patch(STORY, OPTIONS, [HOSTILE[0][0]] * 1001)
    edit = Edit(Action.COPY, Part.RESIDUAL, 0, 0, 9)
    with pytest.raises(ModelError, match="no tokens from 0 up to 9"):
        await model.blocks.patch(STORY, OPTIONS, [edit], "the cup")
    huge = Edit(Action.ADD, Part.RESIDUAL, 0, 0, 3, vector=(3e38,) * 64)
    assert len((await model.blocks.patch(STORY, OPTIONS, [huge])).patched) == 2
    assert await model.score(STORY, OPTIONS) == plain
    assert worker_pid(model) == pid


async def test_through_the_worker(model: LlamaModel) -> None:
    plain, contrast = await model.score(STORY, OPTIONS), await model.score(CONTRAST, OPTIONS)
    count = len(await model.blocks.tokens(STORY, OPTIONS))
    edit = Edit(Action.COPY, Part.RESIDUAL, 1, 0, count)
    result = await model.blocks.patch(STORY, OPTIONS, [edit], CONTRAST)
    assert (result.plain, result.patched) == (plain, contrast)
    result = await model.blocks.patch(STORY, OPTIONS, [])
    assert result.plain == result.patched == plain == await model.score(STORY, OPTIONS)


@pytest.mark.parametrize("action", [Action.ZERO, Action.COPY])
async def test_heads_changed_one_at_a_time_are_patches(model: LlamaModel, action: Action) -> None:
    contrast = CONTRAST if action is Action.COPY else None
    ranges = [(3, 9), (10, 20)]
    stream = model.blocks.change_heads(STORY, OPTIONS, action, ranges, contrast)
    plain, *cells = [reply async for reply in stream]
    assert isinstance(plain, PlainRun)
    assert plain.scores == await model.score(STORY, OPTIONS)
    assert len(cells) == 2 * 4
    for cell in cells:
        assert isinstance(cell, ChangedHead)
        edits = [Edit(action, Part.HEAD, cell.block, *place, cell.head) for place in ranges]
        patch = await model.blocks.patch(STORY, OPTIONS, edits, contrast)
        assert cell.scores == patch.patched
    request = ChangeHeads(STORY, OPTIONS, action, tuple(ranges), contrast, first=5)
    rest = [reply async for reply in model.blocks.stream(request)]
    assert rest == [plain, *cells[5:]]


async def test_heads_that_cannot_be_changed(model: LlamaModel) -> None:
    for ranges, contrast, message in (
        ([(0, 10**9)], None, "no tokens from 0"),
        ([(0, 3)], None, "contrast prompt"),
    ):
        action = Action.ZERO if message != "contrast prompt" else Action.COPY
        with pytest.raises(ModelError, match=message):
            async for _ in model.blocks.change_heads(STORY, OPTIONS, action, ranges, contrast):
                pass


REFERENCES = (
    "the cup was closed. the cup was closed. perché il cibo?\n",
    "il cibo was open. the cup was open. the cup was closed. perché il cibo?\n",
    "cibo open. perché il cibo?\n",
)


def last_rows(opened: Opened, prompt: str, part: Part, block: int, head: int | None) -> Any:
    """What a part computes at the answer position, by a capture of its own."""
    start, sequences = opened.pairs(prompt)
    kept = SpanRows()
    edit = Edit(Action.COPY, part, block, start - 1, start, head)
    capture(opened.inspection, kept, start, sequences, [edit])
    row = kept.row(target_of(opened.inspection, edit), start - 1)
    assert row is not None
    return row.astype(np.float64)


@pytest.mark.parametrize(("part", "head"), [(Part.ATTENTION, None), (Part.HEAD, 2)])
def test_a_mean_is_that_of_the_other_prompts(opened: Opened, part: Part, head: int | None) -> None:
    """Counted from the ends: as zeroing the part there, and adding the mean that was captured."""
    prompt = opened.pairs(STORY)
    last = prompt[0] - 1
    others = [opened.pairs(text) for text in REFERENCES]
    for block in range(3):
        for action, used in ((Action.MEAN, REFERENCES), (Action.RESAMPLE, REFERENCES[:1])):
            mean = np.mean([last_rows(opened, text, part, block, head) for text in used], axis=0)
            edit = Edit(action, part, block, last, last + 1, head)
            plain, found, replaced = score_patched(opened.inspection, *prompt, [edit], None, others)
            assert replaced == 1
            assert plain == opened.plain(STORY)
            vector = tuple(map(float, mean.astype(np.float32)))
            edits = [
                replace(edit, action=Action.ZERO),
                replace(edit, action=Action.ADD, vector=vector),
            ]
            assert found == opened.patched(STORY, edits)
            assert found != plain


def test_a_prompt_of_the_same_length_is_copied_from(opened: Opened) -> None:
    prompt, other = opened.pairs(STORY), opened.pairs(CONTRAST)
    assert prompt[0] == other[0]
    for part in (Part.RESIDUAL, Part.ATTENTION):
        edit = Edit(Action.COPY, part, 1, 0, prompt[0])
        copied = opened.patched(STORY, [edit], CONTRAST)
        for action, others in ((Action.RESAMPLE, [other]), (Action.MEAN, [other, other])):
            _, found, replaced = score_patched(
                opened.inspection, *prompt, [replace(edit, action=action)], None, others
            )
            assert found == copied
            first = common_prefix_length([prompt[1][0], other[1][0]])
            assert replaced == prompt[0] - first


async def test_a_mean_needs_other_prompts(model: LlamaModel) -> None:
    edit = Edit(Action.MEAN, Part.ATTENTION, 0, 0, 5)
    with pytest.raises(ModelError, match="none is given"):
        await model.blocks.patch(STORY, OPTIONS, [edit])
    with pytest.raises(ModelError, match="tokens of its own"):
        await model.blocks.patch(STORY, OPTIONS, [edit], references=[CONTRAST])
    found = await model.blocks.patch(
        STORY, OPTIONS, [replace(edit, stop=20)], references=REFERENCES
    )
    assert 0 < found.replaced <= 20
    assert found.plain == await model.score(STORY, OPTIONS)
    assert found.patched != found.plain
