"""The installed program in an environment that lacks llama-cpp-python."""

from __future__ import annotations

import fcntl
import json
import select
import subprocess
import time
import tomllib
from contextlib import suppress
from pathlib import Path

import ptyprocess
import pytest

from core.models.llama.requirement import REQUIREMENT
from tests.models.openai.faulty import Reply, faulty_server
from tests.packaging.environments import ROOT, Environment, make_environment

ADD = f"pip install {REQUIREMENT}"
PATIENCE = 60.0


@pytest.fixture(scope="session")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("bare")
    return make_environment(folder, wheel, without=("llama_cpp", "llama_cpp_python"))


def printed(environment: Environment, *words: str) -> str:
    """What a command printed that ended well."""
    done = environment.run(environment.program, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_requirement_is_that_of_the_package() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert REQUIREMENT in table["project"]["dependencies"]


def test_llama_cpp_is_not_there(bare: Environment) -> None:
    """Guards the tests below."""
    done = bare.run(bare.python, "-c", "import llama_cpp")
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize("command", ["ask", "evaluate"])
def test_a_model_file_is_refused_with_what_is_missing(bare: Environment, command: str) -> None:
    words = [command, "gita", *(["0-O0"] if command == "ask" else [])]
    done = bare.run(bare.program, *words, "--model", "demo")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "llama-cpp-python, which runs models that are files" in done.stderr
    assert ADD in done.stderr


def test_doctor_says_what_is_missing(bare: Environment) -> None:
    done = bare.run(bare.program, "doctor", "--json")
    assert done.returncode == 1
    broken = [check for check in json.loads(done.stdout)["checks"] if check["ok"] is False]
    assert [check["name"] for check in broken] == ["llama.cpp"]
    assert ADD in broken[0]["hint"]


def test_a_compilation_that_runs_or_stopped_is_named_in_place_of_a_command(
    bare: Environment,
) -> None:
    report = Path(bare.python).parents[1] / "llama-compilation.json"
    report.write_text('{"done": 3, "total": 140}', encoding="utf-8")
    try:
        with report.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            asked = bare.run(bare.program, "ask", "gita", "0-O0", "--model", "demo")
        checked = bare.run(bare.program, "doctor", "--json")
    finally:
        report.unlink()
    assert asked.returncode == 2
    assert "llama.cpp is being compiled: 3 of 140 files" in asked.stderr
    assert ADD not in asked.stderr
    [engine] = [
        each for each in json.loads(checked.stdout)["checks"] if each["name"] == "llama.cpp"
    ]
    assert engine["detail"] == "llama.cpp is not compiled: make demo does it"


def test_items_are_shown_and_exported(bare: Environment) -> None:
    assert "Irene" in printed(bare, "show", "gita", "0-O0")
    printed(bare, "export", "html", "gita", "0-O0", "--out", "story.html", "--force")
    assert "</html>" in (bare.elsewhere / "story.html").read_text(encoding="utf-8")


def test_a_server_is_asked_and_its_runs_are_compared(bare: Environment) -> None:
    store = ("--store", "runs.sqlite")
    with faulty_server(Reply(pieces=("Answer: true",))) as server:
        words = ("evaluate", "gita", "--model", server.url, "--limit", "4", *store)
        printed(bare, *words)
        printed(bare, *words, "--shots", "1")
    runs = json.loads(printed(bare, "runs", "list", *store, "--json"))["runs"]
    ids = [run["id"] for run in runs]
    assert len(ids) == 2
    assert "story_class" in printed(bare, "runs", "compare", *ids, *store)
    printed(bare, "runs", "export", *ids, *store, "--to", "figures.tex")
    replayed = ("ask", "gita", "0-O0", "--model", f"replay:{ids[0]}", *store)
    assert printed(bare, *replayed)


def test_the_program_opens_and_says_what_is_missing(bare: Environment) -> None:
    process = ptyprocess.PtyProcessUnicode.spawn(
        [str(bare.program), "browse"],
        cwd=str(bare.elsewhere),
        env=bare.environ,
        dimensions=(50, 200),
    )
    end, seen, left = time.monotonic() + PATIENCE, "", False
    with suppress(EOFError):
        while time.monotonic() < end:
            if select.select([process.fd], [], [], 0.2)[0]:
                seen += process.read(65536)
            elif REQUIREMENT in seen and not left:
                left = True
                process.write("q")
    process.terminate(force=True)
    assert left, seen
    assert "Irene" in seen
    assert process.exitstatus == 0


def test_a_broken_build_is_told_from_a_missing_one(bare: Environment, tmp_path: Path) -> None:
    package = tmp_path / "llama_cpp"
    package.mkdir()
    (package / "__init__.py").write_text("raise OSError('libllama.so: cannot open')\n")
    done = subprocess.run(
        [bare.program, "ask", "gita", "0-O0", "--model", "demo"],
        cwd=bare.elsewhere,
        env={**bare.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert "does not load: libllama.so: cannot open" in done.stderr
    assert "--force-reinstall" in done.stderr
