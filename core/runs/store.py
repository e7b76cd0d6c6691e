"""The store of recorded runs: one SQLite file, one row for every verdict.

Every verdict is a transaction of its own in write-ahead mode, so that a program that is killed
at any moment loses no verdict that it had finished; `synchronous` is NORMAL, because the file
only has to outlive the process (a power cut may cost the last verdicts, which are asked again).
Several programs may read and record different runs at once. A run is recorded by one program at
a time: a second one is refused.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.benchmark import Totals
from core.errors import NotFoundError, RunError
from core.nearest import nearest
from core.question import Form, Verdict
from core.runs.records import (
    Plan,
    Run,
    RunState,
    storable,
    verdict_key,
    verdict_of,
    verdict_row,
)
from core.runs.schema import APPLICATION, SCHEMA, VERSION, explained

_PATIENCE = 5.0
"""Seconds to wait for another program that is just writing."""
_RUN = """SELECT id, model, fingerprint, benchmark, collection, collection_hash, form, shots,
    shot_rule, seed, setting, item_limit, state, created, notes, totals, demo,
    (SELECT count(DISTINCT item) FROM verdicts WHERE run = id),
    (SELECT count(*) FROM verdicts WHERE run = id) FROM runs"""
_VERDICTS = """SELECT seq, item, layer, setting, options, scores, answer, gold, "right", status,
    scoring, text, tags, digest FROM verdicts WHERE run = ? ORDER BY seq"""


class Store:
    """An open store. Close it, or use it in a `with` statement; use it in one thread."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """Open the store at `path`; raises `RunError`.

        Without `create` a store that is not there is an empty one, and nothing is written.
        """
        self.path = path
        here = path if create or path.exists() else None
        self._may_make = create or here is None
        if create:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise RunError(
                    f"The folder of the store cannot be made: {error.strerror}.",
                    where=str(path.parent),
                    hint="Name another file with --store.",
                ) from error
        with self._guard():
            self._db = _connect(here, create=create)
        try:
            with self._guard():
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # -- runs ----------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        """All runs, the oldest first."""
        with self._guard():
            rows = self._db.execute(f"{_RUN} ORDER BY created, rowid").fetchall()
        return [self._run_of(row) for row in rows]

    def run(self, run_id: str) -> Run:
        """The run with an id; raises `NotFoundError` naming the nearest."""
        with self._guard():
            row = self._db.execute(f"{_RUN} WHERE id = ?", (storable(run_id),)).fetchone()
            if row is None:
                ids = [found for (found,) in self._db.execute("SELECT id FROM runs ORDER BY rowid")]
        if row is not None:
            return self._run_of(row)
        near = nearest(run_id, ids, n=3) or ids[-3:]
        raise NotFoundError(
            f"There is no run “{run_id}”.",
            where=str(self.path),
            hint=f"Runs: {', '.join(near)}." if near else "No run is recorded yet.",
        )

    def start(self, plan: Plan) -> Run:
        """Begin a run, or return the latest one with an equal plan."""
        with self._guard(), self._transaction():
            row = self._db.execute(
                f"""{_RUN} WHERE fingerprint = ? AND benchmark = ? AND collection_hash = ?
                AND form = ? AND shots = ? AND shot_rule = ? AND seed = ? AND setting = ?
                AND item_limit IS ? AND state != ? ORDER BY rowid DESC LIMIT 1""",
                (
                    storable(plan.fingerprint),
                    plan.benchmark,
                    plan.collection_hash,
                    plan.form.value,
                    plan.shots,
                    plan.shot_rule,
                    plan.seed,
                    json.dumps(plan.setting),
                    plan.limit,
                    RunState.IMPORTED.value,
                ),
            ).fetchone()
            new_id = "" if row else self._insert_run(plan, RunState.PAUSED, (), {})
        return self._run_of(row) if row else self.run(new_id)

    def add(
        self,
        plan: Plan,
        verdicts: Sequence[Verdict],
        totals: Mapping[str, Totals],
        notes: Sequence[str] = (),
        prompts: Sequence[str] = (),
    ) -> Run:
        """Add a run that was recorded elsewhere, whole or not at all.

        `prompts` is the hash of each verdict's prompt; empty where they are not known. Raises
        `RunError` naming an item that has two verdicts in one layer.
        """
        for (layer, item), count in Counter(map(verdict_key, verdicts)).items():
            if count > 1:
                raise RunError(
                    f"Item “{item}” occurs {count} times in layer {layer}.",
                    where=plan.collection,
                    hint="An item has one verdict in a layer: give every item its own id.",
                )
        with self._guard(), self._transaction():
            run_id = self._insert_run(plan, RunState.IMPORTED, notes, totals)
            for seq, verdict in enumerate(verdicts):
                known = prompts[seq] if prompts else ""
                self._insert_verdict(run_id, seq, verdict, known, None)
        return self.run(run_id)

    def set_state(self, run_id: str, state: RunState) -> None:
        """Note how far a run is."""
        with self._guard():
            self._db.execute("UPDATE runs SET state = ? WHERE id = ?", (state.value, run_id))

    @contextmanager
    def hold(self, run_id: str) -> Iterator[None]:
        """Keep other programs from recording this run; raises `RunError` if one already does.

        The hold is a lock of the operating system, so it ends with the process, however that
        ends.
        """
        lock = self._lock_file(run_id)
        with self._guard():
            held = sqlite3.connect(lock, timeout=0, isolation_level=None)
        with closing(held):
            try:
                held.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                raise RunError(
                    f"Another program is just recording run {run_id}.",
                    where=str(self.path),
                    hint="Wait until it is done, or pause it there.",
                ) from error
            try:
                yield
            finally:
                with suppress(OSError):
                    lock.unlink()

    # -- verdicts ------------------------------------------------------------------------------

    def record(
        self, run_id: str, seq: int, verdict: Verdict, prompt_hash: str, seconds: float
    ) -> None:
        """Add a verdict; when this returns, killing the process does not lose it.

        `seq` is its place in run order. Raises `RunError` where the place is taken or the item
        has a verdict in this layer, and where there is no such run.
        """
        with self._guard():
            try:
                self._insert_verdict(run_id, seq, verdict, prompt_hash, seconds)
            except sqlite3.IntegrityError as error:
                where = str(self.path)
                if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
                    raise RunError(f"There is no run “{run_id}” any more.", where=where) from error
                layer, item = verdict_key(verdict)
                raise RunError(
                    f"Layer {layer} of item “{item}” is already recorded in run {run_id}.",
                    where=where,
                    hint="Start again: what is recorded is not asked again.",
                ) from error

    def verdicts(self, run_id: str) -> list[Verdict]:
        """A run's verdicts in run order."""
        return list(self.placed(run_id).values())

    def placed(self, run_id: str) -> dict[int, Verdict]:
        """A run's verdicts by their place in run order, in this order."""
        with self._guard():
            rows = self._db.execute(_VERDICTS, (run_id,)).fetchall()
        return {seq: verdict_of(row) for seq, *row in rows}

    def answered(self, run_id: str) -> dict[tuple[str, str], bool | None]:
        """Whether a run's answers so far were right, by layer and item."""
        with self._guard():
            rows = self._db.execute(
                'SELECT layer, item, "right" FROM verdicts WHERE run = ?', (run_id,)
            ).fetchall()
        return {
            (layer, item): None if right is None else bool(right) for layer, item, right in rows
        }

    # -- inside --------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Check whose file this is, and make the tables in a new one."""
        # A store that is only read may be a file that nobody may write.
        with self._transaction("IMMEDIATE" if self._may_make else "DEFERRED"):
            application = self._db.execute("PRAGMA application_id").fetchone()[0]
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            empty = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if empty and not application and not version:
                for statement in SCHEMA.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {VERSION}")
            elif application != APPLICATION:
                raise RunError(
                    "This is a database of another program.",
                    where=str(self.path),
                    hint="Name another file with --store.",
                )
            elif version != VERSION:
                newer = version > VERSION
                raise RunError(
                    f"This store was made by {'a newer' if newer else 'an older'} version of the "
                    f"program (format {version}).",
                    where=str(self.path),
                    hint=f"{'Update commonsense-tui, or name' if newer else 'Name'} another file "
                    "with --store.",
                )
        if self._may_make:
            self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        """All of the block or nothing of it."""
        self._db.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _insert_run(
        self, plan: Plan, state: RunState, notes: Sequence[str], totals: Mapping[str, Totals]
    ) -> str:
        run_id = self._new_id(plan)
        self._db.execute(
            f"INSERT INTO runs VALUES ({', '.join('?' * 17)})",
            (
                run_id,
                storable(plan.model),
                storable(plan.fingerprint),
                plan.benchmark,
                storable(plan.collection),
                plan.collection_hash,
                plan.form.value,
                plan.shots,
                plan.shot_rule,
                plan.seed,
                json.dumps(plan.setting),
                plan.limit,
                state.value,
                datetime.now(UTC).isoformat(timespec="milliseconds"),
                json.dumps(list(notes)),
                json.dumps({layer: [t.right, t.n] for layer, t in totals.items()}),
                int(plan.demo),
            ),
        )
        return run_id

    def _new_id(self, plan: Plan) -> str:
        """A short id that no run here has: benchmark, model, number."""
        stem = f"{_slug(plan.benchmark, 'run')}-{_slug(plan.model.rpartition('/')[2], 'model')}"
        taken = {found for (found,) in self._db.execute("SELECT id FROM runs")}
        number = 1
        while f"{stem}-{number}" in taken:
            number += 1
        return f"{stem}-{number}"

    def _insert_verdict(
        self, run_id: str, seq: int, verdict: Verdict, prompt_hash: str, seconds: float | None
    ) -> None:
        self._db.execute(
            f"INSERT INTO verdicts VALUES ({', '.join('?' * 17)})",
            (run_id, seq, *verdict_row(verdict), prompt_hash, seconds),
        )

    def _run_of(self, row: Sequence[Any]) -> Run:
        (
            run_id, model, fingerprint, benchmark, collection, collection_hash, form, shots,
            shot_rule, seed, setting, limit, state, created, notes, totals, demo, items, verdicts,
        ) = row  # fmt: skip
        try:
            plan = Plan(
                model=model,
                fingerprint=fingerprint,
                benchmark=benchmark,
                collection=collection,
                collection_hash=collection_hash,
                form=Form(form),
                shots=shots,
                shot_rule=shot_rule,
                seed=seed,
                setting=tuple((key, value) for key, value in json.loads(setting)),
                limit=limit,
                demo=bool(demo),
            )
            known = RunState(state)
            if known is RunState.RUNNING and not self._is_held(run_id):
                known = RunState.PAUSED
            return Run(
                id=run_id,
                plan=plan,
                state=known,
                created=created,
                items=items,
                verdicts=verdicts,
                notes=tuple(json.loads(notes)),
                totals={k: Totals(right, n) for k, (right, n) in json.loads(totals).items()},
            )
        except (ValueError, TypeError, AttributeError) as error:
            raise RunError(
                f"The record of run {run_id} is damaged.", where=str(self.path)
            ) from error

    def _lock_file(self, run_id: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{run_id}.lock")

    def _is_held(self, run_id: str) -> bool:
        """Whether a living program records this run; one that was killed does not."""
        lock = self._lock_file(run_id)
        if not lock.exists():
            return False
        try:
            with closing(sqlite3.connect(lock, timeout=0, isolation_level=None)) as probe:
                probe.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
        return False

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn what SQLite says into an error for a person."""
        try:
            yield
        except sqlite3.Error as error:
            what, hint = explained(error)
            raise RunError(what, where=str(self.path), hint=hint) from error
        except OverflowError as error:
            raise RunError("A number is too large to be recorded.", where=str(self.path)) from error


def _connect(path: Path | None, *, create: bool) -> sqlite3.Connection:
    if path is None:
        return sqlite3.connect(":memory:", isolation_level=None)
    address = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)


def _slug(name: str, otherwise: str) -> str:
    """A name in lower-case letters, digits and single dashes: safe in a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:32].strip("-") or otherwise
