"""The trace pane: cells come in, a patch is tried out on the ladder, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest

from core.blocks.trace import Direction
from core.models.block_requests import Trace
from core.models.blocks import Action, Edit, Part, TraceBase, TraceCell, margin
from core.models.llama.block_client import LlamaBlocks
from core.models.llama.client import LlamaModel
from core.text.errors import ModelError
from tests.gguf_files import Tiny, write
from tests.models.processes import children, gone, worker_pid
from tests.pilots import notices
from tests.tui.support import Opened, opened
from tests.tui.trace_panes import (
    ENDED,
    STORY,
    ended,
    painted,
    pane,
    shown,
    stand_on,
    table,
    traced,
    tracing,
)
from tui.blocks.control_trace import ControlTrace
from tui.blocks.trace_controller import Stage
from tui.blocks.trace_pane import TracePane
from tui.browse.ladder_pane import LadderPane
from tui.browse.models_screen import ModelsScreen
from tui.shell.command import Place
from tui.shell.help import help_text
from tui.shell.prompts import PickOne


class Held:
    """Lets the beginning of every trace through, and holds it there until it is let go on."""

    def __init__(self) -> None:
        self.most = 3
        """How much is let through: what the cells are measured by, then cells."""
        self.on = asyncio.Event()


@pytest.fixture
def held(running_model: None, monkeypatch: pytest.MonkeyPatch) -> Held:
    """Traces that are under way as long as a test wants it, however fast the machine is."""
    gate, stream = Held(), LlamaBlocks.stream

    async def slow(
        self: LlamaBlocks, request: Trace
    ) -> AsyncGenerator[TraceBase | TraceCell, None]:
        came = 0
        if gate.most == 0:
            await gate.on.wait()
        async with aclosing(stream(self, request)) as found:
            async for one in found:
                yield one
                came += 1
                if came == gate.most:
                    await gate.on.wait()

    monkeypatch.setattr(LlamaBlocks, "stream", slow)
    return gate


async def under_way(program: Opened) -> None:
    """Open a trace that is held: that of the largest tree's last layer."""
    await program.press("plus", "plus")
    program.browse.enter_pane("ladder")
    await program.press("G", "X")
    await program.until(lambda: tracing(program).stage is Stage.TRACING)


def cells(program: Opened) -> int:
    """How many cells came in."""
    found = tracing(program).table
    return 0 if found is None else found.done


def the_model(program: Opened) -> LlamaModel:
    model = program.app.model_state.model
    assert isinstance(model, LlamaModel)
    return model


async def test_every_comparable_cell_comes_in_and_the_outcome_stands_above() -> None:
    async with opened() as program:
        await traced(program)
        found = table(program)
        assert tracing(program).stage is Stage.DONE
        assert found.done == tracing(program).cells == len(found.pairing.ranges) * found.blocks > 0
        first, text = shown(program).splitlines()[0], " ".join(shown(program).split())
        assert any(word in first for word in ("restored by span", "restores", "Effects in nats"))
        assert f"Compared with {found.contrast.name}" in text
        assert "nats here" in text
        assert "in the contrast prompt" in text
        widget = pane(program)
        assert "one pair of prompts, one model, a demonstration" in str(widget.border_subtitle)


async def test_the_cursor_is_a_cell_and_its_span_is_shown_in_the_item() -> None:
    async with opened() as program:
        await traced(program)
        widget, found = pane(program), table(program)
        assert found.base is not None
        await program.press("home", *["j"] * tracing(program).first)
        await program.press(*["h"] * found.blocks)
        assert widget.at == (tracing(program).first, 0)
        effect = found.effect(*widget.at)
        assert effect is not None
        assert f"by {abs(effect):.3f} nats" in " ".join(shown(program).split())
        await program.press("l")
        assert widget.at == (tracing(program).first, 1)
        assert f"Span {widget.at[0]} at block 1" in shown(program)
        view = program.browse.item_text
        said = found.pairing.spans[widget.at[0]].text
        assert view.pointed == set(view.statements_in(said)) != set()
        await program.press("X")
        assert not view.pointed


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20)])
async def test_the_pane_that_a_trace_covers_is_shown_when_one_goes_to_it(
    size: tuple[int, int],
) -> None:
    async with opened(size=size) as program:
        await traced(program)
        await program.press("tab")
        assert program.browse.pane == "live"
        await program.until(lambda: program.browse.live.region.area > 0)
        await program.press("shift+tab")
        await program.until(lambda: pane(program).region.area > 0)


