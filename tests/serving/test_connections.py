"""What connections may take of the server, and what every answer says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from core.models.protocol import Model
from core.text.errors import ModelError
from tui.serving import connection, download
from tui.serving.gate import HEADERS
from tui.serving.plain import PlainPages
from tui.serving.server import BrowserServer, _handle_message, host_to_open, listen


async def no_model() -> Model:
    raise ModelError("No page asks in these tests.")


@asynccontextmanager
async def serving(host: str = "127.0.0.1") -> AsyncIterator[BrowserServer]:
    """The server in this process, at a free port."""
    server = BrowserServer([], listen(host, 0), PlainPages(no_model))
    ready = asyncio.Event()
    running = asyncio.create_task(server.run(ready.set))
    await ready.wait()
    try:
        yield server
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def connected(server: BrowserServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", server.port)


async def answer(server: BrowserServer, request: bytes) -> tuple[int, dict[str, str]]:
    """Status and headers of the answer to bytes that are sent as they are."""
    reader, writer = await connected(server)
    writer.write(request)
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)).decode("latin-1")
    writer.close()
    status, *fields = head.strip().split("\r\n")
    named = (field.split(": ", 1) for field in fields)
    return int(status.split()[1]), {name.lower(): value for name, value in named}


def request(server: BrowserServer, *fields: bytes, path: bytes = b"/") -> bytes:
    host = f"Host: 127.0.0.1:{server.port}".encode()
    return b"\r\n".join((b"GET " + path + b" HTTP/1.1", host, *fields, b"", b""))


def cookie(server: BrowserServer) -> bytes:
    return f"Cookie: commonsense-tui-{server.port}={server.gate.token}".encode()


async def test_a_connection_that_says_nothing_or_half_a_request_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.3)
    async with serving() as server:
        held = [await connected(server) for _ in range(20)]
        for _, writer in held[:10]:
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        for reader, writer in held:
            assert await asyncio.wait_for(reader.read(), 60) == b""
            writer.close()
        assert (await answer(server, request(server)))[0] == 403


async def test_another_address_of_this_machine_is_served_where_it_was_named() -> None:
    jar = aiohttp.CookieJar(unsafe=True)  # Else it keeps no cookie of an address in numbers.
    async with serving("127.0.0.2") as server, aiohttp.ClientSession(cookie_jar=jar) as session:
        address = f"http://127.0.0.2:{server.port}/?token={server.gate.token}"
        async with session.get(address) as answer:
            assert answer.status == 200


async def test_there_is_a_most_of_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 5)
    async with serving() as server:
        held = [await connected(server) for _ in range(5)]
        await asyncio.sleep(0.05)
        status, headers = await answer(server, b"")
        assert status == 503
        assert HEADERS.items() <= {key: headers.get(key.lower()) for key in HEADERS}.items()
        for _, writer in held:
            writer.close()
        for _ in range(200):
            status, _headers = await answer(server, request(server))
            if status != 503:
                break
            await asyncio.sleep(0.01)
        assert status == 403


@pytest.mark.parametrize("value", [b"\x80", b"\xff\xfe", "é".encode(), b"\xed\xa0\x80"])
async def test_a_cookie_of_any_bytes_is_refused(value: bytes) -> None:
    async with serving() as server:
        name = f"Cookie: commonsense-tui-{server.port}=".encode()
        status, headers = await answer(server, request(server, name + value))
        assert status == 403
        assert HEADERS.items() <= {key: headers.get(key.lower()) for key in HEADERS}.items()


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nbroken field\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/9.9\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nzz\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nExpect: \xe5\r\n\r\n",
    ],
    ids=[
        "nonsense",
        "field",
        "long field",
        "long path",
        "length",
        "chunks",
        "TLS",
        "HTTP 2",
        "expectation",
    ],
)
async def test_what_is_no_request_is_answered_with_the_headers_of_all_answers(
    raw: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as server:
        status, headers = await answer(server, raw)
        assert status == 400
        assert headers["content-length"] == str(len("400 Bad Request\n"))
        assert not caplog.records
        assert HEADERS.items() <= {key: headers.get(key.lower()) for key in HEADERS}.items()
        assert (await answer(server, request(server)))[0] == 403


async def test_a_message_that_is_nested_deeply_ends_its_tab_without_an_error() -> None:
    tab: Any = None
    for text in ("[" * 100_000, '["ping", ' + "[" * 900 + "]" * 900 + "]", "1" * 10_000):
        assert not await _handle_message(tab, text)


class Offering:
    """A tab that offers a file of any length."""

    app_service_id = "tab"

    def __init__(self, server: BrowserServer) -> None:
        self._downloads = server.download_manager

    async def send_meta(self, asked: dict[str, Any]) -> bool:
        await self._downloads.chunk_received(asked["key"], bytes(asked["size"]))
        return True


async def test_a_download_that_stalls_ends_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(download, "STALL_SECONDS", 0.3)
    async with serving() as server:
        for key in ("one", "other"):
            await server.download_manager.create_download(
                app_service=Offering(server),  # type: ignore[arg-type]
                delivery_key=key,
                file_name='a"b\r\nc.html',
                open_method="download",
                mime_type="text/html",
            )
        asked = request(server, cookie(server), path=b"/download/one")
        reader, writer = await connected(server)
        writer.write(asked)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        assert b"filename*=UTF-8''a%22b%0D%0Ac.html" in head
        assert (await answer(server, asked))[0] == 404
        # Reading nothing for longer than that.
        transport: Any = writer.transport
        transport.pause_reading()
        while "one" in server.download_manager._active_downloads:
            await asyncio.sleep(0.02)
        assert "other" in server.download_manager._active_downloads
        assert (await answer(server, request(server)))[0] == 403
        writer.close()


def test_a_ping_of_the_page_is_answered_as_it_came() -> None:
    sent: list[str] = []

    class Tab:
        async def remote_write_str(self, text: str) -> None:
            sent.append(text)

    tab: Any = Tab()
    assert asyncio.run(_handle_message(tab, '["ping", "1732550000000"]'))
    assert [json.loads(text) for text in sent] == [["pong", "1732550000000"]]


async def test_an_address_that_means_all_is_shown_as_other_machines_open_it() -> None:
    for host in ("127.0.0.1", "192.168.1.2", "::1", "example.org"):
        assert host_to_open(host) == host
    for host in ("0.0.0.0", "::"):
        assert host_to_open(host) not in ("", "0.0.0.0", "::")
    async with serving("0.0.0.0") as server, aiohttp.ClientSession() as session:
        assert "0.0.0.0" not in server.address
        async with session.get(server.address, allow_redirects=False) as answer:
            assert answer.status == 302
