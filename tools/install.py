"""Make the project's virtual environment from the locked, hashed requirements.

`make` runs this before anything that needs the environment. It uses the standard library only,
because it runs before anything is installed. What was installed is recorded inside the
environment, by content: when the lock files, pyproject.toml and the interpreter still match the
record, nothing is done. An environment whose installation was cut off is never used as it is.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO
from venv import EnvBuilder

ROOT = Path(__file__).resolve().parent.parent
RECORD = "installed.json"
LOG = "install.log"

BUILD_LOCK = "requirements-build.txt"
RUNTIME_LOCK = "requirements.txt"
TEST_LOCK = "requirements-dev.txt"

# llama.cpp without its image and audio models takes 7.5 minutes of one core (measured at 2.5 GHz).
CORE_MINUTES_TO_COMPILE = 7.5
COMPILERS = {"CC": ("cc", "gcc", "clang"), "CXX": ("c++", "g++", "clang++")}


class InstallError(Exception):
    """Something a person has to mend; the text says what and how."""


@dataclass(frozen=True, slots=True)
class Record:
    """What an environment holds. Written as not complete before the first change to it."""

    complete: bool
    made_here: bool
    """False for an environment that was there before: it is installed into, never removed."""
    locks: str
    project: str
    tests: bool
    cmake_args: str

    def extends_to(self, wanted: Record) -> bool:
        """Whether what is here is sound, so that only something has to be added."""
        return (
            self.complete
            and self.locks == wanted.locks
            and wanted.cmake_args in ("", self.cmake_args)
        )

    def satisfies(self, wanted: Record) -> bool:
        return (
            self.extends_to(wanted)
            and self.project == wanted.project
            and (self.tests or not wanted.tests)
        )


def digest(*names: str) -> str:
    """The SHA-256 of the named project files, in this order."""
    total = hashlib.sha256()
    for name in names:
        total.update(hashlib.sha256((ROOT / name).read_bytes()).digest())
    return total.hexdigest()


def wanted_record(tests: bool, environ: Mapping[str, str]) -> Record:
    return Record(
        complete=True,
        made_here=True,
        locks=digest(BUILD_LOCK, RUNTIME_LOCK, TEST_LOCK),
        project=digest("pyproject.toml"),
        tests=tests,
        cmake_args=environ.get("CMAKE_ARGS", "").strip(),
    )


def read_record(venv: Path) -> Record | None:
    """None where the environment was not made by this script, or the record is not readable."""
    try:
        return Record(**json.loads((venv / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_record(venv: Path, record: Record) -> None:
    temporary = venv / f"{RECORD}.new"
    temporary.write_text(json.dumps(asdict(record)) + "\n", encoding="utf-8")
    temporary.replace(venv / RECORD)


def python_of(venv: Path) -> Path:
    return venv / "bin" / "python"


def works(venv: Path) -> bool:
    """Whether the environment has a Python that is new enough, with pip."""
    question = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        answer = subprocess.run([python_of(venv), "-c", question], capture_output=True)
    except OSError:
        return False
    return answer.returncode == 0


def cmake_arguments(given: str) -> str:
    """The person's own CMake arguments, and the one that leaves out a third of the compiling."""
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


def announcement(cores: int) -> str:
    minutes = max(1, round(CORE_MINUTES_TO_COMPILE / min(cores, 8)))
    plural = "" if minutes == 1 else "s"
    return (
        "Compiling llama.cpp, which runs the models: about "
        f"{minutes} minute{plural} with {cores} free cores, and only this once."
    )