async def test_a_click_puts_the_cursor_on_a_cell() -> None:
    async with opened() as program:
        await traced(program)
        widget = pane(program)
        wanted = f"{(widget.at[0] + 1) % len(table(program).pairing.spans)}.1"
        places = {}
        for y in range(widget.size.height):
            x = 0
            for segment in widget.render_line(y):
                if segment.style is not None and segment.text.strip():
                    places[segment.style.meta.get("ref")] = (x, y)
                x += segment.cell_length
        x, y = places[wanted]
        await program.pilot.click(TracePane, offset=(x + 1, y + 1))
        assert widget.at == tuple(map(int, wanted.split(".")))


async def test_a_patch_answers_on_the_ladder_and_is_kept_nowhere() -> None:
    async with opened() as program:
        await stand_on(program, STORY)
        await program.ask()
        state = program.browse.state
        assert state is not None
        own, marks = state.rungs(), dict(state.marks)
        await traced(program)
        widget, found = pane(program), table(program)
        await program.press("home", *["j"] * tracing(program).first, *["h"] * found.blocks)
        await program.press("enter")
        await program.until(lambda: tracing(program).applied is not None)
        applied = tracing(program).applied
        assert applied is not None
        assert (applied.span, applied.block) == widget.at
        rung = program.browse.query_one(LadderPane).rungs[0]
        assert rung.patched == applied.answer
        assert rung.verdict == own[0].verdict
        assert "⇄ patched" in program.ladder
        assert "is the contrast prompt's" in " ".join(program.ladder.split())
        assert "without the patch" in " ".join(program.ladder.split())
        assert state.rungs() == own
        assert state.marks == marks

        subject = tracing(program).subject
        here = found.pairing.spans[applied.span].tokens
        assert here is not None
        direct = await the_model(program).blocks.patch(
            subject.prompt_of(found.question),
            found.question.continuations(),
            [Edit(Action.COPY, Part.RESIDUAL, applied.block, *here)],
            subject.prompt_of(found.contrast.question),
        )
        assert applied.answer.verdict.scores == direct.patched
        assert applied.answer.own.scores == direct.plain

        await program.press("l", "enter")
        await program.until(lambda: tracing(program).applied not in (applied, None))
        await program.press("escape")
        assert tracing(program).applied is None
        assert "patched" not in program.ladder
        assert widget.has_focus


async def test_a_patch_can_put_zero_a_mean_or_another_item_there() -> None:
    async with opened() as program:
        await traced(program)
        found, seen = tracing(program), []
        for words in ("zero", "the mean over prompts of other items", "another item's"):
            await program.press("underscore")
            assert f"enter puts {words}" in str(pane(program).border_title)
            await program.press("enter")
            await program.until(lambda: found.applied is not None)
            assert found.applied is not None
            assert words in found.applied.answer.change
            seen.append(found.applied.answer.verdict.scores)
            await program.press("escape")
            assert found.applied is None
        assert len(set(seen)) == 3
        await program.press("underscore")
        assert "enter puts" not in str(pane(program).border_title)


