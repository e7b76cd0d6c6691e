"""The program in a real terminal: it comes, it goes, and it leaves nothing behind."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte
import pytest
from ptyprocess import PtyProcess

COMMAND = str(Path(sys.executable).with_name("commonsense-tui"))


class Terminal:
    """The installed command in a pseudo-terminal."""

    def __init__(self, size: tuple[int, int] = (80, 24), words: Sequence[str] = (), **env: str):
        without = {"NO_COLOR", "COLORTERM", "TEXTUAL_COLOR_SYSTEM"}
        kept = {name: value for name, value in os.environ.items() if name not in without}
        self.process = PtyProcess.spawn(
            [COMMAND, *words],
            dimensions=(size[1], size[0]),
            env={**kept, "TERM": "xterm-256color", **env},
        )
        self.raw = b""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    def until(self, text: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not any(text in line for line in self._screen.display):
            assert time.monotonic() < end, "\n".join(self._screen.display)
            data = self.process.read(65536)
            self.raw += data
            self._stream.feed(data)

    def still(self, seconds: float) -> bool:
        """Whether nothing is drawn for a time, after what was being drawn has settled."""
        quiet = 0.0
        for _ in range(200):
            if select.select([self.process.fd], [], [], 0.05)[0]:
                self._stream.feed(self.process.read(65536))
                quiet = 0.0
            else:
                quiet += 0.05
            if quiet >= 0.4:
                break
        return not select.select([self.process.fd], [], [], seconds)[0]

    @property
    def shown(self) -> str:
        return "\n".join(self._screen.display)

    def finish(self) -> int | None:
        """Read to the end; the exit status."""
        try:
            while True:
                self.raw += self.process.read(65536)
        except EOFError:
            self.process.wait()
        return self.process.exitstatus

    def workers(self) -> list[int]:
        """Processes that the program started and that are still there."""
        pids = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in pids.split()]

    def shut(self) -> None:
        """End the program, if it has not ended, and let go of its terminal."""
        while self.process.isalive():
            self.process.kill(signal.SIGKILL)
            time.sleep(0.02)
        self.process.close()


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal()
    yield opened
    opened.shut()


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
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def test_q_leaves_the_terminal_as_it_was_and_no_process(terminal: Terminal) -> None:
    terminal.until("space asks")
    workers = terminal.workers()
    assert workers
    terminal.process.write(b"q")
    assert terminal.finish() == 0
    assert left_clean(terminal)
    assert ends(workers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_leaves_the_terminal_as_it_was(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.until("space asks")
    workers = terminal.workers()
    terminal.process.kill(number)
    assert terminal.finish() == 128 + number
    assert left_clean(terminal)
    assert ends(workers)


@pytest.mark.parametrize("seen", ["Ladder", "space asks"])
def test_a_terminal_that_is_closed_leaves_no_process(terminal: Terminal, seen: str) -> None:
    terminal.until(seen)
    pids = [terminal.process.pid, *terminal.workers()]
    terminal.process.fileobj.close()
    assert ends(pids)


def test_being_killed_leaves_no_process(terminal: Terminal) -> None:
    terminal.until("space asks")
    workers = terminal.workers()
    terminal.process.kill(signal.SIGKILL)
    assert ends(workers)


# -- every kind of terminal ----------------------------------------------------------------------

# What was read may end within a number.
TRUE_COLOUR = re.compile(rb"[34]8;2;(\d+);(\d+);(\d+)[;m]")
PALETTE_COLOUR = re.compile(rb"[34]8;5;(\d+)[;m]")


@contextmanager
def terminal_of(*words: str, size: tuple[int, int] = (80, 24), **env: str) -> Iterator[Terminal]:
    opened = Terminal(size, words, **env)
    try:
        yield opened
    finally:
        opened.shut()


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
@pytest.mark.parametrize("kind", ["xterm-16color", "vt100", "linux", "screen"])
def test_terminals_of_few_colours_are_readable(kind: str, size: tuple[int, int]) -> None:
    with terminal_of("browse", "gita", size=size, TERM=kind) as terminal:
        terminal.until("space ask")
        terminal.until("Items")
        assert "\ufffd" not in terminal.shown
        assert not TRUE_COLOUR.search(terminal.raw)
        assert not PALETTE_COLOUR.search(terminal.raw)
        terminal.process.write(b"q")
        assert terminal.finish() == 0
        assert left_clean(terminal)


def test_no_color_leaves_shades_of_grey_and_every_sign() -> None:
    with terminal_of("browse", "gita", NO_COLOR="1", COLORTERM="truecolor") as terminal:
        terminal.until("0-O0")
        terminal.process.write(b"j")
        terminal.until("conflict")
        assert "●" in terminal.shown
        assert "■" in terminal.shown
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


@pytest.mark.parametrize("level", ["none", "basic", "full"])
def test_nothing_moves_by_itself_where_no_movement_is_wanted(level: str) -> None:
    with terminal_of("browse", "gita", TEXTUAL_ANIMATIONS=level) as terminal:
        terminal.until("space asks")
        terminal.process.write(b"/")
        terminal.until("contains")
        still = terminal.still(1.6)
        assert still is (level == "none")


def test_a_broken_configuration_lets_the_program_open(tmp_path: Path) -> None:
    file = Path(os.environ["XDG_CONFIG_HOME"], "commonsense-tui", "config.yaml")
    file.parent.mkdir(parents=True)
    file.write_text("theme: dusk\nkeymap:\n  browse.cpoy: Y\ntheme: paper\n")
    with terminal_of("browse", "gita") as terminal:
        terminal.until("twice")
        terminal.process.write(b"q")
        assert terminal.finish() == 0


def test_the_welcome_comes_once_and_its_first_key_does_what_it_does() -> None:
    with terminal_of() as terminal:
        terminal.until("any key goes on")
        terminal.process.write(b"q")
        assert terminal.finish() == 0
    with terminal_of() as terminal:
        terminal.until("space asks")
        assert "Welcome" not in terminal.shown


def test_a_click_closes_the_welcome_and_does_what_it_does() -> None:
    with terminal_of(size=(140, 40)) as terminal:
        terminal.until("any key goes on")
        terminal.process.write(b"\x1b[<0;6;6M\x1b[<0;6;6m")
        terminal.until("▌1 ")
        assert "Welcome" not in terminal.shown


def test_q_ends_the_program_also_while_the_model_loads() -> None:
    for _ in range(4):
        with terminal_of("browse", "gita") as terminal:
            terminal.until("is loading")
            terminal.process.write(b"q")
            assert terminal.finish() == 0
