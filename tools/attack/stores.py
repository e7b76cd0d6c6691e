"""Damaged stores: read, written, packed and merged; one that is only read is never changed."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

from core.runs.listing import list_runs
from core.runs.merging import merge
from core.runs.pack import unpack
from core.runs.schema import APPLICATION, VERSION
from core.runs.store import Store
from core.runs.summaries import summarise
from core.text.errors import CommonsenseError
from tools.attack import made_stores
from tools.attack.attempts import Tally, note
from tools.attack.endless_stores import endless
from tools.attack.mutators import NUMBERS, TEXTS, mutated

TRIES = 2_000
Damage = Callable[[Random, Path], None]
_TABLES = {"runs": 28, "verdicts": 28}


def pages(random: Random, path: Path) -> None:
    """Bytes changed anywhere, or the file cut, as by a failing disk or a copy that broke off."""
    path.write_bytes(mutated(random, path.read_bytes(), structured=False))


def values(random: Random, path: Path) -> None:
    """A value that the program cannot have written, in any column."""
    with closing(sqlite3.connect(path)) as db, db:
        table = random.choice(tuple(_TABLES))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        column = random.choice(columns)
        numbers = [each for each in NUMBERS if not isinstance(each, int) or abs(each) < 2**63]
        value = random.choice((*TEXTS, *numbers, None, b"\x00\xff", "[" * 5_000, "[1]", "{}"))
        if isinstance(value, str):
            value = value.encode("utf-8", "replace").decode()
        try:
            db.execute(f'UPDATE {table} SET "{column}" = ?', (value,))
        except sqlite3.IntegrityError:
            db.execute(f'UPDATE OR IGNORE {table} SET "{column}" = ?', (str(value),))


def schema(random: Random, path: Path) -> None:
    """Tables and columns that are missing, and versions that are not ours."""
    column = random.choice(("text", "tags", "notes", "totals", "options"))
    statement = random.choice(
        (
            f"PRAGMA user_version = {random.choice((0, 1, 5, VERSION + 1, -1, 2**31 - 1))}",
            f"PRAGMA application_id = {random.choice((0, 1, APPLICATION + 1))}",
            "DROP TABLE verdicts", "DROP TABLE runs", "DROP TABLE studies",
            f'ALTER TABLE {random.choice(tuple(_TABLES))} RENAME COLUMN "{column}" TO other',
            "CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM verdicts; END",
            "ALTER TABLE runs ADD COLUMN made AS (hex(zeroblob(900000000)))",
            "CREATE VIEW pack AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
            "SELECT x AS program, 1 AS packed, 1 AS texts, '[]' AS runs FROM c",
            "CREATE TABLE other (a)", "DELETE FROM runs", "DELETE FROM verdicts",
        )
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as db, db:
        try:
            db.execute(statement)
        except sqlite3.Error:
            db.execute("DROP TABLE studies")


def half(random: Random, path: Path) -> None:
    """A copy that was taken while a program was writing: without its second file, or cut."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("UPDATE runs SET notes = '[\"a note\"]'")
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{path}.copy{end}")
    raw = Path(f"{path}.copy-wal").read_bytes()
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    Path(f"{path}.copy").replace(path)
    Path(f"{path}.copy-wal").unlink()
    if random.random() < 0.7:
        Path(f"{path}-wal").write_bytes(mutated(random, raw, structured=False))


DAMAGES: tuple[Damage, ...] = (pages, values, schema, half, endless)


def reading(path: Path) -> None:
    """What lists, shows, compares and exports runs."""
    with Store(path, create=False) as store:
        list_runs(store)
        for run in store.runs():
            summarise(store, run)
            store.recorded_verdicts(run)


def writing(path: Path) -> None:
    """What goes on with a run."""
    with Store(path) as store:
        for run in store.runs():
            again = store.start(run.plan)
            store.set_state(again.id, again.state)


def packing(path: Path) -> None:
    """What adds the runs of a pack."""
    unpack(path, path.with_name("into.sqlite"))


def merging(path: Path) -> None:
    """What puts shards together."""
    merge([path], path.with_name("into.sqlite"))


def attack(tries: int, seed: int) -> Tally:
    """Damage a store, and use it in every way; what only reads changes no byte."""
    tally = Tally("stores")
    raw = made_stores.stored()
    for number in range(tries):
        note(f"stores {number:,} of {tries:,}, failed {len(tally.failures)}")
        random = Random(f"{seed} {number}")
        damage = random.choice(DAMAGES)
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            path = Path(folder) / "runs.sqlite"
            path.write_bytes(raw)
            damage(random, path)
            before = _digest(path)
            for use in (reading, packing, merging, writing):
                name = f"{use.__name__} {damage.__name__} #{number}"
                with tally.attempt(name):
                    use(path)
                if use is not writing and _digest(path) != before:
                    tally.fail(name, "the store was changed by reading it")
            _lossless(tally, path, f"{damage.__name__} #{number}", readable=_count(raw))
    return tally


def _lossless(tally: Tally, path: Path, name: str, readable: int) -> None:
    """A store that can still be read has no more and no fewer verdicts than it can have."""
    try:
        with Store(path, create=False) as store:
            found = sum(len(store.placed(run.id)) for run in store.runs())
    except CommonsenseError:
        return
    if found not in {0, readable}:
        tally.endings[f"{found} of {readable} verdicts are left"] += 1


def _count(raw: bytes) -> int:
    db = sqlite3.connect(":memory:")
    with closing(db):
        db.deserialize(raw)
        return int(db.execute("SELECT count(*) FROM verdicts").fetchone()[0])


def _digest(path: Path) -> str:
    """The hash of a store and of what was recorded last."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files if f.exists())).hexdigest()


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    return attack(tries, seed)
