"""A pack: one run as a store of its own, in one file, to hand to a colleague.

It holds the run's plan, totals, notes and verdicts, with options, scores, tags, hashes and
times. Of the texts of items it holds what options and tags repeat, because figures need them: the
options of a question, and such tags as the head event of an abstraction. The texts of replies are
left out unless asked for. Of the place where the items were, only the last name is kept.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from core.files.regular_file import opened
from core.runs import locks
from core.runs.records import Run, verdict_key
from core.runs.rows import RecordedVerdict
from core.runs.store import Store
from core.runs.summaries import profiles_of, summary_of
from core.text.errors import RunError

_MADE_BY = """CREATE TABLE pack (
    program TEXT NOT NULL, packed TEXT NOT NULL, texts INTEGER NOT NULL
)"""
"""The version of the program that made a pack, when (ISO 8601, UTC), and whether with texts."""


@dataclass(frozen=True, slots=True)
class PackedRun:
    """A run out of a pack."""

    run: Run
    """Under its own id, as it is in the store now."""
    added: bool
    """Whether it was not there before."""


def pack(store: Store, run_id: str, to: Path, *, texts: bool, program: str) -> None:
    """Write a run of `store` to `to`, an empty file that is there already.

    `program` is the version of this program. Raises `NotFoundError` for an unknown run, and
    `RunError` for a run that is being recorded or whose figures need the texts that are left out.
    """
    run = store.run(run_id)
    if locks.is_held(store.path, run.id):
        raise RunError(
            f"Run {run.id} is just being recorded.",
            where=store.path,
            hint="Pack it when it is done or paused.",
        )
    rows = store.recorded_verdicts(run)
    if not texts:
        _check_figures(run, rows)
        rows = [_without_text(row) for row in rows]
    plan = replace(run.plan, collection=PurePath(run.plan.collection).name)
    with Store(to) as made:
        made.adopt(replace(run, plan=plan), rows, store.made_with(run.id))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with closing(sqlite3.connect(to, isolation_level=None)) as db:
        # One file: none beside it for verdicts that are being written.
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute(_MADE_BY)
        db.execute("INSERT INTO pack VALUES (?, ?, ?)", (program, now, int(texts)))


def unpack(path: Path, store: Store) -> PackedRun:
    """Add the run of a pack to a store under its own id; nothing where it is there already.

    Every value is checked as in any store that is read. Raises `DataError` for what is no regular
    file, and `RunError` for a file that is damaged, holds no run or several, or whose run has the
    id of another one in the store.
    """
    with opened(path, name="The pack"):
        pass
    with Store(path, create=False) as source:
        source.check()
        runs = source.runs()
        if len(runs) != 1:
            raise RunError(
                f"A pack holds one run, and this file {len(runs)}.",
                where=path,
                hint="`commonsense-tui runs pack RUN --to FILE` makes one.",
            )
        [run] = runs
        rows, made_with = source.recorded_verdicts(run), source.made_with(run.id)
    repeated = [n for n in Counter(verdict_key(row.verdict) for row in rows).values() if n > 1]
    if repeated or len({row.seq for row in rows}) < len(rows):
        raise RunError("A verdict occurs twice in this pack.", where=path)
    if any(known.id == run.id for known in store.runs()):
        _check_same(run, rows, store, path)
        return PackedRun(store.run(run.id), added=False)
    store.adopt(run, rows, made_with)
    return PackedRun(store.run(run.id), added=True)


def _check_figures(run: Run, rows: Sequence[RecordedVerdict]) -> None:
    """Raise `RunError` where the figures of a run are not the same without the replies."""
    if not any(row.verdict.text for row in rows):
        return
    whole = [row.verdict for row in rows]
    silent = [_without_text(row).verdict for row in rows]
    for profile in profiles_of(run):
        if summary_of(run, whole, profile) != summary_of(run, silent, profile):
            raise RunError(
                f"The figures of run {run.id} are computed from the texts of its replies.",
                where="--with-texts",
                hint="Pack it with --with-texts.",
            )


def _check_same(run: Run, rows: Sequence[RecordedVerdict], store: Store, path: Path) -> None:
    """Raise `RunError` where the run of the same id in the store is another one."""
    known = store.run(run.id)
    if _identity(known) != _identity(run) or [
        _without_text(row) for row in store.recorded_verdicts(known)
    ] != [_without_text(row) for row in rows]:
        raise RunError(
            f"There is another run “{run.id}” in the store already.",
            where=store.path,
            hint=f"Open the pack with --store {path}, or add it to another store with --store.",
        )


def _identity(run: Run) -> Run:
    """A run without the places of its items and its model, which a pack shortens or leaves out."""
    return replace(run, plan=replace(run.plan, collection="", server=""))


def _without_text(row: RecordedVerdict) -> RecordedVerdict:
    return replace(row, verdict=replace(row.verdict, text=""))
