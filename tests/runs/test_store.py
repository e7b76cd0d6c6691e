"""The store: what goes in comes out, and what is not a store is refused in words."""

from __future__ import annotations

import json
import math
import multiprocessing
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.question import Form, OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.contract.summary import Totals
from core.runs import connection
from core.runs.backup import damage
from core.runs.listing import list_runs
from core.runs.records import Plan, RunState, log_hash
from core.runs.store import Store
from core.runs.verdict_rows import VERDICT_COLUMNS, verdict_of, verdict_row
from core.text.errors import LostStoreError, NotFoundError, RunError

PLAN = Plan("org/Some Model 7B", "f" * 64, "shapes", "/data/towers.json", "c" * 64)

# SQLite keeps NUL and every other character but lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scores = st.builds(OptionScore, st.floats(allow_nan=False), st.integers(0, 99), st.integers(0, 999))


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    options = tuple(draw(st.lists(texts, min_size=1, max_size=4)))
    multiple = draw(st.booleans())
    index = st.none() if multiple else st.none() | st.integers(0, len(options) - 1)
    several = st.sets(st.integers(0, len(options) - 1)) if multiple else st.just(set())
    return Verdict(
        item=draw(texts),
        layer=draw(texts),
        setting=Setting(tuple(sorted(draw(st.dictionaries(texts, texts, max_size=3)).items()))),
        options=options,
        scores=draw(st.just(()) | st.tuples(*[scores] * len(options))),
        answer=draw(index),
        gold=draw(index),
        status=draw(st.sampled_from(Status)),
        scoring=draw(st.sampled_from(Scoring)),
        text=draw(texts),
        tags=draw(st.dictionaries(texts, texts, max_size=3)),
        multiple=multiple,
        answers=tuple(sorted(draw(several))),
        golds=tuple(sorted(draw(several))),
        output_tokens=draw(st.integers(0, 9999)),
    )


def verdict(item: str = "arch", layer: str = "stands", logprob: float = -1.0) -> Verdict:
    return Verdict(
        item, layer, Setting(), ("no", "yes"), (OptionScore(logprob), OptionScore(-2.0)), 0, 1,
        Status.OK, Scoring.LOGLIKELIHOOD,
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@given(verdicts())
def test_a_row_gives_its_verdict_back(one: Verdict) -> None:
    row = verdict_row(one)
    assert verdict_of([row[name] for name in VERDICT_COLUMNS.split(", ")], "here") == one


@given(st.lists(verdicts(), max_size=6, unique_by=lambda v: (v.item, v.layer)))
@settings(max_examples=25, deadline=None)
def test_a_store_gives_its_verdicts_back_in_run_order(many: list[Verdict]) -> None:
    with Store(Path("never"), create=False) as opened:
        run = opened.start(PLAN)
        for seq, one in reversed(list(enumerate(many))):
            opened.record(run.id, seq, one, "", 0.0)
        assert opened.verdicts(run.id) == many


def test_scores_that_are_no_numbers_come_back(store: Store) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict("a", logprob=-math.inf), "", 0.0)
    store.record(run.id, 1, verdict("b", logprob=math.nan), "", 0.0)
    first, second = store.verdicts(run.id)
    assert first.scores[0].logprob == -math.inf
    assert math.isnan(second.scores[0].logprob)


def test_lone_surrogates_do_not_stop_a_run(store: Store) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict("tower \ud800"), "", 0.0)
    assert store.verdicts(run.id)[0].item == "tower ?"


def test_every_verdict_is_there_for_others_at_once(store: Store, path: Path) -> None:
    run = store.start(PLAN)
    with sqlite3.connect(path) as other:
        for seq in range(5):
            store.record(run.id, seq, verdict(f"tower {seq}"), "hash", 0.5)
            [(count,)] = other.execute("SELECT count(*) FROM verdicts").fetchall()
            assert count == seq + 1


def test_a_question_is_recorded_once(store: Store) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    with pytest.raises(RunError, match="Layer stands of item “arch” is already recorded"):
        store.record(run.id, 1, verdict(), "", 0.0)
    store.record(run.id, 1, verdict(layer="top"), "", 0.0)
    assert store.run(run.id).items == 1
    assert store.run(run.id).verdicts == 2


