"""Files are whole or not there, nothing is overwritten unasked, and names are harmless."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.contract import registry
from core.exchange.exporters import files
from core.exchange.exporters.document import ExportError, FileExistsAlreadyError
from core.exchange.exporters.formats import FORMATS
from core.runs.store import Store
from tests.cli.support import in_process_of_its_own, ok, run
from tests.exchange.exporters.documents import HOSTILE
from tests.fifth.support import installed_shapes


@pytest.fixture(autouse=True)
def _shapes() -> Iterator[None]:
    with installed_shapes():
        yield


def test_a_file_is_not_overwritten_unless_that_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    assert files.write(file, b"one") == file
    with pytest.raises(FileExistsAlreadyError):
        files.write(file, b"two")
    assert file.read_bytes() == b"one"
    files.write(file, b"two", force=True)
    assert file.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failed_write_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.html"
    file.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match="No space left"):
        files.write(file, b"new", force=True)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ExportError, match="neither a file nor a folder"):
        files.write(pipe, b"x", force=True)
    assert pipe.is_fifo()


def test_a_dangling_link_is_not_replaced_without_force(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(FileExistsAlreadyError):
        files.write(link, b"x")
    assert link.is_symlink()
    assert list(tmp_path.iterdir()) == [link]


def test_no_file_takes_the_place_of_a_link(tmp_path: Path) -> None:
    """Such as /dev/stdout, which leads to a file where the output is kept in one."""
    link, file = tmp_path / "link", tmp_path / "file"
    file.write_bytes(b"old")
    link.symlink_to(file)
    with pytest.raises(ExportError, match="a link to another file"):
        files.write(link, b"new", force=True)
    assert link.is_symlink()
    assert file.read_bytes() == b"old"


def test_a_path_through_a_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(ExportError, match="a file stands in the place of one of its folders"):
        files.write(tmp_path / "file" / "page.html", b"new")


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b", "/proc/nowhere/a"])
def test_an_invalid_path_is_reported(tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportError):
        files.write(tmp_path / name, b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_no_export_takes_the_place_of_a_store_or_of_a_file_beside_one(
    tmp_path: Path, ending: str
) -> None:
    store = tmp_path / "runs.sqlite"
    with Store(store):
        to = tmp_path / f"runs.sqlite{ending}"
        for words in (("export", "json", "gita", "0", "--to", to), ("lesson", "new", to)):
            ran = run(*words, "--force")
            assert (ran.code, "belongs to a database" in ran.err) == (2, True), ran.err
    with Store(store, create=False) as kept:
        assert kept.runs() == []


def test_looking_at_a_store_leaves_the_locks_that_this_process_has_on_it(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    writing = (
        "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN EXCLUSIVE')"
    )
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute("CREATE TABLE t (a)")
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ExportError, match="belongs to a database"):
            files.write(store, b"x", force=True)
        other = subprocess.run(
            [sys.executable, "-c", writing, store], capture_output=True, text=True
        )
        assert "database is locked" in other.stderr


def test_no_command_replaces_the_file_that_it_reads(tmp_path: Path) -> None:
    lesson, data = tmp_path / "a.yaml", tmp_path / "stories.json"
    ok("lesson", "new", lesson)
    data.write_bytes(registry.load("gita").samples().read_bytes())
    before = lesson.read_bytes(), data.read_bytes()
    for words in (
        ("lesson", "export", lesson, "--model", "demo", "--out", lesson),
        ("export", "json", "gita", "0-O0", "--data", data, "--to", data),
        ("export", "json", data, "0-O0", "--to", tmp_path / "." / "stories.json"),
    ):
        ran = run(*words, "--force")
        assert (ran.code, "reads that file" in ran.err) == (2, True), ran.err
    assert (lesson.read_bytes(), data.read_bytes()) == before


@pytest.mark.parametrize("text", [*HOSTILE, "../../etc/passwd", "/etc/passwd", "..", "-rf", "a/b"])
def test_an_item_id_cannot_leave_the_folder(text: str) -> None:
    name = files.file_name("gita", text, ".html")
    assert Path(name).name == name
    assert name.startswith("gita")
    assert name.endswith(".html")
    assert len(name) < 100
    assert name.isascii()


@pytest.mark.parametrize("name", FORMATS)
def test_the_command_writes_each_format_and_prints_the_path(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"story{FORMATS[name].suffix}"
    assert ok("export", name, "gita", "0-O0", "--out", file).out == f"{file}\n"
    assert "torcia" in file.read_text(encoding="utf-8")


def test_the_command_follows_a_setting_and_says_it(tmp_path: Path) -> None:
    file = tmp_path / "egg.md"
    ok(
        "export",
        "md",
        "shapes",
        "egg cup",
        "--out",
        file,
        "--set",
        "ground=boat",
        "--set",
        "glue=1",
    )
    text = file.read_text(encoding="utf-8")
    assert "Setting: ground: on a boat; glue between the parts: on." in text
    assert "on a boat" in text
    assert "Licence: CC0" in text


def test_the_command_overwrites_only_with_force(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    ok("export", "json", "gita", "0", "--out", file)
    before = file.read_bytes()
    refused = run("export", "json", "gita", "1", "--out", file)
    assert refused.code == 2
    assert "--force" in refused.err
    assert file.read_bytes() == before
    ok("export", "json", "gita", "1", "--out", file, "--force")
    assert file.read_bytes() != before


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("export", "pdf", "gita", "0"), "html"),
        (("export", "htm", "gita", "0"), "Did you mean “html”?"),
        (("export", "html", "gita", "no such"), "no such"),
        (("export", "html", "gita", "0", "--set", "varian=order"), "Did you mean “variant”?"),
        (("export", "html", "gita", "0", "--data", "nowhere.json"), "nowhere.json"),
    ],
)
def test_a_mistake_is_one_message(tmp_path: Path, words: tuple[str, ...], named: str) -> None:
    ran = run(*words, "--out", tmp_path / "a")
    assert ran.code == 2
    assert named in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["html", "svg"])
def test_bytes_do_not_depend_on_the_process(tmp_path: Path, name: str) -> None:
    written = []
    for seed, encoding in (("1", "ascii"), ("2", "utf-8")):
        file = tmp_path / seed
        env = {
            "PYTHONHASHSEED": seed,
            "PYTHONUTF8": "0",
            "LC_ALL": "C",
            "PYTHONIOENCODING": encoding,
        }
        ran = in_process_of_its_own("export", name, "gita", "0", "--out", str(file), env=env)
        assert ran.code == 0, ran.err
        written.append(file.read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    "words",
    [
        ("export", "html", "gita", "1", "--to"),
        ("export", "gallery", "gita", "--limit", "1", "--to"),
        ("runs", "pack", "gita-demo-1", "--store", "runs.sqlite", "--to"),
        ("runs", "backup", "--store", "runs.sqlite", "--to"),
        ("runs", "export", "gita-demo-1", "--figures", "--store", "runs.sqlite", "--to"),
        ("lesson", "new"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("there", ["page.csv", "page.html", "page.yaml", "runs.sqlite"])
def test_no_file_is_replaced_by_a_way_through_a_folder_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], there: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ok("evaluate", "gita", "--model", "demo", "--limit", "1", "--store", "runs.sqlite")
    for name in ("page.csv", "page.html", "page.yaml"):
        (tmp_path / name).write_text("mine")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    ran = run(*words, f"new/../{there}")
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before
