"""Stores in whose files a page stands in many places, or which have lost their indexes."""

from __future__ import annotations

import re
import sqlite3
import struct
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.runs.backup import back_up, damage
from core.runs.connection import run_ids
from core.runs.listing import list_runs
from core.runs.schema import SCHEMA
from core.runs.store import Store
from core.text.errors import RunError
from tests.runs.test_store import PLAN, verdict

SECONDS = 5.0
CHILDREN = 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        run = store.start(PLAN)
        for seq in range(4):
            store.record(run.id, seq, verdict(f"tower {seq}"), "", 0.0)
        store.database.keep_in_one_file()
    return path


def spread(path: Path, table: str, depth: int) -> None:
    """Let a table hold its page in `CHILDREN ** depth` places; the file grows by `depth` pages."""
    with closing(sqlite3.connect(path)) as db:
        [(size,)] = db.execute("PRAGMA page_size")
        [(root,)] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    content = bytearray(path.read_bytes())
    number = len(content) // size
    content += content[(root - 1) * size : root * size]
    for level in range(depth):
        child = number + 1 + level
        page = bytearray(size)
        at, pointers = size, []
        for key in range(CHILDREN):
            at -= 5
            page[at : at + 5] = struct.pack(">IB", child, min(key, 127))
            pointers.append(at)
        page[:12] = struct.pack(">BHHHBI", 5, 0, CHILDREN, at, 0, child)
        page[12 : 12 + 2 * CHILDREN] = struct.pack(f">{CHILDREN}H", *pointers)
        if level == depth - 1:
            content[(root - 1) * size : root * size] = page
        else:
            content += page
    content[28:32] = struct.pack(">I", len(content) // size)
    content[92:96] = content[24:28]
    path.write_bytes(content)


def listed(path: Path) -> object:
    with Store(path, create=False) as store:
        return list_runs(store)


def backed_up(path: Path) -> object:
    to = path.with_name("copy.sqlite")
    to.touch()
    with Store(path, create=False) as store:
        return back_up(store, to)


@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("runs", listed),
        ("runs", run_ids),
        ("runs", backed_up),
        ("verdicts", backed_up),
        ("studies", backed_up),
    ],
)
def test_a_page_that_stands_in_millions_of_places_is_damage(
    path: Path, table: str, read: Callable[[Path], object]
) -> None:
    spread(path, table, 4)
    before, started = path.read_bytes(), time.process_time()
    with pytest.raises(RunError) as raised:
        read(path)
    assert raised.value.where == str(path)
    assert time.process_time() - started < SECONDS
    assert path.read_bytes() == before


def test_tables_without_indexes_are_not_searched_again_for_each_run(path: Path) -> None:
    plain = re.sub(r" PRIMARY KEY\b(?! \()|,\s+PRIMARY KEY \(.*\)", "", SCHEMA)
    numbers = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    with closing(sqlite3.connect(path)) as db, db:
        run, one = (
            db.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
            for table in ("runs", "verdicts")
        )
        for table in ("verdicts", "runs", "study_values", "studies"):
            db.execute(f"DROP TABLE {table}")
        db.executescript(plain)
        for table, row, count in (("runs", run, 1_000), ("verdicts", one, 20_000)):
            places = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO {table} {numbers} SELECT {places} FROM n", (count, *row))
        db.execute("UPDATE runs SET id = id || rowid")
        assert not db.execute("SELECT * FROM sqlite_master WHERE type = 'index'").fetchall()
    started = time.process_time()
    with Store(path, create=False) as store, pytest.raises(RunError, match="damaged"):
        store.runs()
    assert time.process_time() - started < SECONDS


def test_a_large_store_is_read_whole(path: Path) -> None:
    """What a statement may take grows with the file."""
    verdicts = [verdict(f"tower {number}") for number in range(30_000)]
    with Store(path) as store:
        run = store.add(replace(PLAN, seed=9), verdicts, {})
        assert store.verdicts(run.id) == verdicts
        assert store.run(run.id).items == len(verdicts)
        assert damage(store) == []