def test_runs_that_begin_with_a_word_are_named_before_those_like_it(store: Store) -> None:
    meant = store.start(replace(PLAN, model="model-with-a-long-name")).id
    near = store.start(replace(PLAN, model="mode", fingerprint="m")).id
    with pytest.raises(NotFoundError) as error:
        store.run(meant.removesuffix("-with-a-long-name-1"))
    assert error.value.hint == f"Runs: {meant}."
    assert near not in error.value.hint


def test_a_verdict_belongs_to_a_run_that_is_there(store: Store) -> None:
    with pytest.raises(RunError, match="There is no run “nobody-1”"):
        store.record("nobody-1", 0, verdict(), "", 0.0)


@pytest.mark.parametrize("model", ["../../etc/passwd", "", "🙂", "a\x00b\n", "x" * 500, "org/M 1"])
def test_ids_are_short_unique_and_safe_in_file_names(store: Store, path: Path, model: str) -> None:
    plans = [Plan(model, str(i), "../shapes", "", "") for i in range(3)]
    ids = [store.start(plan).id for plan in plans]
    assert len(set(ids)) == 3
    for run_id in ids:
        assert len(run_id) < 80
        assert set(run_id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        with store.hold(run_id):
            assert {file.parent for file in path.parent.iterdir()} == {path.parent}
    assert [run.plan.model for run in store.runs()] == [model] * 3


def test_an_unknown_run_is_not_found_and_the_nearest_are_named(store: Store) -> None:
    run = store.start(PLAN)
    with pytest.raises(NotFoundError) as raised:
        store.run(run.id + "0")
    assert run.id in raised.value.hint


def test_the_quantisation_of_the_weights_is_recorded(store: Store, path: Path) -> None:
    store.start(PLAN, quantisation="Q4_K_M")
    store.start(replace(PLAN, limit=1))
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT quantisation FROM runs ORDER BY rowid").fetchall()
    assert rows == [("Q4_K_M",), (None,)]


def test_a_plan_comes_back(store: Store) -> None:
    plan = Plan(
        "m", "f", "shapes", "p", "h", Form.CHAT, 3, "random", 1234, (("glue", "on"),), 10, True
    )  # fmt: skip
    assert store.run(store.start(plan).id).plan == plan
    assert store.add(plan, [], {}, ["a note"]).notes == ("a note",)


def test_an_import_is_whole_or_not_there(store: Store) -> None:
    twice = [verdict(), verdict()]
    with pytest.raises(RunError, match="Item “arch” occurs 2 times in layer stands"):
        store.add(PLAN, twice, {}, [])
    assert store.runs() == []
    with pytest.raises(RunError):
        store.add(PLAN, [verdict(), verdict("egg cup")._replace(layer=None)], {}, [])  # type: ignore[arg-type]
    assert store.runs() == []
    run = store.add(PLAN, twice[:1], {"top": Totals(3, 9)}, ["partial"])
    assert run.state is RunState.IMPORTED
    assert run.totals == {"top": Totals(3, 9)}
    assert store.start(PLAN).id != run.id


def test_a_hold_is_seen_and_ends(store: Store, path: Path) -> None:
    run = store.start(PLAN)
    with Store(path) as other:
        with store.hold(run.id):
            store.set_state(run.id, RunState.RUNNING)
            assert other.run(run.id).state is RunState.RUNNING
            with pytest.raises(RunError, match="just recording"), other.hold(run.id):
                pass
        # Left as running by a program that is gone: it is not running any more.
        assert other.run(run.id).state is RunState.PAUSED
        with other.hold(run.id):
            pass
    assert [file.name for file in path.parent.iterdir() if "lock" in file.name] == []


def test_reading_what_is_not_there_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "runs.sqlite"
    with Store(path, create=False) as opened:
        assert opened.runs() == []
        with pytest.raises(NotFoundError, match="There is no run"):
            opened.run("x")
    assert list(tmp_path.iterdir()) == []


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")


def _newer(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 99")


def _older(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
        "SELECT x FROM c",
        "CREATE TRIGGER gone AFTER INSERT ON verdicts BEGIN DELETE FROM runs; END",
        "CREATE INDEX long ON runs (hex(zeroblob(300000000)))",
        "CREATE TABLE checked (run TEXT CHECK (length(hex(zeroblob(300000000)))))",
        "CREATE TABLE made (run TEXT, model TEXT AS (hex(zeroblob(300000000))))",
        "CREATE TABLE pack (program TEXT DEFAULT (hex(zeroblob(300000000))))",
    ],
    ids=["view", "trigger", "index", "check", "generated", "default"],
)
def test_a_store_with_statements_of_others_is_refused(path: Path, statement: str) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)
    for create in (True, False):
        with pytest.raises(RunError, match="holds what the program did not make") as raised:
            Store(path, create=create)
        assert str(path) in str(raised.value)
    with pytest.raises(RunError, match="did not make"):
        connection.run_ids(path)


