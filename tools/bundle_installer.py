"""Installs commonsense-tui from the files beside this one, without network or compiler.

    python3 install.py

The environment is made beside this file and nothing is written elsewhere, so removing the folder
removes the program. Only the standard library is used.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from venv import EnvBuilder

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / "environment"
PROGRAM = ENVIRONMENT / "bin" / "commonsense-tui"


class InstallError(Exception):
    """Something a person has to mend; the text says what and how."""


def described() -> dict[str, str]:
    """What of this machine decides whether compiled packages fit."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "python": f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}",
        "libc": " ".join(platform.libc_ver()),
    }


def numbers(version: str) -> tuple[int, ...]:
    """The numbers in the last word of a version, to compare them."""
    return tuple(int(part) for part in version.split()[-1].split(".") if part.isdigit())


def check_machine(made_for: dict[str, str]) -> None:
    """Raise InstallError where this machine is not like the one that the bundle was made on."""
    here = described()
    for name in ("system", "machine", "python"):
        if here[name] != made_for[name]:
            raise InstallError(
                f"This bundle is for {made_for['python']} on {made_for['system']} "
                f"{made_for['machine']}; this is {here['python']} on {here['system']} "
                f"{here['machine']}. Run it with that Python, or make a bundle on a machine "
                "like this one."
            )
    if made_for["libc"] and numbers(here["libc"]) < numbers(made_for["libc"]):
        raise InstallError(
            f"This bundle needs {made_for['libc']} or newer; this machine has {here['libc']}. "
            "Make a bundle on a machine like this one."
        )


def check_wheels(hashes: dict[str, str]) -> list[Path]:
    """The packages; raises InstallError for one that is missing or was changed."""
    wheels = []
    for name, expected in hashes.items():
        wheel = HERE / "wheels" / name
        if not wheel.is_file() or hashlib.sha256(wheel.read_bytes()).hexdigest() != expected:
            raise InstallError(f"{wheel} is missing or damaged. Unpack the archive again.")
        wheels.append(wheel)
    return wheels


def run(command: list[str | Path], failure: str) -> None:
    """Run a command where no configuration of the person's is found; InstallError if it fails."""
    with tempfile.TemporaryDirectory() as home:
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        environ = {**kept, "HOME": home, "LANG": "C.UTF-8", "PYTHONNOUSERSITE": "1"}
        done = subprocess.run(command, cwd=home, env=environ, capture_output=True, text=True)
    if done.returncode != 0:
        raise InstallError(f"{failure}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def add_missing_libraries() -> None:
    """Put what compiled programs share beside llama.cpp, where the system has it not."""
    for library in (HERE / "libraries").iterdir():
        try:
            ctypes.CDLL(library.name)
        except OSError:
            for folder in ENVIRONMENT.glob("lib/python3.*/site-packages/llama_cpp/lib"):
                shutil.copy(library, folder)


def install() -> None:
    """Make the environment, and ask the bundled model a question in it."""
    made = json.loads((HERE / "bundle.json").read_text(encoding="utf-8"))
    check_machine(made["machine"])
    wheels = check_wheels(made["wheels"])
    if ENVIRONMENT.exists():
        shutil.rmtree(ENVIRONMENT)
    EnvBuilder(symlinks=True, with_pip=False).create(ENVIRONMENT)
    # pip works from inside its own wheel, so that Python's module ensurepip is not needed.
    [pip] = [wheel for wheel in wheels if wheel.name.startswith("pip-")]
    install_command = [ENVIRONMENT / "bin" / "python", pip / "pip", "install"]
    options = ["--isolated", "--disable-pip-version-check", "--no-cache-dir", "--quiet"]
    options += ["--no-index", "--no-deps"]
    run([*install_command, *options, *wheels], "The packages could not be installed.")
    add_missing_libraries()
    run(
        [PROGRAM, "ask", "gita", "0-O0", "--model", "demo"],
        "The packages are installed, but the bundled model does not answer. llama.cpp may have "
        "been compiled for another processor: make the bundle with CMAKE_ARGS=-DGGML_NATIVE=OFF.",
    )


def main() -> int:
    begun = time.monotonic()
    try:
        install()
    except (InstallError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Installed in {time.monotonic() - begun:.0f} s; the bundled model answers. Start it by:")
    print(PROGRAM)
    return 0


if __name__ == "__main__":
    sys.exit(main())
