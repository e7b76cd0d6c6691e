"""Builds a release, checks it, and tags the commit; nothing is published.

    make release

Before: set the version in pyproject.toml and CITATION.cff, give the changelog a heading with it,
and commit.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path.cwd()
DIST = ROOT / "dist"
LARGEST = 25_000_000
"""Most bytes of a package."""


class ReleaseError(Exception):
    """Why there is no release yet."""


def run(*command: str | Path) -> str:
    """The output of a command; raises ReleaseError if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_sources(version: str) -> None:
    """Raise ReleaseError unless everything that names a version names this one, committed."""
    if changed := run("git", "status", "--porcelain"):
        raise ReleaseError(f"These files are not committed:\n{changed}")
    if run("git", "tag", "--list", f"v{version}"):
        raise ReleaseError(f"v{version} is there already; set a new version in pyproject.toml.")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)}\b", changes, re.MULTILINE):
        raise ReleaseError(f"CHANGELOG.md has no heading “## {version}”.")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    if not re.search(rf"^version: {re.escape(version)}$", citation, re.MULTILINE):
        raise ReleaseError(f"CITATION.cff does not say “version: {version}”.")


def build_packages() -> list[Path]:
    """Build sdist and wheel anew, and check them; their paths."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", "--directory", DIST)
    packages = sorted(DIST.iterdir())
    for package in packages:
        if (size := package.stat().st_size) > LARGEST:
            raise ReleaseError(f"{package.name} has {size:,} bytes, more than {LARGEST:,}.")
    run(sys.executable, "-m", "twine", "check", "--strict", *packages)
    return packages


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = str(project["version"])
    try:
        check_sources(version)
        packages = build_packages()
        run("git", "tag", "--annotate", f"v{version}", "--message", f"{project['name']} {version}")
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    for package in packages:
        print(f"{package.relative_to(ROOT)}  {package.stat().st_size / 1e6:.1f} MB")
    print(f"Tagged v{version}. To publish: git push origin v{version} && twine upload dist/*")
    return 0


if __name__ == "__main__":
    sys.exit(main())
