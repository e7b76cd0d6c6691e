"""What sessions with a server that says the key back leave on the terminal and on the disk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.openai.key import KEY_VARIABLE
from core.runs.connection import run_ids
from tests.models.openai.echoing import KEY, echoing_server, holds_key
from tests.terminals import COMMAND, terminal_of


@pytest.fixture(autouse=True)
def _open_mask() -> Iterator[None]:
    """Take no permission away, as a machine with a careless mask would."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the session, and the folder that it works in."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    home = Path(os.environ["HOME"])
    monkeypatch.chdir(home)
    return home


def files(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def check(home: Path, *printed: bytes) -> None:
    """Check that no file and nothing printed holds the key, however it is written."""
    for path in files(home):
        assert not holds_key(path.read_bytes().decode("latin-1")), path
    for each in printed:
        assert not holds_key(each.decode("latin-1"))


def commands(home: Path, *lines: str) -> list[bytes]:
    """Everything that some commands print, whether they succeed or not."""
    ran = [
        subprocess.run(
            [COMMAND, *line.split()], cwd=home, capture_output=True, timeout=120, check=False
        )
        for line in lines
    ]
    assert not any(b"Traceback" in each.stderr for each in ran)
    return [each.stdout + each.stderr for each in ran]


@pytest.mark.slow
def test_commands_and_their_files_hold_no_key(home: Path) -> None:
    pieces = ("I was sent HEADER. ", "Answer: HEADER")
    asking = "--form chat --scoring generated --log-level debug --log-file"
    printed = []
    for shape in ("json", "nested", "text"):
        with echoing_server(status=401, shape=shape) as refusing:
            printed += commands(
                home,
                f"evaluate gita --model {refusing} --limit 1 {asking} {shape}.log --store b.sqlite",
                f"ask gita 0-O0 --model {refusing}",
            )
    with echoing_server(pieces=pieces) as url:
        printed += commands(
            home,
            f"evaluate gita --model {url} --limit 2 {asking} run.log --store kept/runs/r.sqlite",
            f"ask gita 0-O0 --model {url} --json",
            "config show",
            f"models --model {url}",
            f"evaluate gita --model {url}?key={KEY} --limit 1",
        )
        store = home / "kept/runs/r.sqlite"
        (run,) = run_ids(store)
        printed += commands(
            home,
            f"runs show {run} --store {store}",
            f"runs export {run} --out run.csv --store {store}",
            f"runs pack {run} --with-texts --to pack/run.sqlite --store {store}",
        )
    assert b"(the key)" in b"".join(printed)
    logs = {"run.log", "json.log", "nested.log", "text.log"}
    assert {*logs, "r.sqlite", "run.csv"} <= {path.name for path in files(home)}
    check(home, *printed)
    private = [path for path in files(home) if path.suffix in {".log", ".sqlite"}]
    assert {mode(path) for path in private} == {0o600}
    assert {mode(home / folder) for folder in ("kept", "kept/runs", "pack")} == {0o700}


def test_a_person_s_session_leaves_no_key_on_the_terminal_or_in_a_file(home: Path) -> None:
    with (
        echoing_server(pieces=("I was sent HEADER. ", "Answer: HEADER")) as url,
        terminal_of("browse", "gita", "--model", url, size=(140, 40)) as terminal,
    ):
        terminal.until("Not asked yet")
        terminal.press(" ")
        terminal.until("I was sent")
        terminal.press("r")
        terminal.until("space start")
        terminal.press(" ")
        terminal.until("is recorded")
        terminal.press("\x1b")
        terminal.until("Live")
        terminal.press("q")
        assert terminal.finish() == 0
        printed = terminal.raw
    check(home, printed)
    kept = files(home)
    assert {path.name for path in kept} >= {"runs.sqlite"}
    assert {mode(path) for path in kept} == {0o600}
    assert {mode(path.parent) for path in kept} == {0o700}
