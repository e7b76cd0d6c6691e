"""Installs a built package as a stranger would, and runs the main job with it from another folder.

    python tools/try_package.py dist --python python3.12 --with uv

The environment is new, and so are the home and the folder that the job runs in. Only the standard
library is used, because the Python that runs this need not have anything installed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

INSTALLERS = ("pip", "pipx", "uv")
PROGRAM = "commonsense-tui"
ITEMS = 3


class TrialError(Exception):
    """What went wrong, with what the command printed."""


def run(
    command: Sequence[str | Path], env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Run a command to its end; its output. Raises `TrialError` if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8"
    )
    if done.returncode != 0:
        raise TrialError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(package: Path, python: str, installer: str, links: Path | None, folder: Path) -> Path:
    """Install the package into a new environment in `folder`; the installed program."""
    found = ["--find-links", str(links.resolve())] if links else []
    if installer == "pip":
        run([python, "-m", "venv", folder / "environment"])
        programs = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        run([programs / "python", "-m", "pip", "install", "--quiet", *found, package])
        return programs / PROGRAM
    programs = folder / "programs"
    if installer == "pipx":
        own = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(programs)}
        options = [f"--pip-args={' '.join(found)}"] if found else []
        command = ["pipx", "install", "--python", python, *options, package]
    else:
        own = {"UV_TOOL_DIR": str(folder / "uv"), "UV_TOOL_BIN_DIR": str(programs)}
        command = ["uv", "tool", "install", "--quiet", "--python", python, *found, package]
    run(command, env={**os.environ, **own})
    return programs / PROGRAM


def main_job(program: Path, folder: Path) -> None:
    """Ask the bundled model about bundled stories, and write one as a page; nothing is looked for
    in the home or the folder of the person who tries this."""
    elsewhere, home = folder / "elsewhere", folder / "home"
    elsewhere.mkdir()
    home.mkdir()
    kept = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
    env |= {"APPDATA": str(home), "LOCALAPPDATA": str(home)}
    words = ["evaluate", "gita", "--limit", str(ITEMS), "--store", "runs.sqlite", "--json"]
    summary = json.loads(run([program, *words], env, elsewhere))
    if summary["n"] != ITEMS:
        raise TrialError(f"asked about {summary['items']} items, not {ITEMS}")
    run([program, "export", "html", "gita", "0-O0", "--out", "story.html"], env, elsewhere)
    if b"</html>" not in (elsewhere / "story.html").read_bytes():
        raise TrialError("the page that was exported is not complete")
    run([program, "doctor"], env, elsewhere)


def try_package(package: Path, python: str, installer: str, links: Path | None) -> None:
    """Install the package and do the main job with it; prints how long each took."""
    folder = Path(tempfile.mkdtemp(prefix="try-package-"))
    try:
        begun = time.monotonic()
        program = install(package, python, installer, links, folder)
        installed = time.monotonic()
        main_job(program, folder)
        ended = time.monotonic()
    finally:
        shutil.rmtree(folder)
    version = run([python, "-c", "import platform; print(platform.python_version())"]).strip()
    print(
        f"{package.name}, {installer}, Python {version}: "
        f"installed in {installed - begun:.0f} s, main job in {ended - installed:.0f} s",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path, help="a wheel, an sdist or a folder with them")
    parser.add_argument("--python", default=sys.executable, help="the Python to install it for")
    parser.add_argument("--with", dest="installer", choices=INSTALLERS, default="pip")
    parser.add_argument(
        "--find-links", type=Path, help="a folder with wheels, say of llama-cpp-python"
    )
    options = parser.parse_args()
    path: Path = options.path.resolve()
    try:
        python = shutil.which(options.python)
        if python is None:
            raise TrialError(f"there is no {options.python}")
        packages = (
            sorted([*path.glob("*.whl"), *path.glob("*.tar.gz")]) if path.is_dir() else [path]
        )
        if not packages:
            raise TrialError(f"there is no wheel and no sdist in {path}")
        for package in packages:
            try_package(package, python, options.installer, options.find_links)
    except TrialError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
