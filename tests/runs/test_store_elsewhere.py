"""Stores of earlier versions, on media that cannot be written, and changed by somebody else."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.contract.question import OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.runs.blocks import LensCounts, TaskLayerBlocks
from core.runs.mean_centred import NotCentred
from core.runs.records import Plan, RecordedBlocks, RunState
from core.runs.schema import APPLICATION, VERSION
from core.runs.store import Store
from core.runs.summaries import blocks_of, summarise
from core.text.errors import RunError

TABLES = ("runs", "verdicts", "studies", "study_values")
VERSION_4 = Path(__file__).parent / "recorded" / "version-4.sqlite"
"""Three runs of the demo model over the first bundled items, as version 4 recorded them."""
PLAN = Plan("org/Some Model 7B", "f" * 64, "shapes", "/data/towers.json", "c" * 64)

VERSION_2 = f"""
PRAGMA journal_mode = WAL;
CREATE TABLE runs (
    id TEXT PRIMARY KEY, model TEXT NOT NULL, fingerprint TEXT NOT NULL, benchmark TEXT NOT NULL,
    collection TEXT NOT NULL, collection_hash TEXT NOT NULL, form TEXT NOT NULL,
    shots INTEGER NOT NULL, shot_rule TEXT NOT NULL, seed INTEGER NOT NULL, setting TEXT NOT NULL,
    item_limit INTEGER, state TEXT NOT NULL, created TEXT NOT NULL, notes TEXT NOT NULL,
    totals TEXT NOT NULL, demo INTEGER NOT NULL
);
CREATE TABLE verdicts (
    run TEXT NOT NULL REFERENCES runs (id), seq INTEGER NOT NULL, item TEXT NOT NULL,
    layer TEXT NOT NULL, setting TEXT NOT NULL, options TEXT NOT NULL, scores TEXT NOT NULL,
    answer INTEGER, gold INTEGER, "right" INTEGER, status TEXT NOT NULL, scoring TEXT NOT NULL,
    text TEXT NOT NULL, tags TEXT NOT NULL, digest TEXT NOT NULL, prompt_hash TEXT NOT NULL,
    seconds REAL,
    PRIMARY KEY (run, seq), UNIQUE (run, layer, item)
);
INSERT INTO runs VALUES ('shapes-own-1', '{PLAN.model}', '{PLAN.fingerprint}', 'shapes',
    '/data/towers.json', '{PLAN.collection_hash}', 'base', 0, '', 0, '[]', NULL, 'done',
    '2025-01-02T03:04:05.678+00:00', '[]', '{{}}', 0);
INSERT INTO runs VALUES ('shapes-log-1', 'm', 'log:1', 'shapes', '/logs', 'h', 'base', 3,
    'random', 1234, '[]', NULL, 'imported', '2025-01-02T03:04:06.000+00:00', '["a note"]',
    '{{"top": [1, 2]}}', 0);
INSERT INTO verdicts VALUES ('shapes-own-1', 0, 'arch', 'stands', '[]', '["no", "yes"]',
    '[[-1.0, 1, 2], ["nan", 1, 3]]', 0, 1, 0, 'ok', 'log-likelihood', '', '{{"falls": "no"}}',
    'digest', 'prompt', 0.5);
INSERT INTO verdicts VALUES ('shapes-log-1', 0, 'arch', 'stands', '[]', '["no", "yes"]',
    '[]', 1, 1, 1, 'ok', 'generated', 'yes', '{{}}', '', '', NULL);
