"""The files of a store: what is beside it, links to it, and what takes its place."""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.runs import connection
from core.runs.backup import back_up, damage
from core.runs.locks import is_held
from core.runs.merging import merge
from core.runs.pack import pack
from core.runs.store import Store
from core.text.errors import LostStoreError, RunError
from tests.runs.test_store import PLAN, verdict


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "runs.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@pytest.mark.parametrize("told", [True, False])
def test_a_store_that_took_the_place_of_one_in_use_gets_nothing_of_it(
    path: Path, told: bool
) -> None:
    backup = path.with_name("backup.sqlite")
    with Store(backup) as other:
        run = other.start(replace(PLAN, seed=7))
        other.record(run.id, 0, verdict("egg cup"), "", 0.0)
        other.database.keep_in_one_file()
    content = backup.read_bytes()
    with Store(path) as store:
        run = store.start(PLAN)
        for number in range(50):
            store.record(run.id, number, verdict(f"tower {number}"), "", 0.0)
        backup.replace(path)
        if told:
            with pytest.raises(LostStoreError):
                store.runs()
    assert path.read_bytes() == content
    [lost] = [file for file in path.parent.iterdir() if file != path]
    assert lost.name.startswith("runs.sqlite.lost-")
    assert lost.stat().st_size
    with Store(path, create=False) as other:
        assert [run.verdicts for run in other.runs()] == [1]
        assert damage(other) == []


def test_a_store_whose_second_file_is_removed_takes_nothing_more(store: Store, path: Path) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    path.with_name(f"{path.name}-wal").unlink()
    with pytest.raises(LostStoreError, match="removed or replaced"):
        store.record(run.id, 1, verdict(layer="top"), "", 0.0)


def test_a_journal_that_names_another_file_is_refused_and_deletes_nothing(
    store: Store, path: Path, tmp_path: Path
) -> None:
    store.start(PLAN)
    store.close()
    victim = tmp_path / "mine.txt"
    victim.write_text("mine")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        [(size,)], [(pages,)] = db.execute("PRAGMA page_size"), db.execute("PRAGMA page_count")
    before = path.read_bytes()
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(victim).encode()
    header = magic + struct.pack(">5I", 0, 1234, pages, 512, size)
    journal = path.with_name(f"{path.name}-journal")
    journal.write_bytes(
        header.ljust(512, b"\0")
        + struct.pack(">I", 2**30 // size + 1)
        + name
        + struct.pack(">2I", len(name), sum(name))
        + magic
    )
    for read in (connection.run_ids, Store, lambda path: Store(path, create=False)):
        with pytest.raises(RunError, match="journal beside this store") as raised:
            read(path)
        assert raised.value.where == str(journal)
    assert victim.read_text() == "mine"
    assert path.read_bytes() == before
    assert journal.exists()


def test_a_pipe_in_the_place_of_a_journal_is_refused(path: Path) -> None:
    Store(path).close()
    os.mkfifo(path.with_name(f"{path.name}-journal"))
    with pytest.raises(RunError, match="journal beside this store"):
        Store(path, create=False)


def test_a_store_is_the_same_through_a_link(store: Store, path: Path, tmp_path: Path) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    link = tmp_path / "elsewhere" / "link.sqlite"
    link.parent.mkdir()
    link.symlink_to(path)
    with Store(link) as linked:
        assert linked.run(run.id).verdicts == 1
        with store.hold(run.id):
            assert is_held(link, run.id)
            with pytest.raises(RunError, match="just recording"), linked.hold(run.id):
                pytest.fail("held twice")
    assert [file.name for file in link.parent.iterdir()] == ["link.sqlite"]


def test_a_store_with_a_second_name_is_read_and_not_written(path: Path, tmp_path: Path) -> None:
    Store(path).close()
    second = tmp_path / "second.sqlite"
    second.hardlink_to(path)
    with pytest.raises(RunError, match="several names"):
        Store(second)
    with Store(second, create=False) as store:
        assert store.runs() == []


def killed(store: Store, folder: Path) -> Path:
    """What a killed program leaves of a store with a run of 50 verdicts."""
    run = store.start(PLAN)
    for number in range(50):
        store.record(run.id, number, verdict(f"tower {number}"), "", 0.0)
    folder.mkdir()
    for ending in ("", "-wal"):
        content = Path(f"{store.path}{ending}").read_bytes()
        (folder / f"{store.path.name}{ending}").write_bytes(content)
    return folder / store.path.name


def test_reading_leaves_what_a_killed_program_recorded_last_where_it_is(
    store: Store, tmp_path: Path
) -> None:
    path = killed(store, tmp_path / "killed")
    wal = path.with_name(f"{path.name}-wal")
    before = path.read_bytes(), wal.read_bytes()
    with Store(path, create=False) as opened:
        assert [run.verdicts for run in opened.runs()] == [50]
        assert damage(opened) == []
    assert (path.read_bytes(), wal.read_bytes()) == before


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.9])
def test_a_damaged_frame_of_what_was_recorded_last_is_told_and_loses_nothing_more(
    store: Store, tmp_path: Path, part: float
) -> None:
    path = killed(store, tmp_path / "killed")
    wal = path.with_name(f"{path.name}-wal")
    content = bytearray(wal.read_bytes())
    content[8 if not part else int(len(content) * part)] ^= 1
    wal.write_bytes(content)
    with Store(path, create=False) as opened:
        assert sum(run.verdicts for run in opened.runs()) < 50
        assert damage(opened) == [
            "The file beside the store, with what was recorded last, is damaged."
        ]
    assert wal.read_bytes() == content


