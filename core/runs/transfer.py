"""Runs that are handed from one store to another, with all that is recorded of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from core.runs.records import Run
from core.runs.run_rows import run_row
from core.runs.store import Store
from core.runs.verdict_rows import RecordedVerdict
from core.text.errors import RunError
from core.text.language import _


def adopt(
    store: Store, run: Run, rows: Iterable[RecordedVerdict], made_with: Mapping[str, str | None]
) -> None:
    """Add a run that another store recorded, under its own id, whole or not at all.

    `made_with` is what that store's method of this name returned. The address of a server is left
    out: a file from elsewhere must not choose where a person's key is sent. Raises `RunError` where
    the id is taken.
    """
    with store.transaction():
        if store.select("SELECT 1 FROM runs WHERE id = ?", (run.id,)):
            raise RunError(_("There is a run “{run_id}” already.", run_id=run.id), where=store.path)
        store.database.insert("runs", run_row(run) | dict(made_with) | {"server": None})
        for each in rows:
            store.insert_verdict(run.id, each)
        store.check_recorded(run.id)


def extend(store: Store, run_id: str, rows: Sequence[RecordedVerdict], notes: Sequence[str]) -> int:
    """Add the verdicts and priors that a run lacks, all or none; how many verdicts it lacked.

    Where it has a verdict at a position it has to be the one that is given. `notes` stand in the
    place of those that it has.
    """
    with store.transaction():
        known = store.placed(run_id)
        lacking = [row for row in rows if row.seq not in known]
        for row in lacking:
            store.insert_verdict(run_id, row)
        for row in rows:
            if row.verdict.priors and row.seq in known and not known[row.seq].priors:
                store.set_priors(run_id, row.seq, row.verdict.priors)
        store.database.execute(
            "UPDATE runs SET notes = ? WHERE id = ?", (json.dumps(list(notes)), run_id)
        )
        store.check_recorded(run_id)
    return len(lacking)
