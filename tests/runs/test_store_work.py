"""Stores in whose files a page stands in many places, or which have lost their indexes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.runs.backup import back_up, damage
from core.runs.connection import run_ids
from core.runs.listing import list_runs
from core.runs.store import Store
from core.text.errors import RunError
from tests.runs.test_store import PLAN, verdict
from tools.attack.endless_stores import drop_indexes, spread_pages

SECONDS = 5.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        run = store.start(PLAN)
        for seq in range(4):
            store.record(run.id, seq, verdict(f"tower {seq}"), "", 0.0)
        store.database.keep_in_one_file()
    return path


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
    spread_pages(path, table, 4)
    before, started = path.read_bytes(), time.process_time()
    with pytest.raises(RunError) as raised:
        read(path)
    assert raised.value.where == str(path)
    assert time.process_time() - started < SECONDS
    assert path.read_bytes() == before


def test_tables_without_their_keys_are_refused(path: Path) -> None:
    drop_indexes(path, runs=1_000, verdicts=20_000)
    with closing(sqlite3.connect(path)) as db:
        assert not db.execute("SELECT * FROM sqlite_master WHERE type = 'index'").fetchall()
    started = time.process_time()
    with pytest.raises(RunError, match=r"did not make: table (runs|verdicts|studies|study_values)"):
        listed(path)
    assert time.process_time() - started < SECONDS


def test_a_large_store_is_read_whole(path: Path) -> None:
    """What a statement may take grows with the file."""
    verdicts = [verdict(f"tower {number}") for number in range(30_000)]
    with Store(path) as store:
        run = store.add(replace(PLAN, seed=9), verdicts, {})
        assert store.verdicts(run.id) == verdicts
        assert store.run(run.id).items == len(verdicts)
        assert damage(store) == []
