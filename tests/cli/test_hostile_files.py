"""Files that would fill the memory or never end are refused by every command that opens one."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.benchmarks.accord.collection import grounds_beside
from core.benchmarks.accord.suites.files import ITEMS, Manifest, write_manifest
from core.contract import registry
from core.files.shipped import samples

MOST_SECONDS, MOST_MIB = 5, 300
WHAT = {
    "gap": "sparse file",
    "device": "not a regular file|neither a file nor a folder",
    "pipe": "not a regular file|neither a file nor a folder",
    "line": "too long|larger than|more than 64 MB|more than 2 MB",
    "bomb": "more than 100 times its size|unpacks to more than 64 MB",
    "parts": "too many parts",
    "numbers": "",
    "lists": "",
    "members": "",
}
"""What a message says of each kind of file, one of the parts between bars; the last three kinds are
sound JSON of very many values, which commands refuse for several reasons."""
BEGINNING = b'{"a": "'
SAMPLES = f"samples_{next(iter(registry.load('gita').harness_tasks))}_2026.jsonl"

COMMANDS: dict[str, tuple[str, str]] = {
    "gita": ("stories.jsonl", "show gita x --data {}"),
    "accord": ("questions.jsonl", "show accord x --data {}"),
    "suite": (ITEMS, "show accord x --data {}"),
    "com2": ("rows.jsonl", "show com2 x --data {}"),
    "abspyramid": ("train.json", "show abspyramid x --data {}"),
    "questions": ("stories.jsonl", "questions gita --data {}"),
    "lm-eval": (SAMPLES, "import lm-eval {folder} --store {folder}/runs.sqlite"),
    "inspect": ("log.json", "import inspect {} --store {folder}/runs.sqlite"),
    "tiered": ("log.json", "import tiered {}"),
    "com2 score": ("answers.jsonl", "com2 score --answers {}"),
    "detection": ("predictions.jsonl", "abspyramid score detection --predictions {}"),
    "generation": ("predictions.jsonl", "abspyramid score generation --predictions {}"),
    "stats": ("train.jsonl", "abspyramid stats {}"),
    "split": ("train.jsonl", "abspyramid split {} --out {folder}/out"),
    "generate": ("questions.jsonl", "accord generate --qa {} --out {folder}/out"),
    "check": (ITEMS, "accord check {folder}"),
    "kb build": ("dump.csv", "accord kb build {} --out {folder}/out.kb"),
}
"""For each command that opens files: the name of the file and the words that are typed."""

BOMBS = {
    "com2": ("rows.jsonl.bz2", "show com2 x --data {}"),
    "abspyramid": ("train.jsonl.bz2", "show abspyramid x --data {}"),
    "kb build": ("dump.csv.gz", "accord kb build {} --out {folder}/out.kb"),
    "inspect": ("log.eval", "import inspect {} --store {folder}/runs.sqlite"),
}
OF_KIND = dict.fromkeys(WHAT, COMMANDS) | {
    "bomb": BOMBS,
    "parts": {name: BOMBS[name] for name in BOMBS if name != "inspect"},
}
"""The commands that are given each kind of file."""

PROGRAM = """
import gc, json, re, sys, time
from pathlib import Path
from typer.testing import CliRunner
from tui.cli.main import app

results = {}
for name, words in json.load(sys.stdin).items():
    gc.collect()
    started = time.process_time()
    Path("/proc/self/clear_refs").write_text("5")  # The greatest memory is counted anew.
    ran = CliRunner().invoke(app, words)
    # Not ru_maxrss, which begins with what the process that started this one had.
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
    results[name] = {
        "code": ran.exit_code,
        "message": ran.stderr,
        "seconds": time.process_time() - started,
        "mib": peak,
    }
print(json.dumps(results))
"""


def gap(path: Path) -> None:
    path.write_bytes(BEGINNING)
    os.truncate(path, 20 * 2**30)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def bomb(path: Path) -> None:
    """A small file that takes 2 GiB when it is unpacked."""
    if path.suffix == ".bz2":
        path.write_bytes(bz2.compress(bytes(2**25)) * 64)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(bytes(2**24)) * 128)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", bytes(200 * 2**20))


def parts(path: Path) -> None:
    """A packed file of millions of parts without anything in them."""
    compress = bz2.compress if path.suffix == ".bz2" else gzip.compress
    path.write_bytes(compress(b"") * (2**25 // len(compress(b""))))


def measured(typed: dict[str, list[str]]) -> dict[str, Any]:
    """What each command did, in one process for all of them, which cannot hang ours."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(typed),
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each command did with each file, in a process for each kind, which cannot hang ours."""
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc, which says how much memory a process took at most")
    root = tmp_path_factory.mktemp("hostile")
    long = root / "long"
    with long.open("wb") as handle:
        handle.write(BEGINNING)
        for _ in range(300):
            handle.write(b"x" * 2**20)
    knowledge = grounds_beside(samples() / "accord").name
    makers: dict[str, Callable[[Path], None]] = {"gap": gap, "device": device, "pipe": pipe}
    makers |= {"line": lambda path: path.symlink_to(long), "bomb": bomb, "parts": parts}
    for kind, content in {
        "numbers": b"[" + b"1," * (31 * 2**20 - 8) + b"1]",
        "lists": (b'{"a":[' + b"[]," * (5 * 2**20) + b"1]}\n") * 4,
        "members": b'{"a":' + b'{"b":{}},"a":' * (5 * 2**20 - 8) + b"1}",
    }.items():
        (root / f"{kind}.json").write_bytes(content)
        makers[kind] = partial(
            (lambda target, path: path.symlink_to(target)), root / f"{kind}.json"
        )
    found: dict[str, Any] = {}
    for kind, make in makers.items():
        typed: dict[str, list[str]] = {}
        for name, (file, words) in OF_KIND[kind].items():
            folder = root / kind / name.replace(" ", "-")
            folder.mkdir(parents=True)
            make(folder / file)
            if file == ITEMS:
                write_manifest(folder, Manifest("", knowledge, (1,), 1, 0, "free", "chance", 1))
            typed[f"{kind} {name}"] = [
                word.format(folder / file, folder=folder) for word in words.split()
            ]
        found |= measured(typed)
    for large in (long, *root.glob("*.json")):
        large.unlink()
    return found


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, commands in OF_KIND.items() for name in commands],
)
def test_a_hostile_file_is_a_typed_error_soon_and_in_little_memory(
    kind: str, name: str, results: dict[str, Any]
) -> None:
    result = results[f"{kind} {name}"]
    # A suite that was read and is not sound is no mistake of who checks it.
    assert result["code"] == (1 if name == "check" and not WHAT[kind] else 2), result
    message = " ".join(result["message"].split())
    assert any(what in message for what in WHAT[kind].split("|")), message
    assert result["seconds"] < MOST_SECONDS
    assert result["mib"] < MOST_MIB


def test_rows_before_a_line_without_end_stay_readable(tmp_path: Path) -> None:
    """A line that is too long is skipped as long as the file goes on after it."""
    benchmark = registry.load("gita")
    story = next(iter(json.loads(benchmark.samples().read_text(encoding="utf-8")).values()))
    row = json.dumps(story).encode() + b"\n"
    path = tmp_path / "stories.jsonl"
    path.write_bytes(row + b"x" * (17 * 2**20) + b"\n" + row)
    opened = benchmark.open(path)
    assert len(opened) == 2
    assert [error.where for error in opened.errors] == [f"{path}:2"]
