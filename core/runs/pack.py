"""A pack: runs as a store of their own, in one file, to hand to a colleague.

It holds the plans, totals, notes and verdicts, with options, scores, tags, hashes and times. Of the
texts of items it holds what options and tags repeat, because figures need them: the options of a
question, and such tags as the head event of an abstraction. The texts of replies are left out
unless asked for. Of the places where the items were, only the last names are kept, and no address
of a server.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from core.files.regular_file import opened
from core.runs import locks
from core.runs.records import Run, verdict_key
from core.runs.repeats import repeats_of
from core.runs.schema import PACK
from core.runs.store import Store
from core.runs.summaries import profiles_of, summary_of
from core.runs.transfer import adopt
from core.runs.verdict_rows import RecordedVerdict
from core.text.errors import RunError


@dataclass(frozen=True, slots=True)
class PackedRun:
    """A run out of a pack."""

    run: Run
    """Under its own id, as it is in the store now."""
    added: bool
    """Whether it was not there before."""


def runs_and_repeats(store: Store, run_ids: Iterable[str]) -> list[str]:
    """Runs and all of their repeats, each once; raises `NotFoundError` for an unknown run."""
    runs = store.runs()
    group = [
        each.id
        for run_id in run_ids
        for run in [store.run(run_id)]
        for each in (run, *(other for repeats in repeats_of(run, runs) for other in repeats.runs))
    ]
    return list(dict.fromkeys(group))


def pack(store: Store, run_ids: Sequence[str], to: Path, *, texts: bool, program: str) -> None:
    """Write runs of `store` to `to`, an empty file that is there already.

    `program` is the version of this program. Raises `NotFoundError` for an unknown run, and
    `RunError` for a damaged store, for a run that is being recorded, and for one whose figures need
    the texts that are left out.
    """
    store.database.check()
    runs = [store.run(run_id) for run_id in dict.fromkeys(run_ids)]
    with Store(to) as made:
        for run in runs:
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
            adopt(made, replace(run, plan=plan), rows, store.made_with(run.id))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        ids = json.dumps(sorted(run.id for run in runs))
        with made.database.guarded():
            made.database.execute(PACK)
            made.database.insert(
                "pack", {"program": program, "packed": now, "texts": int(texts), "runs": ids}
            )
        # One file: none beside it for verdicts that are being written.
        made.database.keep_in_one_file()


def unpack(path: Path, into: Path) -> list[PackedRun]:
    """Add the runs of a pack to the store `into` under their own ids, all or none.

    Those that are there already are not added again. Every value is checked as in any store that is
    read. Raises `DataError` for what is no regular file, and `RunError` for a file that is damaged,
    is no pack or holds other runs than were packed, or with a run whose id another one has in the
    store.
    """
    with opened(path, name="The pack"):
        pass
    with Store(path, create=False) as source:
        source.database.check()
        runs = _packed_runs(source)
        contents = [(run, source.recorded_verdicts(run), source.made_with(run.id)) for run in runs]
    for _run, rows, _made_with in contents:
        times = Counter(verdict_key(row.verdict) for row in rows)
        if len(times) < len(rows) or len({row.seq for row in rows}) < len(rows):
            raise RunError("A verdict occurs twice in this pack.", where=path)
    # Only now, so that a file that is no pack leaves no empty store behind.
    with Store(into) as store:
        known = {run.id for run in store.runs()}
        with store.transaction():
            for run, rows, made_with in contents:
                if run.id in known:
                    _check_same(run, rows, store, path)
                else:
                    adopt(store, run, rows, made_with)
        return [PackedRun(store.run(run.id), added=run.id not in known) for run in runs]


def _packed_runs(source: Store) -> list[Run]:
    """The runs of a file; raises `RunError` where it is no pack, or not as it was written."""
    if not source.select("SELECT 1 FROM pragma_table_info('pack') WHERE name = 'runs'"):
        raise RunError(
            "This file is no pack.",
            where=source.path,
            hint="`commonsense-tui runs pack RUN --to FILE` makes one.",
        )
    listed = source.select("SELECT runs FROM pack")
    source.check_readable()
    runs = source.runs()
    if not runs or [json.dumps(sorted(run.id for run in runs))] != [ids for (ids,) in listed]:
        raise RunError("This pack holds other runs than were packed.", where=source.path)
    return runs


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
    return replace(row, verdict=row.verdict._replace(text=""))