INSERT INTO verdicts VALUES ('shapes-log-1', 1, 'arch', 'top', '[]', '["no", "yes"]',
    '[]', NULL, 1, NULL, 'ok', 'inferred', '', '{{}}', '', '', NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = 2;
"""
"""What the program of that version wrote."""

VERSION_3 = f"""
{VERSION_2}
ALTER TABLE runs ADD COLUMN scoring TEXT NOT NULL DEFAULT '';
ALTER TABLE verdicts ADD COLUMN answers TEXT;
ALTER TABLE verdicts ADD COLUMN golds TEXT;
ALTER TABLE verdicts ADD COLUMN credit REAL;
ALTER TABLE verdicts ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
UPDATE verdicts SET credit = "right";
UPDATE runs SET scoring = 'generated' WHERE state = 'imported';
INSERT INTO verdicts VALUES ('shapes-own-1', 7, 'three', 'culprit', '[]', '["a", "b", "c"]',
    '[[-1.0, 1, 1], [-2.0, 1, 1], [-3.0, 1, 1]]', NULL, NULL, 0, 'ok', 'log-likelihood', '', '{{}}',
    'digest', 'prompt', 0.5, '[0]', '[0, 2]', 0.5, 0);
PRAGMA user_version = 3;
"""
"""What the next one made of it, with an answer of several options."""


def verdict(item: str = "arch", layer: str = "stands") -> Verdict:
    return Verdict(
        item, layer, Setting(), ("no", "yes"), (OptionScore(-1.0), OptionScore(-2.0)), 0, 1,
        Status.OK, Scoring.LOGLIKELIHOOD, tags={"falls": "no"},
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def made(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(script)
    return path


@pytest.fixture
def old(path: Path) -> Path:
    return made(path, VERSION_2)


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)


def columns(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as db:
        found = [db.execute(f"PRAGMA table_info({table})") for table in TABLES]
        return [[column[1:4] for column in table] for table in found]


# -- an earlier version ----------------------------------------------------------------------------


def test_a_store_of_version_2_is_migrated(old: Path, tmp_path: Path) -> None:
    with Store(old) as store:
        own, log = store.runs()
        [first] = store.verdicts(own.id)
        assert (first.answer, first.gold, first.credit, first.tags) == (0, 1, 0.0, {"falls": "no"})
        assert (own.plan.scoring, own.scorings) == (None, (Scoring.LOGLIKELIHOOD,))
        assert log.plan.scoring is Scoring.GENERATED
        assert log.notes == ("a note",)
        # What was begun then goes on now.
        assert store.start(PLAN).id == own.id
        store.record(own.id, 1, verdict("egg cup"), "", 0.0)
    fresh = tmp_path / "fresh.sqlite"
    Store(fresh).close()
    assert columns(old) == columns(fresh)
    with closing(sqlite3.connect(old)) as db:
        assert db.execute("SELECT credit FROM verdicts WHERE seq = 0 ORDER BY run").fetchall() == [
            (1.0,), (0.0,),
        ]  # fmt: skip
    with Store(old) as again:
        assert [run.verdicts for run in again.runs()] == [2, 2]


def test_a_store_of_version_3_is_migrated(path: Path, tmp_path: Path) -> None:
    made(path, VERSION_3)
    with Store(path) as store:
        own, log = store.runs()
        assert (own.plan.blocks, log.plan.blocks) == (0, 0)
        assert log.plan.scoring is Scoring.GENERATED
        verdicts = store.placed(own.id)
        assert (verdicts[7].answers, verdicts[7].golds, verdicts[7].credit) == ((0,), (0, 2), 0.5)
        assert store.blocks(own, verdicts) == {}
        titles = [table.title for table in summarise(store, store.run(own.id)).tables]
        assert titles == ["By length and prior of the options"]
        # What was begun then goes on, and reading blocks is another run.
        assert store.start(PLAN).id == own.id
        store.record(own.id, 1, verdict("egg cup"), "", 0.0)
        read = store.start(replace(PLAN, blocks=2))
        assert read.id != own.id
        blocks = RecordedBlocks(((1,), (0,)), ((-2.0, -1.0), (-1.0, -2.0)))
        store.record(read.id, 0, verdict(), "", 0.0, blocks)
        assert store.blocks(read, store.placed(read.id)) == {0: blocks}
    fresh = tmp_path / "fresh.sqlite"
    Store(fresh).close()
    assert columns(path) == columns(fresh)


def test_a_store_of_version_4_is_migrated_and_goes_on(path: Path, tmp_path: Path) -> None:
    shutil.copy(VERSION_4, path)
    with Store(VERSION_4, create=False) as store:
        before = [(run, store.placed(run.id)) for run in store.runs()]
    with Store(path) as store:
        after = [(run, store.placed(run.id)) for run in store.runs()]
        assert after == before
        gita, com2, accord = store.runs()
        assert [run.verdicts for run in (gita, com2, accord)] == [5, 17, 8]
        assert store.blocks(accord, store.placed(accord.id))
        # What was begun then goes on now.
        assert store.start(gita.plan).id == gita.id
        store.record(gita.id, 1000, verdict(), "hash", 0.5)
    fresh = tmp_path / "fresh.sqlite"
    Store(fresh).close()
    assert columns(path) == columns(fresh)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert db.execute("SELECT DISTINCT form FROM verdicts").fetchall() == [("base",)]
        unknown = "quantisation, engine, engine_version, server, seeds, study"
        assert set(db.execute(f"SELECT {unknown} FROM runs")) == {(None,) * 6}
        assert db.execute("SELECT count(*) FROM studies").fetchone() == (0,)


def test_a_store_of_version_9_is_migrated_and_tells_what_it_does_not_know(
    path: Path, tmp_path: Path
) -> None:
    read = replace(PLAN, blocks=2)
    blocks = RecordedBlocks(((1,), (0,)), ((-2.0, -1.0), (-1.0, -2.0)))
    with Store(path) as store:
        run = store.start(read)
        for number in range(12):
            store.record(run.id, number, verdict(f"arch {number}"), "", 0.0, blocks)
        [layer] = tables_of_blocks(store, run.id)
        assert isinstance(layer.centred, LensCounts)
    # Version 9 had all but this column.
    made(path, "ALTER TABLE verdicts DROP COLUMN block_scores; PRAGMA user_version = 9;")
    before = path.read_bytes()
    for create in (False, True):
        with Store(path, create=create) as store:
            assert store.blocks(run, store.placed(run.id)) == {
                number: RecordedBlocks(blocks.answers) for number in range(12)
            }
            [old] = tables_of_blocks(store, run.id)
            assert (old.centred, old.raw) == (NotCentred.NOT_RECORDED, layer.raw)
            notes = summarise(store, store.run(run.id)).notes
            assert any("not recorded for every answer" in note for note in notes)
        assert (path.read_bytes() == before) is not create
    fresh = tmp_path / "fresh.sqlite"
    Store(fresh).close()
    assert columns(path) == columns(fresh)
    # What was begun then goes on, and its raw counts with it.
    with Store(path) as store:
        assert store.start(read).id == run.id
        store.record(run.id, 12, verdict("egg cup"), "", 0.0, blocks)
        [now] = tables_of_blocks(store, run.id)
        assert (now.centred, now.raw.wrong.n) == (NotCentred.NOT_RECORDED, 13)


def tables_of_blocks(store: Store, run_id: str) -> Sequence[TaskLayerBlocks]:
    table = blocks_of(store, store.run(run_id))
    assert table is not None
    return table.layers


@pytest.mark.parametrize(("script", "count"), [(VERSION_2, 1), (VERSION_3, 2)], ids=["2", "3"])
def test_reading_a_store_of_a_version_before_leaves_it_as_it_is(
    path: Path, script: str, count: int
) -> None:
    old = made(path, script)
    before = old.read_bytes()
    with Store(old, create=False) as store:
        assert [run.id for run in store.runs()] == ["shapes-own-1", "shapes-log-1"]
        assert len(store.verdicts("shapes-own-1")) == count
    assert old.read_bytes() == before


def test_a_store_is_migrated_whole_or_not_at_all(old: Path) -> None:
    change(old, "ALTER TABLE verdicts ADD COLUMN output_tokens INTEGER")
    before = columns(old)
    with pytest.raises(RunError):
        Store(old)
    assert columns(old) == before
    with closing(sqlite3.connect(old)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)


# -- where nothing can be written ------------------------------------------------------------------

LIST = """
import sys
from pathlib import Path
from core.text.errors import RunError
from core.runs.store import Store
try:
    with Store(Path(sys.argv[1]), create=False) as store:
        for run in store.runs():
            print(run.id, len(store.verdicts(run.id)))
except RunError as error:
    print("RunError", error.what)
"""


def on_read_only(folder: Path) -> str:
    """What reading the store in a folder prints where the folder's file system is read-only."""
    script = (
        'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" -c "$3" '
        '"$1/runs.sqlite"'
    )
    words = ["unshare", "-rm", "sh", "-c", script, "sh", str(folder), sys.executable, LIST]
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare to make a read-only file system")
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"needs a read-only file system: {done.stderr.strip()}")
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_store_on_a_read_only_file_system_is_read(path: Path) -> None:
    with Store(path) as store:
        run = store.start(PLAN)
        store.record(run.id, 0, verdict(), "", 0.0)
    assert on_read_only(path.parent) == f"{run.id} 1"