@pytest.mark.parametrize("instead", ["nothing", "another store", "a folder"])
def test_a_store_that_was_removed_or_replaced_takes_nothing_more(
    store: Store, path: Path, instead: str
) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    path.rename(path.with_name("moved.sqlite"))
    if instead == "another store":
        Store(path).close()
    elif instead == "a folder":
        path.mkdir()
    with pytest.raises(LostStoreError, match="removed or replaced"):
        store.record(run.id, 1, verdict(layer="top"), "", 0.0)
    with pytest.raises(LostStoreError):
        store.set_state(run.id, RunState.DONE)


def test_a_store_stays_where_it_was_when_the_program_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(Path("here.sqlite")) as store:
        run = store.start(PLAN)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        store.record(run.id, 0, verdict(), "", 0.0)
    assert Store(tmp_path / "here.sqlite").run(run.id).verdicts == 1


def test_a_store_that_was_analysed_is_read(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ANALYZE")
    assert Store(path).runs() == []


def test_a_text_of_many_megabytes_is_not_read(store: Store, path: Path) -> None:
    run = store.start(PLAN)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE runs SET notes = hex(zeroblob(20000000)) WHERE id = ?", (run.id,))
    with pytest.raises(RunError, match="too big"):
        store.runs()


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path: _write(path, b"id,answer\n" * 200), "not a store"),
        (_other_program, "another program"),
        (_newer, "newer version"),
        (_older, "older version"),
        (lambda path: path.mkdir(), "cannot be opened"),
        (lambda path: path.symlink_to(path), "cannot be opened"),
    ],
    ids=["text", "other program", "newer", "older", "folder", "loop of links"],
)
def test_what_is_not_our_store_is_refused_and_left_alone(path, make, what, create) -> None:  # type: ignore[no-untyped-def]
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(RunError, match=what) as raised:
        Store(path, create=create)
    assert raised.value.where == str(path)
    assert raised.value.hint
    assert before is None or path.read_bytes() == before


def test_a_damaged_store_is_told(path: Path) -> None:
    with Store(path) as opened:
        run = opened.start(PLAN)
        for seq in range(300):
            opened.record(run.id, seq, verdict(f"tower {seq}"), "h" * 64, 0.0)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(RunError, match="damaged"), Store(path) as opened:
        opened.verdicts(opened.runs()[0].id)


@pytest.mark.parametrize("column", ["scores", "options", "tags", "status", "setting", "answer"])
def test_a_row_that_somebody_changed_is_told(store: Store, path: Path, column: str) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE verdicts SET {column} = '[[1'")
    with pytest.raises(RunError, match="damaged"):
        store.verdicts(run.id)


def test_runs_are_listed_beside_a_verdict_without_a_status(path: Path, store: Store) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'status TEXT NOT NULL', 'status TEXT')"
        )
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE verdicts SET status = NULL, scoring = 'generated'")
    assert [listed.unread for listed in list_runs(store)] == [0]


