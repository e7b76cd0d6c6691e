"""The wheel as a stranger installs them, with every installer and Python that is here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environments import ROOT

SCRIPT = ROOT / "tools" / "try_package.py"
PYENV = Path.home() / ".pyenv" / "versions"
"""Taken here, before a test has a home of its own."""


def attempt(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPT, *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


def find(command: str) -> Path | None:
    """A command that starts; a version manager leaves commands that start nothing."""
    pythons = PYENV.glob(f"{command.removeprefix('python')}.*/bin/{command}")
    for path in filter(None, (shutil.which(command), *pythons)):
        if subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return Path(path)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("python", ["python3.11", "python3.12", "python3.13"])
@pytest.mark.parametrize("installer", ["pip", "pipx", "uv"])
def test_a_stranger_installs_it_and_does_the_main_job(
    wheel: Path, compiled_llama: Path, installer: str, python: str
) -> None:
    found = find(python)
    if found is None:
        pytest.skip(f"needs {python}")
    if installer != "pip" and find(installer) is None:
        pytest.skip(f"needs {installer}")
    links = ("--find-links", compiled_llama.parent)
    done = attempt(wheel, "--python", found, "--with", installer, *links)
    assert done.returncode == 0, done.stderr
    assert f"{wheel.name}, {installer}, Python {python.removeprefix('python')}" in done.stdout


@pytest.mark.slow
def test_a_package_that_does_not_install_is_told(tmp_path: Path) -> None:
    (tmp_path / "broken-1-py3-none-any.whl").write_bytes(b"no archive")
    done = attempt(tmp_path)
    assert done.returncode == 1
    assert "broken-1-py3-none-any.whl" in done.stderr


def test_a_folder_without_packages_is_told(tmp_path: Path) -> None:
    done = attempt(tmp_path)
    assert done.returncode == 1
    assert "there is no wheel and no sdist" in done.stderr
