"""What the page about clusters says of servers, and its commands that need several machines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs.records import RunState
from core.runs.store import Store
from tests.cli.support import ok
from tests.docs.test_doc_commands import ROOT, blocks
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


NODES = {
    "ssh": 'mkdir -p "$1" && cd "$1" && exec sh -c "$2"',
    "scp": 'cp "${1%%:*}/${1#*:}" "$2"',
}
"""Programs in the place of ssh and scp: every node is a folder."""


@pytest.mark.usefixtures("demo_model")
def test_shards_on_several_nodes_are_put_together(tmp_path: Path) -> None:
    page = blocks(ROOT / "docs" / "howto" / "cluster.md")
    [script] = [text for _, text, _ in page if "ssh node" in text]
    for name, text in NODES.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    path = f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.glob("node-?")} == {"node-1", "node-2"}
    with Store(tmp_path / "com2.sqlite", create=False) as store:
        [run] = store.runs()
    assert run.state is RunState.DONE
    assert run.items == 4
