"""The command `trace` and the trace pane compare the same two prompts."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from core.blocks.trace import TraceTable
from core.contract import registry
from core.contract.question import OptionScore
from core.layout.rows import plain
from core.models.blocks import BlockAccess, BlockNeeds, Part, PromptToken, TraceBase, TraceCell
from core.models.protocol import ModelInfo
from core.runs.asking import natural_form
from tests.mostly_slow import mostly_slow
from tui.blocks.block_pane import Subject
from tui.blocks.trace_controller import Stage, Tracing
from tui.blocks.trace_drawing import Shown, draw_trace
from tui.cli.item_question import ItemQuestion, prompt_pair, traced_table

ITEMS = 4
"""Of every benchmark's samples, from the first to the last."""


class Untraced:
    """Blocks of which tokens are told and nothing else."""

    info = ModelInfo("m", "m.gguf", "f", frozenset(), blocks=2)

    @property
    def blocks(self) -> Any:
        return self

    def __init__(self) -> None:
        self.done: list[str] = []
        """What was asked that takes memory or tells how much, in turn."""

    async def needs(self) -> BlockNeeds:
        self.done.append("needs")
        return BlockNeeds(3 * 2**20, 256 * 2**20)

    async def access(self) -> BlockAccess:
        self.done.append("access")
        return BlockAccess(2, 1, 8, frozenset(Part), attribution=False, attention=False)

    async def tokens(self, prompt: Any, options: Sequence[str]) -> tuple[PromptToken, ...]:
        parts = re.findall(r"\s*\w+|\s*[^\w\s]|\s+", str(prompt))
        return tuple(PromptToken(part.encode(), part) for part in parts)

    async def score(self, prompt: Any, options: Sequence[str]) -> tuple[OptionScore, ...]:
        return tuple(OptionScore(-1.0) for _ in options)

    async def trace(self, *asked: Any) -> AsyncGenerator[TraceBase | TraceCell, None]:
        for cell in ():
            yield cell


async def typed(asked: ItemQuestion) -> TraceTable:
    model: Any = Untraced()
    access = await model.access()
    pair = await prompt_pair(asked, None, model, model)
    table, _ = await traced_table(asked, pair, Part.RESIDUAL, model, model, access)
    return table


def subject_of(asked: ItemQuestion, model: Any) -> Subject:
    return Subject(
        model,
        model,
        asked.benchmark,
        asked.item,
        asked.setting,
        asked.question,
        natural_form(model.info),
        asked.collection,
    )


async def on_screen(asked: ItemQuestion) -> TraceTable:
    tracing = Tracing(subject_of(asked, Untraced()))
    await tracing.work(lambda: None)
    assert tracing.stage is Stage.DONE
    assert tracing.table is not None
    return tracing.table


@mostly_slow("name", ["gita", *sorted({*registry.names()} - {"gita"})])
async def test_command_line_and_screen_choose_the_same_contrast_prompt(name: str) -> None:
    bench = registry.load(name)
    collection = registry.open_collection(bench, bench.samples())
    chosen = set()
    for place in range(0, len(collection), max(1, len(collection) // ITEMS)):
        asked = ItemQuestion(name, collection.item(place).id, None, None, None, None)
        one, other = await typed(asked), await on_screen(asked)
        assert (one.question, one.contrast, one.pairing) == (
            other.question,
            other.contrast,
            other.pairing,
        )
        chosen.add(one.contrast.name)
    assert len(chosen) > 1


async def test_the_memory_it_takes_is_told_before_it_is_taken() -> None:
    bench = registry.load("gita")
    collection = registry.open_collection(bench, bench.samples())
    asked = ItemQuestion("gita", collection.item(0).id, None, None, None, None)
    model = Untraced()
    tracing = Tracing(subject_of(asked, model))

    def changed() -> None:
        if tracing.needs is not None and tracing.access is None:
            rows = draw_trace(Shown(tracing, None, (0, 0), None, False), 90, 9)
            model.done.append(" ".join(plain(rows).split()))

    await tracing.work(changed)
    asked_first, told, then = model.done
    assert (asked_first, then) == ("needs", "access")
    assert "a second context of 3 MB, and at most 256 MB for what" in told