async def test_the_other_way_round_and_a_random_control_are_shown_beside() -> None:
    async with opened() as program:
        await traced(program)
        widget, found = pane(program), table(program)
        prompt, contrast = (
            tracing(program).subject.prompt_of(question)
            for question in (found.question, found.contrast.question)
        )
        options = found.question.continuations()
        for direction in (Direction.NOISING, Direction.CONTROL):
            await program.press("circumflex_accent")
            beside = widget.comparison
            assert isinstance(beside, ControlTrace)
            await program.until(lambda now=beside: now.tracing and now.tracing.stage in ENDED)
            await painted(program)
            assert beside.tracing is not None
            assert beside.direction is direction
            assert beside.tracing.stage is Stage.DONE
            other = beside.tracing.table
            assert other is not None
            assert other.base == found.base
            assert str(direction) in shown(program)
            assert "denoising" in shown(program)
            assert "one model" in str(widget.border_subtitle)
            if direction is Direction.NOISING:
                span = tracing(program).first
                here = found.pairing.spans[span].tokens
                assert here is not None
                edit = Edit(Action.COPY, Part.RESIDUAL, 1, *here)
                blocks = the_model(program).blocks
                patch = await blocks.patch(prompt, options, [edit], contrast)
                assert other.options is not None
                fall = margin(patch.plain, *other.options) - margin(patch.patched, *other.options)
                assert other.effect(span, 1) == pytest.approx(fall)
        await program.press("circumflex_accent")
        assert widget.comparison is None
        assert "random control" not in shown(program)


async def test_another_item_or_setting_takes_the_patch_away() -> None:
    async with opened() as program:
        await traced(program)
        await program.press("enter")
        await program.until(lambda: tracing(program).applied is not None)
        await program.press("v")
        await program.until(lambda: tracing(program).applied is None)
        assert "patched" not in program.ladder
        await program.until(lambda: tracing(program).stage in ENDED)
        assert tracing(program).subject.setting == program.browse.state.history.now


async def test_what_is_not_comparable_says_so_and_cannot_be_patched() -> None:
    async with opened() as program:
        await traced(program, "0")
        await program.press("V")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        pairs = await tracing(program).pairs()
        lost = next(n for n, one in enumerate(pairs) if not all(one.pairing.comparable))
        await program.press(*["k"] * len(pairs), *["j"] * lost, "enter")
        await program.until(lambda: tracing(program).pair == pairs[lost])
        await ended(program)
        place = pairs[lost].pairing.comparable.index(False)
        await program.press("home", *["j"] * place)
        assert "cannot be compared" in shown(program)
        assert "not comparable" in shown(program)
        await program.press("enter")
        await program.until(lambda: any("not comparable" in note for note in notices(program.app)))
        assert tracing(program).applied is None

        found = table(program)
        last, block = len(found.rows.spans) - 1, pane(program).at[1]
        assert last in found.rows.from_end
        await program.press(*["j"] * last)
        assert "counted from the end" in " ".join(shown(program).split())
        await program.press("enter")
        await program.until(lambda: tracing(program).applied is not None)
        applied, here = tracing(program).applied, found.rows.spans[last].tokens
        assert applied is not None
        assert here is not None
        subject, shift = tracing(program).subject, found.rows.shift(last)
        direct = await the_model(program).blocks.patch(
            subject.prompt_of(found.question),
            found.question.continuations(),
            [Edit(Action.COPY, Part.RESIDUAL, block, *here, shift=shift)],
            subject.prompt_of(found.contrast.question),
        )
        assert applied.answer.verdict.scores == direct.patched


async def test_what_both_options_begin_with_is_the_last_row_and_is_not_patched() -> None:
    async with opened() as program:
        await stand_on(program, "1-C0")
        program.browse.enter_pane("ladder")
        await program.press("j", "X")
        await ended(program)
        widget, found = pane(program), table(program)
        assert tracing(program).stage is Stage.DONE
        assert found.done == tracing(program).cells
        await program.press("end")
        assert "both options begin “" in shown(program)
        await program.press(*["j"] * len(found.rows.spans), *["l"] * found.blocks)
        assert widget.at == (len(found.rows.spans) - 1, found.blocks - 1)
        assert "by construction, as the answer is read there" in " ".join(shown(program).split())
        assert "enter patches" not in shown(program)
        await program.press("enter")
        assert tracing(program).applied is None
        assert any("no part of the prompt" in notice for notice in notices(program.app))


