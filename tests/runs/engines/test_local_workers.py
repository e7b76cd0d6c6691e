"""Workers that are started on this machine: nobody else reaches them, and they end with it."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import ptyprocess
import pytest

from core.runs.store import Store
from tests.cli.support import ROOT, ok, spawn
from tests.models.processes import alive
from tests.mostly_slow import mostly_slow
from tests.runs.test_shards import recorded

pytestmark = pytest.mark.usefixtures("demo_model")
LONG = ("evaluate", "abspyramid", "--model", "demo", "--engine", "dask")


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def begun(store: Path) -> bool:
    """Whether there is a verdict."""
    if not store.exists():
        return False
    with Store(store, create=False) as opened:
        return any(run.verdicts for run in opened.runs())


def below(pid: int) -> list[psutil.Process]:
    """The workers, their models, and whatever else a process has started."""
    return psutil.Process(pid).children(recursive=True)


def models_of(pid: int) -> list[psutil.Process]:
    """The processes of llama.cpp among them."""
    return [each for each in below(pid) if "core.models.llama.worker" in each.cmdline()]


def ports(process: psutil.Process) -> set[tuple[str, int]]:
    """Where a process listens."""
    connections = process.net_connections(kind="inet")
    return {tuple(each.laddr) for each in connections if each.status == psutil.CONN_LISTEN}


def test_the_store_is_that_of_one_process(tmp_path: Path) -> None:
    here = tmp_path / "here.sqlite"
    command = ("evaluate", "gita", "--limit", "5", "--shots", "1", "--model", "demo")
    ok(*command, "--store", here)
    there = tmp_path / "there.sqlite"
    ok(*command, "--store", there, "--engine", "dask", "--workers", "3")
    assert recorded(there) == recorded(here)


def test_nobody_else_reaches_them_and_they_end_when_the_program_is_killed(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with spawn(*LONG, "--store", store) as running:
        until(lambda: begun(store) and len(models_of(running.pid)) == 2)
        started = below(running.pid)
        listening = set[tuple[str, int]]()
        for process in (psutil.Process(running.pid), *started):
            listening |= ports(process)
        # The scheduler, two workers and those that watch them; no page of figures.
        assert len(listening) == 5
        for host, port in listening:
            assert host == "127.0.0.1"
            assert not lets_in(host, port)
        running.kill()
        running.communicate()
        until(lambda: not any(alive(each.pid) for each in started))
    ok("runs", "list", "--store", store)


def lets_in(host: str, port: int) -> bool:
    """Whether an address answers somebody who has no certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((host, port), timeout=60) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        try:
            if plain.recv(1).startswith(b"H"):
                return True
        except ConnectionError:
            pass
    try:
        with (
            socket.create_connection((host, port), timeout=60) as raw,
            context.wrap_socket(raw) as encrypted,
        ):
            return bool(encrypted.recv(1))
    except (ssl.SSLError, ConnectionError):
        return False


@mostly_slow("when", ["asking", "starting"])
def test_ctrl_c_ends_them_without_a_traceback(when: str, tmp_path: Path) -> None:
    store, scratch = tmp_path / "runs.sqlite", tmp_path / "scratch"
    scratch.mkdir()
    program = Path(sys.executable).with_name("commonsense-tui")
    terminal = ptyprocess.PtyProcessUnicode.spawn(
        [str(program), *LONG, "--store", str(store)],
        cwd=str(ROOT),
        env=os.environ | {"TMPDIR": str(scratch)},
    )
    said = ""
    if when == "asking":
        until(lambda: begun(store))
    else:
        until(lambda: len(below(terminal.pid)) > 1)
    started = below(terminal.pid)
    os.killpg(terminal.pid, signal.SIGINT)
    try:
        while True:
            said += terminal.read(4096)
    except EOFError:
        terminal.wait()
    assert terminal.exitstatus == 130
    assert "Traceback" not in said
    if when == "asking":
        assert "Stopped. What was answered is kept in run abspyramid-demo-1" in said
    until(lambda: not any(alive(each.pid) for each in started))
    assert list(scratch.iterdir()) == []
