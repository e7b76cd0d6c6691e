"""A second model that is let go of, or patched over, while it is loaded."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from tests.gguf_files import Tiny, write
from tests.models.processes import children, gone
from tests.tui.support import opened
from tests.tui.trace_panes import pane, traced, tracing
from tui.blocks.comparison_model import ComparisonModel


async def test_a_model_let_go_of_while_it_is_loaded_leaves_no_process(running_model: None) -> None:
    before = children()
    comparison = ComparisonModel("demo")
    heard = asyncio.Event()
    loading = asyncio.create_task(comparison.load(heard.set))
    await heard.wait()
    started = children() - before
    assert started
    await comparison.close()
    with suppress(asyncio.CancelledError):
        await loading
    for pid in started:
        assert await gone(pid)


async def test_letting_go_of_a_model_that_is_loaded_goes_on_without_it(
    running_model: None, tmp_path: Path
) -> None:
    path = write(tmp_path / "second.gguf", Tiny(blocks=3, context=4096))
    async with opened() as program:
        await traced(program)
        widget = pane(program)
        before = children()
        widget.load_comparison(str(path))
        await program.until(lambda: children() - before)
        started = children() - before
        await program.press("M")
        assert widget.comparison is None
        for pid in started:
            assert await gone(pid)
        workers = [one for one in program.browse.workers if one.group == "trace"]
        await program.until(lambda: all(worker.is_finished for worker in workers))
        assert program.app.return_code is None


async def test_a_patch_does_not_keep_a_second_model_from_being_traced(tmp_path: Path) -> None:
    path = write(tmp_path / "second.gguf", Tiny(blocks=3, context=4096))
    async with opened() as program:
        await traced(program)
        widget = pane(program)
        before = children()
        widget.load_comparison(str(path))
        await program.until(lambda: children() - before)
        widget.enter()
        await program.until(lambda: tracing(program).applied is not None)
        comparison = widget.comparison
        assert comparison is not None
        await program.until(lambda: comparison.tracing is not None and not comparison.tracing.busy)
        assert tracing(program).applied is not None
