"""What `make demo` does before the program opens: tools/install.py, with real processes."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "install.py"
PARTS = ("llama_compilation", "pip_installer")
"""The modules beside the script that it imports."""


def load(script: Path) -> ModuleType:
    """The script as a module, with its parts from the same folder."""
    for name in PARTS:
        sys.modules.pop(name, None)
    sys.path.insert(0, str(script.parent))
    try:
        return execute(script)
    finally:
        sys.path.remove(str(script.parent))


def execute(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("install_tool", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tool = load(SCRIPT)
compilation = sys.modules["llama_compilation"]
pip_installer = sys.modules["pip_installer"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that decide what is installed, with the script that reads them."""
    folder = tmp_path / "checkout"
    (folder / "tools").mkdir(parents=True)
    for name in ("install", *PARTS):
        shutil.copy(SCRIPT.with_name(f"{name}.py"), folder / "tools")
    for name in ("pyproject.toml", tool.BUILD_LOCK, tool.RUNTIME_LOCK, tool.TEST_LOCK):
        shutil.copy(ROOT / name, folder)
    return folder


def run(checkout: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    process = start(checkout, *arguments, **environ)
    told, error = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, told, error)


def start(checkout: Path, *arguments: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, checkout / "tools" / "install.py", checkout / "venv", *arguments],
        env={"HOME": str(checkout), "PATH": os.defpath, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def put_record(checkout: Path, **changes: object) -> None:
    """Record an environment that holds what the checkout asks for, but for the changes."""
    record = load(checkout / "tools" / "install.py").wanted_record(False, {})
    (checkout / "venv").mkdir(exist_ok=True)
    text = json.dumps(asdict(replace(record, **changes)))
    (checkout / "venv" / tool.RECORD).write_text(text, encoding="utf-8")


def is_up_to_date(checkout: Path, *arguments: str, **environ: str) -> bool:
    return run(checkout, "--check", *arguments, **environ).returncode == 0


def test_an_environment_is_up_to_date_only_if_its_record_matches(checkout: Path) -> None:
    assert not is_up_to_date(checkout)
    put_record(checkout)
    assert is_up_to_date(checkout)
    assert not is_up_to_date(checkout, "--tests")
    put_record(checkout, tests=True)
    assert is_up_to_date(checkout)
    assert is_up_to_date(checkout, "--tests")


def test_an_interrupted_installation_is_not_up_to_date(checkout: Path) -> None:
    put_record(checkout, complete=False)
    assert not is_up_to_date(checkout)


def test_everything_but_llama_is_no_whole_environment(checkout: Path) -> None:
    put_record(checkout, llama=False)
    assert not is_up_to_date(checkout)


def test_an_environment_from_before_there_were_two_stages_is_up_to_date(checkout: Path) -> None:
    put_record(checkout)
    path = checkout / "venv" / tool.RECORD
    old = json.loads(path.read_text("utf-8"))
    assert old.pop("llama") is True
    path.write_text(json.dumps(old), encoding="utf-8")
    assert is_up_to_date(checkout)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"complete": true}', "null"])
def test_a_damaged_record_is_not_up_to_date(checkout: Path, text: str) -> None:
    put_record(checkout)
    (checkout / "venv" / tool.RECORD).write_text(text, encoding="utf-8")
    assert not is_up_to_date(checkout)


@pytest.mark.parametrize(
    "name", ["pyproject.toml", tool.BUILD_LOCK, tool.RUNTIME_LOCK, tool.TEST_LOCK]
)
def test_a_changed_lock_is_seen_even_with_an_old_date(checkout: Path, name: str) -> None:
    put_record(checkout)
    file = checkout / name
    file.write_text(file.read_text("utf-8") + "\n# changed\n", encoding="utf-8")
    os.utime(file, (0, 0))
    assert not is_up_to_date(checkout)


def test_other_cmake_arguments_need_another_build(checkout: Path) -> None:
    put_record(checkout)
    assert not is_up_to_date(checkout, CMAKE_ARGS="-DGGML_CUDA=on")
    put_record(checkout, cmake_args="-DGGML_CUDA=on")
    assert is_up_to_date(checkout, CMAKE_ARGS="-DGGML_CUDA=on")
    assert is_up_to_date(checkout)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "-DLLAVA_BUILD=OFF"),
        ("-DGGML_CUDA=on", "-DGGML_CUDA=on -DLLAVA_BUILD=OFF"),
        ("-DLLAVA_BUILD=ON", "-DLLAVA_BUILD=ON"),
    ],
)
def test_own_cmake_arguments_are_kept(given: str, expected: str) -> None:
    assert compilation.cmake_arguments(given) == expected


