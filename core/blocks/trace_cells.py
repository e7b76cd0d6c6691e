"""Asks a model for the cells of a trace."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from core.blocks.beginnings import read_beginning
from core.blocks.pairing import Pairing
from core.blocks.trace import Direction, TraceTable
from core.contract.question import Prompt
from core.models.block_requests import Blocks
from core.models.blocks import TraceBase, TraceCell

Place = tuple[int, int]
"""A row and a block."""


async def fill(
    table: TraceTable, blocks: Blocks, source: Prompt, target: Prompt, head: int | None = None
) -> AsyncGenerator[Place | None, None]:
    """Copy every comparable span from the run of one prompt into that of another.

    What is copied into what is the table's direction: of noising, `source` is the contrast prompt.
    Where the two compared options begin alike, what they begin with is the last row; its cells are
    of these two alone, because the other options may begin otherwise. Each reply is in the table
    before its place is yielded; None stands for a change that is no cell. Raises `ModelError`.
    """
    options = table.question.continuations()

    def copied(
        pairing: Pairing, options: Sequence[str]
    ) -> AsyncGenerator[TraceBase | TraceCell, None]:
        ranges, shifts = pairing.ranges, pairing.shifts
        if table.direction is Direction.NOISING:
            ranges = tuple(
                (start + shift, stop + shift)
                for (start, stop), shift in zip(ranges, shifts, strict=True)
            )
            shifts = tuple(-shift for shift in shifts)
        return blocks.trace(source, target, options, ranges, table.part, head, shifts)

    spans = table.pairing.traced
    if not spans:
        return
    async with aclosing(copied(table.pairing, options)) as cells:
        async for cell in cells:
            table.add(cell)
            yield (spans[cell.span], cell.block) if isinstance(cell, TraceCell) else None
    if table.base is None or table.options is None:
        return
    compared = [options[option] for option in table.options]
    here, there = (target, source) if table.direction is Direction.NOISING else (source, target)
    table.beginning = await read_beginning(blocks, here, there, options, compared)
    beginning, row = table.beginning.behind(Pairing((), ())), len(table.pairing.spans)
    if not beginning.spans:
        return
    yield None
    async with aclosing(copied(beginning, compared)) as cells:
        async for cell in cells:
            table.add_beginning(cell)
            yield (row, cell.block) if isinstance(cell, TraceCell) else None
