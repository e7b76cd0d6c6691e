"""What is built and installed once for all tests of this folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environments import ROOT, Environment, build, make_environment


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def compiled_llama() -> Path:
    """The wheel of llama.cpp that pip has kept, compiled, since the environment was made.

    The test is skipped where there is none, because to compile it takes minutes.
    """
    # Before any test has a home of its own, so that pip's store is found.
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "cache", "list", "llama_cpp_python", "--format=abspath"],
        capture_output=True,
        encoding="utf-8",
    )
    wheels = [line for line in listed.stdout.splitlines() if line.endswith(".whl")]
    if not wheels:
        pytest.skip("needs llama.cpp as pip compiled it: make install-tests")
    return Path(wheels[-1])


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel in an environment of its own."""
    return make_environment(tmp_path_factory.mktemp("installed"), wheel)
