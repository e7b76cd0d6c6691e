"""A server as a person starts it, and a browser that reaches nothing but this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.exchange.exporters import chromium

START = "from tui.cli.start import main; main()"


def children(process: int) -> list[str]:
    """The processes that a process started."""
    return Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None
        who = process.stderr.readline()
        assert who == "Only this machine reaches it.\n", who + process.stderr.read()
        line = process.stderr.readline()
        found = re.fullmatch(r"Open (http://127\.0\.0\.1:(\d+)/)\?token=(\S+)\n", line)
        assert found is not None, line + process.stderr.read()
        self.url, self.token = found[1], found[3]
        self.port = int(found[2])
        self.address = f"{self.url}?token={self.token}"
        self.cookies = {f"commonsense-tui-{self.port}": self.token}

    def stop(self) -> str:
        """End it as Ctrl-C does; what it said since it began."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.stderr is not None
        said = self.process.stderr.read()
        self.process.wait(150)
        return said


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """`commonsense-tui serve` at a free port, with folders of its own."""
    own = {f"XDG_{name}_HOME": str(folder / name) for name in ("DATA", "CONFIG", "CACHE")}
    process = subprocess.Popen(
        [sys.executable, "-c", START, "serve", "--port", "0"],
        cwd=folder,
        env=os.environ | own,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield Served(process)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that several tests use."""
    with serving(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A server that nobody else uses."""
    with serving(tmp_path) as started:
        yield started


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    """A headless Chromium that reaches this machine alone."""
    if chromium.found() is None:
        pytest.skip("needs Chromium: apt install chromium")
    with chromium.running(tmp_path_factory.mktemp("profile"), "127.0.0.1") as started:
        yield started
