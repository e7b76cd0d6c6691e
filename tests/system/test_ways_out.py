"""What is left of a program that was recording a run, after each way in which it can end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.runs import locks
from core.runs.connection import run_ids
from core.runs.store import Store
from tests.terminals import COMMAND, Terminal, terminal_of

pytestmark = pytest.mark.usefixtures("demo_model")
MARK = "COMMONSENSE_TUI_TEST_OF_WAYS_OUT"
"""An environment variable by which every process is found that a session started."""
_SECONDS = 60.0


def processes(mark: str) -> list[str]:
    """What runs that has the mark in its environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            marked = folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes()
            # A process that only waits to be collected has no environment any more.
            if marked:
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def left_over(mark: str, temporary: Path) -> list[str]:
    """Processes and temporary files, once they have had time to end."""
    end = time.monotonic() + _SECONDS
    while (left := processes(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return left + [path.name for path in temporary.rglob("*")]


def check_store(path: Path, *, killed: bool) -> None:
    """The run can go on at once; only a program that was killed leaves the file of its lock."""
    [run] = run_ids(path)
    assert not locks.is_held(path, run)
    with Store(path, create=False) as store:
        recorded = store.run(run)
        assert recorded.verdicts == len(store.verdicts(run)) > 0
        with store.hold(run):
            pass
    beside = {each.name for each in path.parent.iterdir()} - {path.name}
    if not killed:
        assert not {name for name in beside if name.endswith(".lock")}


def marked(tmp_path: Path) -> tuple[dict[str, str], str, Path]:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    mark = f"{MARK}={tmp_path.name}"
    return {MARK: tmp_path.name, "TMPDIR": str(temporary)}, mark, temporary


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_command_that_is_ended_while_it_records_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    env, mark, temporary = marked(tmp_path)
    store = tmp_path / "runs.sqlite"
    words = [COMMAND, "evaluate", "gita", "--model", "demo", "--store", str(store)]
    command = subprocess.Popen(
        words, env=os.environ | env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and not (store.exists() and recorded_any(store)):
        time.sleep(0.02)
    assert len(processes(mark)) >= 2
    command.send_signal(number)
    said = command.communicate(timeout=_SECONDS)[1]
    assert b"Traceback" not in said
    assert left_over(mark, temporary) == []
    check_store(store, killed=number is not signal.SIGINT)


def recorded_any(path: Path) -> bool:
    try:
        with Store(path, create=False) as store:
            return any(run.verdicts for run in store.runs())
    except Exception:
        # It is just being made.
        return False


def quit_by_keys(terminal: Terminal) -> None:
    terminal.press("\x11")
    terminal.finish()


def killed(terminal: Terminal) -> None:
    terminal.process.kill(signal.SIGKILL)


def without_terminal(terminal: Terminal) -> None:
    terminal.process.fileobj.close()


def hung_up(terminal: Terminal) -> None:
    terminal.process.kill(signal.SIGHUP)
    terminal.finish()


@pytest.mark.parametrize(
    "way",
    [
        quit_by_keys,
        pytest.param(killed, marks=pytest.mark.slow),
        pytest.param(without_terminal, marks=pytest.mark.slow),
        pytest.param(hung_up, marks=pytest.mark.slow),
    ],
)
def test_the_program_that_is_left_while_it_records_leaves_nothing(
    way: Callable[[Terminal], None], tmp_path: Path
) -> None:
    env, mark, temporary = marked(tmp_path)
    env["XDG_DATA_HOME"] = str(tmp_path / "data")
    store = tmp_path / "data" / "commonsense-tui" / "runs.sqlite"
    with terminal_of("browse", "gita", "--model", "demo", size=(140, 40), **env) as terminal:
        terminal.until("space asks")
        terminal.press("r")
        terminal.until("space start")
        terminal.press(" ")
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end and not (store.exists() and recorded_any(store)):
            time.sleep(0.02)
        assert len(processes(mark)) >= 2
        way(terminal)
        assert left_over(mark, temporary) == []
    check_store(store, killed=way is killed)
