"""What the documents do with published models and data, against a hub on this machine."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import ptyprocess
import pytest

from tests.docs.test_doc_commands import ROOT, blocks, open_and_leave
from tests.gguf_files import Tiny, write
from tests.hub.hub_server import COMMIT, Published, hub_server

INSTALLED = Path(sys.executable).parent / "commonsense-tui"
PAGE = ROOT / "docs" / "howto" / "study.md"
INSTALLER = '#!/bin/sh\n[ "$1" = install ] && printf %s "$*" > "$0".installed\n'
"""In the place of pip and pipx: what they would install is installed."""
REPOSITORY = "Qwen/Qwen2.5-0.5B-Instruct-GGUF"
FILE = "qwen2.5-0.5b-instruct-q4_k_m.gguf"
ITEMS = 6


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Published]:
    """A hub with items and a model under the names in the documents; HF_ENDPOINT names it."""
    for name in ("HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    model = write(tmp_path / "model.gguf", Tiny(name="qwen2.5-0.5b-instruct", context=8192))
    bundled = json.loads((ROOT / "samples" / "gita" / "stories.json").read_text("utf-8"))
    stories = json.dumps(dict(islice(bundled.items(), ITEMS))).encode()
    with hub_server() as server:
        server.files["datasets/juletxara/GITA4CALAMITA"] = {"GITA_test.json": stories}
        server.files[f"models/{REPOSITORY}"] = {FILE: model.read_bytes()}
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def stand_in(installer: Path) -> None:
    """Put a program in the place of an installer."""
    installer.parent.mkdir(parents=True, exist_ok=True)
    installer.write_text(INSTALLER)
    installer.chmod(0o755)


def extras_installed(installer: Path) -> set[str]:
    """The extras that were named to it; all are offered."""
    [listed] = re.findall(r"\[([\w,]+)\]", Path(f"{installer}.installed").read_text())
    named = set(listed.split(","))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert named <= project["optional-dependencies"].keys()
    return named


@pytest.mark.usefixtures("hub")
def test_the_readme_gets_a_real_small_model_by_one_command(tmp_path: Path) -> None:
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "commonsense-tui").symlink_to(INSTALLED)
    [block] = [text for _, text, _ in blocks(ROOT / "README.md") if "real small model" in text]
    get, browse = block.splitlines()
    terminal = ptyprocess.PtyProcessUnicode.spawn(["sh", "-c", get], cwd=str(tmp_path))
    said = ""
    while "under this licence?" not in said:
        said += terminal.read()
    terminal.write("y\n")
    with suppress(EOFError):
        while True:
            said += terminal.read()
    assert terminal.wait() == 0, said
    assert "apache-2.0" in said
    assert FILE in said

    open_and_leave(shlex.split(browse)[1:], tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("hub")
def test_the_path_leads_from_the_first_line_to_the_last(tmp_path: Path) -> None:
    pipx = tmp_path / "bin" / "pipx"
    stand_in(pipx)
    folder = tmp_path / "study"
    folder.mkdir()
    script = "\n".join(text for kind, text, _ in blocks(PAGE) if kind == "sh")
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": f"{pipx.parent}:{INSTALLED.parent}:{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr

    assert {"plots", "stats"} <= extras_installed(pipx)
    # The licence and the citation were shown before anything was fetched.
    assert "cite     Giulia Pensa" in done.stderr
    table = (folder / "table.tex").read_text("utf-8")
    assert table.count("qwen2.5-0.5b-instruct") >= 2
    assert (folder / "figure.pdf").read_bytes().startswith(b"%PDF")
    with sqlite3.connect(folder / "runs.sqlite") as packed:
        assert packed.execute("SELECT count(*) FROM runs").fetchone() == (2,)
    cited = done.stdout[done.stdout.index("program: commonsense-tui") :]
    assert "Giulia Pensa, Ekhi Azurmendi" in cited
    origin = f"hf:{REPOSITORY}/{FILE}@{COMMIT}"
    assert origin in cited