def rolled_back(store: Store) -> NoReturn:
    with store.transaction():
        for number in range(6_000):
            row = {"study": "one", "key": number, "value": "x" * 800}
            store.database.insert("study_values", row)
        raise LookupError


def test_what_was_rolled_back_is_no_damage(path: Path) -> None:
    """It is larger than what SQLite holds in memory, so a part was written already."""
    study = "INSERT INTO studies VALUES (?, '', '', '', '', NULL)"
    with Store(path) as store, Store(path, create=False) as reader:
        store.database.execute(study, ("one",))
        with pytest.raises(LookupError):
            rolled_back(store)
        store.database.execute(study, ("two",))
        assert damage(reader) == []
        assert [*reader.select("SELECT count(*) FROM studies")] == [(2,)]


def test_a_reader_goes_on_where_others_begin_and_end(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE verdicts DROP COLUMN block_scores")
        db.execute("PRAGMA user_version = 9")
    for _attempt in range(2):  # A copy of an old store, and then the store itself.
        with Store(path, create=False) as reader:
            with Store(path) as store:
                store.start(PLAN)
                reader.runs()
            reader.runs()


def test_a_folder_in_the_place_of_a_journal_is_refused(path: Path) -> None:
    Store(path).close()
    path.with_name(f"{path.name}-journal").mkdir()
    with pytest.raises(RunError, match="journal beside this store"):
        Store(path, create=False)


@given(st.integers(0, 4_200))
@settings(max_examples=15, deadline=None)
def test_a_frame_that_a_killed_program_wrote_in_part_is_no_damage(missing: int) -> None:
    with TemporaryDirectory() as place, Store(Path(place, "runs.sqlite")) as store:
        path = killed(store, Path(place, "killed"))
        wal = path.with_name(f"{path.name}-wal")
        wal.write_bytes(wal.read_bytes()[: -missing or None])
        with Store(path, create=False) as opened:
            assert damage(opened) == []


def test_an_index_that_lost_a_verdict_is_told_before_anything_is_copied(
    path: Path, tmp_path: Path
) -> None:
    with Store(path) as store:
        run = store.start(PLAN)
        for number in range(9):
            store.record(run.id, number, verdict(f"tower {number}"), "", 0.0)
        store.database.keep_in_one_file()
    with closing(sqlite3.connect(path)) as db:
        [(size,)] = db.execute("PRAGMA page_size")
        [(root,)] = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_verdicts_2'"
        )
    content = bytearray(path.read_bytes())
    at = content.index(b"tower 5", (root - 1) * size)
    assert at < root * size
    content[at : at + 5] = b"tower"[::-1]
    path.write_bytes(content)
    with Store(path, create=False) as store:
        assert len(store.verdicts(run.id)) == 9
        for number, copy in enumerate(
            (
                lambda to: back_up(store, to),
                lambda to: pack(store, [run.id], to, texts=True, program="1"),
                lambda to: merge([path], to),
            )
        ):
            with pytest.raises(RunError, match="damaged"):
                copy(tmp_path / f"{number}.sqlite")


def test_an_old_store_that_is_mostly_empty_is_not_copied(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To be read it is migrated, and so copied."""
    Store(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("ALTER TABLE verdicts DROP COLUMN block_scores")
        db.execute("PRAGMA user_version = 9")
        with Store(path, create=False) as store:
            assert store.runs() == []
        db.execute("INSERT INTO studies VALUES ('', '', zeroblob(3000000), '', '', NULL)")
        db.execute("DELETE FROM studies")
    monkeypatch.setattr(connection, "_MOST_EMPTY", 1_000_000)
    with pytest.raises(RunError, match="More than half of this store, which"):
        Store(path, create=False)
    with Store(path) as store:
        assert store.runs() == []