async def test_another_part_of_the_blocks_is_traced() -> None:
    async with opened() as program:
        await traced(program)
        residual = table(program).restored
        await program.press("ampersand")
        await ended(program)
        assert tracing(program).part is Part.ATTENTION
        assert "attention" in str(pane(program).border_title)
        assert table(program).restored != residual


async def test_a_marked_cell_is_compared_with_the_one_under_the_cursor() -> None:
    async with opened() as program:
        await traced(program)
        await program.press("apostrophe", "h", "h", "h", "h", "h", "h", "l")
        one, other = (table(program).effect(*at) for at in (pane(program).marked, pane(program).at))
        if one is not None and other is not None and pane(program).marked != pane(program).at:
            assert f"{one:+.3f} nats; here {other:+.3f}, {other - one:+.3f}" in shown(program)
        assert pane(program).marked is not None


async def test_esc_stops_and_a_trace_opened_again_goes_on(held: Held) -> None:
    async with opened(benchmark="accord") as program:
        await under_way(program)
        await program.until(lambda: cells(program) == held.most - 1)
        await painted(program)
        await program.press("escape")
        assert tracing(program).stage is Stage.STOPPED
        done = cells(program)
        assert 0 < done < tracing(program).cells
        held.on.set()
        model = the_model(program)
        await program.until(lambda: not model.busy)
        await painted(program)
        assert cells(program) == done
        assert f"Stopped at {done} of" in shown(program)
        await program.press("X", "X")
        await program.until(lambda: cells(program) > done)


async def test_asking_and_tracing_wait_for_each_other(held: Held) -> None:
    async with opened(benchmark="accord") as program:
        await under_way(program)
        await program.ask()
        await program.until(lambda: any(rung.verdict for rung in program.browse.state.rungs()))
        done = cells(program)
        held.on.set()
        await program.until(lambda: cells(program) > done)


async def test_a_trace_says_that_it_waits(held: Held) -> None:
    async with opened(benchmark="accord") as program:
        await under_way(program)
        pane(program).pause(True)
        await program.until(lambda: tracing(program).stage is Stage.WAITING)
        await program.until(lambda: "Waiting until the ladder has been asked" in shown(program))
        pane(program).pause(False)
        await program.until(lambda: tracing(program).stage is Stage.TRACING)


async def test_a_worker_that_is_killed_is_told_and_the_program_goes_on(held: Held) -> None:
    held.most = 0
    async with opened(benchmark="accord") as program:
        await under_way(program)
        model = the_model(program)
        pid = worker_pid(model)
        # One that stands still has answered nothing when it is killed.
        os.kill(pid, signal.SIGSTOP)
        held.on.set()
        await program.until(lambda: model.busy)
        os.kill(pid, signal.SIGKILL)
        await program.until(lambda: tracing(program).stage is Stage.FAILED)
        await painted(program)
        assert "No trace:" in shown(program)
        assert "SIGKILL" in shown(program)
        await program.press("space")
        await program.until(lambda: program.browse.asking.busy is None)
        assert any(rung.verdict for rung in program.browse.state.rungs())
        await program.press("X", "X")
        await program.until(lambda: cells(program) > 0)


async def test_leaving_the_pane_stops_the_trace_and_frees_the_second_context(held: Held) -> None:
    async with opened(benchmark="accord") as program:
        await under_way(program)
        left = tracing(program)
        await program.press("X")
        assert pane(program).tracing is None
        await program.until(lambda: left.stage is Stage.STOPPED)
        model = the_model(program)
        await program.until(lambda: not model.busy)
        assert not pane(program).display


async def test_a_question_of_which_nothing_can_change_has_no_contrast_prompt() -> None:
    async with opened(benchmark="accord") as program:
        program.browse.enter_pane("ladder")
        await program.press("home", "X")
        await ended(program)
        assert tracing(program).subject.question.layer == "bare"
        assert tracing(program).stage is Stage.EMPTY
        assert "No change of this item gives a question" in shown(program)
        assert pane(program).readings() == ()


