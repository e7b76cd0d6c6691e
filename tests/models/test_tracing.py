"""A trace says of every block and span what the same patch says, and can be left at any cell."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.blocks.spans import token_span
from core.contract.question import OptionScore
from core.models.block_requests import Trace
from core.models.blocks import Action, ChangedHead, Edit, Part, PromptToken, TraceBase, TraceCell
from core.models.llama.client import LlamaModel
from core.models.llama.tracer import trace
from core.models.resolver import demo_file
from core.text.errors import ModelError
from tests.gguf_files import write
from tests.models.blocks import ARCHITECTURES, CONTRAST, OPTIONS, STORY, Opened, spec_of
from tests.models.processes import computed, computing, gone, worker_pid

SENTENCES = ("the cup was open.", " the cup was closed.", " perché il cibo?")
BLOCKS = 2
LONG = "the cup was open. " * 120


async def spans_of(model: LlamaModel, before: str = "") -> list[tuple[int, int]]:
    tokens = await model.blocks.tokens(before + STORY, OPTIONS)
    found = []
    place = len(before.encode())
    for sentence in SENTENCES:
        end = place + len(sentence.encode())
        span = token_span(tokens, place, end)
        assert span is not None
        found.append(span)
        place = end
    return found


@pytest.mark.parametrize("before", ["", STORY * 8], ids=["short", "long"])
async def test_cells_are_patches(model: LlamaModel, before: str) -> None:
    spans = await spans_of(model, before)
    prompt, contrast = before + STORY, before + CONTRAST
    everything = (0, len(await model.blocks.tokens(prompt, OPTIONS)))
    wanted = [*spans, everything]
    trace = model.blocks.trace(prompt, contrast, OPTIONS, wanted)
    base, *cells = [found async for found in trace]
    assert isinstance(base, TraceBase)
    assert base.prompt == await model.score(prompt, OPTIONS)
    assert base.contrast == await model.score(contrast, OPTIONS)
    assert len(cells) == BLOCKS * len(wanted)
    assert len({(cell.block, cell.span) for cell in cells if isinstance(cell, TraceCell)}) == 8
    for cell in cells:
        assert isinstance(cell, TraceCell)
        start, stop = wanted[cell.span]
        edit = Edit(Action.COPY, Part.RESIDUAL, cell.block, start, stop)
        patch = await model.blocks.patch(contrast, OPTIONS, [edit], prompt)
        assert cell.scores == patch.patched
        assert patch.plain == base.contrast
        if cell.span == 0:
            assert cell.scores == base.contrast, "both begin with the same sentence"
        if cell.span == len(spans):
            assert cell.scores == base.prompt
        if cell.span == 1 and cell.block == BLOCKS - 1:
            assert cell.scores == base.contrast, "after the last block nothing is read any more"


async def test_options_of_many_tokens_and_a_longer_contrast_prompt(model: LlamaModel) -> None:
    options = (" yes", " the cup was open", " the cup is closed", " no")
    contrast = CONTRAST.strip() + " the cup"
    count = len(await model.blocks.tokens(STORY, options))
    spans = [(0, 5), (3, 9), (count - 2, count)]
    trace = model.blocks.trace(STORY, contrast, options, spans)
    base, *cells = [found async for found in trace]
    assert isinstance(base, TraceBase)
    assert base.prompt == await model.score(STORY, options)
    assert base.contrast == await model.score(contrast, options)
    for cell in cells:
        assert isinstance(cell, TraceCell)
        edit = Edit(Action.COPY, Part.RESIDUAL, cell.block, *spans[cell.span])
        patch = await model.blocks.patch(contrast, options, [edit], STORY)
        assert cell.scores == patch.patched


@pytest.mark.parametrize(
    ("part", "head"), [(Part.ATTENTION, None), (Part.FEED_FORWARD, None), (Part.HEAD, 2)]
)
async def test_parts_are_traced_too(model: LlamaModel, part: Part, head: int | None) -> None:
    spans = await spans_of(model)
    trace = model.blocks.trace(STORY, CONTRAST, OPTIONS, spans, part, head)
    base, *cells = [found async for found in trace]
    assert isinstance(base, TraceBase)
    assert len(cells) == BLOCKS * len(spans)
    for cell in cells:
        assert isinstance(cell, TraceCell)
        edit = Edit(Action.COPY, part, cell.block, *spans[cell.span], head)
        patch = await model.blocks.patch(CONTRAST, OPTIONS, [edit], STORY)
        assert cell.scores == patch.patched
    assert any(isinstance(cell, TraceCell) and cell.scores != base.contrast for cell in cells)


LONGER = "the cup was open. the cup was open. the cup was open. perché il cibo?\n"


async def test_spans_are_copied_to_other_positions(model: LlamaModel) -> None:
    """Counted from the end, which is where the answer is read in a prompt of another length."""
    lengths = [len(await model.blocks.tokens(prompt, OPTIONS)) for prompt in (STORY, LONGER)]
    shift = lengths[1] - lengths[0]
    assert shift > 0
    last = lengths[0] - 1
    for source, target, end, by in (
        (STORY, LONGER, last, shift),
        (LONGER, STORY, last + shift, -shift),
    ):
        spans, shifts = [(0, 4), (end - 3, end), (end, end + 1)], [0, by, by]
        trace = model.blocks.trace(source, target, OPTIONS, spans, shifts=shifts)
        base, *cells = [found async for found in trace]
        assert isinstance(base, TraceBase)
        assert len(cells) == BLOCKS * len(spans)
        for cell in cells:
            assert isinstance(cell, TraceCell)
            (start, stop), moved = spans[cell.span], shifts[cell.span]
            edit = Edit(
                Action.COPY, Part.RESIDUAL, cell.block, start + moved, stop + moved, shift=-moved
            )
            patch = await model.blocks.patch(target, OPTIONS, [edit], source)
            assert cell.scores == patch.patched
            if (cell.span, cell.block) == (2, BLOCKS - 1):
                read = [score.logprob for score in cell.scores]
                assert read == pytest.approx([score.logprob for score in base.prompt], abs=1e-5)
        assert any(cell.scores != base.contrast for cell in cells if isinstance(cell, TraceCell))


async def test_copying_without_a_shift_is_what_it_was(model: LlamaModel) -> None:
    spans = await spans_of(model)
    plain = [one async for one in model.blocks.trace(STORY, CONTRAST, OPTIONS, spans)]
    shifts = [0] * len(spans)
    moved = model.blocks.trace(STORY, CONTRAST, OPTIONS, spans, shifts=shifts)
    assert [one async for one in moved] == plain
    with pytest.raises(ModelError, match="2 shifts for 3 ranges"):
        async for _ in model.blocks.trace(STORY, CONTRAST, OPTIONS, spans, shifts=[0, 0]):
            pass
    for shift in (-1, 10**9):
        with pytest.raises(ModelError, match="no tokens from"):
            async for _ in model.blocks.trace(STORY, CONTRAST, OPTIONS, [(0, 4)], shifts=[shift]):
                pass
        edit = Edit(Action.COPY, Part.RESIDUAL, 0, 0, 4, shift=shift)
        with pytest.raises(ModelError, match="no tokens from"):
            await model.blocks.patch(STORY, OPTIONS, [edit], CONTRAST)


async def test_heads_are_copied_to_other_positions(model: LlamaModel) -> None:
    lengths = [len(await model.blocks.tokens(prompt, OPTIONS)) for prompt in (STORY, LONGER)]
    end, shift = lengths[0], lengths[1] - lengths[0]
    ranges, shifts = [(0, 4), (end - 3, end)], [0, shift]
    stream = model.blocks.change_heads(STORY, OPTIONS, Action.COPY, ranges, LONGER, shifts)
    _plain, *heads = [reply async for reply in stream]
    for reply in heads[:2]:
        assert isinstance(reply, ChangedHead)
        edits = [
            Edit(Action.COPY, Part.HEAD, reply.block, *place, reply.head, shift=by)
            for place, by in zip(ranges, shifts, strict=True)
        ]
        patch = await model.blocks.patch(STORY, OPTIONS, edits, LONGER)
        assert reply.scores == patch.patched


async def test_a_head_that_is_not_there(model: LlamaModel) -> None:
    for head in (None, -1, 4, 10**30):
        with pytest.raises(ModelError, match="no head"):
            async for _ in model.blocks.trace(STORY, CONTRAST, OPTIONS, [(0, 5)], Part.HEAD, head):
                pass
    assert await model.score(STORY, OPTIONS)


async def test_a_trace_goes_on_where_another_ended(model: LlamaModel) -> None:
    spans = await spans_of(model)

    async def cells(first: int) -> list[TraceBase | TraceCell]:
        request = Trace(STORY, CONTRAST, tuple(OPTIONS), tuple(spans), Part.RESIDUAL, None, first)
        trace = model.blocks.stream(request)
        return [found async for found in trace]

    base, *every = await cells(0)
    for first in (1, 3, 5, 6, 7):
        assert await cells(first) == [base, *every[first:]]


@pytest.mark.parametrize(
    ("architecture", "times"),
    [*((name, 1) for name in ARCHITECTURES), ("gemma3", 9), ("qwen3", 9), ("demo", 1)],
)
def test_only_what_is_behind_a_span_is_evaluated_again(
    tmp_path: Path, architecture: str, times: int
) -> None:
    """To the bit as if everything were, and with fewer tokens."""
    spec = demo_file() if architecture == "demo" else None
    opened = Opened(spec or write(tmp_path / "m.gguf", spec_of(architecture)))
    prompt, contrast = (opened.pairs(story * times) for story in (STORY, CONTRAST))
    count = prompt[0]
    spans = [(count - 9, count - 2), (0, 4), (count // 2, count // 2 + 3), (count - 1, count)]
    evaluated: list[int] = []
    decode = opened.inspection._decode

    def counting(tokens: Sequence[int], *rest: Any) -> None:
        evaluated.append(len(tokens))
        decode(tokens, *rest)

    opened.inspection._decode = counting  # type: ignore[method-assign]
    cells = list(trace(opened.inspection, prompt, contrast, spans, Part.RESIDUAL))[2:]
    spent = sum(evaluated)
    evaluated.clear()
    for block, span, scores in cells:
        edit = Edit(Action.COPY, Part.RESIDUAL, block, *spans[span])
        assert scores == opened.patched(CONTRAST * times, [edit], STORY * times)
    assert opened.plain(CONTRAST * times) == opened.patched(CONTRAST * times, [])
    if times == 1:
        whole = len(contrast[1][0]) * len(cells)
        assert spent < 0.8 * whole


def test_what_is_captured_is_held_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("llama")))
    prompt, contrast = opened.pairs(STORY * 9), opened.pairs(CONTRAST * 9)
    spans = [(0, 40), (60, 90), (90, 150), (170, 171)]
    every = list(trace(opened.inspection, prompt, contrast, spans, Part.RESIDUAL))
    for module in ("tracer", "block_memory"):
        room = 70 * 4 * opened.inspection.width
        monkeypatch.setattr(f"core.models.llama.{module}.CAPTURED", room)
    assert list(trace(opened.inspection, prompt, contrast, spans, Part.RESIDUAL)) == every
    with pytest.raises(ModelError, match="would hold"):
        list(trace(opened.inspection, prompt, contrast, [(0, 71)], Part.RESIDUAL))


def test_an_architecture_without_feed_forward_has_no_such_part(tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("phi2")))
    nodes = opened.inspection.graph.blocks[0]
    without = replace(nodes, attention=None, feed_forward=None)
    graph = opened.inspection.graph
    opened.inspection._graph = replace(graph, blocks=(without, *graph.blocks[1:]))
    for part in (Part.ATTENTION, Part.FEED_FORWARD):
        with pytest.raises(ModelError, match="of its own"):
            opened.patched(STORY, [Edit(Action.ZERO, part, 0, 0, 1)])


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], "1 to 256 spans"),
        ([(0, 1)] * 257, "1 to 256 spans"),
        ([(0, 1), (5, 4)], "no tokens from 5"),
        ([(0, 10**12)], "no tokens from 0"),
        ([(-3, 2)], "no tokens from -3"),
    ],
)
async def test_spans_that_are_not_there(
    model: LlamaModel, spans: list[tuple[int, int]], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        async for _ in model.blocks.trace(STORY, CONTRAST, OPTIONS, spans):
            pass
    with pytest.raises(ModelError, match=r"no tokens|spans"):
        async for _ in model.blocks.trace(STORY, "the", OPTIONS, spans or [(0, 50)] * 300):
            pass
    assert await model.score(STORY, OPTIONS)


async def test_a_trace_is_left_at_a_cell(slow: Path) -> None:
    model = await LlamaModel.load(slow)
    before = await model.score(STORY, OPTIONS)
    await model.blocks.access()
    pid = worker_pid(model)
    writing = model.blocks.trace(LONG, LONG, OPTIONS, [(0, 5), (7, 9)])
    assert isinstance(await anext(writing), TraceBase)
    await anext(writing)
    spent = computed(pid)
    await writing.aclose()
    assert computed(pid) - spent < 1
    assert await model.score(STORY, OPTIONS) == before
    assert worker_pid(model) == pid
    writing = model.blocks.trace(LONG, LONG, OPTIONS, [(0, 5)])
    waiting = asyncio.create_task(anext(writing))
    await computing(pid)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ModelError, match="SIGKILL"):
        await waiting
    assert await gone(pid)
    assert (await model.blocks.read(STORY, OPTIONS)).scores[-1] == before
    await model.close()


def scores(*logprobs: float) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(logprob, 1, 1) for logprob in logprobs)


def test_margins_that_hardly_differ_are_no_contrast() -> None:
    assert TraceBase(scores(-1, -2), scores(-2, -1)).margins_differ(0, 1)
    assert not TraceBase(scores(-1, -2), scores(-1, -2.05)).margins_differ(0, 1)


def test_spans_are_exact_to_the_token() -> None:
    tokens = [PromptToken(data, "") for data in (b"", b"the", b" cup", b". ", b"It", b"'s\n")]
    assert token_span(tokens, 0, 8) == (1, 4)
    assert token_span(tokens, 9, 13) == (4, 6)
    assert token_span(tokens, 3, 7) == (2, 3)
    assert token_span(tokens, 0, 5) is None, "it ends within a word"
    assert token_span(tokens, 8, 9) is None, "white space"
    assert token_span(tokens, 40, 50) is None
