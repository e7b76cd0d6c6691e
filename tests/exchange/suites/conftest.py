"""Engines in an environment of their own, and a small model that they can ask."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.models.resolver import demo_file
from tests.gguf_files import with_32_bit_weights

ROOT = Path(__file__).parents[3]
ENGINES = ROOT / "build" / "engines" / "bin"
SECONDS = 400


@dataclass(frozen=True)
class Engines:
    """The engines' programs, run in a folder of their own and without any network."""

    home: Path

    def run(self, *words: str | Path, cwd: Path | None = None) -> str:
        """Run a command of an engine that has to succeed; return what it printed."""
        env = {
            "HOME": str(self.home),
            "HF_HOME": str(self.home / "hf"),
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "PATH": f"{ENGINES}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "SERVED_API_KEY": "none",
            "NO_PROXY": "127.0.0.1",
        }
        done = subprocess.run(
            [ENGINES / words[0], *words[1:]],
            cwd=cwd or self.home,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout[-3000:]
        return done.stdout


@pytest.fixture
def engines(tmp_path: Path) -> Engines:
    if not (ENGINES / "lm_eval").is_file():
        pytest.skip("needs the engines: make install-engines")
    home = tmp_path / "engines"
    home.mkdir()
    return Engines(home)


@contextmanager
def serving(*words: str, model: Path | None = None) -> Iterator[str]:
    """The address of a model on loopback, the demonstration model if none is named."""
    served = Path(__file__).with_name("served_model.py")
    command = [sys.executable, str(served), str(model or demo_file()), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), address
            yield address
        finally:
            server.kill()


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def unrounded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration model with 32-bit weights.

    With 8-bit weights llama.cpp also rounds what it multiplies them by to 8 bits. Where batches of
    another shape differ in the last bit, a number may then be rounded the other way: of the sums
    of 246 options, five change by .001 to .03 nats.
    """
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")
    path = tmp_path_factory.mktemp("unrounded") / "demo.gguf"
    with_32_bit_weights(demo_file(), path)
    return path
