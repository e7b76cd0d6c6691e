"""`runs pack` and `runs import`: runs as a file of their own."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from core.contract.question import Scoring
from core.runs.records import RunState
from core.runs.store import Store
from tests.cli.support import ok, recorded, run
from tests.cli.test_run_export import PLAN
from tests.cli.test_run_export import VERDICT as WITH_REPLY

VERDICT = WITH_REPLY._replace(tags={"falls": "yes"})
REPLY = 'a "reply"\nof two lines'


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


@pytest.fixture
def written(store: Path) -> str:
    """The id of a run with generated replies, in `store`."""
    with Store(store) as opened:
        return opened.add(PLAN, [VERDICT, VERDICT._replace(item="b")], {}).id


def packed(store: Path, run_id: str, *words: str) -> Path:
    to = store.parent / "packed.sqlite"
    assert ok("runs", "pack", run_id, "--store", store, "--to", to, *words).out == f"{to}\n"
    return to


def shown(store: Path, run_id: str) -> str:
    """What `runs show --json` prints, less the place where the items were."""
    document = ok("runs", "show", run_id, "--store", store, "--json").json
    document["collection"] = Path(document["collection"]).name
    return json.dumps(document)


def raw(store: Path, question: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store)) as db:
        return db.execute(question).fetchall()


def test_a_packed_run_has_the_figures_of_the_original_wherever_it_is_read(store: Path) -> None:
    other = recorded(store)
    run_id = recorded(store.with_name("second.sqlite"))
    pack = packed(store, other)
    assert shown(pack, other) == shown(store, other)
    mine = store.with_name("mine.sqlite")
    assert ok("runs", "import", pack, "--store", mine).out == f"{other}\n"
    assert shown(mine, other) == shown(store, other)
    assert run_id == other


def test_a_released_log_has_the_same_figures_and_published_rows_from_its_pack(
    store: Path, shared_data: Path
) -> None:
    logs = shared_data / "gita4calamita" / "logs" / "Meta-Llama-3.1-8B-Instruct"
    run_id = ok("import", "lm-eval", logs, "--store", store, "--json").json["run"]
    ok("import", "lm-eval", logs.with_name("gemma-2-9b"), "--store", store)
    pack = packed(store, run_id)
    assert shown(pack, run_id) == shown(store, run_id)
    assert len(ok("runs", "show", run_id, "--store", pack, "--json").json["published"]) == 2
    assert raw(pack, "SELECT id FROM runs") == [(run_id,)]
    place = raw(pack, "SELECT collection FROM runs")
    assert place == [("Meta-Llama-3.1-8B-Instruct",)]


def test_a_run_with_blocks_read_keeps_them_and_what_answers_took(
    store: Path, demo_model: None
) -> None:
    words = ("evaluate", "gita", "--limit", "3", "--blocks", "--store", store, "--json")
    run_id = ok(*words, "--model", "demo").json["run"]
    pack = packed(store, run_id)
    assert shown(pack, run_id) == shown(store, run_id)
    mine = store.with_name("mine.sqlite")
    ok("runs", "import", pack, "--store", mine)
    everything = "SELECT * FROM verdicts ORDER BY seq"
    assert raw(mine, everything) == raw(pack, everything) == raw(store, everything)
    made_with = "SELECT quantisation, fingerprint, collection_hash FROM runs"
    assert raw(mine, made_with) == raw(store, made_with)


def test_texts_are_left_out_unless_they_are_asked_for(store: Path, written: str) -> None:
    pack = packed(store, written)
    assert raw(pack, "SELECT DISTINCT text FROM verdicts") == [("",)]
    assert b"of two lines" not in pack.read_bytes()
    assert raw(pack, "SELECT digest, options FROM verdicts") == raw(
        store, "SELECT digest, options FROM verdicts"
    )
    whole = packed(store, written, "--with-texts", "--force")
    assert raw(whole, "SELECT DISTINCT text FROM verdicts") == [(REPLY,)]


def test_a_pack_is_private_one_file_and_says_which_program_wrote_it(
    store: Path, written: str
) -> None:
    pack = packed(store, written)
    assert stat.S_IMODE(pack.stat().st_mode) == 0o600
    assert raw(pack, "SELECT program, texts FROM pack") == [(version("commonsense-tui"), 0)]
    assert {path.name for path in store.parent.iterdir()} == {pack.name, store.name}


def test_a_pack_holds_no_path_of_this_machine(store: Path, written: str) -> None:
    pack = packed(store, written)
    assert raw(pack, "SELECT collection FROM runs") == [("towers.json",)]
    assert str(store.parent).encode() not in pack.read_bytes()


def test_figures_computed_from_replies_are_not_packed_without_them(store: Path) -> None:
    named = VERDICT._replace(
        item="h",
        layer="generation",
        options=("a drink",),
        scores=(),
        priors=(),
        answer=None,
        gold=None,
        scoring=Scoring.GENERATED,
        text="a drink",
        tags={"relation": "noun", "head": "h"},
    )  # fmt: skip
    with Store(store) as opened:
        run_id = opened.add(replace(PLAN, benchmark="abspyramid"), [named], {}).id
    to = store.with_name("packed.sqlite")
    refused = run("runs", "pack", run_id, "--store", store, "--to", to)
    assert refused.code == 2
    assert "--with-texts" in refused.err
    assert not to.exists()
    assert shown(packed(store, run_id, "--with-texts"), run_id) == shown(store, run_id)


def test_a_file_that_is_there_is_overwritten_only_on_request(store: Path, written: str) -> None:
    pack = packed(store, written)
    before = pack.read_bytes()
    assert run("runs", "pack", written, "--store", store, "--to", pack).code == 2
    assert pack.read_bytes() == before
    packed(store, written, "--force")


def test_a_store_is_never_overwritten_by_a_pack_of_its_own_runs(store: Path, written: str) -> None:
    link = store.with_name("link.sqlite")
    link.symlink_to(store)
    for to in (store, link):
        refused = run("runs", "pack", written, "--store", store, "--to", to, "--force")
        assert (refused.code, "Name another file" in refused.err) == (2, True)
    assert raw(store, "SELECT count(*) FROM runs") == [(1,)]


def test_a_run_that_is_just_recorded_is_not_packed(store: Path, written: str) -> None:
    with Store(store) as opened, opened.hold(written):
        refused = run("runs", "pack", written, "--store", store, "--to", store.with_name("p"))
    assert refused.code == 2
    assert "being recorded" in refused.err


def test_importing_twice_adds_nothing(store: Path, written: str) -> None:
    pack, mine = packed(store, written), store.with_name("mine.sqlite")
    [first] = ok("runs", "import", pack, "--store", mine, "--json").json["runs"]
    [again] = ok("runs", "import", pack, "--store", mine, "--json").json["runs"]
    assert (first.pop("imported_earlier"), again.pop("imported_earlier")) == (False, True)
    assert first == again
    assert raw(mine, "SELECT count(*) FROM verdicts") == [(2,)]
    # The store that it comes from has it too, with the replies, and keeps them.
    [there] = ok("runs", "import", pack, "--store", store, "--json").json["runs"]
    assert there["imported_earlier"] is True
    assert raw(store, "SELECT DISTINCT text FROM verdicts") == [(REPLY,)]


def test_another_run_of_the_same_id_is_kept_and_the_pack_refused(store: Path, written: str) -> None:
    pack, mine = packed(store, written), store.with_name("mine.sqlite")
    with Store(mine) as opened:
        assert opened.add(PLAN, [VERDICT], {}).id == written
    before = raw(mine, "SELECT * FROM verdicts")
    refused = run("runs", "import", pack, "--store", mine)
    assert refused.code == 2
    assert f"another run “{written}”" in refused.err
    assert raw(mine, "SELECT * FROM verdicts") == before


def changed(pack: Path, statement: str) -> Path:
    with closing(sqlite3.connect(pack)) as db, db:
        db.execute(statement)
    return pack


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE verdicts SET answer = 99",
        "UPDATE verdicts SET scores = '[[1,0,0]]'",
        "UPDATE verdicts SET seconds = 'long'",
        "UPDATE verdicts SET form = 'song'",
        "UPDATE runs SET id = '../../x'",
        "UPDATE runs SET shots = -1",
        "DELETE FROM runs",
        "INSERT INTO runs SELECT 'b', * FROM (SELECT model, fingerprint, benchmark, collection,"
        " collection_hash, form, shots, shot_rule, seed, setting, item_limit, state, created,"
        " notes, totals, demo, scoring, blocks, quantisation, engine, engine_version, server,"
        " seeds, study, skipped, prompts, origin, prior, reader FROM runs)",
        "PRAGMA user_version = 99",
        "PRAGMA application_id = 7",
        "DROP TABLE verdicts",
    ],
)
def test_a_pack_that_was_tampered_with_is_refused_and_no_store_made_for_it(
    store: Path, written: str, statement: str
) -> None:
    pack = changed(packed(store, written), statement)
    mine = store.with_name("mine.sqlite")
    refused = run("runs", "import", pack, "--store", mine)
    assert refused.code == 2, refused.out
    assert refused.err
    assert not mine.exists()


def test_damaged_and_foreign_files_are_refused(store: Path, written: str, tmp_path: Path) -> None:
    pack = packed(store, written)
    whole = pack.read_bytes()
    damaged = {
        "cut": whole[: len(whole) // 2],
        "text": b"no pack at all\n" * 400,
        "scribbled": whole[:4096] + b"\xff" * 8192 + whole[12288:],
    }
    mine = store.with_name("mine.sqlite")
    for name, content in damaged.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert run("runs", "import", path, "--store", mine).code == 2, name
    os.mkfifo(tmp_path / "pipe")
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as db:
        db.execute("CREATE TABLE runs (id)")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing", foreign):
        assert run("runs", "import", path, "--store", mine).code == 2, path
    assert not mine.exists()


def test_a_store_that_is_no_pack_is_refused_and_leaves_no_empty_one(
    store: Path, written: str
) -> None:
    refused = run("runs", "import", store, "--store", store.with_name("mine.sqlite"))
    assert refused.code == 2
    assert "This file is no pack" in refused.err
    assert [path.name for path in store.parent.iterdir()] == [store.name]


def test_several_runs_are_one_pack_and_are_added_all_or_none(store: Path, written: str) -> None:
    other = recorded(store)
    to, mine = store.with_name("both.sqlite"), store.with_name("mine.sqlite")
    ok("runs", "pack", written, other, written, "--store", store, "--to", to)
    for name in (written, other):
        assert shown(to, name) == shown(store, name)
    assert ok("runs", "import", to, "--store", mine).out == f"{written}\n{other}\n"
    assert shown(mine, other) == shown(store, other)
    again = ok("runs", "import", to, "--store", mine, "--json").json["runs"]
    assert [each["imported_earlier"] for each in again] == [True, True]
    theirs = store.with_name("theirs.sqlite")
    with Store(theirs) as opened:
        opened.add(replace(PLAN, model="org/Hashing 1B"), [VERDICT], {})
        assert [each.id for each in opened.runs()] == [other]
    refused = run("runs", "import", to, "--store", theirs)
    assert refused.code == 2
    assert raw(theirs, "SELECT id FROM runs") == [(other,)]
    unknown = run("runs", "pack", written, "nosuch", "--store", store, "--to", to, "--force")
    assert unknown.code == 2


def test_a_group_of_repeats_is_packed_with_one_command_and_opens_as_one(store: Path) -> None:
    with Store(store) as opened:
        for order in range(3):
            plan = replace(PLAN, order=order)
            run_id = opened.start(plan).id
            for seq, item in enumerate("abc"):
                answer = VERDICT._replace(item=item, answer=int(seq < order))
                opened.record(run_id, seq, answer, "", 0.0)
            opened.set_state(run_id, RunState.DONE)
        ids = [each.id for each in opened.runs()]
    recorded(store)
    pack, mine = packed(store, ids[1], "--repeats"), store.with_name("mine.sqlite")
    assert ok("runs", "import", pack, "--store", mine).out.split() == ids
    for at in (pack, mine):
        [repeats] = ok("runs", "show", ids[0], "--store", at, "--json").json["repeats"]
        assert (repeats["k"], repeats["orders"]) == (3, 3)
        assert [each["run"] for each in repeats["runs"]] == ids


def test_the_address_of_a_server_is_neither_packed_nor_taken_over(store: Path) -> None:
    with Store(store) as opened:
        run_id = opened.start(replace(PLAN, server="http://inside.test/v1#m")).id
        opened.record(run_id, 0, VERDICT, "", 0.0)
    pack, mine = packed(store, run_id), store.with_name("mine.sqlite")
    assert b"inside.test" not in pack.read_bytes()
    assert ok("runs", "import", pack, "--store", store).code == 0, "it is the same run"
    changed(pack, "UPDATE runs SET server = 'http://evil.test/v1#m'")
    ok("runs", "import", pack, "--store", mine)
    with Store(mine, create=False) as opened:
        assert not opened.run(run_id).plan.server


def test_a_pack_can_be_read_where_nothing_may_be_written(store: Path, written: str) -> None:
    pack = packed(store, written)
    folder = store.with_name("read-only")
    folder.mkdir()
    shutil.copy(pack, folder / "p.sqlite")
    (folder / "p.sqlite").chmod(0o400)
    assert shown(folder / "p.sqlite", written) == shown(store, written)
    assert [path.name for path in folder.iterdir()] == ["p.sqlite"]
