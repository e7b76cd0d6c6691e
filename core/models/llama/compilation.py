"""How far the compilation of llama.cpp is that `make demo` runs behind the program.

`tools/install.py` writes a small file into the environment, holds a lock on it while it compiles,
and removes it when llama.cpp is installed. Other installations have no such file.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec

from core.system.file_lock import Lock
from core.system.typed_values import ready
from core.text.language import _

_MOST_BYTES = 50_000


class _Report(msgspec.Struct):
    """The contents of the file."""

    done: int = 0
    total: int = 0
    error: str = ""
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Compilation:
    """llama.cpp is not there yet, or will not be without a person's help."""

    done: int = 0
    """Files that are compiled."""
    total: int = 0
    """Files to compile; 0 where that is not known yet."""
    error: str = ""
    """Why it failed, and what to do; empty where it did not."""
    running: bool = False
    pid: int = 0
    """The process that compiles."""

    @property
    def state(self) -> str:
        """What llama.cpp is waited for, in a few words."""
        if self.error:
            return _("llama.cpp could not be compiled")
        if not self.running:
            return _("llama.cpp is not compiled: make demo does it")
        if not self.total:
            return _("llama.cpp is being compiled")
        return _(
            "llama.cpp is being compiled: {done} of {total} files", done=self.done, total=self.total
        )


def report_file() -> Path:
    """The file in the environment that this program runs in; it seldom exists."""
    return Path(sys.prefix) / "llama-compilation.json"


def compilation() -> Compilation | None:
    """How far the compilation is; None where there is none to wait for."""
    path = report_file()
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES)
        running = _is_locked(path)
    except OSError:
        return None
    if not running and find_spec("llama_cpp") is not None:
        # It came by another way.
        return None
    try:
        report = msgspec.json.decode(text, type=ready(_Report))
    except (ValueError, RecursionError):
        # It is just being written, or was left half written.
        report = _Report()
    return Compilation(report.done, report.total, report.error, running, report.pid)


def _is_locked(path: Path) -> bool:
    """Whether the process that writes the file is there. Raises `OSError`."""
    try:
        Lock(path).release()
    except BlockingIOError:
        return True
    return False
