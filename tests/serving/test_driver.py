"""What a served program sends: whole packets, also where two threads send at once."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import BinaryIO

PROGRAM = """
import asyncio
from textual.app import App
from tui.serving.driver import WholePacketsDriver

async def main():
    driver = WholePacketsDriver(App())

    def draw():
        for _ in range(200):
            driver.write("x" * 3000)

    def send():
        for _ in range(40):
            driver.write_binary_encoded(("deliver_chunk", "key", b"y" * 65_536))

    await asyncio.gather(asyncio.to_thread(draw), asyncio.to_thread(send))

asyncio.run(main())
"""
DRAWN, SENT = 200, 40
"""Packets of the two threads."""


def packets(stream: BinaryIO) -> list[tuple[bytes, bytes]]:
    """Kind and content of every packet, up to the end of the stream."""
    found = []
    while kind := stream.read(1):
        size = int.from_bytes(stream.read(4), "big")
        found.append((kind, stream.read(size)))
    return found


def test_a_packet_is_never_written_into_another_while_the_server_is_slow() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        # The pipe is full before anything is read, so that writes wait in the middle.
        time.sleep(1.5)
        found = packets(program.stdout)
    assert [content for kind, content in found if kind == b"D"] == [b"x" * 3000] * DRAWN
    chunks = [content for kind, content in found if kind == b"P"]
    assert len(chunks) == SENT
    assert all(content.count(b"y") >= 65_536 for content in chunks)
    assert len(found) == DRAWN + SENT
