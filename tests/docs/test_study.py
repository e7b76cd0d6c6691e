"""The page of a whole study, from its first line to its last, against a hub on this machine."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib
from itertools import islice
from pathlib import Path

import pytest

from tests.docs.test_doc_commands import ROOT, blocks
from tests.gguf_files import Tiny, write
from tests.hub.hub_server import COMMIT, hub_server

PAGE = ROOT / "docs" / "howto" / "study.md"
INSTALLER = '#!/bin/sh\n[ "$1" = install ] && printf %s "$2" > "$0".installed\n'
"""In the place of pipx: what it would have installed is installed."""
ITEMS = 12


def test_the_path_leads_from_the_first_line_to_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    pipx = tmp_path / "bin" / "pipx"
    pipx.parent.mkdir()
    pipx.write_text(INSTALLER)
    pipx.chmod(0o755)
    folder = tmp_path / "study"
    folder.mkdir()
    model = write(tmp_path / "model.gguf", Tiny(name="qwen2.5-0.5b-instruct", context=8192))
    bundled = json.loads((ROOT / "samples" / "gita" / "stories.json").read_text("utf-8"))
    stories = json.dumps(dict(islice(bundled.items(), ITEMS)))
    script = "\n".join(text for kind, text, _ in blocks(PAGE) if kind == "sh")
    with hub_server() as hub:
        hub.files["datasets/juletxara/GITA4CALAMITA"] = {"GITA_test.json": stories.encode()}
        hub.files["models/Qwen/Qwen2.5-0.5B-Instruct-GGUF"] = {
            "qwen2.5-0.5b-instruct-q4_k_m.gguf": model.read_bytes()
        }
        path = f"{pipx.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-eu", "-c", script],
            cwd=folder,
            env=os.environ | {"PATH": path, "HF_ENDPOINT": hub.url},
            capture_output=True,
            encoding="utf-8",
        )
    assert done.returncode == 0, done.stdout + done.stderr

    # What the page has installed is offered.
    extras = re.findall(r"\w+", (pipx.parent / "pipx.installed").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(extras) <= project["optional-dependencies"].keys()
    # The licence and the citation were shown before anything was fetched.
    assert "cite     Giulia Pensa" in done.stderr
    table = (folder / "table.tex").read_text("utf-8")
    assert table.count("qwen2.5-0.5b-instruct") >= 2
    assert (folder / "figure.pdf").read_bytes().startswith(b"%PDF")
    with sqlite3.connect(folder / "runs.sqlite") as packed:
        assert packed.execute("SELECT count(*) FROM runs").fetchone() == (2,)
    cited = done.stdout[done.stdout.index("program: commonsense-tui") :]
    assert "Giulia Pensa, Ekhi Azurmendi" in cited
    origin = f"hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q4_k_m.gguf@{COMMIT}"
    assert origin in cited
