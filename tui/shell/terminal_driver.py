"""Reads the keys of a terminal, whatever else it sends, and draws on it for as long as it can."""

from __future__ import annotations

import os
import re
import select
import selectors
import signal
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import BRACKETED_PASTE_END, XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys
from textual.message import Message

if TYPE_CHECKING:
    from textual.app import App

_READ = 4096
_SURROGATE = re.compile("[\ud800-\udfff]")
_PERIOD = 0.1
"""Seconds between two looks whether a sequence has ended, or the driver is to stop."""
_END_OF_PASTE = 3.0
"""Seconds without a byte after which nothing more of a paste is awaited."""


class SturdyParser(XTermParser):
    """Textual's parser, which drops what it cannot read instead of failing."""

    def parse_mouse_code(self, code: str) -> Message | None:
        """The mouse event of a sequence; None where its numbers make no sense."""
        try:
            return super().parse_mouse_code(code)
        except (ArithmeticError, ValueError):
            return None

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        with suppress(ArithmeticError, ValueError):
            keys = list(super()._sequence_to_key_events(sequence, alt))
            # A lone surrogate is no key either: it could not be drawn.
            if not any(_SURROGATE.search(key.character or "") for key in keys):
                return keys
        # Textual's own sign of a sequence that is known, and not to be read as letters.
        return [events.Key(Keys.Ignore, sequence)]


class TerminalOutput:
    """What a terminal draws; the program is told to end once the terminal takes no more.

    Nothing written is an error, because Textual's thread that writes would end at it, and the whole
    program would wait for that thread for ever.
    """

    def __init__(self, stream: TextIO) -> None:
        """`stream` is that of the terminal; what its encoding lacks is written with backslashes."""
        self._descriptor = stream.fileno()
        self._encoding = stream.encoding
        self._lost = False

    def fileno(self) -> int:
        """The descriptor of the terminal."""
        return self._descriptor

    def write(self, text: str) -> None:
        """Write all of a text, or nothing once the terminal is lost."""
        data = text.encode(self._encoding, "backslashreplace")
        while data and not self._lost:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:  # Another program has left it so that it does not wait.
                select.select([], [self._descriptor], [])
            except OSError:
                self._lost = True
                # The system says so itself when a terminal is closed, but not whenever it fails.
                os.kill(os.getpid(), signal.SIGHUP)

    def flush(self) -> None:
        """Do nothing: all is written at once."""


class SturdyDriver(LinuxDriver):
    """Textual's driver for Linux terminals; no input ends it or stops it from reading keys.

    It draws on the terminal of stdout: stderr, on which Textual draws, may lead to a file.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Take the terminal of stdin and stdout; the arguments are those of Textual's driver."""
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = cast("Any", TerminalOutput(cast("TextIO", sys.__stdout__)))

    def run_input_thread(self) -> None:
        """Read and dispatch until the driver stops.

        Textual makes its decoder and its parser inside this loop, so all of it stands here again.
        """
        parser = SturdyParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        last_byte: float | None = None
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            stopped = False
            while not stopped:
                # What came before the stop is still read.
                stopped = self.exit_event.is_set()
                if selector.select(_PERIOD):
                    last_byte = time.monotonic()
                    if text := decode(os.read(self.fileno, _READ)):
                        self._dispatch(parser.feed(text))
                elif last_byte is not None and time.monotonic() - last_byte >= _END_OF_PASTE:
                    last_byte = None
                    # It does nothing where no paste is open.
                    self._dispatch(parser.feed(BRACKETED_PASTE_END))
                self._dispatch(parser.tick())
        with suppress(EOFError, ParseError):
            list(parser.feed(""))

    def stop_application_mode(self) -> None:
        """Give the terminal back; the mouse too where this is not the main thread.

        Textual does not get that far there, since only the main thread may change what a signal
        does.
        """
        self._disable_mouse_support()
        super().stop_application_mode()

    def _dispatch(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
