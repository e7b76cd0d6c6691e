"""Compile llama.cpp for an environment, and report the progress to the program that waits for it.

The sources and what is compiled of them are kept in `build/llama.cpp` until llama.cpp is installed,
so a compilation that was ended goes on where it was.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Protocol

ROOT = Path(__file__).resolve().parent.parent
RUNTIME_LOCK = "requirements.txt"
PACKAGE = "llama-cpp-python"

# llama.cpp without its image and audio models takes 7.5 minutes of one core (measured at 2.5 GHz).
CORE_MINUTES_TO_COMPILE = 7.5
COMPILERS = {"CC": ("cc", "gcc", "clang"), "CXX": ("c++", "g++", "clang++")}


class InstallError(Exception):
    """Something a person has to mend; the text says what and how."""


class Pip(Protocol):
    """Runs pip in the environment."""

    def pip(self, *arguments: str | Path, **environ: str) -> None:
        """Run a command of pip, with changes of the environment; raises InstallError."""
        ...


class Report:
    """The progress file of a compilation, for a program that runs in the environment.

    This process holds a lock on it, so that a file which a killed process left behind is not taken
    for one in use. `core.models.llama.compilation` reads it.
    """

    NAME = "llama-compilation.json"

    def __init__(self, venv: Path) -> None:
        self._path = venv / self.NAME
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._write(pid=os.getpid())

    def __enter__(self) -> Report:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Remove the file where llama.cpp is installed now; else leave it, with what went wrong."""
        if kind is None:
            self._path.unlink(missing_ok=True)
        elif isinstance(error, InstallError | OSError):
            self._write(error=str(error))
        os.close(self._file)

    def compiled(self, done: int, total: int) -> None:
        """Report that `done` of `total` files are compiled."""
        self._write(done=done, total=total, pid=os.getpid())

    def _write(self, **fields: object) -> None:
        """Write in place, because the lock is on the file, and at once, because others read it."""
        text = json.dumps(fields).encode().ljust(200)
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))


def compiled_files(venv: Path) -> tuple[int, int] | None:
    """How many files another process has compiled, and of how many; None before it tells."""
    try:
        told = json.loads((venv / Report.NAME).read_bytes())
        return told["done"], told["total"]
    except (OSError, ValueError, KeyError):
        return None


def lock_entry(name: str, lock: str) -> str:
    """A package's lines in a lock."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    [entry] = re.findall(rf"^{name}==(?:.*\\\n)*.*\n", text, re.MULTILINE)
    return str(entry)


def cmake_arguments(given: str) -> str:
    """The person's own CMake arguments, and one that saves a third of the compilation."""
    return given if "LLAVA_BUILD" in given else f"{given} -DLLAVA_BUILD=OFF".strip()


def require_compilers(environ: Mapping[str, str]) -> None:
    """Raise InstallError unless a C and a C++ compiler can be started."""
    for variable, names in COMPILERS.items():
        chosen = environ.get(variable)
        if not any(shutil.which(name) for name in ((chosen.split()[0],) if chosen else names)):
            language = "C" if variable == "CC" else "C++"
            raise InstallError(
                f"No {language} compiler was found, and llama.cpp has to be compiled.\n"
                "  Debian, Ubuntu   sudo apt install build-essential\n"
                "  Fedora           sudo dnf install gcc gcc-c++\n"
                "  macOS            xcode-select --install\n"
                "Then run the same command again."
            )


def minutes_to_compile() -> str:
    """About how long it takes on this machine ("4 minutes")."""
    minutes = max(1, round(CORE_MINUTES_TO_COMPILE / min(os.cpu_count() or 1, 8)))
    return f"{minutes} minute{'' if minutes == 1 else 's'}"


def compile_llama(installer: Pip, own_args: str, *, built: bool) -> None:
    """Compile llama.cpp and install it, or install what pip has `built` and kept.

    Raises InstallError.
    """
    kept = ROOT / "build" / "llama.cpp"
    entry = lock_entry(PACKAGE, RUNTIME_LOCK)
    # Objects that were compiled from other sources or with other arguments cannot be used.
    key = hashlib.sha256(f"{entry}{own_args}".encode()).hexdigest()[:12]
    work = kept / key
    work.mkdir(parents=True, exist_ok=True)
    lock = work / "requirements.txt"
    lock.write_text(entry, encoding="utf-8")
    locked: list[str | Path] = ["--no-deps", "--no-build-isolation", "--require-hashes", "-r", lock]
    if own_args:  # pip's store of built wheels does not tell one set of CMake arguments apart
        locked.append("--no-cache-dir")
    source = work / "source"
    if not built and not source.is_dir():
        installer.pip("download", "--dest", work / "download", *locked)
        [archive] = (work / "download").iterdir()
        _unpack(archive, source)
    # pip unpacks the archive into another folder every time, and CMake would begin again there.
    places = (
        {} if built else {"SKBUILD_CMAKE_SOURCE_DIR": source, "SKBUILD_BUILD_DIR": work / "objects"}
    )
    installer.pip(
        "install",
        *locked,
        CMAKE_ARGS=cmake_arguments(own_args),
        **{name: str(place) for name, place in places.items()},
    )
    shutil.rmtree(kept)


def _unpack(archive: Path, to: Path) -> None:
    """Unpack an archive of one folder; `to` is there only when that is done."""
    unpacking = to.with_name("unpacking")
    shutil.rmtree(unpacking, ignore_errors=True)
    with tarfile.open(archive) as tar:
        # Older versions of Python have no filters. The archive's hash is that of the lock.
        tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
        tar.extractall(unpacking)
    [folder] = unpacking.iterdir()
    folder.replace(to)
    unpacking.rmdir()
