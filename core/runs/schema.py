"""The tables of the store, and what SQLite's errors mean to a person."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from core.text.errors import RunError
from core.text.language import _

APPLICATION = 0x43534E53
"""“CSNS”: the SQLite application id of our files."""
VERSION = 10
"""Of the tables; newer versions are refused, and so are older ones that cannot be migrated."""
SCHEMA = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, model TEXT NOT NULL, fingerprint TEXT NOT NULL, benchmark TEXT NOT NULL,
    collection TEXT NOT NULL, collection_hash TEXT NOT NULL, form TEXT NOT NULL,
    shots INTEGER NOT NULL, shot_rule TEXT NOT NULL, seed INTEGER NOT NULL, setting TEXT NOT NULL,
    item_limit INTEGER, state TEXT NOT NULL, created TEXT NOT NULL, notes TEXT NOT NULL,
    totals TEXT NOT NULL, demo INTEGER NOT NULL, scoring TEXT NOT NULL DEFAULT '',
    blocks INTEGER NOT NULL DEFAULT 0,
    quantisation TEXT, engine TEXT, engine_version TEXT, server TEXT, seeds TEXT,
    study TEXT REFERENCES studies (id), skipped TEXT, prompts TEXT, origin TEXT,
    prior INTEGER NOT NULL DEFAULT 0, reader TEXT
);
CREATE TABLE verdicts (
    run TEXT NOT NULL REFERENCES runs (id), seq INTEGER NOT NULL, item TEXT NOT NULL,
    layer TEXT NOT NULL, setting TEXT NOT NULL, options TEXT NOT NULL, scores TEXT NOT NULL,
    answer INTEGER, gold INTEGER, "right" INTEGER, status TEXT NOT NULL, scoring TEXT NOT NULL,
    text TEXT NOT NULL, tags TEXT NOT NULL, digest TEXT NOT NULL, prompt_hash TEXT NOT NULL,
    seconds REAL, answers TEXT, golds TEXT, credit REAL, output_tokens INTEGER NOT NULL DEFAULT 0,
    block_answers TEXT, settles_at INTEGER, class TEXT,
    form TEXT, prompt_tokens INTEGER, batch INTEGER, permutation TEXT, priors TEXT,
    block_scores TEXT,
    PRIMARY KEY (run, seq), UNIQUE (run, layer, item)
);
CREATE TABLE studies (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, plan TEXT NOT NULL, state TEXT NOT NULL,
    created TEXT NOT NULL, result TEXT
);
CREATE TABLE study_values (
    study TEXT NOT NULL REFERENCES studies (id), key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (study, key)
);
"""
"""The tables of the present version. A column is NULL where its value is not known.

Lists and mappings are JSON. `seq` is the place of a verdict in run order; `seconds` and the counts
of tokens are of one answer; `batch` numbers the questions that were answered together and
`permutation` has the index of the option that was shown at each place, for questions with letters;
`seeds` of a run is `{"order": n, "batch": n, "gpu": n, "chosen": [n], "temperature": t,
"max_tokens": n}`, without what is as usual: the drawn order in which they were shown, how many
questions a local model was asked in one forward pass, how many layers an accelerator computed, the
positions of the items that a person chose, and how answers were written. `skipped` are how many
items of how many could not take the setting, `prompts` a person's own wordings, and `priors` of a
verdict the options' log-probabilities after a content-free prompt; `prior` of a run is 1 where they
are asked. `block_answers` are the options that each block would pick, and `block_scores` the
options' log-likelihoods after each block, to 0.0001 nat. `server` is the address of a model on a
server, and `engine` says how its log-likelihoods were got and how exact they are; `engine_version`
is the llama.cpp that computed a run's answers, and with how many threads; `reader` is the number of
the rules by which written answers are read. `studies` holds findings over a collection with their
plans and results (`core.studies`), and `study_values` what a study measured, by keys of its kind.
"""

