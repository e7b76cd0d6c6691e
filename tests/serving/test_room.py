"""A room votes: a hundred phones at once, once each, and nothing that is no vote is taken."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from core.layout.qr_code import qr_rows, qr_svg
from core.lessons import ballot as ballots
from core.lessons.ballot import BallotBox, ballot_of
from core.lessons.progress_file import Progress, ProgressFile
from core.lessons.votes_file import Votes, read_votes, votes_path, write_votes
from core.text.errors import SettingError
from tests.cli.support import run
from tests.exchange.exporters import chromium
from tui.serving import connection
from tui.serving import room as rooms
from tui.serving.gate import HEADERS
from tui.serving.room import RoomServer

OPTIONS = ("<b>yes</b>", "no", "perhaps")
ASKED = Progress(
    lesson="one",
    title="One <script>alert(1)</script>",
    step=2,
    steps=3,
    say="",
    notes="Only the speaker sees this.",
    following="",
    ask="Is it so?",
    options=OPTIONS,
    hands=(0, 0, 0),
    revealed=False,
    began=time.time(),
    step_began=time.time(),
)
PHONES = 100
FORM = "application/x-www-form-urlencoded"


@asynccontextmanager
async def room(keep: Path | None = None) -> AsyncIterator[tuple[RoomServer, ProgressFile]]:
    """An open room on this machine, and the file of the lesson that it follows."""
    file = ProgressFile()
    file.write(ASKED)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = RoomServer(listening, "127.0.0.1", keep)
        await server.start()
        try:
            await until(lambda: server.box.ballot is not None)
            yield server, file
        finally:
            await server.stop()
            file.remove()


async def until(done: object, seconds: float = 20.0) -> None:
    """Wait until something is so."""
    assert callable(done)
    ends = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < ends
        await asyncio.sleep(0.05)


def phone() -> aiohttp.ClientSession:
    """A phone with cookies of its own."""
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))


def base(server: RoomServer) -> str:
    return server.address.partition("/?")[0]


async def vote(session: aiohttp.ClientSession, server: RoomServer, **form: str) -> int:
    async with session.post(f"{base(server)}/vote", data=form) as answer:
        return answer.status


async def raw_answer(server: RoomServer, said: bytes) -> bytes:
    """All that is answered to bytes that are sent as they are, until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(_port(server)))
    writer.write(said)
    told = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    return told


