"""What a terminal may send, and the program stays: broken bytes, pastes, and more keys than fit."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.message import Message

from tests.terminals import Terminal, terminal_of
from tests.tui.test_terminal import left_clean
from tui.shell.app import Shell
from tui.shell.terminal_driver import SturdyDriver, SturdyParser, TerminalOutput


def keys(sequence: str) -> list[str]:
    """What the parser makes of a sequence, and of a letter after it."""
    found: list[Message] = list(SturdyParser().feed(sequence + "a"))
    return [message.key for message in found if isinstance(message, Key)]


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[99999999u",
        "\x1b[97;1;99999999u",
        "\x1b[27;5;99999999~",
        "\x1b[97:65;1u",
        "\x1b[97;1:3u",
        "\x1b[55296u",
        "\x1b[97;1;55296u",
        "\x1b[M\ufffd\ufffd\ufffd",
    ],
)
def test_a_sequence_that_means_nothing_is_dropped(sequence: str) -> None:
    assert keys(sequence) == ["a"]


def test_a_mouse_in_a_window_without_size_does_nothing() -> None:
    parser = SturdyParser()
    list(parser.feed("\x1b[48;0;0;0;0t"))
    assert list(parser.feed("\x1b[<0;6;6M")) == []


def test_sequences_that_mean_something_are_read() -> None:
    assert keys("\x1b[A\x1b[97;5uè") == ["up", "ctrl+a", "è", "a"]


def test_the_driver_takes_the_place_of_that_of_terminals_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Shell().driver_class is SturdyDriver
    assert App[None]().driver_class is LinuxDriver
    monkeypatch.setattr(
        "textual.constants.DRIVER", "textual.drivers.headless_driver:HeadlessDriver"
    )
    assert Shell().driver_class is HeadlessDriver


def finished(terminal: Terminal) -> int | None:
    """The exit status; None where the program does not end and has to be killed."""
    killer = threading.Timer(30, terminal.process.kill, (signal.SIGKILL,))
    killer.start()
    try:
        return terminal.finish()
    finally:
        killer.cancel()


@pytest.fixture
def gita() -> Iterator[Terminal]:
    with terminal_of("browse", "gita", size=(140, 40)) as terminal:
        terminal.until("Q8_0")
        yield terminal


def test_bytes_that_are_no_text_leave_the_program_as_it_is(gita: Terminal) -> None:
    for sent in (
        b"\xff",
        b"\xed\xa0\x80",
        b"\xe1a",
        b"\x1b[200~caf\xe9\x1b[201~",
        b"\x1b[M\xa0\xa0\xa0",
        b"\x1b[99999999u",
        b"\x1b[27;5;99999999~",
    ):
        gita.process.write(sent)
    gita.press("/")
    gita.until("contains")
    gita.process.write(b"caf\xe9 \xc3")
    time.sleep(0.3)
    gita.process.write(b"\xa8")
    gita.until("caf� è")
    gita.press("\x11")
    assert finished(gita) == 0
    assert b"Traceback" not in gita.raw
    assert left_clean(gita)


def test_a_paste_that_never_ends_is_ended(gita: Terminal) -> None:
    gita.press("/")
    gita.until("contains")
    gita.press("\x1b[200~qwx")
    gita.until("qwx")
    gita.press("yz")
    gita.until("qwxyz")
    gita.press("\x11")
    assert finished(gita) == 0


def flood(terminal: Terminal, keys: bytes) -> None:
    """Send keys faster than the program takes them, and read what it draws meanwhile."""
    for start in range(0, len(keys), 1000):
        terminal.process.write(keys[start : start + 1000])
        terminal.rests(0, within=1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_is_heard_while_many_keys_wait(
    gita: Terminal, number: signal.Signals
) -> None:
    flood(gita, b"j" * 20_000)
    gita.process.kill(number)
    assert finished(gita) == 128 + number
    assert left_clean(gita)


HANGS = """
import asyncio
from textual.widgets import Label
from tui.shell.app import Shell

class Hanging(Shell):
    def compose(self):
        yield Label("is open")
    def on_mount(self):
        self.end_cleanly()
    async def leave(self, code):
        await asyncio.sleep(600)

Hanging().run()
"""


def test_a_program_that_cannot_leave_gives_the_terminal_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.terminals.COMMAND", sys.executable)
    with terminal_of("-c", HANGS) as terminal:
        terminal.until("is open")
        terminal.process.kill(signal.SIGTERM)
        assert finished(terminal) == 128 + signal.SIGTERM
        assert left_clean(terminal)


LOST = """
import os
import sys
from textual.widgets import Label
from tui.shell.app import Shell

class Losing(Shell):
    def compose(self):
        yield Label("is open")
    def on_mount(self):
        self.end_cleanly()
    def on_key(self):
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        self.query_one(Label).update("is not seen")

app = Losing()
app.run()
sys.exit(app.return_code)
"""


def test_a_program_whose_terminal_takes_nothing_more_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.terminals.COMMAND", sys.executable)
    with terminal_of("-c", LOST) as terminal:
        terminal.until("is open")
        terminal.press("a")
        assert finished(terminal) == 128 + signal.SIGHUP
        assert b"is not seen" not in terminal.raw


def test_what_is_drawn_waits_for_a_terminal_that_does_not_wait_itself() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    text = "à€" * 100_000
    with open(writer, "w", encoding="latin-1") as stream, open(reader, "rb") as read:  # noqa: PTH123
        drawing = threading.Thread(target=TerminalOutput(stream).write, args=(text,))
        drawing.start()
        expected = text.encode("latin-1", "backslashreplace")
        assert read.read(len(expected)) == expected
        drawing.join()


def test_many_letters_in_a_filter_are_read_soon(gita: Terminal) -> None:
    gita.press("/")
    gita.until("contains")
    flood(gita, b"A" * 4_000)
    gita.press("\x1b")
    gita.until("Q8_0", gone="AAAA", seconds=20)
    gita.press("\x11")
    assert finished(gita) == 0
