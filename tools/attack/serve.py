"""Hostile requests to `serve` on this machine, and what is left of the server after them."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

from tools.attack.attempts import Tally, note
from tools.attack.mutators import mutated
from tui.serving.connection import MOST_CONNECTIONS, REQUEST_SECONDS
from tui.serving.gate import HEADERS

TRIES = 2_000
_START = "from tui.cli.start import main; main()"
_PATHS = (
    "/", "/ws", "/look/page.css", "/look/page.js", "/static/js/textual.js", "/static/../server.py",
    "/static/%2e%2e/%2e%2e/etc/passwd", "/download/x", f"/static/{'x' * 3_000}", "/download/%00",
    "/?token=TOKEN", "/?fontsize=1e9",
    "/ws?width=-5&height=99999999999", "//evil.example/", "/%ff%fe", "*", "http://evil.example/",
)  # fmt: skip
_FIELDS = (
    "Host: 127.0.0.1:PORT", "Host: localhost", "Host: evil.example", "Host: [::1", "Host:",
    "Cookie: commonsense-tui-PORT=TOKEN", "Cookie: commonsense-tui-PORT=x", "Cookie: \x80\xff=\x80",
    "Origin: http://127.0.0.1:PORT", "Origin: null", "Origin: http://evil.example",
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Content-Length: 99999999", "Content-Length: -1",
    "Transfer-Encoding: chunked", "Expect: 100-continue", "Range: bytes=0-0,1-1,2-2",
    "X: " + "x" * 9_000, "Accept-Encoding: gzip",
    "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=8",
)  # fmt: skip
_METHODS = ("GET", "GET", "GET", "GET", "POST", "HEAD", "OPTIONS", "PUT", "CONNECT", "BREW", "get")
_ANSWER_SECONDS = 0.5
"""How long an answer is waited for: the server waits for the rest of half a request."""
_LINGER_SECONDS = 12.0
"""How long a connection may be counted after its descriptor is closed: aiohttp waits 10 s for the
rest of a request."""
_HELD_OPEN = 40
"""Connections that stay half open while others are answered."""


class Server:
    """`commonsense-tui serve` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, "serve", "--port", "0"], cwd=folder, stderr=log
            )
        end = time.monotonic() + 60
        found = None
        while found is None and time.monotonic() < end:
            time.sleep(0.05)
            found = re.search(r":(\d+)/\?token=(\S+)", self.said())
        if found is None:
            self.process.kill()
            raise RuntimeError(self.said())
        self.port, self.token = int(found[1]), found[2]

    def said(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def connect(self) -> socket.socket:
        """A connection to it."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=5)

    def held(self) -> tuple[float, int]:
        """Its memory in MiB, and how many descriptors it has."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        [memory] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        files = len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))
        return int(memory.split()[1]) / 1024, files


def request(random: Random, server: Server) -> bytes:
    """A request that is wrong in one place or in many."""
    fields = random.sample(_FIELDS, random.randrange(1, 9))
    line = f"{random.choice(_METHODS)} {random.choice(_PATHS)} HTTP/1.1"
    text = "\r\n".join((line, *fields, "", ""))
    text = text.replace("PORT", str(server.port))
    text = text.replace("TOKEN", server.token if random.random() < 0.5 else "x" * 22)
    raw = text.encode("latin-1")
    return mutated(random, raw, structured=False) if random.random() < 0.4 else raw


def answer(server: Server, raw: bytes) -> bytes:
    """The beginning of the answer; empty where the server closes without one, or waits."""
    with server.connect() as connection:
        connection.settimeout(_ANSWER_SECONDS)
        with suppress(OSError):
            connection.sendall(raw)
        with suppress(OSError):
            return connection.recv(65_536)
    return b""


def _judged(tally: Tally, name: str, server: Server, said: bytes) -> None:
    if not said:
        tally.endings["no answer"] += 1
        return
    # Only the answer behind it is one to the request.
    said = said.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n") or said
    head = said.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    status = head[0].split(" ")[1] if head[0].count(" ") else head[0]
    tally.endings[f"status {status}"] += 1
    sent = {line.partition(":")[0].lower() for line in head[1:]}
    if status.startswith("5"):
        tally.fail(name, f"answered {head[0]}")
    if status not in {"100", "101"} and not {key.lower() for key in HEADERS} <= sent:
        tally.fail(name, f"an answer without its headers: {head[0]}")
    if server.token.encode() in said and status != "302":
        tally.fail(name, "the token is in an answer")


def attack(tries: int, seed: int) -> Tally:
    """Send so many requests to one server."""
    tally = Tally("serve")
    with tempfile.TemporaryDirectory(prefix="attack-") as folder, ExitStack() as left:
        server = Server(Path(folder))
        left.callback(server.process.wait)
        left.callback(server.process.kill)
        first = server.held()
        open_ones = [left.enter_context(server.connect()) for _ in range(_HELD_OPEN)]
        for connection in open_ones:
            connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        for number in range(tries):
            note(f"serve {number:,} of {tries:,}, failed {len(tally.failures)}")
            raw = request(Random(f"{seed} {number}"), server)
            started = time.monotonic()
            with tally.attempt(f"request {number}", measured=False):
                _judged(tally, f"request {number}", server, answer(server, raw))
            tally.measure(f"request {number}", time.monotonic() - started)
        # Before the flood, which could not be counted beside connections that are being closed.
        _let_go(tally, server, first[1], "requests")
        _flooded(tally, server, first[1])
        _let_go(tally, server, first[1], "flood")
        tally.mib, tally.largest = server.held()[0] - first[0], "growth of the server"
        server.process.send_signal(signal.SIGINT)
        try:
            server.process.wait(30)
        except subprocess.TimeoutExpired:
            tally.fail("the end", "Ctrl-C does not end the server")
        if "Traceback" in server.said():
            tally.fail("the log", server.said()[-500:])
        if empty := sum(not line.strip() for line in server.said().splitlines()):
            tally.fail("the log", f"{empty} lines say nothing")
    return tally


def _let_go(tally: Tally, server: Server, files: int, after: str) -> None:
    """Nothing stays open but the files of the start, those that are half open neither."""
    end = time.monotonic() + REQUEST_SECONDS + 5
    while (held := server.held()[1]) > files and time.monotonic() < end:
        time.sleep(0.1)
    if held > files:
        tally.fail("descriptors", f"{files} became {held} after the {after}")


def _flooded(tally: Tally, server: Server, files: int) -> None:
    """More connections than there may be are refused, and all of them let go again."""
    with ExitStack() as flood:
        for _ in range(MOST_CONNECTIONS + 50):
            flood.enter_context(server.connect())
        time.sleep(0.5)
        if (held := server.held()[1] - files) > MOST_CONNECTIONS:
            tally.fail("flood", f"{held} connections are held")
        said, end = b"", time.monotonic() + _LINGER_SECONDS
        while not said.startswith(b"HTTP/1.1 503") and time.monotonic() < end:
            # Connections of before were still counted, and have made room since.
            flood.enter_context(server.connect())
            said = answer(server, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        if not said.startswith(b"HTTP/1.1 503"):
            tally.fail("flood", f"a connection too many was answered {said[:60]!r}")
    time.sleep(0.5)
    said = answer(server, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    if not said.startswith(b"HTTP/1.1 403"):
        tally.fail("flood", f"after it the server answered {said[:60]!r}")


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    return attack(tries, seed)