def test_a_verdict_on_thousands_of_options_is_damaged(path: Path, store: Store) -> None:
    run = store.start(PLAN)
    store.record(run.id, 0, verdict(), "", 0.0)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE verdicts SET options = ?, scores = '[]'", (json.dumps(["no"] * 1001),))
    with pytest.raises(RunError, match="damaged"):
        store.verdicts(run.id)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("notes", json.dumps([""] * 100_001)),
        ("totals", json.dumps({f"layer {n}": [0, 1] for n in range(1_001)})),
        ("setting", json.dumps([["a", "b"]] * 1_001)),
        ("seeds", json.dumps({"chosen": [0] * 1_000_002})),
    ],
    ids=["notes", "layers", "setting", "chosen"],
)
def test_a_run_with_more_values_than_any_has_is_damaged(
    path: Path, store: Store, column: str, value: str
) -> None:
    run = store.start(PLAN)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE runs SET {column} = ?", (value,))
    with pytest.raises(RunError, match="damaged"):
        store.run(run.id)


def test_a_run_with_verdicts_of_thousands_of_layers_is_neither_added_nor_read(
    path: Path, store: Store
) -> None:
    with pytest.raises(RunError, match="more than 1,000 layers"):
        store.add(PLAN, [verdict(layer=f"layer {n}") for n in range(1_001)], {}, [])
    assert store.runs() == []
    run = store.add(PLAN, [verdict(layer=f"layer {n}") for n in range(1_000)], {}, [])
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE verdicts SET layer = 'one more', seq = 1000 WHERE seq = 0")
    assert store.run(run.id).verdicts == 1_000
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TEMP TABLE another AS SELECT * FROM verdicts WHERE seq = 1")
        db.execute("UPDATE another SET seq = 0, layer = 'a last one'")
        db.execute("INSERT INTO verdicts SELECT * FROM another")
    with pytest.raises(RunError, match="damaged"):
        store.run(run.id)


def test_a_store_that_another_program_keeps_locked_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(path).close()
    monkeypatch.setattr(connection, "PATIENCE", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(RunError, match="in use"):
        Store(path)
    other.close()
    Store(path).close()


def test_a_store_that_may_not_be_written_is_read(path: Path) -> None:
    with Store(path) as opened:
        run = opened.start(PLAN)
    path.chmod(stat.S_IRUSR)
    with Store(path, create=False) as opened:
        assert [found.id for found in opened.runs()] == [run.id]


def _add_ten(path: Path, name: str) -> None:
    # On a busy machine the others may keep it from writing for long.
    connection.PATIENCE = 120.0
    with Store(path) as opened:
        run = opened.start(Plan(name, name, "shapes", "", ""))
        for seq in range(10):
            opened.record(run.id, seq, verdict(f"tower {seq}"), "", 0.0)


def test_several_programs_make_and_write_one_store(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add_ten, args=(path, f"model {i}")) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    with Store(path, create=False) as opened:
        assert [run.verdicts for run in opened.runs()] == [10] * 4


def test_content_and_not_place_makes_a_hash(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "a.json").write_text("[]")
    one, two = tmp_path / "one", tmp_path / "two"
    assert log_hash(one) == log_hash(two)
    (two / "sub" / "a.json").rename(two / "sub" / "b.json")
    assert log_hash(one) != log_hash(two)
    (one / "sub" / "a.json").write_text("[1]")
    assert log_hash(one / "sub" / "a.json") != log_hash(two / "sub" / "b.json")


def test_a_damaged_run_is_named_and_the_others_of_its_store_are_read(
    store: Store, path: Path
) -> None:
    sound, damaged = store.start(PLAN), store.start(replace(PLAN, seed=7))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE runs SET item_limit = -1 WHERE id = ?", (damaged.id,))
    assert store.runs() == [sound]
    assert [error.what for error in store.damaged_runs()] == [
        f"The record of run {damaged.id} is damaged."
    ]
    assert store.runs_of(PLAN.fingerprint, PLAN.collection_hash) == [sound]
    assert store.run(sound.id) == sound
    assert damage(store) == [f"The record of run {damaged.id} is damaged."]
    with pytest.raises(RunError, match="damaged"):
        store.run(damaged.id)


def test_a_run_that_could_not_be_read_again_is_not_recorded(store: Store) -> None:
    for wrong in (replace(PLAN, limit=-1), replace(PLAN, shots=-1), replace(PLAN, blocks=10**6)):
        with pytest.raises(RunError, match="cannot be recorded"):
            store.start(wrong)
        with pytest.raises(RunError, match="cannot be recorded"):
            store.add(wrong, [verdict()], {})
    assert store.select("SELECT id FROM runs UNION SELECT run FROM verdicts") == []
