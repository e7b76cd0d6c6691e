"""Runs pip in an environment, and shows how far it is."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from llama_compilation import (
    PACKAGE,
    ROOT,
    RUNTIME_LOCK,
    InstallError,
    Report,
    lock_entry,
    minutes_to_compile,
)

LOG = "install.log"
LONGEST_LINE = 200
"""Most characters of a line that are shown; the command of a compiler is longer."""


def python_of(venv: Path) -> Path:
    return venv / "bin" / "python"


class Progress:
    """One line that changes on a terminal; a few lines that stay where there is none."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty()
        self._started = time.monotonic()
        self._step = ""
        self._tenth = -1
        self._compiling_since: float | None = None

    def say(self, text: str) -> None:
        """A line that stays."""
        self._clear()
        print(text, file=self._out, flush=True)

    def step(self, text: str) -> None:
        self._step = text
        self.tick()

    def compiled(self, done: int, total: int) -> None:
        """Show that `done` of `total` files are compiled, and how long the rest may take."""
        now = time.monotonic()
        if self._compiling_since is None:
            self._compiling_since = now
        self._step = f"compiling llama.cpp: {done} of {total} files"
        if 10 * done >= total > done:
            minutes = (now - self._compiling_since) * (total - done) / done / 60
            self._step += f", about {max(1, round(minutes))} min left"
        tenth = 10 * done // total
        if not self._live and tenth > self._tenth:
            self.say(f"  {self._elapsed()}  {self._step}")
        self._tenth = tenth
        self.tick()

    def tick(self) -> None:
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            line = f"  {self._elapsed()}  {self._step}"[:width]
            self._out.write(f"\r{line}\x1b[K")
            self._out.flush()

    def _clear(self) -> None:
        if self._live:
            self._out.write("\r\x1b[K")

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._started), 60)
        return f"{minutes}:{seconds:02d}"


def stream(
    command: Sequence[str | Path],
    env: Mapping[str, str],
    log: Path,
    on_line: Callable[[str], None],
    on_wait: Callable[[], None],
) -> int:
    """Run `command`, append all it prints to `log`, hand over each line; the exit status.

    `on_wait` is called four times a second while nothing is printed.
    """
    pending = b""
    with (
        log.open("ab") as kept,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=ROOT,
        ) as process,
    ):
        assert process.stdout is not None
        output = process.stdout.fileno()
        try:
            while True:
                if not select.select([output], [], [], 0.25)[0]:
                    on_wait()
                    continue
                chunk = os.read(output, 65536)
                if not chunk:
                    break
                kept.write(chunk)
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    on_line(line.decode("utf-8", "replace"))
        except BaseException:
            process.terminate()
            raise
    return process.returncode


@dataclass(frozen=True, slots=True)
class Installer:
    """Runs pip inside one environment and shows how far it is."""

    venv: Path
    environ: Mapping[str, str]
    progress: Progress
    report: Report | None = None

    def pip(self, command: str | Path, *arguments: str | Path, **changes: str) -> None:
        """Run a command of pip; InstallError with its last words if it fails."""
        env = {**self.environ, **changes}
        # Otherwise Ninja would wait for a make that has ended.
        env.pop("MAKEFLAGS", None)
        # The locked cmake and ninja stand in the environment.
        env["PATH"] = f"{self.venv / 'bin'}{os.pathsep}{self.environ.get('PATH', os.defpath)}"
        call: list[str | Path] = [python_of(self.venv), "-m", "pip", "--verbose", "--no-input"]
        call += ["--disable-pip-version-check", command, *arguments]
        log = self.venv / LOG
        status = stream(call, env, log, self._show, self.progress.tick)
        if status != 0:
            raise InstallError(
                f"pip stopped with status {status}. The last lines it printed:\n{tail(log)}\n"
                f"All it printed: {log}\nThe same command tries again."
            )

    def has_built_wheel(self, cmake_args: str) -> bool:
        """Whether pip's own store holds llama-cpp-python as the lock names it, already compiled.

        It does not tell one set of CMake arguments apart from another.
        """
        version = lock_entry(PACKAGE, RUNTIME_LOCK).split()[0].partition("==")[2]
        question = ["pip", "cache", "list", "llama_cpp_python", "--format=abspath"]
        listed = subprocess.run(
            [python_of(self.venv), "-m", *question],
            capture_output=True,
            text=True,
            env=dict(self.environ),
        )
        return not cmake_args and f"llama_cpp_python-{version}-" in listed.stdout

    def _show(self, line: str) -> None:
        line = line.strip()
        if found := re.match(r"\[(\d+)/(\d+)\] ", line):
            done, total = int(found[1]), int(found[2])
            self.progress.compiled(done, total)
            if self.report is not None:
                self.report.compiled(done, total)
        elif found := re.match(
            r"(?:Collecting|Downloading|Using cached) ([\w.-]+?)(?=-\d|[^\w.-]|$)", line, re.A
        ):
            self.progress.step(f"fetching {found[1]}")
        elif line.startswith("Building wheel for llama-cpp-python") and line.endswith("started"):
            self.progress.say(
                "Compiling llama.cpp, which runs the models: about "
                f"{minutes_to_compile()} on this machine, and only this once."
            )
        elif found := re.match(r"Installing collected packages: (.+)", line):
            count = len(found[1].split(","))
            self.progress.step(f"installing {count} package{'' if count == 1 else 's'}")


def tail(log: Path, lines: int = 20) -> str:
    """The end of the log, without terminal control characters."""
    text = log.read_text(encoding="utf-8", errors="replace")
    clean = re.sub(r"[^\S\n]", " ", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text))
    last = [line for line in clean.splitlines()[-lines:] if line.isprintable()]
    return "\n".join(f"    {line[:LONGEST_LINE]}" for line in last)
