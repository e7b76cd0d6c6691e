"""What the page about clusters says of servers, and its commands that need several machines.

What it says of shards is proved in `tests/runs/test_shards.py` and `tests/cli/test_cluster.py`, of
workers in `tests/runs/engines`.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from core.models.llama.client import LlamaModel
from core.models.resolver import demo_file
from core.runs.records import RunState
from core.runs.store import Store
from core.text.errors import SettingError
from tests.cli.support import ok, run
from tests.docs.test_doc_commands import ROOT, blocks
from tests.gguf_files import write
from tests.models.openai.faulty import Reply, faulty_server


@pytest.mark.parametrize(
    ("configured", "options", "at_once"),
    [("", (), 8), ("concurrency: 5", (), 5), ("concurrency: 5", ("--concurrency", "3"), 3)],
)
def test_a_server_is_asked_several_questions_at_once(
    configured: str,
    options: tuple[str, ...],
    at_once: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = tmp_path / "config.yaml"
    own.write_text(configured)
    monkeypatch.setattr("core.files.paths.config", lambda: own)
    store = tmp_path / "runs.sqlite"
    # No answer is given before so many are asked for at once.
    with faulty_server(Reply(pieces=("Answer: true",), company=at_once)) as server:
        command = ("evaluate", "gita", "--model", server.url, "--limit", "12", "--store", store)
        ok(*command, *options)
    assert server.most_at_once == at_once
    with Store(store, create=False) as opened:
        [run] = opened.runs()
    assert run.verdicts == len(server.heard) >= 12


async def test_threads_of_llama_cpp_sleep_where_they_wait(tmp_path: Path) -> None:
    model = await LlamaModel.load(write(tmp_path / "model.gguf"))
    environment = Path(f"/proc/{model.worker.pid}/environ").read_text().split("\0")
    await model.close()
    assert any(each in PAGE.read_text("utf-8") for each in environment if "OMP_WAIT" in each)


def test_the_tunnel_ends_where_the_program_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def listen(host: str, port: int) -> None:
        asked.append((host, port))
        raise SettingError("No port is taken in this test.")

    monkeypatch.setattr("tui.cli.serve.listen", listen)
    run("serve")
    [(host, port)] = asked
    # A browser names the near end, and the program answers to its own address alone.
    assert f"`ssh -L {port}:{host}:{port} host`" in PAGE.read_text("utf-8")


PAGE = ROOT / "docs" / "howto" / "cluster.md"
_PATIENCE = 300
"""Seconds for the commands of a block."""
NODES = {
    "ssh": 'mkdir -p "$1" && cd "$1" && exec sh -c "$2"',
    "scp": 'cp "${1%%:*}/${1#*:}" "$2"',
}
"""Programs in the place of ssh and scp: every node is a folder."""


@pytest.mark.usefixtures("demo_model")
def test_shards_on_several_nodes_are_put_together(tmp_path: Path) -> None:
    with_programs(tmp_path, NODES)
    with script(block("ssh node"), tmp_path) as running:
        _, said = running.communicate(timeout=_PATIENCE)
    assert running.returncode == 0, said
    assert {path.name for path in tmp_path.glob("node-?")} == {"node-1", "node-2"}
    with Store(tmp_path / "com2.sqlite", create=False) as store:
        [run] = store.runs()
    assert run.state is RunState.DONE
    assert run.items == 4


def block(words: str) -> str:
    """The commands of the page that have these words."""
    [text] = [text for _, text, _ in blocks(PAGE) if words in text]
    return text


def with_programs(folder: Path, programs: Mapping[str, str]) -> None:
    """Put programs where `script` finds them first."""
    (folder / "bin").mkdir()
    for name, text in programs.items():
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)


@contextmanager
def script(text: str, folder: Path, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A script that runs in a folder, and ends with all that it has left behind."""
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    with (folder / "said").open("w") as said, ExitStack() as stack:
        process = subprocess.Popen(
            ["bash", "-e", "-c", text],
            cwd=folder,
            env=os.environ | {"PATH": path} | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        )
        stack.callback(process.wait)
        stack.callback(end, process.pid)
        yield process


def end(group: int) -> None:
    """Kill the processes of a group."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def done(store: Path) -> int:
    """How many verdicts the one run of a store has, which has to be done."""
    with Store(store, create=False) as opened:
        [run] = opened.runs()
    assert run.state is RunState.DONE
    return run.verdicts


@pytest.fixture
def model(tmp_path: Path, demo_model: None) -> Path:
    return shutil.copy(demo_file(), tmp_path / "MODEL.gguf")


@pytest.mark.usefixtures("model")
def test_workers_that_a_person_starts_answer(tmp_path: Path) -> None:
    commands = block("dask worker tcp").replace("8786", str(free_port()))
    with script(f"{{ {commands} }} > said-too", tmp_path) as running:
        assert running.wait() == 0, (tmp_path / "said").read_text()
    assert done(tmp_path / "workers.sqlite") > 2


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl: apt install openssl")
@pytest.mark.usefixtures("model")
def test_workers_with_keys_let_nobody_in_who_has_none(tmp_path: Path) -> None:
    port = str(free_port())
    commands = block("dask worker tls").replace("8787", port)
    evaluate = f"commonsense-tui evaluate com2 --engine dask --address tls://127.0.0.1:{port}"
    without = f"for name in $(compgen -e DASK_); do unset $name; done; {evaluate} || exit 7"
    with script(f"{{ {commands}\n{without}\n}} > said-too", tmp_path) as running:
        assert running.wait() == 7
    assert done(tmp_path / "keys.sqlite") > 1
    assert "No scheduler answers" in (tmp_path / "said").read_text()
    assert (tmp_path / "keys").stat().st_mode & 0o077 == 0


SLURM = {
    # Like SLURM's own it has read the script when it returns.
    "sbatch": 'job=$(cat "$1"); sh -c "$job" >> jobs 2>&1 & echo "Submitted batch job $!"',
    "scancel": 'kill "$@"',
}
"""Programs in the place of SLURM's: a job is a process."""


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl: apt install openssl")
@pytest.mark.usefixtures("model")
def test_jobs_of_a_scheduler_answer(tmp_path: Path) -> None:
    with_programs(tmp_path, SLURM)
    text = PAGE.read_text(encoding="utf-8")
    [saved] = re.findall(r"save\s+this as `workers.py`.*?```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "workers.py").write_text(saved)
    keys, _, _ = block("dask worker tls").partition("dask scheduler")
    evaluate = "commonsense-tui evaluate com2 --model MODEL.gguf --limit 1 --engine dask"
    commands = f"""{keys}
coproc workers {{ {sys.executable} workers.py; }}
read address <&${{workers[0]}}
{evaluate} --address $address --store jobs.sqlite
echo >&${{workers[1]}}
wait $workers_PID
"""
    # The interface of this machine, in the place of the one between nodes.
    with script(commands, tmp_path, DASK_JOBQUEUE__SLURM__INTERFACE="lo") as running:
        _, _ = running.communicate(timeout=_PATIENCE)
    assert running.returncode == 0, (tmp_path / "said").read_text()
    assert done(tmp_path / "jobs.sqlite") > 1
