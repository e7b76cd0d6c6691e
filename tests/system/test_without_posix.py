"""The program where Python has no locks, limits and signals of POSIX systems.

Every process is a real one, and finds on this system what it would find on another: see
`without_posix/sitecustomize.py`. Other differences of such systems are not shown by this.
"""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import commonsense_tui
import core
import tui
from tests.docs.test_doc_commands import open_and_leave
from tests.gguf_files import Tiny, write

ROOT = Path(__file__).parents[2]
HIDING = Path(__file__).parent / "without_posix"


@pytest.fixture(autouse=True)
def _hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process that is started hides what other systems lack."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(HIDING), str(ROOT))))


def python(code: str, folder: Path) -> str:
    """Run a program as if it were a module of ours; what it printed."""
    named = f"__name__ = 'core.trial'\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", named], cwd=folder, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def program(*words: str, folder: Path) -> str:
    """Run a command; what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.program", *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_names_are_hidden_from_the_program_alone(tmp_path: Path) -> None:
    """Guards the tests below."""
    code = (
        "import asyncio, os, signal, subprocess\n"
        "print(hasattr(os, 'fork'), hasattr(signal, 'SIGHUP'))\n"
        "from core.system import file_lock, process_limits, signals\n"
        "print(hasattr(file_lock, 'fcntl'), hasattr(process_limits, 'resource'))\n"
        "print(signals.signals('SIGTERM', 'SIGHUP'))\n"
        "print(subprocess.run(['true']).returncode)\n"
    )
    lines = python(code, tmp_path).splitlines()
    assert lines == ["False False", "False False", "[<Signals.SIGTERM: 15>]", "0"]


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    names = [
        module.name
        for package in (commonsense_tui, core, tui)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    assert len(names) > 400
    python(f"import importlib\nfor name in {names}: importlib.import_module(name)", tmp_path)


def test_a_run_and_an_export_work(tmp_path: Path, demo_model: None) -> None:
    words = ("evaluate", "gita", "--limit", "2", "--store", "runs.sqlite", "--json")
    summary = json.loads(program(*words, folder=tmp_path))
    assert summary["state"] == "done"
    assert summary["n"] == 2
    program("export", "html", "gita", "0-O0", "--out", "story.html", folder=tmp_path)
    assert "</html>" in (tmp_path / "story.html").read_text(encoding="utf-8")


def test_the_program_opens_and_is_left(tmp_path: Path, demo_model: None) -> None:
    open_and_leave(["browse", "--model", "demo"], tmp_path)


def test_a_server_is_ended_by_ctrl_c(tmp_path: Path) -> None:
    open_and_leave(["serve", "--port", "0"], tmp_path)


def test_a_room_that_votes_is_ended_by_ctrl_c(tmp_path: Path) -> None:
    open_and_leave(["serve", "--room", "--port", "0"], tmp_path)


def test_a_file_is_open_in_one_program_at_a_time(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from core.annotation.append_file import AppendedFile\n"
        "from core.text.errors import DataError\n"
        "path = Path('votes.jsonl')\n"
        "with AppendedFile(path, 'Taken.') as first:\n"
        "    first.append(b'1')\n"
        "    try:\n"
        "        AppendedFile(path, 'Taken.')\n"
        "    except DataError as error:\n"
        "        print(error.what)\n"
        "with AppendedFile(path, 'Taken.') as again:\n"
        "    again.append(b'2')\n"
        "print(path.read_text().split(), sorted(p.name for p in path.parent.iterdir()))\n"
    )
    assert python(code, tmp_path).splitlines() == ["Taken.", "['1', '2'] ['votes.jsonl']"]


def test_a_suite_is_generated(tmp_path: Path) -> None:
    words = ("accord", "generate", "--sizes", "1", "--limit", "1", "--out", "suite")
    program(*words, folder=tmp_path)
    program("accord", "check", "suite", folder=tmp_path)
    assert not (tmp_path / "suite" / ".lock").exists()


def test_a_template_that_never_ends_is_ended(tmp_path: Path) -> None:
    code = (
        "from core.models.llama.template_client import Renderer\n"
        "from core.text.errors import ModelError\n"
        "renderer = Renderer(lambda: False)\n"
        "print(renderer.render('{{ messages[0].content }}', [('user', 'Hello')], {}))\n"
        "loop = '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}'\n"
        "try:\n"
        "    renderer.render(loop, [('user', 'Hello')], {})\n"
        "except ModelError as error:\n"
        "    print(error)\n"
    )
    lines = python(code, tmp_path).splitlines()
    assert lines[0] == "Hello"
    assert "it takes too long" in lines[1]


def test_a_model_with_a_template_is_asked_in_turns(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", Tiny(context=2048))
    words = ("ask", "gita", "0-O0", "--model", "model.gguf", "--form", "chat")
    assert program(*words, folder=tmp_path)
