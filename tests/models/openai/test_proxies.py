"""Proxies on loopback that refuse and say back what they were sent; nobody learns a password."""

from __future__ import annotations

import json
import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from traceback import format_exception
from urllib.parse import quote

import pytest

from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE, MARK, Key
from core.models.openai.requests import Limits
from core.text.errors import ModelError
from tests.terminals import COMMAND

QUICK = Limits(tries=1, timeout=20.0, deadline=20.0)
PASSWORD = "proxysecret99"
SENT = b64encode(f"puser:{PASSWORD}".encode()).decode()
KEY = "sk-4711-do-not-tell-anybody"


@contextmanager
def echoing_proxy(status: int, body: str = "sent HEADER") -> Iterator[int]:
    """Serve on a free port; the header with the password is in what it answers."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            header = str(self.headers.get("Proxy-Authorization", ""))
            heard.append(header)
            said = body.replace("HEADER", header).encode()
            self.send_response(status, f"sent {header}")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_CONNECT = do_GET

    heard: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
    assert heard[0] == f"Basic {SENT}"


async def refused(url: str) -> str:
    """Everything that the error of a connection shows."""
    with pytest.raises(ModelError) as caught:
        await OpenAIModel.connect(url, limits=QUICK)
    return "".join(format_exception(caught.value))


def holds_password(text: str) -> bool:
    return any(part in text for part in (PASSWORD[:9], SENT[:10], SENT[8:18], "secret99"))


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("status", [400, 407, 502])
async def test_a_proxy_that_refuses_shows_no_password(
    scheme: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with echoing_proxy(status) as port:
        monkeypatch.setenv(f"{scheme}_proxy", f"http://puser:{PASSWORD}@127.0.0.1:{port}")
        shown = await refused(f"{scheme}://example.invalid/v1")
    assert f"({status})" in shown
    assert not holds_password(shown)


@pytest.mark.parametrize(
    "address",
    [
        f"http://puser:{PASSWORD}@127.0.0.1:1",
        f"https://puser:{PASSWORD}@127.0.0.1:1",
        f"http://puser:{PASSWORD}@127.0.0.1:999999",
        f"http://puser:{PASSWORD}@[::1",
        f"http://puser:{PASSWORD}@",
        f"http://puser:{PASSWORD}@a..b",
        f"puser:{PASSWORD}@127.0.0.1:1",
        f"socks5://puser:{PASSWORD}@127.0.0.1:1",
        f"http://pus\u0142er:{PASSWORD}@127.0.0.1:1",
    ],
)
async def test_a_wrong_address_of_a_proxy_is_told_without_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", address)
    shown = await refused("http://example.invalid/v1")
    assert "The proxy for this server" in shown
    assert "http_proxy" in shown
    assert not holds_password(shown)


async def test_a_model_s_name_and_answer_through_a_proxy_hold_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models = json.dumps({"data": [{"id": f"m HEADER puser:{PASSWORD}"}]})
    with echoing_proxy(200, models) as port:
        monkeypatch.setenv("http_proxy", f"http://puser:{PASSWORD}@127.0.0.1:{port}")
        model = await OpenAIModel.connect("http://example.invalid/v1", limits=QUICK)
        await model.close()
    assert MARK in model.info.name
    assert not holds_password(model.info.name)


@pytest.mark.parametrize("variable", ["http_proxy", "HTTPS_PROXY", "all_proxy"])
@pytest.mark.parametrize(
    "said",
    [
        f"puser:{PASSWORD}",
        PASSWORD,
        f"Basic {SENT}",
        SENT,
        b64encode(PASSWORD.encode()).decode(),
        f"http://puser:{PASSWORD}@127.0.0.1:1",
        "".join(f"%{ord(letter):02X}" for letter in PASSWORD),
    ],
)
def test_what_a_proxy_was_sent_is_hidden_wherever_the_key_is(
    variable: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, f"http://puser:{PASSWORD}@127.0.0.1:1")
    hidden = Key().hide(f"I got {said}, and no more")
    assert MARK in hidden
    assert not holds_password(hidden)
    assert hidden.startswith("I got ")
    assert hidden.endswith(", and no more")


@pytest.mark.parametrize(
    "password", ["p/a?s#s@w:ord", "pä ss wörd", "100%%safe", "\u0142\u00f3d\u017a-secret"]
)
def test_a_password_with_any_letters_is_hidden_as_typed_and_as_sent(
    password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://puser:{quote(password, safe='')}@127.0.0.1:1")
    header = b64encode(f"puser:{password}".encode()).decode()
    for said in (password, quote(password), quote(password, safe=""), header, json.dumps(password)):
        assert MARK in Key().hide(f"sent {said}.")


def test_a_short_password_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://u:no@127.0.0.1:1")
    assert Key().hide("u: no, a stone cannot swim") == "u: no, a stone cannot swim"
    assert Key().hide("sent Basic dTpubw==") == f"sent {MARK}=="


@pytest.mark.parametrize("size", [100, 9_000, 70_000])
@pytest.mark.parametrize("line", ["X-Long: PAD KEY", "PAD KEY", "HTTP/1.1 PAD KEY"])
async def test_of_a_malformed_header_nothing_is_shown(
    size: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library shows the beginning of it, and with that most of a key."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    said = line.replace("PAD", "p" * size).replace("KEY", KEY)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            first = "" if line.startswith("HTTP") else "HTTP/1.1 200 OK\r\n"
            self.wfile.write(f"{first}{said}\0\r\n\r\n".encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        shown = await refused(f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
    assert "malformed" in shown
    assert "sk-4711" not in shown
    assert "ppp" not in shown


def test_a_command_and_its_log_file_hold_no_password_of_a_proxy(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    asked = f"evaluate gita --limit 1 --form chat --scoring generated --log-file {log}"
    with echoing_proxy(407) as port:
        ran = subprocess.run(
            [COMMAND, *asked.split(), "--model", "https://example.invalid/v1"],
            env=os.environ | {"https_proxy": f"http://puser:{PASSWORD}@127.0.0.1:{port}"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert "(407)" in ran.stderr
    assert "(407)" in log.read_text()
    assert not holds_password(ran.stdout + ran.stderr + log.read_text())
