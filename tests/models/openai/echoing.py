"""A server on loopback that says back the key that it was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.models.openai.faulty import END

KEY = 'sk-4711/"quoted"\\abcdefgh'
"""A key that JSON has to escape."""


def holds_key(text: str) -> bool:
    """Whether a text holds the key, or a part of it that is long enough to be of use."""
    return any(KEY[at : at + 8] in text for at in range(len(KEY) - 7)) or "k-4711" in text


def letters(text: str) -> list[str]:
    return list(text)


def whole(text: str) -> list[str]:
    return [text]


def halves(text: str) -> list[str]:
    return [text[:9], text[9:]]


@contextmanager
def echoing_server(
    *, status: int = 200, shape: str = "json", pieces: Sequence[str] = ()
) -> Iterator[str]:
    """Serve on a free loopback port; what is asked is answered with its Authorization header.

    With a `status` other than 200 the header is in the body, in the given `shape`; `pieces` are
    what is written otherwise, the header in place of each "HEADER".
    """

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(200, json.dumps({"data": [{"id": f"tiny {self._header}"}]}))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            header = self._header
            if status != 200:
                bodies = {
                    "json": json.dumps({"error": {"message": f"bad header {header}"}}),
                    "nested": json.dumps({"error": {"message": json.dumps({"got": header})}}),
                    "object": json.dumps({"error": {"detail": {"got": [header]}}}),
                    "text": f"bad header {header}",
                    "long": f"{'x' * 170} {header}",
                }
                self._send(status, bodies[shape])
                return
            if shape == "broken":
                self.wfile.write(f"HTTP/1.1 {header}\r\n\r\n".encode())
                return
            if shape == "event":
                events = f"data: {json.dumps({'error': {'message': header}})}\n\n"
            else:
                texts = [piece.replace("HEADER", header) for piece in pieces]
                events = "".join(
                    f"data: {json.dumps({'choices': [{'delta': {'content': text}}]})}\n\n"
                    for each in texts
                    for text in split(each)
                )
            self._send(200, events + END)

        @property
        def _header(self) -> str:
            return str(self.headers.get("Authorization", ""))

        def _send(self, code: int, body: str) -> None:
            self.send_response(code)
            self.send_header("X-Echo", self._header)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    split = {"letters": letters, "halves": halves}.get(shape, whole)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
