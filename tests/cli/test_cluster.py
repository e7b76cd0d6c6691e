"""`cluster slurm`: its script, run with an `sbatch` that does each job at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.support import ok, run
from tests.runs.test_shards import recorded

SBATCH = f"""#!{sys.executable}
import json, os, subprocess, sys
words = sys.argv[1:]
job = words.pop(words.index("--wrap") + 1)
with open("submitted", "a+") as log:
    log.seek(0)
    number = len(log.readlines()) + 1
    print(json.dumps([*words, job]), file=log)
array = [word for word in words if word.startswith("--array=1-")]
for task in range(1, 1 + int(array[0].rpartition("-")[2])) if array else [None]:
    own = {{}} if task is None else {{"SLURM_ARRAY_TASK_ID": str(task)}}
    subprocess.run(["sh", "-c", job], check=True, stdout=sys.stderr, env=os.environ | own)
print(f"{{number}};here")
"""
PROGRAM = """#!/bin/sh
for word in "$@"; do printf '%s|' "$word"; done >> asked
echo >> asked
"""


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def submit(script: Path, folder: Path, *words: str) -> list[list[str]]:
    """Run a script in a folder whose `bin` comes first; what was submitted."""
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    executable(folder / "bin" / "sbatch", SBATCH)
    done = subprocess.run(
        ["sh", script, *words],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "submitted").read_text().splitlines()]


def test_each_layer_waits_for_the_merge_of_the_one_before(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    words = ("cluster", "slurm", "gita", "--shards", "2", "--folder", "my runs", "--to", script)
    assert ok(*words, "--", "--shots", "3", "--set", "a=it's $HOME").out == f"{script}\n"
    executable(tmp_path / "bin" / "commonsense-tui", PROGRAM)
    submitted = submit(script, tmp_path, "--time=1:00")
    assert [each[1:-2] for each in submitted] == [
        ["--array=1-2", "--time=1:00"],
        ["--dependency=afterok:1", "--time=1:00"],
        ["--array=1-2", "--dependency=afterok:2", "--time=1:00"],
        ["--dependency=afterok:3", "--time=1:00"],
        ["--array=1-2", "--dependency=afterok:4", "--time=1:00"],
        ["--dependency=afterok:5", "--time=1:00"],
    ]
    asked = [line.split("|")[:-1] for line in (tmp_path / "asked").read_text().splitlines()]
    for number, words_asked in enumerate(asked):
        layer, shard = divmod(number, 3)
        if shard == 2:
            assert words_asked[:2] == ["runs", "merge"]
            assert words_asked[-2:] == ["--into", "my runs/merged.sqlite"]
            continue
        assert words_asked == [
            "evaluate", "gita", "--shots", "3", "--set", "a=it's $HOME",
            "--shard", f"{shard + 1}/2", "--store", f"my runs/shard-{shard + 1}-of-2.sqlite",
            *(["--survivors", "my runs/merged.sqlite"] if layer else []),
        ]  # fmt: skip
    assert len(asked) == 9


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_a_script_asks_what_one_command_asks_and_again_nothing(tmp_path: Path) -> None:
    script, whole = tmp_path / "job.sh", tmp_path / "whole.sqlite"
    words = ("--model", "demo", "--limit", "12", "--shots", "2")
    ok("evaluate", "gita", *words, "--store", whole)
    slurm = ("cluster", "slurm", "gita", "--shards", "2", "--folder", "runs", "--to", script)
    ok(*slurm, "--", *words)
    for times in (1, 2):
        assert len(submit(script, tmp_path)) == 6 * times
        assert recorded(tmp_path / "runs" / "merged.sqlite") == recorded(whole)


@pytest.mark.parametrize(
    "words",
    [
        ("--shots", "3"),
        ("--", "--shotz", "3"),
        ("--", "--shard", "1/2"),
        ("--", "--store", "x"),
        ("--", "--survivors", "x"),
        ("--", "--limit", "none"),
    ],
)
def test_options_that_evaluate_would_refuse_are_refused(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    to = tmp_path / "job.sh"
    slurm = ("cluster", "slurm", "gita", "--shards", "2", "--folder", "runs", "--to", to)
    refused = run(*slurm, *words)
    assert refused.code == 2
    assert words[words[0] == "--"] in refused.err
    assert not to.exists()


def test_stores_are_kept_in_no_file(tmp_path: Path) -> None:
    to, taken = tmp_path / "job.sh", tmp_path / "taken"
    taken.write_text("mine")
    refused = run("cluster", "slurm", "gita", "--shards", "2", "--folder", taken, "--to", to)
    assert refused.code == 2
    assert "Name a folder" in refused.err
    assert not to.exists()


def test_a_script_that_is_there_is_overwritten_only_on_request(tmp_path: Path) -> None:
    to = tmp_path / "job.sh"
    slurm = ("cluster", "slurm", "com2", "--shards", "2", "--folder", "runs", "--to", to)
    ok(*slurm)
    assert run(*slurm).code == 2
    ok(*slurm, "--force")