@dataclass(frozen=True, slots=True)
class Installer:
    """Runs pip inside one environment and shows how far it is."""

    venv: Path
    environ: Mapping[str, str]
    progress: Progress

    def pip(self, *arguments: str | Path, reinstall: bool = False) -> None:
        """Run `pip install` with these arguments; InstallError with its last words if it fails."""
        own_args = self.environ.get("CMAKE_ARGS", "").strip()
        env = dict(self.environ)
        env["CMAKE_ARGS"] = cmake_arguments(own_args)
        # The locked cmake and ninja stand in the environment.
        env["PATH"] = f"{self.venv / 'bin'}{os.pathsep}{self.environ.get('PATH', os.defpath)}"
        command: list[str | Path] = [
            python_of(self.venv),
            "-m",
            "pip",
            "--verbose",
            "--no-input",
            "--disable-pip-version-check",
            "install",
            "--no-build-isolation",
        ]
        if own_args:  # pip's store of built wheels does not tell one set of CMake arguments apart
            command.append("--no-cache-dir")
        if reinstall:
            command.append("--force-reinstall")
        log = self.venv / LOG
        status = stream([*command, *arguments], env, log, self._show, self.progress.tick)
        if status != 0:
            raise InstallError(
                f"pip stopped with status {status}. The last lines it printed:\n{tail(log)}\n"
                f"All it printed: {log}"
            )

    def has_built_wheel(self) -> bool:
        """Whether pip's own store holds llama-cpp-python as the lock names it, already compiled."""
        version = re.search(
            r"^llama-cpp-python==(\S+)", (ROOT / RUNTIME_LOCK).read_text(encoding="utf-8"), re.M
        )
        question = ["pip", "cache", "list", "llama_cpp_python", "--format=abspath"]
        listed = subprocess.run(
            [python_of(self.venv), "-m", *question],
            capture_output=True,
            text=True,
            env=dict(self.environ),
        )
        return version is not None and f"llama_cpp_python-{version[1]}-" in listed.stdout

    def _show(self, line: str) -> None:
        line = line.strip()
        if found := re.match(r"\[(\d+)/(\d+)\] ", line):
            self.progress.compiled(int(found[1]), int(found[2]))
        elif found := re.match(
            r"(?:Collecting|Downloading|Using cached) ([\w.-]+?)(?=-\d|[^\w.-]|$)", line, re.A
        ):
            self.progress.step(f"fetching {found[1]}")
        elif line.startswith("Building wheel for llama-cpp-python") and line.endswith("started"):
            self.progress.say(announcement(os.cpu_count() or 1))
        elif found := re.match(r"Installing collected packages: (.+)", line):
            count = len(found[1].split(","))
            self.progress.step(f"installing {count} package{'' if count == 1 else 's'}")


def tail(log: Path, lines: int = 20) -> str:
    """The end of the log, without terminal control characters."""
    text = log.read_text(encoding="utf-8", errors="replace")
    clean = re.sub(r"[^\S\n]", " ", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text))
    return "\n".join("    " + line for line in clean.splitlines()[-lines:] if line.isprintable())


def make_environment(venv: Path) -> None:
    """Make an environment with pip. The Python that runs this may be of one that was there."""
    try:
        EnvBuilder(symlinks=True, with_pip=True).create(venv)
    except subprocess.CalledProcessError as error:
        output = (error.output or b"").decode(errors="replace")
        raise InstallError(f"The environment could not be made:\n{output}") from None


def install(venv: Path, tests: bool, environ: Mapping[str, str], progress: Progress) -> None:
    """Bring `venv` to what the locks say, from whatever state it is in.

    Raises InstallError where a person has to do something first.
    """
    wanted = wanted_record(tests, environ)
    recorded = read_record(venv)
    usable = works(venv)
    if recorded is not None and usable and recorded.satisfies(wanted):
        return
    adopted = venv.exists() and (recorded is None or not recorded.made_here)
    if adopted and not usable:
        raise InstallError(
            f"{venv} is there, but it has no Python 3.11 or newer with pip. Remove or rename it."
        )
    interrupted = recorded is not None and not recorded.complete
    if recorded is not None and (adopted or (usable and recorded.extends_to(wanted))):
        wanted = replace(wanted, tests=tests or recorded.tests, cmake_args=recorded.cmake_args)
        anew = False
    else:
        anew = not adopted

    progress.say(f"Setting up {venv.name}: the locked packages, checked against their hashes.")
    if anew:
        if venv.exists():
            shutil.rmtree(venv)
        venv.mkdir(parents=True)
    wanted = replace(wanted, made_here=not adopted)
    write_record(venv, replace(wanted, complete=False))
    if anew:
        make_environment(venv)

    installer = Installer(venv, environ, progress)
    reinstall = adopted and interrupted
    installer.pip("--require-hashes", "-r", BUILD_LOCK)
    if not installer.has_built_wheel():
        require_compilers(environ)
    locks = [RUNTIME_LOCK, TEST_LOCK] if wanted.tests else [RUNTIME_LOCK]
    arguments = [argument for lock in locks for argument in ("-r", lock)]
    installer.pip("--require-hashes", *arguments, reinstall=reinstall)
    installer.pip("--no-deps", "--editable", ROOT)
    write_record(venv, wanted)
    progress.say("Installed.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("venv", type=Path, help="the folder of the environment")
    parser.add_argument("--tests", action="store_true", help="with what the tests and linters need")
    parser.add_argument("--check", action="store_true", help="only tell if it is done")
    options = parser.parse_args()
    # Not resolved: bin/python of an environment is a link out of it.
    venv: Path = options.venv.absolute()
    if options.check:
        recorded = read_record(venv)
        return not (recorded and recorded.satisfies(wanted_record(options.tests, os.environ)))

    guard = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another installation is running in this folder. Wait for it.", file=sys.stderr)
        return 1
    try:
        install(venv, options.tests, os.environ, Progress(sys.stdout))
    except KeyboardInterrupt:
        print("\nStopped. The same command starts this step again.", file=sys.stderr)
        return 130
    except (InstallError, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
