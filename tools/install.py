"""Make the project's virtual environment from the locked, hashed requirements.

`make` runs this before anything that needs the environment. It uses the standard library only,
because it runs before anything is installed. What was installed is recorded inside the
environment, by content: when the lock files, pyproject.toml and the interpreter still match the
record, nothing is done. An environment whose installation was cut off is never used as it is.

There are two stages: everything else, then llama.cpp, which takes minutes to compile. With
`--background` the second runs behind the program, at the lowest priority.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from venv import EnvBuilder

from llama_compilation import (
    PACKAGE,
    ROOT,
    RUNTIME_LOCK,
    InstallError,
    Report,
    compile_llama,
    compiled_files,
    lock_entry,
    minutes_to_compile,
    require_compilers,
)
from pip_installer import LOG, Installer, Progress, python_of

RECORD = "installed.json"

SECONDS_BETWEEN_LOOKS = 0.5

BUILD_LOCK = "requirements-build.txt"
TEST_LOCK = "requirements-dev.txt"


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
    llama: bool = True
    """Whether llama.cpp is installed, which is the second stage."""

    def extends_to(self, wanted: Record) -> bool:
        """Whether what is here is sound, so that only something has to be added."""
        return (
            self.complete
            and self.locks == wanted.locks
            and (not self.llama or wanted.cmake_args in ("", self.cmake_args))
        )

    def satisfies(self, wanted: Record) -> bool:
        return (
            self.extends_to(wanted)
            and self.project == wanted.project
            and (self.tests or not wanted.tests)
            and (self.llama or not wanted.llama)
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
        llama=True,
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


def works(venv: Path) -> bool:
    """Whether the environment has a Python that is new enough, with pip."""
    question = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        answer = subprocess.run([python_of(venv), "-c", question], capture_output=True)
    except OSError:
        return False
    return answer.returncode == 0


def make_environment(venv: Path) -> None:
    """Make an environment with pip. The Python that runs this may be of one that was there."""
    try:
        EnvBuilder(symlinks=True, with_pip=True).create(venv)
    except subprocess.CalledProcessError as error:
        output = (error.output or b"").decode(errors="replace")
        raise InstallError(f"The environment could not be made:\n{output}") from None


def install(venv: Path, wanted: Record, environ: Mapping[str, str], progress: Progress) -> Record:
    """Bring `venv` to what the locks say, from whatever state it is in; what it holds then.

    That is with llama.cpp where it is wanted, or is compiled already. Raises InstallError where a
    person has to do something first.
    """
    recorded = read_record(venv)
    installer = Installer(venv, environ, progress)
    if not works(venv) or not (recorded and recorded.satisfies(replace(wanted, llama=False))):
        recorded = install_packages(installer, wanted, recorded)
        progress.say("Installed." if recorded.llama else "Installed, but for llama.cpp.")
    if not recorded.llama and (wanted.llama or installer.has_built_wheel(recorded.cmake_args)):
        recorded = install_llama(installer, recorded)
        progress.say("Installed llama.cpp.")
    return recorded


def install_packages(installer: Installer, wanted: Record, recorded: Record | None) -> Record:
    """The first stage: everything but llama.cpp."""
    venv, progress = installer.venv, installer.progress
    usable = works(venv)
    adopted = venv.exists() and (recorded is None or not recorded.made_here)
    if adopted and not usable:
        raise InstallError(
            f"{venv} is there, but it has no Python 3.11 or newer with pip. Remove or rename it."
        )
    interrupted = recorded is not None and not recorded.complete
    anew = not adopted
    made = replace(wanted, made_here=not adopted, llama=False)
    if recorded is not None and (adopted or (usable and recorded.extends_to(wanted))):
        anew = False
        kept = recorded.llama and recorded.extends_to(wanted)
        made = replace(
            made,
            tests=wanted.tests or recorded.tests,
            cmake_args=wanted.cmake_args or recorded.cmake_args,
            llama=kept,
        )

    progress.say(f"Setting up {venv.name}: the locked packages, checked against their hashes.")
    if anew:
        if venv.exists():
            shutil.rmtree(venv)
        venv.mkdir(parents=True)
    write_record(venv, replace(made, complete=False))
    if anew:
        make_environment(venv)

    installer.pip("install", "--no-build-isolation", "--require-hashes", "-r", BUILD_LOCK)
    if wanted.llama and not made.llama and not installer.has_built_wheel(made.cmake_args):
        require_compilers(installer.environ)
    packages = venv / RUNTIME_LOCK
    text = (ROOT / RUNTIME_LOCK).read_text(encoding="utf-8")
    packages.write_text(text.replace(lock_entry(PACKAGE, RUNTIME_LOCK), ""), encoding="utf-8")
    locks = [packages, TEST_LOCK] if made.tests else [packages]
    arguments = [argument for lock in locks for argument in ("-r", lock)]
    reinstall = ["--force-reinstall"] if adopted and interrupted else []
    installer.pip("install", "--no-build-isolation", "--require-hashes", *reinstall, *arguments)
    installer.pip("install", "--no-build-isolation", "--no-deps", "--editable", ROOT)
    write_record(venv, made)
    return made


def install_llama(installer: Installer, recorded: Record) -> Record:
    """The second stage: llama.cpp."""
    with Report(installer.venv) as report:
        built = installer.has_built_wheel(recorded.cmake_args)
        if not built:
            require_compilers(installer.environ)
        compile_llama(replace(installer, report=report), recorded.cmake_args, built=built)
        made = replace(recorded, llama=True)
        write_record(installer.venv, made)
    return made


def install_llama_behind(installer: Installer, recorded: Record) -> None:
    """Run the second stage in a process of its own, which goes on when this one ends."""
    if os.fork():
        return
    os.setsid()
    os.nice(19)
    signal.signal(signal.SIGTERM, end_all)
    with (installer.venv / LOG).open("ab") as log, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    try:
        # Made here, where the output is no terminal any more.
        install_llama(replace(installer, progress=Progress(sys.stdout)), recorded)
    except (InstallError, OSError) as error:
        sys.exit(str(error))
    sys.exit()


def wait_for_the_other(guard: int, venv: Path, progress: Progress) -> None:
    """Wait until the installation that holds the guard has ended, and show what it compiles."""
    progress.say("Another installation is running in this folder: waiting until it has ended.")
    while not held(guard):
        if counted := compiled_files(venv):
            progress.compiled(*counted)
        else:
            progress.step("waiting")
        time.sleep(SECONDS_BETWEEN_LOOKS)


def held(guard: int) -> bool:
    """Take the guard of this folder where nobody else holds it; whether this process has it."""
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def end_all(number: int, _frame: object) -> None:
    """End pip and the compilers with this process."""
    signal.signal(number, signal.SIG_DFL)
    os.killpg(0, number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("venv", type=Path, help="the folder of the environment")
    parser.add_argument("--tests", action="store_true", help="with what the tests and linters need")
    parser.add_argument("--check", action="store_true", help="only tell if it is done")
    parser.add_argument(
        "--background", action="store_true", help="end when only llama.cpp is left to compile"
    )
    options = parser.parse_args()
    # Not resolved: bin/python of an environment is a link out of it.
    venv: Path = options.venv.absolute()
    wanted = wanted_record(options.tests, os.environ)
    if options.check:
        recorded = read_record(venv)
        return not (recorded and recorded.satisfies(wanted))

    progress = Progress(sys.stdout)
    guard = os.open(ROOT, os.O_RDONLY)
    if options.background:
        wanted = replace(wanted, llama=False)
    try:
        if not held(guard):
            recorded = read_record(venv)
            if options.background and recorded and recorded.satisfies(wanted):
                return 0  # llama.cpp is being compiled
            wait_for_the_other(guard, venv, progress)
        made = install(venv, wanted, os.environ, progress)
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on where it was.", file=sys.stderr)
        return 130
    except (InstallError, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    if not made.llama:
        progress.say(
            f"llama.cpp is compiled behind the program, about {minutes_to_compile()} and only this "
            "once; recorded answers stand in for it."
        )
        # It inherits the guard, and holds it until it ends.
        install_llama_behind(Installer(venv, os.environ, progress), made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