MIGRATIONS = {
    2: """
ALTER TABLE runs ADD COLUMN scoring TEXT NOT NULL DEFAULT '';
ALTER TABLE verdicts ADD COLUMN answers TEXT;
ALTER TABLE verdicts ADD COLUMN golds TEXT;
ALTER TABLE verdicts ADD COLUMN credit REAL;
ALTER TABLE verdicts ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
UPDATE verdicts SET credit = "right";
UPDATE runs SET scoring = coalesce((
    SELECT min(scoring) FROM verdicts WHERE run = id AND scoring != 'inferred'
    HAVING count(DISTINCT scoring) = 1
), '') WHERE state = 'imported';
""",
    3: """
ALTER TABLE runs ADD COLUMN blocks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdicts ADD COLUMN block_answers TEXT;
ALTER TABLE verdicts ADD COLUMN settles_at INTEGER;
ALTER TABLE verdicts ADD COLUMN class TEXT;
""",
    4: """
CREATE TABLE studies (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, plan TEXT NOT NULL, state TEXT NOT NULL,
    created TEXT NOT NULL, result TEXT
);
ALTER TABLE runs ADD COLUMN quantisation TEXT;
ALTER TABLE runs ADD COLUMN engine TEXT;
ALTER TABLE runs ADD COLUMN engine_version TEXT;
ALTER TABLE runs ADD COLUMN server TEXT;
ALTER TABLE runs ADD COLUMN seeds TEXT;
ALTER TABLE runs ADD COLUMN study TEXT REFERENCES studies (id);
ALTER TABLE verdicts ADD COLUMN form TEXT;
ALTER TABLE verdicts ADD COLUMN prompt_tokens INTEGER;
ALTER TABLE verdicts ADD COLUMN batch INTEGER;
ALTER TABLE verdicts ADD COLUMN permutation TEXT;
UPDATE verdicts SET form = (SELECT form FROM runs WHERE id = run);
""",
    5: """
ALTER TABLE runs ADD COLUMN skipped TEXT;
ALTER TABLE runs ADD COLUMN prompts TEXT;
ALTER TABLE runs ADD COLUMN origin TEXT;
ALTER TABLE verdicts ADD COLUMN priors TEXT;
""",
    6: """
ALTER TABLE runs ADD COLUMN prior INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET prior = 1 WHERE id IN (SELECT run FROM verdicts WHERE priors IS NOT NULL);
""",
    7: """
ALTER TABLE runs ADD COLUMN reader TEXT;
""",
    8: """
CREATE TABLE study_values (
    study TEXT NOT NULL REFERENCES studies (id), key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (study, key)
);
""",
    9: """
ALTER TABLE verdicts ADD COLUMN block_scores TEXT;
""",
}
"""The statements that migrate the tables of a version to the next.

Version 2 did not record how the answers of a run are read: programs of that time asked everything
as its benchmark preferred, and the verdicts of imported runs say it. Version 3 read no blocks.
Version 4 had no studies, and recorded less about models and single answers.
Version 5 refused a setting that some items cannot take, asked no priors and
only the benchmarks' own prompts. Version 6 did not record that priors are asked before some were,
nor the address of a server. Version 7 did not record by which rules written answers were read.
Version 8 had no values of studies. Version 9 recorded what each block would answer, and not the
scores.
"""


PACK = """CREATE TABLE pack (
    program TEXT NOT NULL, packed TEXT NOT NULL, texts INTEGER NOT NULL, runs TEXT NOT NULL
)"""
"""The table that only a pack of runs has: the version of the program that made it, when (ISO 8601,
UTC), whether with texts, and the sorted ids of the runs as a JSON list."""

_KEYS = {
    "runs": [["id"]],
    "verdicts": [["run", "layer", "item"], ["run", "seq"]],
    "studies": [["id"]],
    "study_values": [["study", "key"]],
}
"""The columns of which no two rows of a table have the same values, in every version."""
_WORD = re.compile(r"\w+")
_KNOWN_WORDS = frozenset(_WORD.findall(f"{SCHEMA}{PACK}".upper()))
"""The words of the statements that made any table of ours; none of them is a function."""
_OTHER_SIGNS = re.compile(r"[^\w\s(),\"']")
_STATISTICS = frozenset({"sqlite_stat1", "sqlite_stat4"})
"""What SQLite's own ANALYZE adds."""


def check_only_ours(db: sqlite3.Connection, path: Path) -> None:
    """Raise `RunError` for a database with anything but tables as this program makes them.

    Views, triggers, generated columns, checks and indexes of a file would be executed where it is
    read or written. Without its keys a table holds verdicts twice, and is searched for each run.
    """
    tables = set()
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master"):
        if sql is None or name in _STATISTICS:
            continue
        words = frozenset(_WORD.findall(sql.upper()))
        tables.add(name)
        if kind != "table" or not words <= _KNOWN_WORDS or _OTHER_SIGNS.search(sql):
            raise _not_made_here(f"{kind} {name}", path)
    for table in tables & _KEYS.keys():
        if _keys(db, table) != _KEYS[table]:
            raise _not_made_here(f"table {table}", path)


def _not_made_here(what: str, path: Path) -> RunError:
    return RunError(
        _("This store holds what the program did not make: {what}.", what=what),
        where=path,
        hint=_("On the command line, name another file with --store."),
    )


def _keys(db: sqlite3.Connection, table: str) -> list[list[str]]:
    """The columns of each unique index of a table, sorted."""
    indexes = db.execute(
        'SELECT name FROM pragma_index_list(?) WHERE "unique"', (table,)
    ).fetchall()
    return sorted(
        [column for (column,) in db.execute("SELECT name FROM pragma_index_info(?)", index)]
        for index in indexes
    )


def make(db: sqlite3.Connection) -> None:
    """Make the tables in an empty database inside the open transaction."""
    _execute(db, SCHEMA)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Migrate the tables to the current schema inside the open transaction."""
    for step in range(version, VERSION):
        _execute(db, MIGRATIONS[step])
    db.execute(f"PRAGMA user_version = {VERSION}")


def _execute(db: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        db.execute(statement)


def explain(error: sqlite3.Error) -> tuple[str, str]:
    """What is wrong with the store, and what to do about it."""
    other = _("On the command line, name another file with --store.")
    # The low byte is the primary result code; the rest only refines it.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return _("The store is in use by another program."), _("Try again when that is done.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            hint = _("Make the file writable.")
            return _("The store cannot be written."), f"{hint} {other}"
        case sqlite3.SQLITE_CANTOPEN:
            hint = _("Is it a file that you may write?")
            return _("The store cannot be opened."), f"{hint} {other}"
        case sqlite3.SQLITE_NOTADB:
            return _("This file is not a store of runs."), other
        # Pages that stand in many places take more steps than a statement may.
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_INTERRUPT:
            hint = _("Move it away and start again.")
            return _("The store is damaged."), f"{hint} {other}"
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return _("The store cannot be written: the disk is full or failing."), other
        case _:
            return _("The store cannot be used: {error}.", error=error), other