def test_a_folder_that_is_not_an_environment_is_left_alone(checkout: Path) -> None:
    precious = checkout / "venv" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("mine", encoding="utf-8")
    done = run(checkout)
    assert done.returncode == 1
    assert "Remove or rename it" in done.stderr
    assert precious.read_text("utf-8") == "mine"


@pytest.mark.slow
def test_the_python_of_an_environment_can_make_it_anew(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    code = "import install, pathlib, shutil, sys; venv = pathlib.Path(sys.prefix); "
    code += "shutil.rmtree(venv); install.make_environment(venv)"
    subprocess.run([venv / "bin" / "python", "-c", code], cwd=SCRIPT.parent, check=True)
    subprocess.run([venv / "bin" / "python", "-m", "pip", "--version"], check=True)


@pytest.mark.parametrize("arguments", [(), ("--background",)])
def test_a_second_installation_waits_for_the_first(
    checkout: Path, arguments: tuple[str, ...]
) -> None:
    precious = checkout / "venv" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("mine", encoding="utf-8")
    guard = os.open(checkout, os.O_RDONLY)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX)
        with compilation.Report(checkout / "venv") as report:
            report.compiled(21, 140)
            second = start(checkout, *arguments)
            assert second.stdout is not None
            assert "waiting until it has ended" in second.stdout.readline()
            assert "21 of 140 files" in second.stdout.readline()
            assert second.poll() is None
    finally:
        os.close(guard)
    _told, error = second.communicate(timeout=60)
    assert second.returncode == 1
    assert "Remove or rename it" in error, "it goes on with its own work"


def test_a_person_can_stop_the_waiting(checkout: Path) -> None:
    guard = os.open(checkout, os.O_RDONLY)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX)
        second = start(checkout)
        assert second.stdout is not None
        second.stdout.readline()
        second.send_signal(signal.SIGINT)
        _told, error = second.communicate(timeout=60)
    finally:
        os.close(guard)
    assert second.returncode == 130
    assert "Stopped." in error
    assert not (checkout / "venv").exists()


def test_the_program_opens_while_llama_is_compiled(checkout: Path) -> None:
    put_record(checkout, llama=False)
    guard = os.open(checkout, os.O_RDONLY)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX)
        assert run(checkout, "--background").returncode == 0
    finally:
        os.close(guard)


def test_a_missing_compiler_is_named_before_anything_is_compiled(tmp_path: Path) -> None:
    with pytest.raises(compilation.InstallError, match=r"(?s)No C compiler.*build-essential"):
        compilation.require_compilers({"CC": str(tmp_path / "no-such-compiler")})


def test_output_is_streamed_and_logged_completely(tmp_path: Path) -> None:
    seen: list[str] = []
    program = "print('[1/2] a', flush=True); print('[2/2] b'); raise SystemExit(3)"
    log = tmp_path / "log"
    status = pip_installer.stream(
        [sys.executable, "-c", program], os.environ, log, seen.append, lambda: None
    )
    assert status == 3
    assert seen == ["[1/2] a", "[2/2] b"]
    assert log.read_text("utf-8") == "[1/2] a\n[2/2] b\n"


def test_an_interruption_ends_the_process_that_was_started(tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt(line)

    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with pytest.raises(KeyboardInterrupt) as caught:
        pip_installer.stream(
            [sys.executable, "-c", program], os.environ, tmp_path / "log", interrupt, lambda: None
        )
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(caught.value)), 0)


def test_control_characters_in_the_log_are_escaped(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"one\n\x1b[31mred\x1b[0m\n\x1b]0;title\x07\nlast\n")
    assert pip_installer.tail(log).split() == ["one", "red", "last"]


@pytest.mark.parametrize("name", [tool.BUILD_LOCK, tool.RUNTIME_LOCK, tool.TEST_LOCK])
def test_every_locked_package_has_hashes_and_no_index_url(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert "://" not in text
    entries = [entry for entry in text.replace("\\\n", " ").splitlines() if "==" in entry]
    assert entries
    for entry in entries:
        assert "--hash=sha256:" in entry, entry
    options = [word.split("=")[0] for word in text.split() if word.startswith("--")]
    assert set(options) == {"--hash"}