def test_a_store_of_the_version_before_is_read_there_too(old: Path) -> None:
    assert on_read_only(old.parent) == "shapes-own-1 1\nshapes-log-1 2"


def test_verdicts_that_are_not_in_the_file_yet_are_not_left_out(path: Path, tmp_path: Path) -> None:
    there = tmp_path / "copy"
    there.mkdir()
    with Store(path) as store:
        run = store.start(PLAN)
        store.record(run.id, 0, verdict(), "", 0.0)
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", there / f"runs.sqlite{end}")
    assert "second file" in on_read_only(there)


# -- locks that are none ---------------------------------------------------------------------------


def test_a_lock_that_is_none_is_told_and_stops_no_reader(path: Path) -> None:
    with Store(path) as store:
        run = store.start(PLAN)
        store.set_state(run.id, RunState.RUNNING)
        lock = path.with_name(f"{path.name}.{run.id}.lock")
        lock.symlink_to(lock)
        assert [found.state for found in store.runs()] == [RunState.PAUSED]
        with pytest.raises(RunError, match="lock") as raised, store.hold(run.id):
            pass
        assert raised.value.where == str(lock)
        assert "nothing else has this name" in raised.value.hint


# -- rows that the program cannot have written -----------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("model", b"\x00\xff"),
        ("created", b"now"),
        ("notes", "[1]"),
        ("notes", '"text"'),
        ("totals", '{"stands": [1]}'),
        ("totals", '{"stands": ["1", 2]}'),
        ("totals", "[" * 100_000),
        ("shots", "three"),
        ("shots", -1),
        ("blocks", 10**12),
        ("setting", '[["a", 1]]'),
        ("scoring", "guessed"),
        ("form", "poem"),
        ("state", "lost"),
        ("id", "../../elsewhere"),
        ("id", b"x"),
    ],
)
def test_a_run_that_somebody_changed_is_told(path: Path, column: str, value: object) -> None:
    with Store(path) as store:
        store.start(PLAN)
        change(path, f"UPDATE runs SET {column} = ?, state = 'running'", value)
        if column == "state":
            change(path, "UPDATE runs SET state = ?", value)
        assert store.runs() == []
        [error] = store.damaged_runs()
    assert "damaged" in error.what
    assert error.where == str(path)
    assert error.hint


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("options", "[]"),
        ("options", '"no"'),
        ("options", "[1, 2]"),
        ("options", '["no"]'),
        ("answer", 2),
        ("answer", -1),
        ("answer", 0.5),
        ("gold", 99),
        ("scores", "[[-1, 0, 0]]"),
        ("scores", "[" * 100_000),
        ("item", b"\xff"),
        ("text", b"\xff"),
        ("tags", '{"falls": 1}'),
        ("tags", "[]"),
        ("answers", "[5]"),
        ("answers", "[1, 0]"),
        ("answers", "[[0]]"),
        ("golds", "[-1]"),
        ("output_tokens", "many"),
        ("status", "fine"),
        ("scoring", ""),
    ],
)
def test_a_verdict_that_somebody_changed_is_told(path: Path, column: str, value: object) -> None:
    with Store(path) as store:
        run = store.start(PLAN)
        store.record(run.id, 0, verdict(), "", 0.0)
        change(path, f"UPDATE verdicts SET {column} = ?", value)
        for read in (store.placed, lambda run_id: summarise(store, store.run(run_id))):
            with pytest.raises(RunError, match="damaged") as raised:
                read(run.id)
            assert raised.value.where == str(path)


