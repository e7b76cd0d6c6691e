"""Asks a model for the cells of a trace."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from core.blocks.trace import Direction, TraceTable
from core.contract.question import Prompt
from core.models.block_requests import Blocks
from core.models.blocks import TraceCell

Place = tuple[int, int]
"""A span and a block."""


async def fill(
    table: TraceTable, blocks: Blocks, source: Prompt, target: Prompt, head: int | None = None
) -> AsyncGenerator[Place | None, None]:
    """Copy every comparable span from the run of one prompt into that of another.

    What is copied into what is the table's direction: of noising, `source` is the contrast prompt.
    Each reply is in the table before its place is yielded; None stands for the two runs. Raises
    `ModelError`.
    """
    pairing = table.pairing
    if not pairing.traced:
        return
    ranges, shifts = pairing.ranges, pairing.shifts
    if table.direction is Direction.NOISING:
        ranges = tuple(
            (start + shift, stop + shift)
            for (start, stop), shift in zip(ranges, shifts, strict=True)
        )
        shifts = tuple(-shift for shift in shifts)
    options = table.question.continuations()
    stream = blocks.trace(source, target, options, ranges, table.part, head, shifts)
    async with aclosing(stream) as cells:
        async for cell in cells:
            table.add(cell)
            yield ((pairing.traced[cell.span], cell.block) if isinstance(cell, TraceCell) else None)
