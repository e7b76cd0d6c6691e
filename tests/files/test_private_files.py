"""Files that hold answers are their owner's alone, whatever the umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.annotation.append_file import AppendedFile
from core.benchmarks.com2 import writer as com2_writer
from core.benchmarks.gita import story_writer
from core.contract import registry
from core.contract.setting import Setting
from core.exchange.exporters import files as exported_files
from core.files import paths
from core.files.atomic import atomic_write, make_private, make_private_folder
from core.files.shipped import samples
from core.runs.records import Plan
from core.runs.store import Store

PLAN = Plan("Some Model", "f" * 64, "shapes", "/data/towers.json", "c" * 64)


@pytest.fixture(params=[0o000, 0o022, 0o277], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("_umask")
def test_a_new_file_is_private(tmp_path: Path) -> None:
    make_private(tmp_path / "new")
    assert mode(tmp_path / "new") == 0o600


@pytest.mark.usefixtures("_umask")
def test_a_new_store_is_private_with_the_files_beside_it(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.sqlite") as store:
        run = store.start(PLAN)
        with store.hold(run.id):
            modes = {file.name: mode(file) for file in tmp_path.iterdir()}
    lock = f"runs.sqlite.{run.id}.lock"
    names = ("runs.sqlite", "runs.sqlite-shm", "runs.sqlite-wal", lock)
    assert modes == dict.fromkeys(names, 0o600)


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "shared"
    path.write_text("text", encoding="utf-8")
    path.chmod(0o640)
    make_private(path)
    assert mode(path) == 0o640
    assert path.read_text("utf-8") == "text"


def test_a_link_to_a_store_that_is_not_there_yet_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "runs.sqlite")
    with Store(tmp_path / "link"):
        assert mode(tmp_path / "runs.sqlite") == 0o600


@pytest.mark.usefixtures("_umask")
def test_folders_that_are_made_for_a_private_file_are_private(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "made" / "for" / "it")
    atomic_write(tmp_path / "state" / "seen.json", "[]", private=True)
    with Store(tmp_path / "kept" / "runs.sqlite"), AppendedFile(tmp_path / "votes" / "v", "taken"):
        folders = [folder for folder in tmp_path.rglob("*") if folder.is_dir()]
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {folder.name for folder in folders} == {"made", "for", "it", "state", "kept", "votes"}
    # The umask may take permissions away, but gives none to others.
    assert not any(mode(path) & 0o077 for path in (*folders, *files))


@pytest.mark.usefixtures("_umask")
def test_everything_among_the_own_files_of_the_program_is_private() -> None:
    com2 = registry.load("com2")
    item = com2.open(com2.samples()).item(0)
    com2_writer.save(item, Setting())
    [story, *_] = msgspec.json.decode((samples() / "gita" / "stories.json").read_bytes()).values()
    for name in ("one", "two"):
        story_writer.add(
            lambda number, name=name: [story | {"story_id": number, "example_id": name}],
            paths.own("gita"),
        )
    atomic_write(paths.own_folder("accord") / "decisions" / "pairings.jsonl", "")
    exported_files.write(paths.data() / "exports" / "page.html", b"page")
    made = [*paths.data().rglob("*"), paths.data()]
    files = {path.name for path in made if path.is_file()}
    assert files > {"gita.json", "pairings.jsonl", "page.html"}
    assert not any(mode(path) & 0o077 for path in made)


def test_an_export_elsewhere_takes_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        exported_files.write(tmp_path / "pages" / "page.html", b"page")
    finally:
        os.umask(before)
    assert mode(tmp_path / "pages") == 0o750
    assert mode(tmp_path / "pages" / "page.html") == 0o640


def test_a_folder_that_is_there_keeps_its_permissions(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o750)
    make_private_folder(folder / "inner")
    assert mode(folder) == 0o750
    assert mode(folder / "inner") == 0o700
