"""`--quiet`, `--log-file`, `--log-level`: what is printed, what is written, what never is."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, TextIO

import pytest

from core.contract import registry
from tests.cli.support import in_process_of_its_own, ok, run, spawn
from tui.cli import logs

KEY = "sk-very-secret-1234567890"
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) +[\w.]+: .+")


class Echoing(BaseHTTPRequestHandler):
    """Repeats the key that it was sent in an error, and then answers."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self) -> None:
        self._send(200, {"data": [{"id": "towers"}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        Echoing.asked += 1
        if Echoing.asked == 1:
            sent = self.headers["Authorization"]
            self._send(503, {"error": {"message": f"busy\n\x1b[31m {sent} {KEY[:9]}"}})
        else:
            self._send(200, {"choices": [{"text": "false", "finish_reason": "stop"}]})

    def log_message(self, *_: object) -> None:
        pass

    def _send(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def address() -> Iterator[str]:
    Echoing.asked = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Echoing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def levels(log: Path) -> set[str]:
    lines = log.read_text("utf-8").splitlines()
    assert lines
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), lines
    return {match[1] for match in found if match}


def test_quiet_prints_the_results_only(demo_model: None, tmp_path: Path) -> None:
    words = ("evaluate", "gita", "--model", "demo", "--limit", "2", "--json")
    loud = ok(*words, "--store", tmp_path / "loud.db")
    quiet = ok(*words, "--store", tmp_path / "quiet.db", "--quiet")
    assert loud.err
    assert quiet.err == ""
    assert quiet.json["metrics"] == loud.json["metrics"]
    # The next command of the same process speaks again.
    assert ok(*words, "--store", tmp_path / "loud.db").err


def test_errors_are_printed_even_when_quiet(tmp_path: Path) -> None:
    ran = run("evaluate", "gita", "--data", tmp_path / "none.json", "--quiet")
    assert ran.code == 2
    assert "none.json" in ran.err


@pytest.mark.parametrize(
    ("level", "expected"),
    [("debug", {"DEBUG", "INFO"}), ("info", {"INFO"})],
)
def test_a_log_file_has_what_its_level_asks_for(
    level: str, expected: set[str], demo_model: None, tmp_path: Path
) -> None:
    log = tmp_path / "work.log"
    words = ("evaluate", "gita", "--model", "demo", "--limit", "2", "--store", tmp_path / "r.db")
    ok(*words, "--log-level", level, "--log-file", log)
    assert levels(log) == expected
    assert ("story_class of 0-O0: " in log.read_text("utf-8")) == (level == "debug")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    before = log.read_text("utf-8")
    ok(*words, "--log-file", log, "--quiet")
    assert log.read_text("utf-8").startswith(before)
    assert "finished earlier" in log.read_text("utf-8")[len(before) :]


def test_the_level_counts_wherever_it_stands(demo_model: None, tmp_path: Path) -> None:
    log = tmp_path / "work.log"
    words = ("evaluate", "gita", "--model", "demo", "--limit", "1", "--store", tmp_path / "r.db")
    ok(*words, "--log-file", log, "--log-level", "debug")
    assert "DEBUG" in levels(log)


def test_keys_never_reach_the_log_file(address: str, tmp_path: Path) -> None:
    log = tmp_path / "work.log"
    ran = in_process_of_its_own(
        "evaluate", "accord", "--model", address, "--form", "base", "--limit", "1",
        "--concurrency", "1", "--store", str(tmp_path / "r.db"), "--log-file", str(log),
        "--log-level", "debug", env={**os.environ, "COMMONSENSE_API_KEY": KEY},
    )  # fmt: skip
    assert ran.code == 0, ran.err
    written = log.read_text("utf-8")
    assert {"DEBUG", "INFO", "WARNING"} <= levels(log)
    assert "(503)" in written
    assert "(the key)" in written
    assert KEY not in written
    assert "\x1b" not in written


def test_errors_are_logged(tmp_path: Path) -> None:
    log = tmp_path / "work.log"
    run("evaluate", "gita", "--data", tmp_path / "none.json", "--log-file", log)
    assert levels(log) == {"ERROR"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--log-file", "/nowhere/at/all.log"), "cannot be written"),
        (("--log-file", "."), "cannot be written"),
        (("--log-level", "loud"), "no level"),
    ],
)
def test_what_cannot_be_logged_is_told_before_anything_is_asked(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    ran = run("evaluate", "gita", "--store", tmp_path / "r.db", *words)
    assert (ran.code, said in ran.err) == (2, True), ran.err
    assert not (tmp_path / "r.db").exists()


def test_nothing_is_logged_into_a_file_that_is_no_log(demo_model: None, tmp_path: Path) -> None:
    """Neither into the data nor into the store that the command uses, nor beside it."""
    data, store = tmp_path / "stories.json", tmp_path / "runs.sqlite"
    data.write_bytes(registry.load("gita").samples().read_bytes())
    words = ("evaluate", "gita", "--data", data, "--model", "demo", "--limit", "1")
    ok(*words, "--store", store)
    before = data.read_bytes(), store.read_bytes()
    for log in (data, store, Path(f"{store}-wal"), Path(f"{store}-journal")):
        ran = run(*words, "--store", store, "--log-file", log)
        assert (ran.code, "cannot be written" in ran.err) == (2, True), ran.err
    assert (data.read_bytes(), store.read_bytes()) == before
    assert {path.name for path in tmp_path.iterdir()} == {data.name, store.name}


def test_a_full_disk_is_told_once_and_the_work_goes_on(
    demo_model: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(_path: Path, _beginning: bytes, **_named: str) -> TextIO:
        return Path("/dev/full").open("w", encoding="utf-8")

    monkeypatch.setattr(logs, "open_to_append", opened)
    ran = ok(
        "evaluate", "gita", "--model", "demo", "--limit", "1", "--store", str(tmp_path / "r.db"),
        "--log-file", tmp_path / "work.log",
    )  # fmt: skip
    assert ran.err.count("Nothing more is written to the log file") == 1


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "gita", "--log-file"),
        ("serve", "--room", "--port", "0", "--keep"),
    ],
)
def test_a_pipe_is_refused_where_something_is_to_be_added(
    words: tuple[str, ...], tmp_path: Path, *, read: bool
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) if read else None
    # In a process of its own, which can be ended where it waits.
    with spawn(*words, str(pipe)) as command:
        try:
            _, said = command.communicate(timeout=60)
        finally:
            command.kill()
    if reader is not None:
        os.close(reader)
    assert command.returncode == 2
    assert "it is not a regular file" in said
