"""What the terminal and the environment may claim about the screen, and the program stays small."""

from __future__ import annotations

import resource
import select
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Size

from tests.cli.support import in_process_of_its_own
from tests.mostly_slow import mostly_slow
from tests.terminals import Terminal, terminal_of
from tui.shell.app import Shell
from tui.shell.terminal_size import MOST_COLUMNS, MOST_LINES

ENORMOUS = "99999999999"
MOST_MEMORY = 300 << 20
"""Bytes that the program may take, whatever is claimed."""


def memory(terminal: Terminal) -> int:
    """The most bytes that the program has taken so far."""
    status = Path(f"/proc/{terminal.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) << 10


def stays_small(terminal: Terminal) -> None:
    """The program draws, takes little memory, and ends by a key."""
    resource.prlimit(terminal.process.pid, resource.RLIMIT_AS, (4 << 30, 4 << 30))
    # An enormous picture is only read: drawing it would take long.
    while select.select([terminal.process.fd], [], [], 3)[0]:
        terminal.raw += terminal.process.read(65536)
        assert memory(terminal) < MOST_MEMORY
    assert memory(terminal) < MOST_MEMORY
    terminal.press("\x11")
    assert terminal.finish() == 0
    assert b"Traceback" not in terminal.raw


@mostly_slow(
    "env",
    [
        {"COLUMNS": "100000", "LINES": "100000"},
        {"ESCDELAY": "9" * 400, "TEXTUAL_DIM_FACTOR": "9" * 400},
        {"COLUMNS": ENORMOUS, "LINES": "9" * 5000},
        {"COLUMNS": "²", "LINES": "-5"},
        {"TEXTUAL_FPS": "9" * 400, "TEXTUAL_SCREENSHOT": "0"},
    ],
    quick=2,
    ids=" ".join,
)
def test_numbers_of_the_environment_neither_end_the_program_nor_fill_the_memory(
    env: dict[str, str],
) -> None:
    with terminal_of("browse", "gita", size=(140, 40), **env) as terminal:
        while b"Lorenzo" not in terminal.raw:
            assert select.select([terminal.process.fd], [], [], 60)[0]
            terminal.raw += terminal.process.read(65536)
        stays_small(terminal)


def test_an_enormous_window_is_not_believed() -> None:
    with terminal_of("browse", "gita", size=(140, 40)) as terminal:
        terminal.until("Q8_0")
        terminal.process.setwinsize(65535, 65535)
        stays_small(terminal)


def test_an_enormous_size_that_the_terminal_reports_is_not_believed() -> None:
    with terminal_of("browse", "gita", size=(140, 40)) as terminal:
        terminal.until("Q8_0")
        terminal.press("\x1b[48;100000;100000;1;1t")
        stays_small(terminal)


async def test_every_screen_has_the_size_that_is_believed() -> None:
    app = Shell()
    async with app.run_test(size=(80, 24)) as pilot:
        claimed = Size(10 * MOST_COLUMNS, 10 * MOST_LINES)
        app.post_message(events.Resize(claimed, claimed))
        await pilot.pause(0.1)
        assert app.size == app.screen.size == (MOST_COLUMNS, MOST_LINES)


@pytest.mark.parametrize("words", ["show gita 0", "show com2 ring-road", "--help"])
@mostly_slow("columns", [ENORMOUS, "²", "100000000", "9" * 5000], quick=2)
def test_lines_are_as_long_as_a_terminal_at_most(words: str, columns: str) -> None:
    ran = in_process_of_its_own(*words.split(), env={"COLUMNS": columns})
    assert ran.code == 0, ran.err
    assert max(map(len, ran.out.splitlines())) <= 2 * MOST_COLUMNS


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("", "TEXTUAL_COLOR_SYSTEM", "bad"),
        ("browse gita", "TEXTUAL_COLOR_SYSTEM", ""),
        ("lesson run 1", "TEXTUAL_COLOR_SYSTEM", "bad"),
        ("", "TEXTUAL_DRIVER", "nothing_of_this_name"),
        ("browse gita", "TEXTUAL_DRIVER", ""),
        ("browse gita", "TEXTUAL_DRIVER", "os"),
        ("lesson run 1", "TEXTUAL_DRIVER", "os:system"),
        ("browse gita", "TEXTUAL_DRIVER", ".os:system"),
    ],
)
def test_colours_and_drivers_that_do_not_exist_are_told(words: str, name: str, value: str) -> None:
    with terminal_of(*words.split(), **{name: value}) as terminal:
        assert terminal.finish() == 2
        assert f"{name}={value}" in terminal.shown
        assert "Unset it" in terminal.shown
        assert b"Traceback" not in terminal.raw


def test_colours_that_do_not_exist_are_told_before_anything_is_served() -> None:
    ran = in_process_of_its_own("serve", "--port=0", env={"TEXTUAL_COLOR_SYSTEM": "bad"})
    assert ran.code == 2
    assert "TEXTUAL_COLOR_SYSTEM=bad" in ran.err
    assert not ran.out
