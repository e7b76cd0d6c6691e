"""What parts add to a margin, and what heads attend to, against the same formulas in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
import pytest
from numpy.typing import NDArray

from core.models.llama.attention import read_attention
from core.models.llama.attribution import ABSOLUTE, RELATIVE, attribute
from core.models.llama.client import LlamaModel
from core.models.resolver import demo_file
from core.text.errors import ModelError
from tests.gguf_files import Tiny, write
from tests.models.blocks import BESIDE, OPTIONS, SEQUENTIAL, STORY, Opened, changed, spec_of
from tests.models.processes import worker_pid

Wide = NDArray[np.float64]

HEADS = 4
KINDS = ("weight", "bias")


def weights_of(path: Path) -> dict[str, Wide]:
    return {t.name: np.array(t.data, np.float64) for t in gguf.GGUFReader(path).tensors}


def normalised(rows: Wide) -> Wide:
    return rows / np.sqrt(np.square(rows).mean(-1, keepdims=True) + 1e-5)


def turned(rows: Wide) -> Wide:
    """Rotary positions, neighbours in pairs; rows are (tokens, width of a head)."""
    angles = np.outer(np.arange(len(rows)), 10_000.0 ** (-np.arange(0, 16, 2) / 16))
    even, odd = rows[:, ::2], rows[:, 1::2]
    found = np.empty_like(rows)
    found[:, ::2] = even * np.cos(angles) - odd * np.sin(angles)
    found[:, 1::2] = even * np.sin(angles) + odd * np.cos(angles)
    return found


def first_attention(weights: Mapping[str, Wide], tokens: list[int]) -> Wide:
    """What every head of the first block attends to at the last token, (heads, tokens)."""
    stream = normalised(weights["token_embd.weight"][tokens])
    queries, keys = (stream @ weights[f"blk.0.attn_{part}.weight"].T for part in "qk")
    found = []
    for head in range(HEADS):
        part = slice(16 * head, 16 * head + 16)
        logits = turned(keys[:, part]) @ turned(queries[:, part])[-1] / 4
        powers = np.exp(logits - logits.max())
        found.append(powers / powers.sum())
    return np.array(found)


@pytest.mark.parametrize("times", [1, 9], ids=["short", "long"])
def test_attention_is_that_of_the_formula(tiny: Path, times: int) -> None:
    opened = Opened(tiny)
    start, wholes = opened.pairs(STORY * times)
    prompt = wholes[0][:start]
    found = np.array(read_attention(opened.inspection, prompt, 0).weights)
    assert found.shape == (HEADS, len(prompt))
    assert np.abs(found - first_attention(weights_of(tiny), prompt)).max() < 2e-3
    assert np.abs(found.sum(1) - 1).max() < 1e-5


@pytest.mark.parametrize("times", [1, 9], ids=["short", "long"])
def test_attention_along_a_way_is_that_of_the_formula(tiny: Path, times: int) -> None:
    opened = Opened(tiny)
    start, wholes = opened.pairs(STORY * times)
    prompt = wholes[0][:start]
    ways = [(10, 2, 6), (len(prompt) - 1, 0, 3), (len(prompt) - 2, 5, 19), (0, 0, 1)]
    found = read_attention(opened.inspection, prompt, 0, ways)
    assert found.weights == read_attention(opened.inspection, prompt, 0).weights
    weights = weights_of(tiny)
    for number, (place, first, after) in enumerate(ways):
        expected = first_attention(weights, prompt[: place + 1])[:, first:after].sum(1)
        assert np.abs(np.array(found.path_weights)[:, number] - expected).max() < 2e-3
    last = opened.inspection.blocks - 1
    assert len(read_attention(opened.inspection, prompt, last, ways).path_weights) == HEADS
    for way in ((3, 2, 5), (len(prompt), 0, 1), (3, 2, 2), (3, -1, 2)):
        with pytest.raises(ModelError, match="looks at"):
            read_attention(opened.inspection, prompt, 0, [way])


def test_attention_to_a_window(tmp_path: Path) -> None:
    """Every other block of this architecture sees 64 tokens."""
    opened = Opened(write(tmp_path / "m.gguf", spec_of("gemma2")))
    start, wholes = opened.pairs(STORY * 9)
    prompt = wholes[0][:start]
    seen = []
    for block in range(3):
        try:
            weights = np.array(read_attention(opened.inspection, prompt, block).weights)
        except ModelError as error:
            assert "part of the prompt" in str(error)  # noqa: PT017
            seen.append(0)
        else:
            seen.append(int((weights > 0).any(0).sum()))
    assert seen[1] == len(prompt)
    assert seen[0] <= 64
    assert seen[2] <= 64


@pytest.mark.parametrize("architecture", [*SEQUENTIAL, "phi2", *BESIDE, "20 blocks", "demo"])
def test_parts_add_up_to_the_margin(tmp_path: Path, architecture: str) -> None:
    quantised = architecture in ("20 blocks", "demo")
    if architecture == "demo":
        opened = Opened(demo_file())
    else:
        opened = Opened(write(tmp_path / "m.gguf", spec_of(architecture)))
    for prompt in ("the cup", STORY, STORY * 9):
        found = attribute(opened.engine, opened.inspection, *opened.pairs(prompt)).whole
        parts = (found.embedding, *found.attention, *found.feed_forward, found.constant)
        assert found.deviation == pytest.approx(sum(parts) - found.margin, abs=1e-9)
        allowed = ABSOLUTE + RELATIVE * max(map(abs, parts)) if quantised else 1e-4
        assert abs(found.deviation) < allowed
        assert len(found.attention) == len(found.feed_forward) == opened.engine.blocks
        assert found.capped == (architecture == "gemma2")
        if architecture not in ("gemma2", "demo"):
            (yes, _), (no, _) = opened.plain(prompt)
            assert found.margin == pytest.approx(yes - no, abs=1e-4)
            assert found.compared == OPTIONS


def test_the_contribution_of_a_part_follows_the_formula(tiny: Path) -> None:
    """The embedding's share by the formula: the one part that needs no block."""
    opened = Opened(tiny)
    weights = weights_of(tiny)
    start, wholes = opened.pairs(STORY)
    found = attribute(opened.engine, opened.inspection, start, wholes).whole
    first, second = (whole[start] for whole in wholes)
    direction = weights["output.weight"][first] - weights["output.weight"][second]
    embedding = weights["token_embd.weight"][wholes[0][start - 1]]
    # The scale of the last stream, from any other part: here from the sum of all.
    streams = []

    def keep(tensor: object, positions: object) -> None:
        # Of a chunk without wanted logits the last block computes no row.
        if tensor.rows:  # type: ignore[attr-defined]
            streams.append(tensor.row(0))  # type: ignore[attr-defined]

    with (
        opened.inspection.watching({opened.inspection.residuals()[-1]: [keep]}),
        opened.inspection.request(),
    ):
        opened.inspection.forget(0)
        opened.inspection.read(wholes[0][:start], start - 1)
    scale = np.sqrt(np.square(streams[-1].astype(np.float64)).mean() + 1e-5)
    assert found.embedding == pytest.approx(float(embedding @ direction / scale), abs=1e-4)


