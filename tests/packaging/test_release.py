"""`make release` in a repository of its own, with real builds and a real twine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.packaging.environments import ROOT

FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", ".gitignore")
FOLDERS = ("commonsense_tui", "core", "tui", "themes", "samples")
VERSION = str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def git(repository: Path, *words: str) -> str:
    own = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    command = ["git", "-C", str(repository), *own, *words]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose changelog has the version."""
    folder = tmp_path_factory.mktemp("ready")
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    changes = folder / "CHANGELOG.md"
    text = changes.read_text("utf-8").replace("## Unreleased", f"## {VERSION} - 2026-01-01")
    changes.write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


@pytest.fixture
def repository(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of it."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.org")
    git(tmp_path, "clone", "--quiet", "--shared", str(ready), "clone")
    return tmp_path / "clone"


def commit(repository: Path) -> None:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "A state")


def release(repository: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / "release.py"]
    return subprocess.run(command, cwd=repository, capture_output=True, encoding="utf-8")


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
def test_a_release_is_built_checked_and_tagged_once(repository: Path) -> None:
    done = release(repository)
    assert done.returncode == 0, done.stderr
    built = sorted(path.name for path in (repository / "dist").iterdir())
    assert [name.partition("-")[2] for name in built] == [
        f"{VERSION}-py3-none-any.whl",
        f"{VERSION}.tar.gz",
    ]
    assert git(repository, "tag").split() == [f"v{VERSION}"]
    again = release(repository)
    assert again.returncode == 1
    assert "is there already" in again.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("CHANGELOG.md", f"## {VERSION}", "## Unreleased", "CHANGELOG.md has no heading"),
        ("CITATION.cff", f"version: {VERSION}", "version: 0.0.1", "CITATION.cff does not say"),
        pytest.param(
            *("pyproject.toml", 'readme = "README.md"', "", "long_description"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_release_that_is_not_ready_is_not_tagged(
    repository: Path, file: str, old: str, new: str, said: str
) -> None:
    replace(repository / file, old, new)
    commit(repository)
    done = release(repository)
    assert done.returncode == 1
    assert said in done.stderr
    assert git(repository, "tag") == ""


def test_what_is_not_committed_is_not_released(repository: Path) -> None:
    (repository / "core" / "new.py").write_text("")
    done = release(repository)
    assert done.returncode == 1
    assert "core/new.py" in done.stderr


def test_the_citation_names_the_version_and_the_four_papers() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == VERSION
    titles = " ".join(each["title"] for each in citation["references"])
    for name in ("GITA4CALAMITA", "ACCORD", "Com²", "AbsPyramid"):
        assert re.search(rf"\b{re.escape(name)}", titles)
