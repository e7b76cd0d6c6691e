"""Who may come in, and that nothing that a visitor does ends the server."""

from __future__ import annotations

import asyncio
import gettext
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from itertools import count, islice
from pathlib import Path

import aiohttp
import httpx
import pytest

from core.text import language
from core.text.addresses import is_loopback
from tests.models.processes import alive
from tests.serving.conftest import START, Served, children
from tui.serving.server import MOST_TABS

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


get = partial(httpx.get, timeout=150, trust_env=False)


def test_nobody_comes_in_without_the_token(served: Served) -> None:
    for path in ("", "ws", "look/page.css", "static/js/textual.js", "download/x"):
        for cookies in ({}, dict.fromkeys(served.cookies, "x" * 22)):
            answer = get(served.url + path, cookies=cookies)
            assert answer.status_code == 403, path
            assert "commonsense-tui serve" in answer.text
    assert get(served.url + "look/page.css", params={"token": served.token}).status_code == 403
    assert get(served.url + "look/page.css", cookies=served.cookies).status_code == 200


def test_the_token_goes_into_a_cookie_that_no_script_reads(served: Served) -> None:
    answer = get(served.address)
    assert answer.status_code == 302
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    page = get(served.url, cookies=served.cookies)
    assert served.token not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "[::1", ""])
def test_another_name_for_this_machine_is_refused(served: Served, host: str) -> None:
    answer = get(served.url, cookies=served.cookies, headers={"Host": host})
    assert answer.status_code in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_another_page_may_not_talk_to_the_program(own: Served, origin: str) -> None:
    headers = {**UPGRADE, "Origin": origin}
    answer = get(own.url + "ws", cookies=own.cookies, headers=headers)
    assert answer.status_code == 403
    assert children(own.process.pid) == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["ws", "plain/answers?benchmark=gita", "static/screen.js"])
def test_a_page_from_elsewhere_opens_only_the_first_pages(
    served: Served, path: str, site: str
) -> None:
    """A browser sends the cookie for a page of another port, and for a link that is followed."""
    headers = {"Sec-Fetch-Site": site}
    assert get(served.url + path, cookies=served.cookies, headers=headers).status_code == 403
    for first in ("", "plain"):
        answer = get(served.url + first, cookies=served.cookies, headers=headers)
        assert answer.status_code == 200
    headers = {"Sec-Fetch-Site": "same-origin"}
    assert get(served.url + path, cookies=served.cookies, headers=headers).status_code != 403


@pytest.mark.parametrize(
    "path",
    [
        "static/../server.py",
        "static/%2e%2e/server.py",
        "static/",
        f"static/{'x' * 3_000}",
    ],
)
def test_no_other_file_is_served(served: Served, path: str) -> None:
    answer = get(served.url + path, cookies=served.cookies)
    assert answer.status_code in (403, 404)


async def test_what_no_page_sends_ends_that_tab_alone(own: Served) -> None:
    async with aiohttp.ClientSession(cookies=own.cookies) as session:
        address = f"{own.url}ws?width=-5&height=99999999999"
        async with session.ws_connect(address) as good:
            await good.receive(timeout=150)
            for nonsense in ("{", "{}", "[]", '["stdin"]', '["resize", 5]', '["stdin", 5]'):
                async with session.ws_connect(own.url + "ws") as bad:
                    await bad.send_str(nonsense)
                    async for _ in bad:
                        pass
            await good.send_json(["ping", 7])
            async for message in good:
                if message.type is aiohttp.WSMsgType.TEXT:
                    assert message.json() == ["pong", 7]
                    break
    assert "Traceback" not in own.stop()


async def test_the_process_of_a_closed_tab_ends(own: Served) -> None:
    async with aiohttp.ClientSession(cookies=own.cookies) as session:
        async with session.ws_connect(own.url + "ws") as tab:
            await tab.receive(timeout=150)
            assert len(children(own.process.pid)) == 1
        end = time.monotonic() + 150
        while children(own.process.pid):
            assert time.monotonic() < end
            await asyncio.sleep(0.05)