@pytest.mark.parametrize("size", [(140, 40), (60, 20)])
async def test_nothing_is_cut_where_there_is_little_room(size: tuple[int, int]) -> None:
    async with opened(size=size) as program:
        await traced(program)
        await program.press("home")
        widget = pane(program)
        for _ in range(len(table(program).pairing.spans)):
            text = shown(program)
            assert widget.virtual_size.height <= widget.size.height
            assert f"Span {widget.at[0]} " in text
            assert any(
                line.lstrip(" △").startswith(f"{widget.at[0]} ") for line in text.splitlines()
            )
            await program.press("j")


@pytest.mark.parametrize("benchmark", ["com2", "abspyramid"])
async def test_every_benchmark_has_contrast_prompts(benchmark: str) -> None:
    async with opened(benchmark=benchmark) as program:
        await program.press("X")
        await ended(program)
        assert tracing(program).stage is Stage.DONE
        told = "so it cannot be compared" in " ".join(shown(program).split())
        assert told is not bool(table(program).pairing.differing)


async def test_the_table_can_be_copied_and_exported() -> None:
    async with opened() as program:
        await traced(program)
        kind, text = pane(program).copy_text()
        assert kind == "trace"
        assert table(program).contrast.name in " ".join(text.split())
        (heat,) = pane(program).readings()
        assert len(heat.rows) == len(table(program).pairing.spans)
        await program.press("y")
        assert program.app.clipboard == text


async def test_without_a_trace_its_keys_say_what_opens_one() -> None:
    async with opened() as program:
        await program.press("V", "ampersand", "apostrophe")
        assert any("X opens the trace" in note for note in notices(program.app))


def test_help_tells_both_directions_and_where_they_are_from() -> None:
    text = " ".join(help_text(TracePane.HELP, Place.BROWSE).split())
    for word in (
        "Meng et al. (2022)",
        "Wang et al. (2022)",
        "Vig et al. (2020)",
        "patched",
        "contrast",
    ):
        assert word in text


async def test_a_second_model_is_traced_beside_and_let_go(
    running_model: None, tmp_path: Path
) -> None:
    path = write(tmp_path / "second.gguf", Tiny(blocks=3, context=4096))
    async with opened() as program:
        await traced(program)
        before = table(program).restored
        alone = children()
        await program.press("M")
        await program.until(lambda: isinstance(program.app.screen, ModelsScreen))
        program.app.screen.dismiss(str(path))
        widget = pane(program)
        await program.until(lambda: widget.comparison is not None)
        comparison = widget.comparison
        assert comparison is not None
        await program.until(lambda: comparison.tracing is not None and not comparison.tracing.busy)
        await painted(program)
        second = comparison.tracing
        assert second is not None
        assert second.table is not None
        assert second.table.done == second.cells > 0
        assert second.table.contrast == table(program).contrast
        assert table(program).restored == before
        assert "Tiny test model" in shown(program)
        assert "Commonsense demonstration model" in shown(program)
        assert "two models" in str(widget.border_subtitle)
        assert len(widget.readings()) == 2
        (pid,) = children() - alone
        await program.press("X")
        assert widget.comparison is None
        assert await gone(pid)
        assert (await the_model(program).score("a", [" b"]))[0].tokens


async def test_a_second_model_that_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(200))
    async with opened() as program:
        await traced(program)
        widget = pane(program)
        widget.load_comparison(str(broken))
        assert widget.comparison is not None
        await program.until(lambda: bool(widget.comparison and widget.comparison.error))
        await painted(program)
        assert "broken.gguf" in shown(program)
        assert tracing(program).stage is Stage.DONE
        await program.press("M")
        assert widget.comparison is None


async def test_what_goes_wrong_is_told_with_what_to_do() -> None:
    async with opened() as program:
        await traced(program)
        tracing(program).fail(ModelError("Broke.", where="model.gguf", hint="Load it again."))
        pane(program).redraw()
        assert all(word in shown(program) for word in ("Broke.", "model.gguf", "Load it again."))
