"""llama.cpp's own benchmark program, built from the source that llama-cpp-python brings.

It is linked to the libraries that the program itself loads, so both run the same machine code.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import llama_cpp
import platformdirs

_PACKAGE = "llama-cpp-python"
_OFF = ("TESTS", "SERVER", "APP", "UI", "MTMD")
"""Parts of llama.cpp that its benchmark does not need."""


def libraries() -> Path:
    """The folder of the libraries that this Python loads."""
    return Path(llama_cpp.__file__).parent / "lib"


class Peer:
    """A built `llama-bench`."""

    def __init__(self) -> None:
        """Build it, or take the one that was built before, from the user's cache folder."""
        wanted = version(_PACKAGE)
        self._folder = Path(platformdirs.user_cache_dir("commonsense-tui"), f"llama-bench-{wanted}")
        self._program = self._folder / "build" / "bin" / "llama-bench"
        if not self._program.is_file():
            self._build(wanted)

    def tokens_per_second(
        self, model: Path, *, prompt: int, written: int, threads: int, rearranged: bool
    ) -> float:
        """One measurement of reading a prompt or writing on: either number of tokens is 0.

        `rearranged` lets it rearrange weights for the processor, as the program does or not.
        """
        options = {
            "-m": model,
            "-p": prompt,
            "-n": written,
            "-t": threads,
            "-r": 1,
            "-fa": 0,
            "--repack": int(rearranged),
            "-o": "json",
        }
        where = os.pathsep.join(map(str, (libraries(), self._program.parent)))
        found = subprocess.run(
            [str(self._program), *(str(word) for pair in options.items() for word in pair)],
            env={**os.environ, "LD_LIBRARY_PATH": where, "OMP_WAIT_POLICY": "passive"},
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        (row,) = json.loads(found.stdout)
        return float(row["samples_ts"][0])

    def _build(self, wanted: str) -> None:
        if not (shutil.which("cmake") and shutil.which("ninja")):
            sys.exit("llama-bench cannot be built: cmake and ninja are needed.")
        print(f"llama-bench is built once, in {self._folder}; this takes minutes", flush=True)
        source = self._folder / "source"
        if not source.is_dir():
            self._fetch(wanted, source)
        (vendored,) = source.glob("*/vendor/llama.cpp")
        build = str(self._folder / "build")
        # Without an rpath of its own it loads the libraries that LD_LIBRARY_PATH names.
        off = [f"-DLLAMA_BUILD_{part}=OFF" for part in _OFF]
        _run(
            *("cmake", "-G", "Ninja", "-S", str(vendored), "-B", build),
            *("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_SKIP_RPATH=ON", *off),
        )
        _run("ninja", "-C", build, "llama-bench")

    def _fetch(self, wanted: str, source: Path) -> None:
        download = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", _PACKAGE]
        _run(*download, f"{_PACKAGE}=={wanted}", "-d", str(self._folder))
        (archive,) = self._folder.glob("*.tar.gz")
        unpacked = self._folder / "unpacked"
        with tarfile.open(archive) as packed:
            packed.extractall(unpacked, filter="data")
        unpacked.rename(source)
        archive.unlink()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
