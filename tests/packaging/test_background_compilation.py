"""`make demo` compiles llama.cpp behind the program: tools/install.py, with real processes.

A small script answers in the place of pip, since compiling takes minutes.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from core.models.llama.compilation import Compilation, compilation
from core.models.llama.requirement import REQUIREMENT
from tests.packaging.test_install import checkout, is_up_to_date, put_record, run

__all__ = ["checkout"]

PIP = """#!{python}
import json, os, pathlib, sys, tarfile, time
folder = pathlib.Path({folder!r})
command = next((word for word in sys.argv if word in ("cache", "download", "install")), "")
if command in ("download", "install"):
    with open(folder / "calls", "a") as calls:
        calls.write(json.dumps([command, dict(os.environ)]) + "\\n")
if command == "cache" and (folder / "built").exists():
    print(folder / "llama_cpp_python-{version}-py3-none-any.whl")
if command == "download":
    to = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
    to.mkdir()
    (folder / "CMakeLists.txt").touch()
    with tarfile.open(to / "llama.tar.gz", "w") as archive:
        archive.add(folder / "CMakeLists.txt", "llama/CMakeLists.txt")
if command == "install":
    print("[1/4] cc one.c", flush=True)
    (folder / "pid").write_text(str(os.getpid()))
    while not (folder / "go").exists():
        time.sleep(0.05)
    print("[4/4] cc four.c", flush=True)
    sys.exit((folder / "go").read_text() or 0)
"""
PATIENCE = 30.0
VERSION = REQUIREMENT.partition("==")[2]


@dataclass
class Demo:
    """A checkout where everything but llama.cpp is installed."""

    folder: Path

    def make(self, *arguments: str, **environ: str) -> CompletedProcess[str]:
        return run(
            self.folder, *arguments, PATH=os.environ["PATH"], CC="true", CXX="true", **environ
        )

    def let_pip_end(self, error: str = "") -> None:
        (self.folder / "go").write_text(error)

    def calls(self) -> list[tuple[str, dict[str, str]]]:
        lines = (self.folder / "calls").read_text().splitlines()
        return [(command, environ) for command, environ in map(json.loads, lines)]


def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_compiling() -> bool:
    seen = compilation()
    return seen is not None and seen.running and seen.done == 1


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat")
        return not status.exists() or ") Z " not in status.read_text()
    return False


@pytest.fixture
def demo(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Demo]:
    put_record(checkout, llama=False)
    python = checkout / "venv" / "bin" / "python"
    python.parent.mkdir()
    python.write_text(PIP.format(python=sys.executable, folder=str(checkout), version=VERSION))
    python.chmod(0o755)
    # The program looks into its own environment.
    monkeypatch.setattr(sys, "prefix", str(checkout / "venv"))
    monkeypatch.setattr("core.models.llama.compilation.find_spec", lambda _name: None)
    yield Demo(checkout)
    # What was started behind the test ends with it.
    (checkout / "go").touch()
    until(lambda: not ((seen := compilation()) and seen.running))


def test_make_ends_while_llama_is_compiled_and_the_program_learns_of_its_end(demo: Demo) -> None:
    made = demo.make("--background", MAKEFLAGS="--jobserver-auth=fifo:/gone")
    assert made.returncode == 0, made.stderr
    assert "compiled behind the program" in made.stdout
    until(is_compiling)
    seen = compilation()
    assert seen is not None
    assert seen.state == "llama.cpp is being compiled: 1 of 4 files"
    assert os.getpriority(os.PRIO_PROCESS, seen.pid) == 19
    assert not is_up_to_date(demo.folder)
    demo.let_pip_end()
    until(lambda: compilation() is None)
    assert is_up_to_date(demo.folder)
    assert not list((demo.folder / "build").iterdir())
    # Ninja would wait for a job server that has ended.
    assert all("MAKEFLAGS" not in environ for _command, environ in demo.calls())


def test_a_stopped_compilation_leaves_no_process_and_goes_on_in_the_same_folder(demo: Demo) -> None:
    demo.make("--background")
    until(is_compiling)
    seen = compilation()
    assert seen is not None
    pip = int((demo.folder / "pid").read_text())
    os.kill(seen.pid, signal.SIGTERM)
    until(lambda: not alive(seen.pid) and not alive(pip))
    stopped = compilation()
    assert stopped is not None
    assert not stopped.running
    assert stopped.state == "llama.cpp is not compiled: make demo does it"
    demo.let_pip_end()
    demo.make("--background")
    until(lambda: compilation() is None)
    assert [command for command, _environ in demo.calls()] == ["download", "install", "install"]
    kept = [
        (environ["SKBUILD_CMAKE_SOURCE_DIR"], environ["SKBUILD_BUILD_DIR"])
        for command, environ in demo.calls()
        if command == "install"
    ]
    assert kept[0] == kept[1]


def test_the_program_is_opened_twice_and_llama_compiled_once(demo: Demo) -> None:
    demo.make("--background")
    until(is_compiling)
    second = demo.make("--background")
    assert (second.returncode, second.stderr) == (0, "")
    demo.let_pip_end()
    until(lambda: compilation() is None)
    assert [command for command, _environ in demo.calls()] == ["download", "install"]


def test_a_failed_compilation_is_reported_with_the_last_words(demo: Demo) -> None:
    demo.let_pip_end("internal compiler error")
    demo.make("--background")
    until(lambda: (seen := compilation()) and seen.error)
    until(lambda: not ((seen := compilation()) and seen.running))
    seen = compilation()
    assert seen is not None
    assert seen.state == "llama.cpp could not be compiled"
    assert "internal compiler error" in seen.error
    assert "install.log" in seen.error
    assert not is_up_to_date(demo.folder)


def test_without_a_compiler_the_program_opens_and_says_what_to_install(demo: Demo) -> None:
    made = run(demo.folder, "--background", PATH=os.environ["PATH"], CC="no-such-compiler")
    assert made.returncode == 0, made.stderr
    until(lambda: (seen := compilation()) and seen.error)
    seen = compilation()
    assert seen is not None
    assert "sudo apt install build-essential" in seen.error


def test_what_pip_has_built_before_is_installed_at_once_without_a_compiler(demo: Demo) -> None:
    (demo.folder / "built").touch()
    demo.let_pip_end()
    made = run(demo.folder, "--background", PATH=os.environ["PATH"], CC="no-such-compiler")
    assert made.returncode == 0, made.stderr
    assert "behind the program" not in made.stdout
    assert is_up_to_date(demo.folder)
    [(command, environ)] = demo.calls()
    assert command == "install"
    assert "SKBUILD_BUILD_DIR" not in environ


def test_the_tests_wait_until_llama_is_compiled(demo: Demo) -> None:
    demo.let_pip_end()
    made = demo.make()
    assert made.returncode == 0, made.stderr
    assert "compiling llama.cpp: 4 of 4 files" in made.stdout
    assert is_up_to_date(demo.folder)
    assert compilation() is None


@pytest.mark.parametrize("text", [b"", b'{"done": 3, "to', b"[1]", b'{"done": "x"}', b"\xff" * 30])
def test_a_file_that_was_left_behind_is_no_running_compilation(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("core.models.llama.compilation.find_spec", lambda _name: None)
    assert compilation() is None
    path = tmp_path / "llama-compilation.json"
    path.write_bytes(text)
    assert compilation() == Compilation()
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert compilation() == Compilation(running=True)


def test_a_file_that_was_left_behind_counts_for_nothing_where_llama_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "llama-compilation.json").write_text('{"error": "No compiler"}')
    assert compilation() is None
