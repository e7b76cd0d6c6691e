"""A server on loopback that fails as it is told, and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import sleep
from typing import Any

END = 'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


@dataclass
class Reply:
    """One answer: a status with a body, or pieces of text that may stop half way."""

    status: int = 200
    body: str = ""
    pieces: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    breaks_off: bool = False
    raw: str = ""
    delay: float = 0.0
    company: int = 0
    """How many requests have to have been there at once before it is given."""


@dataclass
class FaultyServer:
    """What the server answers, in order (the last for good), and what it heard."""

    url: str
    replies: list[Reply]
    heard: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: Any = field(default_factory=Lock)


@contextmanager
def faulty_server(*replies: Reply, models: tuple[str, ...] = ("tiny",)) -> Iterator[FaultyServer]:
    """Serve on a free loopback port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(200, json.dumps({"data": [{"id": name} for name in models]}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.heard.append({"path": self.path, **body})
                state.keys.append(self.headers.get("Authorization", ""))
                reply = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
            try:
                while state.most_at_once < reply.company:
                    sleep(0.01)
                sleep(reply.delay)
                self._answer(reply)
            finally:
                with state.lock:
                    state.at_once -= 1

        def _answer(self, reply: Reply) -> None:
            if reply.status != 200:
                self._send(reply.status, reply.body, reply.headers)
                return
            events = "".join(
                f"data: {json.dumps({'choices': [{'delta': {'content': piece}}]})}\n\n"
                for piece in reply.pieces
            )
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            if reply.breaks_off:
                self.send_header("Content-Length", "1000000")
            self.end_headers()
            end = "" if reply.breaks_off or reply.raw else END
            self.wfile.write((events + reply.raw + end).encode())

        def _send(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = FaultyServer(f"http://127.0.0.1:{server.server_port}", list(replies) or [Reply()])
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
