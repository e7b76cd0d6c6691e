"""llama.cpp's own programs, built from the source that llama-cpp-python brings.

Its benchmark is linked to the libraries that the program itself loads, so both run the same machine
code. Its server is built with its page off, where somebody asks for it: that takes long.
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
        self._folder = _folder()
        self._program = self._folder / "build" / "bin" / "llama-bench"
        if not self._program.is_file():
            self._build()

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

    def _build(self) -> None:
        # Without an rpath of its own it loads the libraries that LD_LIBRARY_PATH names.
        off = [f"-DLLAMA_BUILD_{part}=OFF" for part in _OFF]
        _build("llama-bench", self._folder / "build", "-DCMAKE_SKIP_RPATH=ON", *off)


def llama_server(*, build: bool) -> Path | None:
    """The server of the same llama.cpp; None where it was not built and is not to be."""
    folder = _folder() / "server"
    program = folder / "bin" / "llama-server"
    if build and not program.is_file():
        off = ("-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF", "-DLLAMA_OPENSSL=OFF")
        _build("llama-server", folder, "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_TESTS=OFF", *off)
    return program if program.is_file() else None


def _folder() -> Path:
    return Path(platformdirs.user_cache_dir("commonsense-tui"), f"llama-bench-{version(_PACKAGE)}")


def _build(program: str, folder: Path, *options: str) -> None:
    if not (shutil.which("cmake") and shutil.which("ninja")):
        sys.exit(f"{program} cannot be built: cmake and ninja are needed.")
    print(f"{program} is built once, in {folder}; this takes minutes", flush=True)
    source = _folder() / "source"
    if not source.is_dir():
        _fetch(source)
    (vendored,) = source.glob("*/vendor/llama.cpp")
    _run(
        *("cmake", "-G", "Ninja", "-S", str(vendored), "-B", str(folder)),
        *("-DCMAKE_BUILD_TYPE=Release", *options),
    )
    _run("ninja", "-C", str(folder), program)


def _fetch(source: Path) -> None:
    download = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", _PACKAGE]
    _run(*download, f"{_PACKAGE}=={version(_PACKAGE)}", "-d", str(source.parent))
    (archive,) = source.parent.glob("*.tar.gz")
    unpacked = source.parent / "unpacked"
    with tarfile.open(archive) as packed:
        packed.extractall(unpacked, filter="data")
    unpacked.rename(source)
    archive.unlink()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
