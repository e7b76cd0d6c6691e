"""The trace in a test: what it shows, and waiting until it has ended."""

from __future__ import annotations

from core.blocks.trace import TraceTable
from tests.tui.support import Opened, widget_text
from tui.blocks.trace_controller import Stage, Tracing
from tui.blocks.trace_pane import TracePane
from tui.browse.item_list import ItemList

STORY = "8-O0"
"""A story beside which the plausible one says as many tokens in another order."""
ENDED = {Stage.DONE, Stage.EMPTY, Stage.FAILED}


def pane(program: Opened) -> TracePane:
    return program.browse.query_one(TracePane)


def tracing(program: Opened) -> Tracing:
    found = pane(program).tracing
    assert found is not None
    return found


def table(program: Opened) -> TraceTable:
    found = tracing(program).table
    assert found is not None
    return found


def shown(program: Opened) -> str:
    return widget_text(pane(program))


async def stand_on(program: Opened, item: str) -> None:
    state = program.browse.state
    assert state is not None
    program.browse.query_one(ItemList).cursor = state.collection.find(item)
    await program.until(lambda: state.item.id == item)


async def traced(program: Opened, item: str = STORY, *keys: str) -> None:
    """Open the trace of an item and wait for its end."""
    await stand_on(program, item)
    await program.press(*keys, "X")
    await ended(program)


async def ended(program: Opened) -> None:
    """Wait for the end of a trace, and until it is painted."""
    await program.until(lambda: tracing(program).stage in ENDED)
    await painted(program)


async def painted(program: Opened) -> None:
    """Wait until all that came in is painted."""
    await program.until(lambda: pane(program).painted)