async def test_a_hundred_phones_vote_and_the_lesson_sees_it() -> None:
    async with room() as (server, file):

        async def take_part(number: int) -> None:
            async with phone() as session:
                async with session.get(server.address) as answer:
                    page = await answer.text()
                    assert answer.status == 200
                found = re.search(r'name="ballot" value="(\w+)"', page)
                assert found is not None
                # Every tenth changes its mind; a vote replaces the one before.
                for option in ([2] if number % 10 == 0 else []) + [number % 2]:
                    assert await vote(session, server, ballot=found[1], option=str(option)) == 200

        await asyncio.gather(*(take_part(number) for number in range(PHONES)))
        expected = (PHONES // 2, PHONES // 2, 0)
        assert server.box.counts() == {"2": expected}
        votes = lambda: read_votes(file.path)  # noqa: E731
        await until(lambda: (known := votes()) is not None and known.of(2, 3) == expected)
        assert votes_path(file.path).stat().st_mode & 0o077 == 0
    assert votes() is None
    assert not votes_path(file.path).exists()


async def test_a_tap_in_a_browser_is_counted(browser: chromium.Browser) -> None:
    def tap(address: str) -> str:
        page = browser.page(390, 844)
        page.open(address)
        page.js("document.querySelectorAll('form button')[1].click()")
        ends = time.monotonic() + 20
        while page.js("document.querySelector('[aria-pressed]') === null"):
            assert time.monotonic() < ends, page.js("document.body.innerText")
            time.sleep(0.05)
        return str(page.js("document.querySelector('[role=status]').innerText"))

    async with room() as (server, _file):
        said = await asyncio.to_thread(tap, server.address)
        assert server.box.counts() == {"2": (0, 1, 0)}
        assert said


async def test_only_open_ballots_of_phones_with_the_token_are_counted() -> None:
    async with room() as (server, file), phone() as session, phone() as stranger:
        ballot = server.box.ballot
        assert ballot is not None
        assert await vote(stranger, server, ballot=ballot.id, option="1") == 403
        async with stranger.get(f"{base(server)}/now") as answer:
            assert answer.status == 403
        # With the token, but without having opened the page.
        stranger.cookie_jar.update_cookies({f"commonsense-tui-{_port(server)}": server.gate.token})
        assert await vote(stranger, server, ballot=ballot.id, option="1") == 200
        assert server.box.counts() == {}
        async with session.get(server.address) as answer:
            policy = answer.headers["Content-Security-Policy"]
            page = await answer.text()
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "<b>yes</b>" not in page
        assert "<script>alert" not in page
        assert ASKED.notes not in page
        assert not re.findall(r'(?:src|href|action)="(?!/|data:)', page)
        for option in ("9", "-1", "1.0", "", "1" * 500, "١"):
            assert await vote(session, server, ballot=ballot.id, option=option) == 400
        assert await vote(session, server, ballot=ballot.id, option="3") == 200
        assert await vote(session, server, ballot="another", option="1") == 200
        assert await vote(session, server, option="1") == 400
        assert await vote(session, server, ballot="x" * 10_000, option="1") == 413
        async with session.post(
            f"{base(server)}/vote",
            data={"ballot": ballot.id, "option": "1"},
            headers={"Origin": "http://elsewhere.example"},
        ) as answer:
            assert answer.status == 403
        assert server.box.counts() == {}
        assert await vote(session, server, ballot=ballot.id, option="1") == 200
        file.write(replace(ASKED, revealed=True))
        await until(lambda: server.box.ballot is not None and not server.box.ballot.open)
        assert await vote(session, server, ballot=ballot.id, option="0") == 200
        assert server.box.counts() == {"2": (0, 1, 0)}


async def test_votes_are_forgotten_when_another_lesson_runs() -> None:
    async with room() as (server, file), phone() as session:
        ballot = server.box.ballot
        assert ballot is not None
        async with session.get(server.address):
            pass
        await vote(session, server, ballot=ballot.id, option="0")
        await until(lambda: votes_path(file.path).exists())
        file.remove()
        await until(lambda: server.box.ballot is None)
        assert server.box.counts() == {}
        assert not votes_path(file.path).exists()
        async with session.get(f"{base(server)}/now") as answer:
            assert await answer.text() == "nothing"


class Busy(ThreadPoolExecutor):
    """Threads of a system that has none to spare for a while."""

    refused = 0

    def submit(self, *given: object, **named: object) -> Future[Any]:
        """Refuse the first three times, in Python's words."""
        if self.refused < 3:
            self.refused += 1
            raise RuntimeError("can't start new thread")
        return super().submit(*given, **named)  # type: ignore[arg-type]


async def test_a_second_room_is_refused_and_changes_nothing_of_the_first() -> None:
    async with room() as (server, file):
        await until(lambda: read_votes(file.path) is not None)
        before = votes_path(file.path).read_bytes()
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            pytest.raises(SettingError, match="open already"),
        ):
            await RoomServer(listening, "127.0.0.1").start()
        assert server.address in before.decode()
        assert votes_path(file.path).read_bytes() == before
    async with room():
        pass


async def test_votes_that_are_written_while_the_room_ends_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writing = threading.Event()

    def slowly(path: Path, votes: Votes) -> None:
        writing.set()
        time.sleep(0.5)
        write_votes(path, votes)

    async with room() as (server, file):
        monkeypatch.setattr(rooms, "write_votes", slowly)
        ballot = server.box.ballot
        assert ballot is not None
        server.box.vote(server.box.admit(), ballot.id, 0)
        await until(writing.is_set)
    await asyncio.sleep(1)
    assert not votes_path(file.path).exists()


