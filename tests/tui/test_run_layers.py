"""What a run shows of its layers as it meets them, how it is scrolled, and that it is partial."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import OptionScore, Prompt
from core.models.llama.client import LlamaModel
from core.runs.evaluation import Progress
from core.runs.records import RunState
from tests.tui.run_panes import running, shown
from tests.tui.support import Opened, opened
from tui.runs.run_pane import RunPane, names, partial
from tui.runs.running import Running, RunPhase

SIZES = [(140, 40), (80, 24), (60, 20)]


def pane(program: Opened) -> RunPane:
    return program.app.screen.query_one(RunPane)


def met(benchmark: str, **totals: int) -> Running:
    """A run that has met these layers, with so many questions each, and asked one of each."""
    bench = registry.load(benchmark)
    path = bench.samples()
    run = Running(bench, path, bench.open(path))
    run.phase = RunPhase.GOING
    for layer in bench.layers:
        total = totals.get(layer.id.replace("-", "_"))
        if total is not None:
            done = min(1, total)
            run.layers[layer.id] = Progress("r", RunState.RUNNING, layer, done, total, 0)
    return run


@pytest.fixture
def after_twelve(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """A model that gives twelve answers and holds the others until it is let go on."""
    on, score, left = asyncio.Event(), LlamaModel.score, iter(range(12))

    async def slow(
        self: LlamaModel, prompt: Prompt, options: Sequence[str]
    ) -> tuple[OptionScore, ...]:
        if next(left, None) is None:
            await on.wait()
        return await score(self, prompt, options)

    monkeypatch.setattr(LlamaModel, "score", slow)
    return on


def test_layers_that_only_some_items_have_are_shown_when_they_are_met() -> None:
    assert names(met("abspyramid")) == {}
    assert names(met("abspyramid", rung_1=9, rung_2=0)) == {"rung-1": "Concept 1"}
    assert list(names(met("accord")).values()) == ["Bare question", "Whole tree"]
    some = names(met("accord", bare=3, hop_1=3, hop_2=1, hop_3=0)).values()
    assert list(some) == ["Bare question", "Hop 1", "Hop 2", "Whole tree"]


def test_layers_of_one_title_are_told_apart() -> None:
    found = names(met("abspyramid", rung_1=9, false_1=9, false_2=2, false_3=0)).values()
    assert list(found) == ["Concept 1", "Invalid 1", "Invalid 2"]


def test_a_run_on_its_way_says_how_far_it_is() -> None:
    run = met("abspyramid", rung_1=9, false_1=7, false_2=0)
    assert "1 of 7 asked of “Invalid 1”" in partial(run)
    run.phase = RunPhase.DONE
    assert partial(run) == ""
    assert partial(met("abspyramid")) == ""
    assert partial(met("abspyramid", rung_1=0)) == ""


def test_a_complete_layer_is_not_what_makes_figures_partial() -> None:
    said = partial(met("abspyramid", rung_1=9, rung_2=1))
    assert said == "Partial: “Concept 2” is complete; layers that follow may change every figure."
    assert partial(met("accord", bare=9, twin=1)) == ""


@pytest.mark.parametrize("size", SIZES)
async def test_figures_so_far_are_in_sight_and_say_that_they_are_partial(
    size: tuple[int, int], after_twelve: asyncio.Event
) -> None:
    async with opened(benchmark="abspyramid", size=size) as program:
        await program.run_all()
        await program.until(lambda: bool(running(program).layers))
        await program.until(lambda: running(program).layers["rung-1"].done == 12)
        await program.press("p")
        await program.until(lambda: "Paused" in shown(program))
        text = " ".join(shown(program).split())
        assert "Figures so far" in text
        assert "Layers that only some items have" in text
        rows = [row for row in shown(program).splitlines() if " asked, " in row]
        assert len(rows) == 1
        whole = " ".join(
            "".join(span.text for row in pane(program).draw(120) for span in row).split()
        )
        assert "Partial: 12 of 475 asked of “Concept 1”" in whole
        assert "waiting" not in whole
        after_twelve.set()


async def test_a_long_run_is_scrolled_as_the_other_panes_are(few_stories: Path) -> None:
    async with opened(path=few_stories, size=(60, 20)) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        await program.until(lambda: "Done: run" in shown(program))
        seen = pane(program)
        bottom = seen.max_scroll_y
        assert bottom > seen.size.height
        for there, back in (("end", "home"), ("G", "g")):
            await program.press(there)
            await program.until(lambda: pane(program).scroll_offset.y == bottom)
            await program.press(back)
            await program.until(lambda: pane(program).scroll_offset.y == 0)
        await program.press("pagedown")
        await program.until(lambda: 3 < pane(program).scroll_offset.y < bottom)
        await program.press("pageup")
        await program.until(lambda: pane(program).scroll_offset.y == 0)


async def test_help_names_the_keys_that_scroll() -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: bool(program.app.screen.query(RunPane)))
        bar = program.app.screen.query("KeyBar").first().render_line(0).text
        assert "page down" in bar
        assert "◈" in RunPane.HELP