def test_a_part_without_weights_adds_nothing(tmp_path: Path) -> None:
    path = changed(
        tmp_path / "m.gguf",
        Tiny(blocks=3),
        ["blk.1.ffn_down.weight", "blk.2.attn_output.weight"],
        lambda _, drawn: np.zeros_like(drawn),
    )
    opened = Opened(path)
    found = attribute(opened.engine, opened.inspection, *opened.pairs(STORY)).whole
    assert found.feed_forward[1] == found.attention[2] == 0
    assert all(found.feed_forward[block] for block in (0, 2))


async def test_through_the_worker(model: LlamaModel) -> None:
    pid = worker_pid(model)
    found = (await model.blocks.attribute(STORY, " yes", " no")).whole
    assert abs(found.deviation) < 1e-4
    longer = await model.blocks.attribute(STORY, " the cup was open", " the cup was closed")
    assert longer.whole.compared == (" open", " closed")
    with pytest.raises(ModelError, match="begins with the other"):
        await model.blocks.attribute(STORY, " the cup", " the cup was")
    with pytest.raises(ModelError, match="begins with the other"):
        await model.blocks.attribute(STORY, " yes", " yes")
    reading = await model.blocks.attention(STORY, OPTIONS, 1)
    assert len(reading.weights) == HEADS
    assert len(reading.weights[0]) == len(await model.blocks.tokens(STORY, OPTIONS))
    along = (await model.blocks.attention(STORY, OPTIONS, 1, [(4, 1, 3)])).path_weights
    assert [len(head) for head in along] == [1] * HEADS
    for block in (-1, 2, 10**20):
        with pytest.raises(ModelError, match="no block"):
            await model.blocks.attention(STORY, OPTIONS, block)
    with pytest.raises(ModelError, match="context takes"):
        await model.blocks.attention("the cup " * 600, OPTIONS, 0)
    assert worker_pid(model) == pid


@pytest.mark.parametrize("architecture", ["phi2", *BESIDE])
def test_parts_beside_each_other_are_told_apart(tmp_path: Path, architecture: str) -> None:
    """Without weights a part adds nothing, and the heads add what attention adds."""
    names = [f"blk.{part}.{kind}" for part in ("1.ffn_down", "2.attn_output") for kind in KINDS]
    opened = Opened(
        changed(
            tmp_path / "m.gguf",
            spec_of(architecture),
            names,
            lambda _, drawn: np.zeros_like(drawn),
        )
    )
    found = attribute(opened.engine, opened.inspection, *opened.pairs(STORY), heads=True)
    assert found.whole.feed_forward[1] == pytest.approx(0, abs=1e-5)
    assert found.whole.attention[2] == found.heads[2][0] == 0
    assert abs(found.whole.attention[1]) > 1e-3
    assert abs(found.whole.feed_forward[2]) > 1e-3
    if architecture not in ("phi2", "gptneox"):  # which have biases
        assert found.rest == pytest.approx((0, 0, 0), abs=1e-4)