async def test_a_room_goes_on_after_the_system_had_no_thread_to_spare(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with room() as (server, file):
        busy = Busy()
        asyncio.get_running_loop().set_default_executor(busy)
        await until(lambda: busy.refused == 3)
        file.write(replace(ASKED, revealed=True))
        await until(lambda: server.box.ballot is not None and not server.box.ballot.open)
    said = [one.getMessage() for one in caplog.records]
    assert said == ["The lesson cannot be followed: can't start new thread."]


async def test_votes_are_counted_and_ballots_changed_in_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = set()
    for name in ("show", "results", "vote"):
        done = getattr(BallotBox, name)

        def noted(box: BallotBox, *given: object, done: Any = done) -> object:
            threads.add(threading.current_thread())
            return done(box, *given)

        monkeypatch.setattr(BallotBox, name, noted)
    async with room() as (server, file):
        file.remove()
        await until(lambda: server.box.ballot is None)
    assert threads == {threading.current_thread()}


async def test_counts_are_kept_only_where_that_is_asked(tmp_path: Path) -> None:
    kept = tmp_path / "counts.jsonl"
    for _ in range(2):
        async with room(kept) as (server, _file), phone() as session:
            assert server.box.ballot is not None
            async with session.get(server.address) as answer:
                page = await answer.text()
            assert "nothing is kept" not in page
            assert "How many chose what is kept." in page
            await vote(session, server, ballot=server.box.ballot.id, option="1")
            voters = [*server.box.voters]
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2
    assert rows[0] == rows[1]
    assert (rows[0]["step"], rows[0]["votes"], rows[0]["ask"]) == (2, [0, 1, 0], "Is it so?")
    assert not any(voter in kept.read_text(encoding="utf-8") for voter in voters)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert run("serve", "--keep", kept).code == 2
    assert run("serve", "--room", "--keep", tmp_path / "none" / "x").code == 2
    assert run("serve", "--room", "--keep", "/proc/counts").code == 2


async def test_counts_are_added_to_no_file_of_another_kind(tmp_path: Path) -> None:
    votes = tmp_path / "bob.jsonl"
    votes.write_text('{"annotator": "bob"}\n', encoding="utf-8")
    with pytest.raises(SettingError, match="it holds something else"):
        async with room(votes):
            pass
    assert votes.read_text("utf-8") == '{"annotator": "bob"}\n'


async def test_a_lesson_ends_where_a_pipe_took_the_place_of_the_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = tmp_path / "counts.jsonl"
    async with room(kept) as (server, _file), phone() as session:
        assert server.box.ballot is not None
        async with session.get(server.address):
            pass
        await vote(session, server, ballot=server.box.ballot.id, option="1")
        os.mkfifo(kept)
    said = [one.getMessage() for one in caplog.records]
    assert said == ["The counts cannot be kept: it is not a regular file."]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data; boundary=x", b"--x\r\nnonsense nonsense nonse\r\n"),
        ("multipart/form-data", b"nonsense"),
        (FORM, b"ballot=\xff&option=1"),
        (f"{FORM}; charset=rot13", b"onyybg=\xff"),
        (f"{FORM}; charset=nosuch", b"ballot=1"),
        (FORM, b"&".join([b"a=1"] * 100)),
        ("text/plain", b"ballot=1&option=1"),
    ],
)
async def test_what_is_no_form_is_answered_as_no_vote(kind: str, body: bytes) -> None:
    async with room() as (server, _file), phone() as session:
        async with session.get(server.address):
            pass
        async with session.post(
            f"{base(server)}/vote", data=body, headers={"Content-Type": kind}
        ) as answer:
            assert answer.status == 400
            assert await answer.text() == "This is no vote.\n"
        async with session.post(
            f"{base(server)}/vote",
            data=b"no gzip",
            headers={"Content-Type": FORM, "Content-Encoding": "gzip"},
        ) as answer:
            assert answer.status == 400


async def test_a_vote_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "REQUEST_SECONDS", 0.2)
    async with room() as (server, _file):
        head = (
            f"POST /vote HTTP/1.1\r\nHost: 127.0.0.1:{_port(server)}\r\n"
            f"Cookie: commonsense-tui-{_port(server)}={server.gate.token}\r\n"
            f"Content-Type: {FORM}\r\nContent-Length: 17\r\n\r\nballot="
        )
        assert (await raw_answer(server, head.encode())).startswith(b"HTTP/1.1 408")


