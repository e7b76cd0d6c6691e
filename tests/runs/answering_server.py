"""A server on loopback that answers towers alike in any order, and fails as it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from zlib import crc32

WORDS = ("yes", "no", "cube", "cylinder", "ball", "cone", "prism")


@dataclass
class AnsweringServer:
    """What it does, and what it was asked."""

    url: str = ""
    seconds: Callable[[int], float] = lambda number: 0.0
    """Before the answer to the request of this number, which counts from 1."""
    fails: Callable[[int], str] = lambda number: ""
    """How it fails at the request of this number: "429", "cut" or "close"."""
    asked: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        while head := (await reader.readuntil(b"\r\n\r\n")).decode().lower():
            if head.startswith("get"):
                send(writer, json.dumps({"data": [{"id": "towers"}]}))
                continue
            length = int(head.partition("content-length:")[2].split()[0])
            prompt = json.dumps(json.loads(await reader.readexactly(length))["messages"])
            self.asked.append(prompt)
            number = len(self.asked)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            await asyncio.sleep(self.seconds(number))
            self.at_once -= 1
            fails = self.fails(number)
            said = [option for option in WORDS if option in prompt] or list(WORDS)
            text = said[crc32(prompt.encode()) % len(said)]
            last = json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]})
            if fails == "close":
                return
            if fails == "cut":
                send(writer, f"data: {last.replace('stop', '')[:-20]}", length=1000)
                return
            if fails:
                send(writer, "not now", status=f"{fails} No")
            else:
                send(writer, f"data: {last}\n\ndata: [DONE]\n\n")


def send(
    writer: asyncio.StreamWriter, body: str, status: str = "200 OK", length: int | None = None
) -> None:
    """Write a reply that announces its length, or another one."""
    announced = len(body) if length is None else length
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {announced}\r\n\r\n{body}".encode())


@asynccontextmanager
async def answering_server() -> AsyncIterator[AnsweringServer]:
    """Serve on a free port of this machine until the block ends."""
    state = AnsweringServer()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await state.answer(reader, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    state.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield state
    finally:
        server.close()
