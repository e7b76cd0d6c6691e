"""The line that tells how far work is, on a terminal."""

from __future__ import annotations

import sys

import pyte
import pytest
from ptyprocess import PtyProcess

SHOWS = """
from tui.cli.progress import ProgressLine
line = ProgressLine()
for number in range(5):
    line.show(f"{number} of 5 " + "蟻 " * 60, now=True)
line.show("5 of 5 " + "." * 90 + " whole", now=True)
line.end()
"""


@pytest.mark.parametrize("columns", [40, 80])
def test_a_line_that_is_longer_than_the_terminal_is_wide_leaves_no_rows(columns: int) -> None:
    screen = pyte.Screen(columns, 24)
    stream = pyte.ByteStream(screen)
    process = PtyProcess.spawn([sys.executable, "-c", SHOWS], dimensions=(24, columns))
    drawn = b""
    while True:
        try:
            drawn += process.read()
        except EOFError:
            break
    first, *_ = drawn.split(b"\r\x1b[K1 of 5")
    stream.feed(first)
    assert screen.display[0].startswith("0 of 5 蟻")
    stream.feed(drawn[len(first) :])
    rest = "".join(screen.display).rstrip()
    assert rest == "5 of 5 " + "." * 90 + " whole"