async def test_a_connection_that_says_nothing_or_half_a_request_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.3)
    async with room() as (server, _file):
        for said in (b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "):
            assert await raw_answer(server, said) == b""


async def test_what_is_no_request_is_answered_without_its_words() -> None:
    async with room() as (server, _file):
        for said in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nbroken field\r\n\r\n"):
            told = (await raw_answer(server, said)).decode("ascii")
            assert told.endswith("\r\n\r\n400 Bad Request\n")
            for name, value in HEADERS.items():
                assert f"{name}: {value}\r\n" in told


async def test_a_flood_leaves_a_room_that_answers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "most_open_files", lambda: 140)
    async with room() as (server, _file):
        at = ("127.0.0.1", int(_port(server)))
        held = [await asyncio.open_connection(*at) for _ in range(60)]
        refused = 0
        for reader, writer in held:
            with suppress(TimeoutError, ConnectionError):
                refused += b"503" in await asyncio.wait_for(reader.read(), 0.01)
            writer.close()
        assert refused == 30
        async with phone() as session, session.get(server.address) as answer:
            assert answer.status == 200
    assert not caplog.records


async def test_phones_keep_no_connection_where_there_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rooms, "MOST_CONNECTIONS", 10)
    async with room() as (server, _file), phone() as session:
        async with session.get(server.address) as answer:
            assert answer.headers.get("Connection") != "close"
        at = ("127.0.0.1", int(_port(server)))
        held = [await asyncio.open_connection(*at) for _ in range(7)]
        async with session.get(server.address) as answer:
            assert answer.headers["Connection"] == "close"
        for _, writer in held:
            writer.close()


async def test_control_characters_of_a_lesson_are_not_drawn(tmp_path: Path) -> None:
    kept = tmp_path / "counts.jsonl"
    async with room(kept) as (server, file), phone() as session:
        old = server.box.ballot
        file.write(replace(ASKED, ask="So?\x1b[2J\u202e", options=("y\x07", "no", "\x00")))
        await until(lambda: server.box.ballot != old)
        async with session.get(server.address) as answer:
            page = await answer.text()
        assert server.box.ballot is not None
        await vote(session, server, ballot=server.box.ballot.id, option="0")
    written = page + "".join(map(str, json.loads(kept.read_text(encoding="utf-8")).values()))
    assert "So?" in written
    assert not set(written) & set("\x1b\u202e\x07\x00")


def test_a_room_takes_nothing_that_is_about_the_program() -> None:
    for word in ("--model=demo", "--benchmark=gita", "gita"):
        refused = run("serve", "--room", word)
        assert refused.code == 2
        assert "only a page to vote on" in refused.err


def test_no_more_phones_than_can_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ballots, "MOST_VOTERS", 2)
    box = BallotBox()
    box.show(ballot_of(ASKED))
    admitted = [box.admit() for _ in range(4)]
    assert [bool(voter) for voter in admitted] == [True, True, False, False]
    assert not box.vote("", box.ballot.id if box.ballot else "", 0)


def test_a_damaged_or_foreign_file_has_no_votes(tmp_path: Path) -> None:
    progress = tmp_path / "lesson.json"
    assert read_votes(progress) is None
    for content in ("", "{", "[]", '{"address": 1}', '{"address": "", "counts": {"2": ["x"]}}'):
        votes_path(progress).write_text(content, encoding="utf-8")
        assert read_votes(progress) is None
    write_votes(progress, Votes("here", {"2": (1, -2), "3": (1, 2)}))
    votes = read_votes(progress)
    assert votes is not None
    assert votes.of(2, 2) == (0, 0)
    assert votes.of(3, 2) == (1, 2)
    assert votes.of(3, 3) == votes.of(4, 3) == (0, 0, 0)


def test_the_network_is_reached_only_where_a_person_allowed_it() -> None:
    ran = run("serve", "--room", "--host", "0.0.0.0")
    assert ran.code == 2
    assert "--allow-network" in ran.err


@pytest.mark.parametrize("dark", [True, False])
def test_the_code_has_the_modules_of_the_address(dark: bool) -> None:
    import segno

    address = "http://192.0.2.7:8010/?token=abc"
    rows = qr_rows(address, dark=dark)
    upper = {"█": True, "▀": True, "▄": False, " ": False}
    lower = {"█": True, "▀": False, "▄": True, " ": False}
    drawn = [[half[cell] != dark for cell in row] for row in rows for half in (upper, lower)]
    code = [list(map(bool, row)) for row in segno.make(address, error="l").matrix_iter(border=2)]
    assert drawn[: len(code)] == code
    assert "<script" not in qr_svg(address)


def _port(server: RoomServer) -> str:
    return base(server).rpartition(":")[2]
