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
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
"""How a command ends after a signal."""


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
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
    check_store(store, killed=number is signal.SIGKILL)
    assert command.returncode == ENDS.get(number, -number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("words", "begun"),
    [
        (("export", "gallery", "gita", "--to", "there", "--limit", "300"), ".there-*/whole/*"),
        (("evaluate", "gita", "--engine", "dask", "--workers", "1"), "tmp/commonsense-tui-*"),
    ],
    ids=["export", "workers"],
)
def test_a_command_that_is_ended_from_outside_clears_up(
    words: tuple[str, ...], begun: str, number: signal.Signals, tmp_path: Path
) -> None:
    if "dask" in words:
        pytest.importorskip("distributed")
    env, mark, temporary = marked(tmp_path)
    # Where a shell has switched Ctrl-C off, as for a command behind it, these are heard of too.
    command = subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", COMMAND, *words],
        cwd=tmp_path,
        env=os.environ | env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and not any(tmp_path.glob(begun)):
        time.sleep(0.02)
    # As of a terminal that is closed: of the system, and of the shell.
    command.send_signal(number)
    command.send_signal(number)
    said = command.communicate(timeout=_SECONDS)[1]
    assert b"Traceback" not in said
    assert left_over(mark, temporary) == []
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith((".th", "th"))]
    assert command.returncode == ENDS[number]


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
