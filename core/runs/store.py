"""The store of recorded runs: one SQLite file, one row for every verdict.

Every verdict is a transaction of its own in write-ahead mode, so a program that is killed loses
no finished verdict. `synchronous` is NORMAL: a power cut may lose the last verdicts, which are
then asked again. Several programs may read, and record different runs, at once; a second program
that records the same run is refused.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from core.answers.scoring import READER
from core.contract.question import Verdict
from core.contract.summary import Totals
from core.runs import locks
from core.runs.database import Database
from core.runs.records import (
    Plan,
    RecordedBlocks,
    Run,
    RunState,
    check_recordable,
    new_run_id,
    replace_surrogates,
    verdict_key,
)
from core.runs.run_rows import RUN_COLUMNS, plan_row, run_of, run_row
from core.runs.verdict_rows import (
    MEASURED_COLUMNS,
    VERDICT_COLUMNS,
    RecordedVerdict,
    blocks_of_row,
    measured_row,
    placed_verdicts_of,
    priors_text,
    unread_sql,
    verdict_row,
    verdicts_of,
)
from core.text.errors import NotFoundError, RunError
from core.text.language import _
from core.text.suggestions import nearest

_RUN = f"""SELECT {RUN_COLUMNS},
    (SELECT count(DISTINCT item) FROM verdicts WHERE run = id),
    (SELECT count(*) FROM verdicts WHERE run = id),
    (SELECT count(DISTINCT layer) FROM verdicts WHERE run = id),
    (SELECT group_concat(DISTINCT scoring) FROM verdicts WHERE run = id) FROM runs"""
_VERDICTS = f"SELECT {VERDICT_COLUMNS} FROM verdicts WHERE run = ? ORDER BY seq"
_PLACED = f"SELECT seq, {VERDICT_COLUMNS} FROM verdicts WHERE run = ? ORDER BY seq"
RECORDED_COLUMNS = (
    "item", "layer", "setting", "options", "scores", "priors", "answer", "gold", "answers", "golds",
    "right", "credit", "status", "scoring", "form", "text", "prompt_tokens", "output_tokens",
    "seconds", "settles_at", "digest", "prompt_hash", "permutation", "tags",
)  # fmt: skip
_RECORDED = f"""SELECT {", ".join(f'"{name}"' for name in RECORDED_COLUMNS)}
    FROM verdicts WHERE run = ? ORDER BY seq"""
_BLOCKS = """SELECT seq, block_answers, block_scores FROM verdicts
    WHERE run = ? AND block_answers IS NOT NULL ORDER BY seq"""
_MADE_WITH = ("quantisation", "engine", "engine_version", "reader")
_MEASURED = f"""SELECT seq, {", ".join(MEASURED_COLUMNS)} FROM verdicts
    WHERE run = ? ORDER BY seq"""


class Store:
    """An open store. Close it, or use it in a `with` statement; use it in one thread."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """Open the store at `path`; raises `RunError`.

        Without `create` nothing is written, and a store that does not exist is empty.
        """
        self.path = path
        self._db = Database(path, create=create)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def database(self) -> Database:
        """The open file, for what else it holds."""
        return self._db

    # -- runs ----------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        """All runs that can be read, the oldest first; `damaged_runs` has the others."""
        return self._sorted_out(self.select(f"{_RUN} ORDER BY created, rowid"))[0]

    def damaged_runs(self) -> list[RunError]:
        """What is wrong with each run whose record cannot be read."""
        return self._sorted_out(self.select(_RUN))[1]

    def check_readable(self) -> None:
        """Raise `RunError` where the record of a run cannot be read."""
        for error in self.damaged_runs():
            raise error

    def run(self, run_id: str) -> Run:
        """The run with an id; raises `NotFoundError` naming the nearest."""
        for row in self.select(f"{_RUN} WHERE id = ?", (replace_surrogates(run_id),)):
            return self._run_of(row)
        ids = [found for (found,) in self.select("SELECT id FROM runs ORDER BY rowid")]
        named = [each for each in ids if each.startswith(run_id)]
        near = named[-3:] or nearest(run_id, ids, n=3) or ids[-3:]
        raise NotFoundError(
            _("There is no run “{run_id}”.", run_id=run_id),
            where=self.path,
            hint=_("Runs: {names}.", names=", ".join(near))
            if near
            else _("No run is recorded yet."),
        )

    def runs_of(self, fingerprint: str, collection_hash: str) -> list[Run]:
        """A model's runs over a collection, the newest first."""
        chosen = f"{_RUN} WHERE fingerprint = ? AND collection_hash = ? ORDER BY runs.rowid DESC"
        named = replace_surrogates(fingerprint), collection_hash
        return self._sorted_out(self.select(chosen, named))[0]

    def start(
        self,
        plan: Plan,
        *,
        quantisation: str = "",
        notes: Sequence[str] = (),
        restart: bool = False,
    ) -> Run:
        """Begin a run, or return the latest one with an equal plan; `restart` always begins one.

        Only a run that is begun gets the `notes`. `quantisation` is that of the model's weights,
        recorded for those who read the file with SQL; empty where it is not known.
        """
        with self._db.guarded(), self._db.transaction():
            known = "" if restart else self._latest(plan, imported=False)
            new = Run("", plan, RunState.PAUSED, "", notes=tuple(notes))
            run_id = known or self._insert_run(new, quantisation, READER)
        return self.run(run_id)

    def latest(self, plan: Plan, *, imported: bool = False) -> Run | None:
        """The latest run with an equal plan that was imported, or was not; None without one."""
        known = self._latest(plan, imported=imported)
        return self.run(known) if known else None

    def add(
        self,
        plan: Plan,
        verdicts: Sequence[Verdict],
        totals: Mapping[str, Totals],
        notes: Sequence[str] = (),
        prompts: Sequence[str] = (),
    ) -> Run:
        """Add a run that was recorded elsewhere, whole or not at all.

        One that was added before with an equal plan is returned as it is. `prompts` is the hash
        of each verdict's prompt; empty where they are not known. Raises `RunError` naming an item
        that has two verdicts in one layer, and for more than `MOST_LAYERS` layers.
        """
        check_recordable(verdicts, plan.collection)
        with self._db.guarded(), self._db.transaction():
            run_id = self._latest(plan, imported=True)
            new = Run("", plan, RunState.IMPORTED, "", notes=tuple(notes), totals=totals)
            added = () if run_id else verdicts
            run_id = run_id or self._insert_run(new)
            for seq, verdict in enumerate(added):
                measured = {"prompt_hash": prompts[seq] if prompts else "", "form": plan.form.value}
                self.insert_verdict(run_id, RecordedVerdict(seq, verdict, None, measured))
        return self.run(run_id)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Record everything that the block changes, or nothing; other programs wait meanwhile."""
        with self._db.guarded(), self._db.transaction():
            yield

    def made_with(self, run_id: str) -> dict[str, str | None]:
        """What a run's answers were computed with, by column; None where it is not known."""
        rows = self.select(f"SELECT {', '.join(_MADE_WITH)} FROM runs WHERE id = ?", (run_id,))
        return {
            name: value if isinstance(value, str) else None
            for row in rows
            for name, value in zip(_MADE_WITH, row, strict=True)
        }

    def recorded_verdicts(self, run: Run) -> list[RecordedVerdict]:
        """A run's verdicts in run order with all that is recorded of them, for another store."""
        # One view of the file, to which another program may be adding verdicts.
        with self._db.guarded(), self._db.transaction("DEFERRED"):
            verdicts = self.placed(run.id)
            blocks = self.blocks(run, verdicts) if run.plan.blocks else {}
            rows = self.select(_MEASURED, (run.id,))
        return [
            RecordedVerdict(seq, verdicts[seq], blocks.get(seq), measured_row(row, str(self.path)))
            for seq, *row in rows
        ]

    def delete(self, run_id: str) -> None:
        """Delete a run with its verdicts, whole or not at all.

        Raises `NotFoundError` for an unknown run, and `RunError` while a program records it.
        """
        run = self.run(run_id)
        with self.hold(run.id), self._db.guarded(), self._db.transaction():
            self._db.execute("DELETE FROM verdicts WHERE run = ?", (run.id,))
            self._db.execute("DELETE FROM runs WHERE id = ?", (run.id,))

    def set_state(self, run_id: str, state: RunState) -> None:
        """Record the state of a run."""
        with self._db.guarded():
            self._db.execute("UPDATE runs SET state = ? WHERE id = ?", (state.value, run_id))

    def hold(self, run_id: str) -> AbstractContextManager[None]:
        """Keep other programs from recording this run; raises `RunError` if one already does."""
        return locks.hold(self.path, run_id)

    # -- verdicts ------------------------------------------------------------------------------

    def record(
        self,
        run_id: str,
        seq: int,
        verdict: Verdict,
        prompt_hash: str,
        seconds: float,
        blocks: RecordedBlocks | None = None,
        batch: int | None = None,
    ) -> None:
        """Add a verdict; when this returns, killing the process does not lose it.

        `seq` is its position in run order, `blocks` what each block said, where blocks were read,
        `batch` the number of the request that asked it with others. Raises `RunError` where the
        position is taken or the item has a verdict in this layer, and where there is no such run.
        """
        measured = {"prompt_hash": prompt_hash, "seconds": seconds, "batch": batch}
        with self._db.guarded():
            try:
                self.insert_verdict(run_id, RecordedVerdict(seq, verdict, blocks, measured))
            except sqlite3.IntegrityError as error:
                where = str(self.path)
                if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
                    raise RunError(
                        _("There is no run “{run_id}” any more.", run_id=run_id), where=where
                    ) from error
                layer, item = verdict_key(verdict)
                raise RunError(
                    _(
                        "Layer {layer} of item “{item}” is already recorded in run {run_id}.",
                        layer=layer,
                        item=item,
                        run_id=run_id,
                    ),
                    where=where,
                    hint=_("Start again: what is recorded is not asked again."),
                ) from error

    def set_priors(self, run_id: str, seq: int, priors: Sequence[float]) -> None:
        """Record the priors of a verdict's options; `seq` is its position in run order."""
        with self._db.guarded():
            self._db.execute(
                "UPDATE verdicts SET priors = ? WHERE run = ? AND seq = ?",
                (priors_text(priors), run_id, seq),
            )

    def mark_prior(self, run_id: str) -> None:
        """Record that the priors of a run's options are asked."""
        with self._db.guarded():
            self._db.execute("UPDATE runs SET prior = 1 WHERE id = ?", (run_id,))

    def mark_computed_by(self, run_id: str, engine: str) -> None:
        """Record which llama.cpp computes a run's answers, and with how many threads."""
        with self._db.guarded():
            self._db.execute("UPDATE runs SET engine_version = ? WHERE id = ?", (engine, run_id))

    def mark_reader(self, run_id: str, note: str) -> None:
        """Record that answers are now read by the present rules, and add a note to the run."""
        notes = (*self.run(run_id).notes, note)
        with self._db.guarded():
            self._db.execute(
                "UPDATE runs SET reader = ?, notes = ? WHERE id = ?",
                (READER, json.dumps(notes), run_id),
            )

    def verdicts(self, run_id: str) -> list[Verdict]:
        """A run's verdicts in run order."""
        with self._db.guarded():
            return verdicts_of(self._db.execute(_VERDICTS, (run_id,)), str(self.path))

    def unread(self, run_id: str) -> list[Verdict]:
        """A run's written answers that could not be read, in run order."""
        chosen = _VERDICTS.replace("ORDER BY", f"AND {unread_sql()} ORDER BY")
        with self._db.guarded():
            return verdicts_of(self._db.execute(chosen, (run_id,)), str(self.path))

    def placed(self, run_id: str) -> dict[int, Verdict]:
        """A run's verdicts by their position in run order, in this order."""
        with self._db.guarded():
            return placed_verdicts_of(self._db.execute(_PLACED, (run_id,)), str(self.path))

    def blocks(self, run: Run, verdicts: Mapping[int, Verdict]) -> dict[int, RecordedBlocks]:
        """What each block said, by the positions of a run's verdicts.

        Verdicts without read blocks are left out.
        """
        blocks, where = run.plan.blocks, str(self.path)
        return {
            seq: blocks_of_row(answers, scores, verdicts[seq], blocks, where)
            for seq, answers, scores in self.select(_BLOCKS, (run.id,))
            if seq in verdicts
        }

    def select(
        self, statement: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[tuple[Any, ...]]:
        """The rows of a `SELECT` statement over the tables of `core.runs.schema`."""
        with self._db.guarded():
            return self._db.execute(statement, values).fetchall()

    def recorded_rows(self, run_id: str) -> Iterator[tuple[Any, ...]]:
        """A run's verdicts in run order as recorded, each with the columns `RECORDED_COLUMNS`."""
        with self._db.guarded():
            yield from self._db.execute(_RECORDED, (run_id,))

    def answered(self, run_id: str) -> dict[tuple[str, str], bool | None]:
        """Whether a run's answers so far were right, by layer and item."""
        rows = self.select('SELECT layer, item, "right" FROM verdicts WHERE run = ?', (run_id,))
        return {
            (layer, item): None if right is None else bool(right) for layer, item, right in rows
        }

    # -- rows ------------------------------------------------------------------------------------

    def _latest(self, plan: Plan, *, imported: bool) -> str:
        """The id of the latest run with an equal plan; empty if there is none."""
        columns = plan_row(plan)
        rows = self.select(
            f"""SELECT id FROM runs WHERE {" AND ".join(f"{name} IS ?" for name in columns)}
            AND (state = ?) = ? ORDER BY rowid DESC LIMIT 1""",
            (*columns.values(), RunState.IMPORTED.value, imported),
        )
        return str(rows[0][0]) if rows else ""

    def _insert_run(self, run: Run, quantisation: str = "", reader: str | None = None) -> str:
        """Add a run under a new id, which is returned, with the present time."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        taken = {run_id for (run_id,) in self._db.execute("SELECT id FROM runs")}
        new = replace(run, id=new_run_id(run.plan, taken), created=now)
        made_with = {"quantisation": quantisation or None, "reader": reader}
        self._db.insert("runs", run_row(new) | made_with)
        self.check_recorded(new.id)
        return new.id

    def check_recorded(self, run_id: str) -> None:
        """Raise `RunError` where a row just written cannot be read, which undoes the transaction.

        One row that cannot be read would be in the way of all runs of the store.
        """
        try:
            self.run(run_id)
        except RunError as error:
            raise RunError(
                _("Run {run_id} holds what cannot be recorded.", run_id=run_id), where=self.path
            ) from error

    def insert_verdict(self, run_id: str, recorded: RecordedVerdict) -> None:
        """Add a verdict, in the prompt form of its run where none is recorded.

        Raises the errors of SQLite.
        """
        row = {"run": run_id, "seq": recorded.seq} | dict(recorded.measured)
        if "form" not in row:
            form = self._db.execute("SELECT form FROM runs WHERE id = ?", (run_id,)).fetchone()
            row["form"] = form and form[0]
        self._db.insert("verdicts", row | verdict_row(recorded.verdict, recorded.blocks))

    def _sorted_out(self, rows: Iterable[Sequence[Any]]) -> tuple[list[Run], list[RunError]]:
        """The runs of some rows, and the errors of the rows that cannot be read."""
        runs, damaged = [], []
        for row in rows:
            try:
                runs.append(self._run_of(row))
            except RunError as error:
                damaged.append(error)
        return runs, damaged

    def _run_of(self, row: Sequence[Any]) -> Run:
        run = run_of(row, str(self.path))
        if run.state is RunState.RUNNING and not locks.is_held(self.path, run.id):
            return replace(run, state=RunState.PAUSED)
        return run
