"""Runs the installed program: in a process of its own, warm, and in a pseudo terminal.

    python tools/behaviour_program.py PROGRAM

serves a `WarmProgram`: it runs commands that standard input names.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer


@dataclass(frozen=True)
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All of it, as it is recorded."""
        parts = [self.out]
        if self.err:
            parts.append(f"--- stderr\n{self.err}")
        if self.code:
            parts.append(f"--- exit code {self.code}\n")
        return "".join(parts)


class Program:
    """The installed program, with homes of its own."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.home = Path(tempfile.mkdtemp(prefix="behaviour-"))

    def environment(self, home: str = "home") -> dict[str, str]:
        """An environment with a home of its own, in English, without colours or movement."""
        folder = self.home / home
        folder.mkdir(exist_ok=True)
        xdg = {"CONFIG": ".config", "DATA": ".local/share", "CACHE": ".cache", "STATE": ".state"}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            **{f"XDG_{name}_HOME": str(folder / below) for name, below in xdg.items()},
            "LANG": "C.UTF-8",
            "LANGUAGE": "en",
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
        }

    def run(self, *words: str, home: str = "home") -> Result:
        """Run the program in a process of its own."""
        done = subprocess.run(
            [self.file, *words],
            capture_output=True,
            env=self.environment(home),
            cwd=self.home,
            timeout=300,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


class WarmProgram:
    """The program with its modules loaded, forked for every command: a start takes no time."""

    def __init__(self, program: Program) -> None:
        self._files = [Path(tempfile.mkstemp(dir=program.home)[1]) for _ in range(2)]
        self._process = subprocess.Popen(
            [program.file.with_name("python"), __file__, program.file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=program.environment(),
            cwd=program.home,
            text=True,
        )

    def run(self, *words: str, warm: bool = False) -> Result:
        """Run the program; `warm` keeps the modules that this command loads for the later ones."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        job = {"words": words, "files": [str(file) for file in self._files], "warm": warm}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return Result(code, *(file.read_text("utf-8") for file in self._files))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def worker(program: str) -> None:
    """Run commands as standard input names them; the other end of `WarmProgram`."""
    replies = os.fdopen(os.dup(1), "w")
    # Typer makes all commands again for every run, which takes longer than most of them.
    typer.main.get_command = functools.cache(typer.main.get_command)
    sys.path[0] = str(Path(program).parent)

    def execute(job: dict[str, Any]) -> int:
        for number, file in enumerate(job["files"], start=1):
            opened = os.open(file, os.O_WRONLY | os.O_TRUNC)
            os.dup2(opened, number)
            os.close(opened)
        sys.argv = [program, *job["words"]]
        try:
            runpy.run_path(program, run_name="__main__")
            code = 0
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else int(leave.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
        return code

    for line in sys.stdin:
        job = json.loads(line)
        if job["warm"]:
            code = execute(job)
            gc.freeze()
        elif child := os.fork():
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            code = 1
            try:
                code = execute(job)
            finally:
                os._exit(code)
        print(code, file=replies, flush=True)


class Terminal:
    """The program in a pseudo terminal."""

    def __init__(self, program: Program, words: list[str], size: tuple[int, int]) -> None:
        import pyte
        from ptyprocess import PtyProcess

        environment = program.environment("-".join(map(str, (*words, *size))))
        self._process = PtyProcess.spawn(
            [str(program.file), *words],
            dimensions=size[::-1],
            cwd=str(program.home),
            env={name: value for name, value in environment.items() if name != "COLUMNS"},
        )
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    def stable(self, quiet: float = 0.8, within: float = 120) -> str:
        """The screen, when nothing was drawn and nothing computed for some seconds."""
        end, begun, used = time.monotonic() + within, time.monotonic(), self._used()
        while time.monotonic() < end:
            if select.select([self._process.fd], [], [], 0.1)[0]:
                self._stream.feed(self._process.read(65536))
            elif time.monotonic() - begun < quiet:
                continue
            elif self._used() - used <= 2:
                return "\n".join(line.rstrip() for line in self._screen.display) + "\n"
            begun, used = time.monotonic(), self._used()
        raise TimeoutError("\n".join(self._screen.display))

    def press(self, keys: str) -> None:
        """Type keys; escape needs a moment, or it would begin a sequence."""
        for key in keys:
            self._process.write(key.encode())
            time.sleep(0.3 if key == "\x1b" else 0)

    def close(self) -> None:
        """End the program."""
        self._process.kill(signal.SIGKILL)
        self._process.wait()
        self._process.close()

    def _used(self) -> int:
        """Processor time of the program and the processes that it started, in ticks."""
        total, pids = 0, [self._process.pid]
        while pids:
            process = Path("/proc", str(pids.pop()))
            try:
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                children = [file.read_text() for file in process.glob("task/*/children")]
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])
            pids += [int(pid) for text in children for pid in text.split()]
        return total


if __name__ == "__main__":
    worker(sys.argv[1])
