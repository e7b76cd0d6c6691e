"""In the trace, what spans say begins in one column, however many spans there are."""

from __future__ import annotations

import re

from tests.tui.support import opened
from tests.tui.trace_panes import pane, shown, tracing


async def test_what_the_tenth_span_says_begins_under_what_the_ninth_says() -> None:
    async with opened(benchmark="accord") as program:
        program.browse.enter_pane("ladder")
        await program.press("G", "X")
        await program.until(lambda: tracing(program).table is not None)
        await program.until(lambda: pane(program).picture is not None)
        await program.press("home", *["j"] * 9)
        lines = [re.match(r"( . +(\d+) )\S", line) for line in shown(program).splitlines()]
        starts = {int(found[2]): len(found[1]) for found in lines if found}
        assert {9, 10} <= set(starts)
        assert starts[9] == starts[10]
        assert len(set(starts.values())) == 1
