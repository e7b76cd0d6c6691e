"""Every command in the documents is run, page by page, but those that need what is not shipped.

A block of commands behind the remark `<!-- network -->` needs the network, or data and models that
only the network has.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

import ptyprocess
import pytest

from tests.cli import support

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
_BLOCK = re.compile(r"(<!-- network -->\n)?```(sh|yaml)\n(.*?)```", re.DOTALL)
_NAMED = re.compile(r"[Ss]ave this as `([\w.-]+)`:\s*$")
_OPENS = {"browse", "serve"}
_WALKS = (["lesson", "run"], ["lesson", "follow"])
_PATIENCE = 150.0
_SHORTER: dict[tuple[str, ...], tuple[str, ...]] = {
    # Every lesson is checked by itself in tests/lessons/test_library.py.
    ("lesson", "check"): ("1-three-layers",),
    # Whole collections are probed in tests/studies.
    ("study", "probe"): ("--limit", "40"),
}
"""What is added to commands of these words that would ask the model about everything."""
_LONG = {
    *("classroom.md", "cluster.md", "own-model.md", "own-data.md", "prompts.md"),
    *("README.md", "accord.md", "blocks.md", "gita.md", "paper.md", "studies.md", "tutorial.md"),
}
"""Pages whose commands ask the model for long."""


def blocks(page: Path) -> list[tuple[str, str, bool]]:
    """Language and text of each block, and whether it needs the network."""
    return blocks_of(page.read_text(encoding="utf-8"))


def blocks_of(text: str) -> list[tuple[str, str, bool]]:
    """Language and text of each block of a text, and whether it needs the network."""
    found = []
    for match in _BLOCK.finditer(text):
        named = _NAMED.search(text[: match.start()].rstrip())
        kind = named[1] if named else match[2]
        found.append((kind, match[3], match[1] is not None))
    return found


def commands(text: str) -> list[list[str]]:
    """The program's own commands in a block, each as words."""
    lines = [shlex.split(line, comments=True) for line in text.splitlines()]
    return [words[1:] for words in lines if words and Path(words[0]).name == "commonsense-tui"]


def test_documents_have_commands() -> None:
    every = [words for page in PAGES for _, text, _ in blocks(page) for words in commands(text)]
    assert len(every) > 40
    away = [
        words for page in PAGES for _, text, net in blocks(page) if net for words in commands(text)
    ]
    assert len(away) < len(every) / 2


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with what the documents speak of as being there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    model = next((ROOT / "samples" / "models").glob("*.gguf"))
    shutil.copy(model, tmp_path / "MODEL.gguf")
    return tmp_path


def run(words: list[str]) -> str:
    """Run a command to its end in this process; what it printed."""
    ran = support.run(*words)
    assert ran.code == 0, f"{shlex.join(words)}\n{ran.err}"
    return ran.out


def shorter(words: list[str]) -> list[str]:
    """The words, with those added that let them ask the model for less."""
    added = _SHORTER.get(tuple(words[:2]), ())
    whole = "--limit" not in words if words[0] == "study" else len(words) == 2
    return [*words, *added] if whole else words


def open_and_leave(words: list[str], home: Path) -> None:
    """Open the program in a terminal, and leave it."""
    # In front of what a test has put there.
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    process = ptyprocess.PtyProcessUnicode.spawn(
        [sys.executable, "-m", "tests.docs.program", *words],
        cwd=str(home),
        env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": path},
        dimensions=(40, 120),
    )
    # The alternate screen, or what a server says when it is there.
    ready, leave = ("Ctrl-C stops", "\x03") if words[0] == "serve" else ("\x1b[?1049h", "\x11")
    end, seen = time.monotonic() + _PATIENCE, ""
    try:
        while True:
            assert time.monotonic() < end, seen
            if select.select([process.fd], [], [], 0.5)[0]:
                seen += process.read(4096)
            elif ready in seen:
                with suppress(OSError):  # it has ended meanwhile
                    process.write(leave)
                if leave == "\x03":
                    # A second one, while the server is ending, would break that off.
                    leave = ""
    except EOFError:
        process.wait()
    finally:
        process.terminate(force=True)
    assert process.exitstatus == 0, seen


def with_run(words: list[str]) -> list[str]:
    """The words with the newest run in the place of RUN."""
    if "RUN" not in words:
        return words
    runs = json.loads(run(["runs", "list", "--json"]))["runs"]
    return [runs[-1]["id"] if word == "RUN" else word for word in words]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow if page.name in _LONG else ()) for page in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_command_of_a_page_runs(page: Path, home: Path) -> None:
    for kind, text, network in blocks(page):
        if kind not in ("sh", "yaml"):
            (home / kind).write_text(text, encoding="utf-8")
        elif kind == "sh" and not network:
            for words in commands(text):
                if not words or words[0] in _OPENS or words[:2] in _WALKS:
                    open_and_leave(words, home)
                else:
                    run(shorter(with_run(words)))
