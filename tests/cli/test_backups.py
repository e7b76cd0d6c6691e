"""`runs backup` and `runs verify`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.files import paths
from core.runs.store import Store
from tests.cli.support import ok, run
from tools.attack.made_stores import made_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return made_store(tmp_path / "runs.sqlite")


def content(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return [
            *db.execute("SELECT * FROM runs ORDER BY id"),
            *db.execute("SELECT * FROM verdicts ORDER BY run, seq"),
        ]


def test_a_store_is_copied_as_it_is_at_one_moment_while_a_program_records(
    store: Path, tmp_path: Path
) -> None:
    to = tmp_path / "kept" / "copy.sqlite"
    with Store(store) as recording:
        [recorded] = recording.runs()
        [verdict, *_] = recording.verdicts(recorded.id)
        expected = content(store)
        with recording.transaction():
            # Not finished: no part of the copy.
            recording.set_priors(recorded.id, 0, [-1.0, -2.0])
            assert ok("runs", "backup", "--to", to, "--store", store).out == f"{to}\n"
        assert recording.verdicts(recorded.id)[0].priors != verdict.priors
    assert content(to) == expected
    assert [path.name for path in to.parent.iterdir()] == ["copy.sqlite"]
    assert to.stat().st_mode & 0o777 == 0o600
    figures = ok("runs", "show", recorded.id, "--store", to, "--json").json
    assert figures["n"] == 12


def test_a_copy_replaces_no_file_unless_told_to(store: Path, tmp_path: Path) -> None:
    to = tmp_path / "copy.sqlite"
    to.write_text("mine")
    assert run("runs", "backup", "--to", to, "--store", store).code == 2
    assert to.read_text() == "mine"
    ok("runs", "backup", "--to", to, "--store", store, "--force")
    assert content(to) == content(store)


@pytest.mark.parametrize("command", ["backup", "pack"])
@pytest.mark.parametrize("named", [True, False])
def test_a_copy_never_replaces_the_store_that_it_is_of(
    tmp_path: Path, command: str, *, named: bool
) -> None:
    store = made_store(tmp_path / "runs.sqlite" if named else paths.runs())
    before = store.read_bytes()
    with Store(store, create=False) as opened:
        names = [run.id for run in opened.runs()] if command == "pack" else []
    words = ("--store", store) if named else ()
    ran = run("runs", command, *names, "--to", store, *words, "--force")
    assert ran.code == 2
    assert ("reads that file" if named else "the store that the runs are in") in ran.err
    assert store.read_bytes() == before


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("command", ["backup", "pack"])
def test_no_copy_takes_the_place_of_a_file_beside_a_store_in_use(
    store: Path, command: str, ending: str
) -> None:
    with Store(store) as recording:
        [recorded] = recording.runs()
        recording.set_priors(recorded.id, 0, [-1.0, -2.0])
        names = [recorded.id] if command == "pack" else []
        to = store.with_name(f"{store.name}{ending}")
        ran = run("runs", command, *names, "--to", to, "--store", store, "--force")
        assert (ran.code, "belongs to a database" in ran.err) == (2, True), ran.err
        with Store(store) as other:
            assert other.verdicts(recorded.id)[0].priors == (-1.0, -2.0)
    assert ok("runs", "verify", "--store", store, "--json").json["sound"]


def test_a_copy_replaces_an_earlier_one_and_no_store_that_is_in_use(
    store: Path, tmp_path: Path
) -> None:
    to = tmp_path / "copy.sqlite"
    words = ("runs", "backup", "--to", to, "--store", store, "--force")
    ok(*words)
    ok(*words)
    with Store(to) as recording:
        [recorded] = recording.runs()
        recording.set_priors(recorded.id, 0, [-1.0, -2.0])
        ran = run(*words)
        assert (ran.code, "in use" in ran.err) == (2, True), ran.err
    with Store(to, create=False) as kept:
        assert kept.verdicts(recorded.id)[0].priors == (-1.0, -2.0)


def test_nothing_is_recorded_into_a_file_beside_a_store(store: Path, demo_model: None) -> None:
    beside = store.with_name(f"{store.name}-wal")
    ran = run("evaluate", "gita", "--limit", "1", "--model", "demo", "--store", beside)
    assert (ran.code, "belongs to a database" in ran.err) == (2, True), ran.err
    assert not beside.exists()


def test_a_damaged_store_is_not_copied_and_leaves_nothing(store: Path, tmp_path: Path) -> None:
    raw = bytearray(store.read_bytes())
    raw[len(raw) // 2 :] = bytes(len(raw) - len(raw) // 2)
    store.write_bytes(raw)
    ran = run("runs", "backup", "--to", tmp_path / "copy.sqlite", "--store", store)
    assert ran.code == 2
    assert "damaged" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["runs.sqlite"]


def test_a_sound_store_is_verified_and_not_changed(store: Path) -> None:
    before = store.read_bytes()
    document = ok("runs", "verify", "--store", store, "--json").json
    assert document["sound"]
    assert document["file"] == []
    assert [(each["verdicts"], each["problem"]) for each in document["runs"]] == [(12, None)]
    assert ok("runs", "verify", "--store", store).out.endswith(": 12 verdicts, sound\n")
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE verdicts SET options = '[1]' WHERE seq = 3", "is damaged"),
        ("UPDATE verdicts SET run = 'nobody' WHERE seq = 3", "verdicts that belong to no run: 1"),
        (
            "INSERT INTO studies (id, kind, plan, state, created) VALUES ('x', 'x', '{', 'x', 'x')",
            "The record of study x is damaged.",
        ),
    ],
)
def test_what_somebody_changed_is_told(store: Path, statement: str, said: str) -> None:
    with closing(sqlite3.connect(store)) as db, db:
        db.execute(statement)
    ran = run("runs", "verify", "--store", store)
    assert ran.code == 1
    assert said in ran.out
    assert not run("runs", "verify", "--store", store, "--json").json["sound"]
