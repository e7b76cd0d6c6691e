"""The program in a real terminal: it comes, it goes, and it leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mostly_slow import mostly_slow
from tests.terminals import COMMAND, Terminal, terminal_of


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with terminal_of() as opened:
        yield opened


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def left_clean(terminal: Terminal) -> bool:
    """Whether the alternate screen and the mouse were given back after they were last taken."""
    raw = terminal.raw
    return all(
        raw.rfind(off) > raw.rfind(on)
        for on, off in ((b"?1049h", b"?1049l"), (b"?1000h", b"?1000l"))
    )


def ends(pids: list[int]) -> bool:
    deadline = time.monotonic() + 60
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def test_q_leaves_the_terminal_as_it_was_and_no_process(terminal: Terminal) -> None:
    terminal.until("Q8_0")
    workers = terminal.workers()
    assert workers
    terminal.press("q")
    assert terminal.finish() == 0
    assert left_clean(terminal)
    assert ends(workers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_leaves_the_terminal_as_it_was(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.until("Q8_0")
    workers = terminal.workers()
    terminal.process.kill(number)
    assert terminal.finish() == 128 + number
    assert left_clean(terminal)
    assert ends(workers)


@pytest.mark.parametrize("seen", ["Ladder", "Q8_0"])
def test_a_terminal_that_is_closed_leaves_no_process(terminal: Terminal, seen: str) -> None:
    terminal.until(seen)
    pids = [terminal.process.pid, *terminal.workers()]
    terminal.process.fileobj.close()
    assert ends(pids)


def test_being_killed_leaves_no_process(terminal: Terminal) -> None:
    terminal.until("Q8_0")
    workers = terminal.workers()
    terminal.process.kill(signal.SIGKILL)
    assert ends(workers)


# -- a terminal of stdout only -------------------------------------------------------------------


@mostly_slow(
    ("words", "steps"),
    [
        ("browse gita", [("Q8_0", "q")]),
        ("", [("any key goes on", "q")]),
        ("lesson run 1-three-layers", [("Read the story", "q"), ("Leave this lesson?", "\r")]),
        ("lesson follow", [("No lesson", "q")]),
    ],
)
@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full", "2>/dev/null"])
def test_the_program_is_seen_and_left_wherever_stderr_leads(
    words: str, steps: list[tuple[str, str]], stderr: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.terminals.COMMAND", "/bin/sh")
    with terminal_of("-c", f'exec "$0" {words} {stderr}', COMMAND) as terminal:
        for seen, keys in steps:
            terminal.until(seen)
            terminal.press(keys)
        assert terminal.finish() == 0
        assert left_clean(terminal)


# -- every kind of terminal ----------------------------------------------------------------------

# What was read may end within a number.
TRUE_COLOUR = re.compile(rb"[34]8;2;(\d+);(\d+);(\d+)[;m]")
PALETTE_COLOUR = re.compile(rb"[34]8;5;(\d+)[;m]")


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
@mostly_slow("kind", ["xterm-16color", "vt100", "linux", "screen"], quick=2)
def test_terminals_of_few_colours_are_readable(kind: str, size: tuple[int, int]) -> None:
    with terminal_of("browse", "gita", size=size, TERM=kind) as terminal:
        terminal.until("space ask", "Items")
        assert "\ufffd" not in terminal.shown
        assert not TRUE_COLOUR.search(terminal.raw)
        assert not PALETTE_COLOUR.search(terminal.raw)
        terminal.press("q")
        assert terminal.finish() == 0
        assert left_clean(terminal)


def test_no_color_leaves_shades_of_grey_and_every_sign() -> None:
    with terminal_of("browse", "gita", NO_COLOR="1", COLORTERM="truecolor") as terminal:
        terminal.until("0-O0")
        terminal.press("j")
        terminal.until("conflict", "●", "■")
        shades = {tuple(map(int, found)) for found in TRUE_COLOUR.findall(terminal.raw)}
        assert len(shades) > 3
        assert all(max(shade) - min(shade) <= 2 for shade in shades), shades


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_of_lines_is_told_what_to_do_instead(kind: str) -> None:
    with terminal_of(TERM=kind) as terminal:
        assert terminal.finish() == 2
        assert b"shows lines and no screens" in terminal.raw
        assert b"Traceback" not in terminal.raw
        assert b"\x1b" not in terminal.raw


@mostly_slow("level", ["none", "full", "basic"], quick=2)
def test_nothing_moves_by_itself_where_no_movement_is_wanted(level: str) -> None:
    with terminal_of("browse", "gita", TEXTUAL_ANIMATIONS=level) as terminal:
        terminal.until("Q8_0")
        terminal.press("/")
        terminal.until("contains")
        assert terminal.rests(3, within=6) is (level == "none")


def test_a_broken_configuration_lets_the_program_open(tmp_path: Path) -> None:
    file = Path(os.environ["XDG_CONFIG_HOME"], "commonsense-tui", "config.yaml")
    file.parent.mkdir(parents=True)
    file.write_text("theme: dusk\nkeymap:\n  browse.cpoy: Y\ntheme: paper\n")
    with terminal_of("browse", "gita") as terminal:
        terminal.until("twice")
        terminal.press("q")
        assert terminal.finish() == 0


def test_the_welcome_comes_once_and_its_first_key_does_what_it_does() -> None:
    with terminal_of() as terminal:
        terminal.until("any key goes on")
        terminal.press("q")
        assert terminal.finish() == 0
    with terminal_of() as terminal:
        terminal.until("Q8_0", gone="Welcome")


def test_a_click_closes_the_welcome_and_does_what_it_does() -> None:
    with terminal_of(size=(140, 40)) as terminal:
        terminal.until("any key goes on")
        terminal.press("\x1b[<0;6;6M\x1b[<0;6;6m")
        terminal.until("▌1 ", gone="Welcome")


def test_q_ends_the_program_also_while_the_model_loads() -> None:
    for _ in range(4):
        with terminal_of("browse", "gita") as terminal:
            terminal.until("is loading")
            terminal.press("q")
            assert terminal.finish() == 0
