"""Small stores that keep a plain reader of SQLite busy without end."""

from __future__ import annotations

import json
import re
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from random import Random

from core.runs.schema import SCHEMA

_CHILDREN = 400
_SETTINGS = (
    json.dumps([["a", "b"]] * 700_000),
    json.dumps({f"a {number}": [0, 1] for number in range(300_000)}),
    json.dumps([0] * 2_000_000),
    json.dumps([""] * 2_000_000),
)


def endless(random: Random, path: Path) -> None:
    """Pages in millions of places, tables without indexes, and columns of millions of values."""
    match random.randrange(3):
        case 0:
            spread_pages(path, random.choice(("runs", "verdicts", "studies")), random.randint(1, 5))
        case 1:
            drop_indexes(path, runs=random.randint(1, 2_000), verdicts=random.randint(1, 20_000))
        case _:
            table, columns = random.choice(
                (
                    ("runs", ("setting", "notes", "totals", "seeds", "prompts", "skipped")),
                    ("verdicts", ("setting", "options", "scores", "tags", "answers", "priors")),
                )
            )
            with closing(sqlite3.connect(path)) as db, db:
                db.execute(
                    f'UPDATE {table} SET "{random.choice(columns)}" = ?'
                    f" WHERE rowid = (SELECT min(rowid) FROM {table})",
                    (random.choice(_SETTINGS),),
                )


def spread_pages(path: Path, table: str, depth: int) -> None:
    """Let a table hold its page in `400 ** depth` places; the file grows by `depth` pages."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        [(size,)] = db.execute("PRAGMA page_size")
        [(root,)] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    content = bytearray(path.read_bytes())
    number = len(content) // size
    content += content[(root - 1) * size : root * size]
    for level in range(depth):
        page = _interior_page(size, number + 1 + level)
        if level == depth - 1:
            content[(root - 1) * size : root * size] = page
        else:
            content += page
    content[28:32] = struct.pack(">I", len(content) // size)
    content[92:96] = content[24:28]
    path.write_bytes(content)


def _interior_page(size: int, child: int) -> bytes:
    """A page of a table whose children are all the same page."""
    page = bytearray(size)
    at, pointers = size, []
    for key in range(_CHILDREN):
        at -= 5
        page[at : at + 5] = struct.pack(">IB", child, min(key, 127))
        pointers.append(at)
    page[:12] = struct.pack(">BHHHBI", 5, 0, _CHILDREN, at, 0, child)
    page[12 : 12 + 2 * _CHILDREN] = struct.pack(f">{_CHILDREN}H", *pointers)
    return bytes(page)


def drop_indexes(path: Path, *, runs: int, verdicts: int) -> None:
    """Replace the tables with ones without keys, which hold the first row many times."""
    plain = re.sub(r" PRIMARY KEY\b(?! \()|,\s+PRIMARY KEY \(.*\)", "", SCHEMA)
    numbers = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    with closing(sqlite3.connect(path)) as db, db:
        rows = [
            (table, count, db.execute(f"SELECT * FROM {table} LIMIT 1").fetchone())
            for table, count in (("runs", runs), ("verdicts", verdicts))
        ]
        for table in ("verdicts", "runs", "study_values", "studies"):
            db.execute(f"DROP TABLE {table}")
        db.executescript(plain)
        for table, count, row in rows:
            places = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO {table} {numbers} SELECT {places} FROM n", (count, *row))
        db.execute("UPDATE runs SET id = id || '-' || rowid")
