"""Makes one archive that installs the program on a like machine without network or compiler.

    make bundle

It holds the locked packages as wheels, llama.cpp compiled, this package with the bundled model, and
an installer. A like machine has the same system, processor and version of Python.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from pathlib import Path

from bundle_installer import described
from install import BUILD_LOCK
from llama_compilation import ROOT, RUNTIME_LOCK, cmake_arguments, lock_entry

SHARED_LIBRARY = "libgomp.so.1"
"""What llama.cpp needs and only machines with a compiler are sure to have."""


def run(command: list[str | Path], **changes: str) -> None:
    """Run a command in the checkout; ends the program where it fails."""
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **changes})
    if done.returncode != 0:
        sys.exit(done.returncode)


def collect_wheels(folder: Path) -> None:
    """Put every locked package into the folder as a wheel; what has none is compiled."""
    own_args = os.environ.get("CMAKE_ARGS", "").strip()
    pip: list[str | Path] = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    pip += ["--no-build-isolation", "--require-hashes", "--wheel-dir", folder]
    if own_args:  # pip's store of built wheels does not tell one set of CMake arguments apart
        pip.append("--no-cache-dir")
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as only_pip:
        only_pip.write(lock_entry("pip", BUILD_LOCK))
        only_pip.flush()
        path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
        run(
            [*pip, "-r", RUNTIME_LOCK, "-r", only_pip.name],
            CMAKE_ARGS=cmake_arguments(own_args),
            PATH=path,
        )
    run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder])


def copy_shared_library(folder: Path) -> None:
    """Put a copy of the library into the folder, if llama.cpp was linked with it here."""
    folder.mkdir()
    try:
        ctypes.CDLL(SHARED_LIBRARY)
    except OSError:
        return
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = line.partition("/")[1:]
        if path[1].rpartition("/")[2].startswith(SHARED_LIBRARY):
            shutil.copy("".join(path), folder / SHARED_LIBRARY)
            return


def make(to: Path) -> Path:
    """Write the archive into the folder `to`; its path."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    machine = described()
    tag = f"{machine['python'].replace(' ', '')}-{sysconfig.get_platform()}".replace(".", "")
    name = f"{project['name']}-{project['version']}"
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        stage = Path(temporary) / name
        (stage / "wheels").mkdir(parents=True)
        collect_wheels(stage / "wheels")
        copy_shared_library(stage / "libraries")
        shutil.copy(ROOT / "tools" / "bundle_installer.py", stage / "install.py")
        shutil.copy(ROOT / "LICENSE", stage)
        hashes = {
            wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest()
            for wheel in sorted((stage / "wheels").iterdir())
        }
        about = {"version": project["version"], "machine": machine, "wheels": hashes}
        (stage / "bundle.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        archive = to / f"{name}-{tag}.tar"
        # Wheels are compressed already.
        with tarfile.open(archive, "w") as tar:
            tar.add(stage, arcname=name)
    return archive


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--to", type=Path, default=ROOT / "build", help="the folder to write into")
    options = parser.parse_args()
    archive = make(options.to)
    name = archive.name.partition("-cpython")[0]
    print(f"{archive} ({archive.stat().st_size / 1e6:.0f} MB). On the other machine:")
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    print(f"tar xf {archive.name} && {python} {name}/install.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