def leave_descriptors(pid: int, free: int) -> None:
    """Limit a process to the descriptors that it has and so many more."""
    there = {int(one.name) for one in Path(f"/proc/{pid}/fd").iterdir()}
    numbers = (number for number in count() if number not in there)
    last = next(islice(numbers, free - 1, None))
    hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (last + 1, hard))


async def test_tabs_that_could_not_be_started_take_no_place(own: Served) -> None:
    limits = resource.prlimit(own.process.pid, resource.RLIMIT_NOFILE)
    names = [f"{number:032x}" for number in range(MOST_TABS)]
    async with aiohttp.ClientSession(cookies=own.cookies) as session:
        for name in names:
            # There is room for a connection, and not for the eight ends of a program's pipes.
            leave_descriptors(own.process.pid, 4)
            async with session.ws_connect(f"{own.url}ws/{name}") as refused:
                assert (await refused.receive(timeout=150)).type is aiohttp.WSMsgType.CLOSE
        assert children(own.process.pid) == []
        resource.prlimit(own.process.pid, resource.RLIMIT_NOFILE, limits)
        async with session.ws_connect(f"{own.url}ws/{names[0]}") as tab:
            assert (await tab.receive(timeout=150)).type is aiohttp.WSMsgType.BINARY
    said = own.stop().splitlines()
    assert said[1:] == ["The program cannot be started for a tab: Too many open files."] * MOST_TABS


async def test_no_tab_outlives_its_server(own: Served) -> None:
    async with (
        aiohttp.ClientSession(cookies=own.cookies) as session,
        session.ws_connect(own.url + "ws") as tab,
    ):
        await tab.receive(timeout=150)
        (program,) = children(own.process.pid)
        own.process.kill()
        end = time.monotonic() + 150
        # It is nobody's child now: what is left of it may wait for the first process to collect it.
        while alive(int(program)):
            assert time.monotonic() < end
            await asyncio.sleep(0.05)


def test_ctrl_c_ends_it_without_a_word(own: Served) -> None:
    said = own.stop()
    assert own.process.returncode == 0
    assert said.splitlines() == ["Ctrl-C stops it, and every tab with it."]


def serve(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START, "serve", *words],
        capture_output=True,
        encoding="utf-8",
        timeout=150,
    )


def test_what_cannot_be_served_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = serve("--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "--port 8001" in done.stderr
    assert "Traceback" not in done.stderr
    done = serve("--host", "no such host", "--allow-network")
    assert done.returncode == 2
    assert re.search(r"cannot be served at no such host", done.stderr)
    done = serve("--host", "a..b", "--allow-network")
    assert done.returncode == 2
    assert "No machine can be called a..b." in done.stderr
    done = serve("--host", "0.0.0.0")
    assert done.returncode == 2
    assert "Add --allow-network" in done.stderr
    done = serve("no-such-file.jsonl")
    assert done.returncode == 2
    assert "gita" in done.stderr


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("example.org", False),
    ],
)
def test_what_nobody_else_reaches(host: str, alone: bool) -> None:
    assert is_loopback(host) == alone


def test_the_terminal_is_told_in_the_chosen_language(tmp_path: Path) -> None:
    own = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("DATA", "CONFIG", "CACHE")}
    for words, sentences in (
        ((), ("Only this machine reaches it.", "Ctrl-C stops it, and every tab with it.")),
        (
            ("--room",),
            (
                "Only this machine reaches the room; --allow-network opens it to phones.",
                "It follows the lesson that runs here. Ctrl-C stops it and forgets the votes.",
            ),
        ),
    ):
        process = subprocess.Popen(
            [sys.executable, "-c", START, "serve", *words, "--port", "0", "--lang", "it"],
            env=os.environ | own,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert process.stderr is not None
        italian = gettext.translation(language.DOMAIN, language.FOLDER, ["it"])
        first, last = (italian.gettext(sentence) for sentence in sentences)
        lines = [process.stderr.readline().rstrip("\n")]
        while "Ctrl-C" not in lines[-1] and process.poll() is None:
            lines.append(process.stderr.readline().rstrip("\n"))
        process.send_signal(signal.SIGINT)
        process.wait(150)
        process.stderr.close()
        assert (lines[0], lines[-1]) == (first, last)
