"""Builds the package, and makes environments that hold it as a stranger's would."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The file names, below the running environment's packages, of this project's own installation.
OWN_PACKAGES = ("core", "tui", "themes", "samples")
OWN_PREFIXES = ("commonsense_tui-", "_commonsense_tui", "_editable_impl_commonsense_tui")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment of its own, used from a folder and a home that hold nothing."""

    prefix: Path
    elsewhere: Path

    @property
    def python(self) -> Path:
        return self.prefix / "bin" / "python"

    @property
    def program(self) -> Path:
        return self.prefix / "bin" / "commonsense-tui"

    @property
    def environ(self) -> dict[str, str]:
        """All that its processes find in their environment."""
        return {
            "HOME": str(self.elsewhere / "home"),
            "LANG": "C.UTF-8",
            "PATH": f"{self.prefix / 'bin'}{os.pathsep}{os.defpath}",
            "PYTHONNOUSERSITE": "1",
            "TERM": "xterm-256color",
        }

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; what it printed and its exit status."""
        return subprocess.run(
            command,
            cwd=self.elsewhere,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )


def build(kind: str, source: Path, out: Path) -> Path:
    """Build a `wheel` or an `sdist` of `source` with the installed hatchling, offline."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", out],
        cwd=source,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    (built,) = out.iterdir()
    return built


def expose_dependencies(site_packages: Path, links: Path, without: tuple[str, ...]) -> None:
    """Let a new environment import what the running one has, without our own installation.

    Compiling llama.cpp once more would take minutes, so its packages are borrowed: one link each,
    in a folder that a .pth file names. What begins with one of the names in `without` is left out.
    The .pth files of the running environment, an editable installation's among them, are not
    followed from there.
    """
    links.mkdir()
    for installed in {Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))}:
        for entry in installed.iterdir():
            own = entry.name in OWN_PACKAGES or entry.name.startswith((*OWN_PREFIXES, *without))
            if not own and entry.suffix != ".pth" and not (links / entry.name).exists():
                (links / entry.name).symlink_to(entry)
    (site_packages / "dependencies.pth").write_text(f"{links}\n", encoding="utf-8")


def pip(environment: Environment, *words: str | Path) -> None:
    """Let the running environment's pip work on another one, offline."""
    command = [sys.executable, "-m", "pip", "--python", str(environment.python), "--isolated"]
    done = subprocess.run(
        [*command, *map(str, words)],
        cwd=environment.elsewhere,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr


def make_environment(folder: Path, wheel: Path, without: tuple[str, ...] = ()) -> Environment:
    """An environment with the wheel, installed by pip, and what it needs but for `without`."""
    prefix = folder / "venv"
    venv.create(prefix, symlinks=True)
    environment = Environment(prefix, folder / "elsewhere")
    (environment.elsewhere / "home").mkdir(parents=True)
    pip(environment, "install", "--quiet", "--no-deps", "--no-index", wheel)
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site_packages = environment.run(environment.python, "-c", asked)
    links = folder / "dependencies"
    expose_dependencies(Path(site_packages.stdout.strip()), links, without)
    return environment
