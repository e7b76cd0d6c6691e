"""While llama.cpp is being compiled the program shows recorded answers, marked, then goes live."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.packaging.test_install import compilation as installer
from tests.pilots import notices, screen_rows
from tests.tui.support import Opened, opened
from tui.blocks.block_pane import BlockPane

COMPILING = "llama.cpp is being compiled: 43 of 140 files"


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> installer.Report:
    """What the installer reports to the program, which is that llama.cpp is not there yet."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("core.models.llama.compilation.find_spec", lambda _name: None)
    made = installer.Report(tmp_path)
    made.compiled(43, 140)
    return made


def shown(program: Opened) -> str:
    """All that is on the screen."""
    return "\n".join(screen_rows(program.app))


async def test_recorded_answers_are_shown_and_marked_until_the_model_answers_itself(
    report: installer.Report,
) -> None:
    async with opened() as program:
        await program.ask()
        assert f"recorded ({COMPILING})" in shown(program)
        words = " ".join(program.ladder.split())
        assert f"recorded: zero-shot, base prompt, log-likelihood. {COMPILING}." in words
        assert "Demonstration model: not a result." in words
        before = program.browse.ladder.rungs
        assert before[0].verdict is not None
        assert notices(program.app) == []

        report.compiled(44, 140)
        await program.until(lambda: "44 of 140" in shown(program))
        assert program.browse.ladder.rungs[0].verdict == before[0].verdict  # it stays on the screen

        report.__exit__(None, None, None)
        await program.until(lambda: "by itself now" in " ".join(notices(program.app)))
        # What had been answered is asked again.
        await program.until(lambda: "asking Commonsense demonstration model" in program.live)
        await program.until(lambda: program.browse.asking.busy is None)
        after = program.browse.ladder.rungs[0].verdict
        assert after is not None
        assert after.answer == before[0].verdict.answer
        assert "recorded" not in program.ladder
        assert "recorded (" not in shown(program)


async def test_a_run_that_cannot_start_yet_says_so_until_it_can(report: installer.Report) -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: f"{COMPILING}. A run can start" in shown(program))
        report.__exit__(None, None, None)
        await program.until(lambda: "asks the model all" in shown(program))


async def test_what_is_not_recorded_is_said_to_wait(report: installer.Report) -> None:
    async with opened(benchmark="accord") as program:
        await program.press("+")  # a tree with another hop
        await program.ask()
        errors = [rung.error for rung in program.browse.ladder.rungs if rung.error]
        assert errors
        assert all(f"{COMPILING}. This can be asked once it is there." in error for error in errors)

        await program.press("x")
        await program.until(lambda: bool(program.browse.query(BlockPane)))
        await program.until(
            lambda: "Blocks can be read once it is there." in " ".join(shown(program).split())
        )
        await program.press("x")

        await program.run_all()
        told = f"{COMPILING}. A run can start once it is there."
        await program.until(lambda: told in notices(program.app))
    report.__exit__(None, None, None)


async def test_a_failed_compilation_says_what_to_do_and_the_program_goes_on(
    report: installer.Report,
) -> None:
    async with opened() as program:
        error = installer.InstallError("No C compiler was found.\n  Debian   apt \x1b[31minstall")
        report.__exit__(type(error), error, None)
        await program.until(
            lambda: any("No C compiler" in notice for notice in notices(program.app))
        )
        assert "\x1b" not in "".join(notices(program.app))
        await program.ask()
        assert "recorded (llama.cpp could not be compiled)" in shown(program)
        assert program.browse.ladder.rungs[0].verdict is not None


async def test_a_server_that_was_chosen_stays(report: installer.Report) -> None:
    async with opened(model="person:Ada") as program:
        assert "recorded" not in shown(program)
        report.__exit__(None, None, None)
        await program.pilot.pause(1.5)
        assert program.app.model_state.name == "person:Ada"
        assert notices(program.app) == []
