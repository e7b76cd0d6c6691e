"""What is in the wheel, and that the installed program works away from the checkout."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from tests.packaging.environments import ROOT, Environment, build

SHIPPED = ("themes", "samples")


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel_files(wheel: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(wheel) as archive:
        yield archive


def project() -> dict[str, object]:
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    return table


def shipped_files() -> list[Path]:
    """Every theme, sample and bundled model of the checkout, relative to it."""
    return [
        path.relative_to(ROOT)
        for folder in SHIPPED
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]


def first_gita_item() -> str:
    stories = json.loads((ROOT / "samples" / "gita" / "stories.json").read_text("utf-8"))
    return str(next(iter(stories)))


def test_every_theme_and_sample_is_in_the_wheel_byte_for_byte(
    wheel_files: zipfile.ZipFile,
) -> None:
    packed = set(wheel_files.namelist())
    expected = shipped_files()
    assert {path.parts[0] for path in expected} == set(SHIPPED)
    for path in expected:
        name = f"core/_shipped/{path.as_posix()}"
        assert name in packed
        assert wheel_files.read(name) == (ROOT / path).read_bytes()


def test_every_module_and_data_file_is_in_the_wheel(wheel_files: zipfile.ZipFile) -> None:
    packed = set(wheel_files.namelist())
    files = {
        path.relative_to(ROOT)
        for package in ("commonsense_tui", "core", "tui")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    # Style sheets, the page of a tab, prompts, what the program says in other languages.
    assert {".py", ".tcss", ".html", ".css", ".js", ".j2", ".yaml"} <= {p.suffix for p in files}
    assert {path.as_posix() for path in files} <= packed


def test_nothing_else_is_in_the_wheel(wheel_files: zipfile.ZipFile) -> None:
    for name in wheel_files.namelist():
        parts = PurePosixPath(name).parts
        assert parts[0] in ("commonsense_tui", "core", "tui") or parts[0].endswith(".dist-info"), (
            name
        )
        assert "__pycache__" not in parts, name
        assert PurePosixPath(name).suffix not in (".pyc", ".log", ".pt", ".sqlite"), name
        assert not any(part.startswith(".") for part in parts), name


def test_the_wheel_is_small_enough_for_an_index(wheel: Path) -> None:
    assert wheel.stat().st_size < 25_000_000


def test_the_metadata_say_what_pyproject_says(wheel: Path) -> None:
    (found,) = importlib.metadata.Distribution.discover(path=[str(wheel)])
    expected = project()
    assert found.metadata["Name"] == expected["name"]
    assert found.version == expected["version"]
    assert found.metadata["License-Expression"] == "MIT"
    assert "MIT License" in str(found.read_text("licenses/LICENSE"))
    assert found.metadata["Requires-Python"] == ">=3.11"
    scripts = {
        (entry.name, entry.value) for entry in found.entry_points.select(group="console_scripts")
    }
    assert scripts == {("commonsense-tui", "tui.cli.start:main")}


def test_nothing_else_is_in_the_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        top = {PurePosixPath(name).parts[1] for name in archive.getnames()}
    written_by_hatchling = {"PKG-INFO", "pyproject.toml", ".gitignore"}
    own = {
        "commonsense_tui",
        "core",
        "tui",
        "themes",
        "samples",
        "README.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
    }
    assert top <= own | written_by_hatchling
    assert own <= top


def test_a_wheel_built_from_the_sdist_is_the_same(
    sdist: Path, wheel_files: zipfile.ZipFile, tmp_path: Path
) -> None:
    shutil.unpack_archive(sdist, tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    (tmp_path / "out").mkdir()
    with zipfile.ZipFile(build("wheel", source, tmp_path / "out")) as again:
        assert {entry.filename: entry.CRC for entry in again.infolist()} == {
            entry.filename: entry.CRC for entry in wheel_files.infolist()
        }


@pytest.mark.parametrize("module", ["core", "tui", "tui.cli.main", "tui.cli.start"])
def test_the_modules_come_from_the_new_environment(installed: Environment, module: str) -> None:
    """Guards the tests below: they must not reach the checkout or another installation."""
    done = installed.run(
        installed.python,
        "-c",
        f"import importlib; print(importlib.import_module('{module}').__file__)",
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(installed.prefix)


def test_the_program_says_its_version(installed: Environment) -> None:
    done = installed.run(installed.program, "--version")
    assert done.returncode == 0, done.stderr
    assert str(project()["version"]) in done.stdout


def test_the_program_shows_a_bundled_story(installed: Environment) -> None:
    item = first_gita_item()
    stories = json.loads((ROOT / "samples" / "gita" / "stories.json").read_text("utf-8"))
    done = installed.run(installed.program, "show", "gita", item, "--plain")
    assert done.returncode == 0, done.stderr
    on_one_line = " ".join(done.stdout.split())
    for sentence in stories[item]["sentences"]:
        assert sentence in on_one_line


def test_the_program_shows_a_published_table(installed: Environment) -> None:
    done = installed.run(installed.program, "published", "show", "com2-table-2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0] == "Qwen2-7B"


def test_doctor_finds_nothing_wrong(installed: Environment) -> None:
    done = installed.run(installed.program, "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