def test_a_place_that_is_no_number_is_told(path: Path) -> None:
    with Store(path) as store:
        run = store.start(PLAN)
        store.record(run.id, 0, verdict(), "", 0.0)
        change(path, "UPDATE verdicts SET seq = ?", "first")
        for read in (store.placed, lambda run_id: store.recorded_verdicts(store.run(run_id))):
            with pytest.raises(RunError, match="damaged") as raised:
                read(run.id)
            assert raised.value.where == str(path)


# -- imports ---------------------------------------------------------------------------------------


def test_what_was_imported_is_not_imported_again(path: Path) -> None:
    with Store(path) as store:
        assert store.latest(PLAN, imported=True) is None
        first = store.add(PLAN, [verdict()], {}, ["a note"])
        assert store.latest(PLAN, imported=True) == first
        assert store.add(PLAN, [verdict(), verdict("egg cup")], {}) == first
        assert store.start(PLAN).id != first.id
        assert len(store.runs()) == 2


def test_right_options_of_multiple_select_can_be_queried(path: Path) -> None:
    several = Verdict(
        "bridge", "advice", Setting(), ("a", "b", "c"), (), None, None, Status.OK,
        Scoring.GENERATED, "Answer: A", multiple=True, answers=(0,), golds=(0, 2), output_tokens=3,
    )  # fmt: skip
    with Store(path) as store:
        run = store.start(PLAN)
        store.record(run.id, 0, several, "", 0.0)
        assert store.verdicts(run.id) == [several]
    with closing(sqlite3.connect(path)) as db:
        query = 'SELECT answers, golds, credit, "right", output_tokens FROM verdicts'
        [(answers, golds, *rest)] = db.execute(query)
    assert (json.loads(answers), json.loads(golds)) == ([0], [0, 2])
    assert rest == [0.5, 0, 3]
