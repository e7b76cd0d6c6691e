"""Servers that send for ever and say nothing, or ask to be waited for."""

from __future__ import annotations

import gzip
import threading
import time
from pathlib import Path

import pytest

from core.hub import catalogue, client, deadline
from core.hub.catalogue import KnownFile
from tests.cli.support import ok, run
from tests.hub.conftest import known
from tests.hub.hub_server import Fault, Published
from tui.browse.model_fetching import fetch_model
from tui.shell.model_choices import Entry, Kind

NAME = "hf:owner/repo:Q8_0"
CONTENT = b"GGUF" * 100_000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
FLOODS = {
    "100": Fault(forever=b"HTTP/1.1 100 Continue\r\n\r\n"),
    "103": Fault(forever=b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "headers": Fault(raw=b"HTTP/1.1 200 OK\r\n", forever=b"a: b\r\n"),
    "trailers": Fault(raw=CHUNKED + b"0\r\n", forever=b"a: b\r\n"),
    "extension": Fault(raw=CHUNKED + b"1;", forever=b"x"),
    "nothing": Fault(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\nGGUF"),
}


@pytest.fixture(autouse=True)
def _offers(published: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    published.files["models/owner/repo"] = {"m-Q8_0.gguf": CONTENT}
    published.files["plain"] = {"causes.json": b"[]"}
    files = (KnownFile(f"{published.url}/plain/causes.json", 1),)
    monkeypatch.setattr(catalogue, "datasets", lambda: [known(files=files)])
    monkeypatch.setattr(deadline, "STALL_SECONDS", 1.0)


def locks() -> list[Path]:
    return [path for path in Path.home().rglob("*") if path.name.endswith(".lock")]


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("what", [("model", NAME), ("data", "causes")])
def test_a_transfer_of_which_nothing_new_comes_ends(
    published: Published, flood: str, what: tuple[str, str]
) -> None:
    published.faults = [FLOODS[flood]] * 50
    began = time.monotonic()

    ran = run("get", *what, "--yes")

    assert ran.code == 1
    assert time.monotonic() - began < 20
    assert locks() == []
    published.faults = []
    ok("get", *what, "--yes")


@pytest.mark.parametrize("flood", ["100", "nothing"])
@pytest.mark.parametrize("what", [("model", NAME), ("data", "causes")])
def test_a_transfer_that_stalls_is_told_as_such(
    published: Published, flood: str, what: tuple[str, str]
) -> None:
    published.faults = [FLOODS[flood]] * 50

    assert "Nothing more of the file came for 1 s" in run("get", *what, "--yes").err


def test_a_slow_transfer_goes_on_while_bytes_come(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are written long before the library would have a piece together."""
    monkeypatch.setattr(deadline, "STALL_SECONDS", 0.5)
    published.files["models/owner/repo"] = {"m-Q8_0.gguf": b"x" * (60 * client.PIECE_BYTES)}
    published.faults = [Fault(drips=True)]
    began = time.monotonic()

    ok("get", "model", NAME, "--yes")

    assert time.monotonic() - began > 0.5


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "deflate, gzip"])
@pytest.mark.parametrize("what", [("model", NAME), ("data", "causes")])
def test_a_packed_file_is_refused_before_it_is_read(
    published: Published, encoding: str, what: tuple[str, str]
) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n\r\n".encode()
    published.faults = [Fault(raw=head, forever=gzip.compress(b""))] * 50
    began = time.monotonic()

    ran = run("get", *what, "--yes")

    assert ran.code == 1
    assert "packs what it sends" in ran.err
    assert time.monotonic() - began < 10
    assert locks() == []


def test_no_transfer_asks_for_packed_bytes(published: Published) -> None:
    ok("get", "model", NAME, "--yes")
    ok("get", "data", "causes", "--yes")

    asked = {headers["accept-encoding"] for _method, _path, headers in published.requests}
    assert asked == {"identity"}


def test_an_error_with_an_endless_text_is_told_at_once(published: Published) -> None:
    published.faults = [Fault(raw=b"HTTP/1.1 500 No\r\n\r\n", forever=b"x" * 1000)] * 50
    began = time.monotonic()

    assert "error (500)" in run("get", "model", NAME, "--yes").err
    assert "error (500)" in run("get", "data", "causes", "--yes").err

    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "header", ["Retry-After: 86400", 'RateLimit: "api";r=0;t=86400', f"Retry-After: {'9' * 5000}"]
)
def test_a_long_wait_that_a_server_asks_for_is_told_at_once(
    published: Published, header: str
) -> None:
    raw = f"HTTP/1.1 429 No\r\n{header}\r\nContent-Length: 0\r\n\r\n".encode()
    published.faults = [Fault(raw=raw)]
    began = time.monotonic()

    assert "asks to wait" in run("get", "model", NAME, "--yes").err

    assert time.monotonic() - began < 10
    assert locks() == []


def test_a_file_that_begins_again_and_again_is_given_up(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "STALL_SECONDS", 10.0)
    monkeypatch.setattr(deadline, "_MOST_BEGINNINGS", 2)
    part = b"HTTP/1.1 200 OK\r\nContent-Length: 400000\r\nConnection: close\r\n\r\n" + CONTENT
    published.faults = [Fault(raw=part, cut=200_000 - 1000 * n) for n in range(50)]

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "did not arrive whole" in ran.err
    assert len(published.faults) > 40


def test_a_transfer_that_a_person_left_lets_others_fetch_the_file(published: Published) -> None:
    published.faults = [FLOODS["100"]] * 50
    entry = Entry(NAME, Kind.PUBLISHED, NAME, licence="apache-2.0")
    left = threading.Event()
    waiter = threading.Thread(
        target=lambda: fetch_model(entry, lambda _text: None, left.is_set), daemon=True
    )
    waiter.start()
    deadline = time.monotonic() + 20
    while not locks():
        assert time.monotonic() < deadline
        time.sleep(0.01)

    left.set()
    waiter.join(10)

    while any(thread.name == "model-fetching" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert locks() == []


def test_a_listing_that_was_given_up_leaves_nothing_that_works_on(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.hub.repository_answer.SECONDS", 0.5)
    published.listing_flood = b"HTTP/1.1 100 Continue\r\n\r\n"

    assert "did not finish its answer" in run("get", "model", NAME, "--yes").err

    deadline = time.monotonic() + 10
    while any(thread.name == "hub-listing" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
