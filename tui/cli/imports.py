"""`import lm-eval` and `import inspect`: logs of other programs become runs; `import tiered`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from core.benchmarks.gita.tiered_results import Pair, kinds, read, summarise
from core.contract.question import Scoring
from core.exchange.importers.imported_run import ImportedRun
from core.exchange.importers.inspect_logs import read as read_inspect_log
from core.exchange.importers.lm_eval import read as read_harness_logs
from core.runs.records import LOG_PREFIX, Plan, log_hash
from core.runs.replay import conditions
from core.text.quantities import counted
from core.text.suggestions import some_names
from tui.app.recognition import warn_of_broken_benchmarks
from tui.cli.figures import print_summary, summary_json
from tui.cli.lookup import open_store
from tui.cli.options import JsonOption, StoreOption
from tui.cli.output import out, out_json, say


def import_lm_eval(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="A folder that holds the logs.")
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import the logs that lm-evaluation-harness wrote for one model.

    Records each folder as one run, so that `runs show` prints its figures.
    """
    warn_of_broken_benchmarks(say)
    _record_each(folders, read_harness_logs, store, as_json=as_json)


def import_inspect(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="An .eval or .json log.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import logs of Inspect AI.

    Records each as a run, so that `runs show` prints its figures.
    """
    _record_each(files, read_inspect_log, store, as_json=as_json)


def _record_each(
    paths: list[Path], read_log: Callable[[Path], ImportedRun], store: Path | None, *, as_json: bool
) -> None:
    """Record a run for each log, and print their ids or what was imported as JSON."""
    # All of them first: a bad log leaves no half of the runs behind.
    logs = [(path, read_log(path)) for path in paths]
    recorded = [_record(path, imported, store) for path, imported in logs]
    if as_json:
        out_json(recorded[0] if len(recorded) == 1 else {"runs": recorded})
        return
    for each in recorded:
        out(each["run"])


def _record(path: Path, imported: ImportedRun, store: Path | None) -> dict[str, Any]:
    """Record a log as a run, once, and tell how it was asked; return what was imported."""
    digest = log_hash(path)
    read = {verdict.scoring for verdict in imported.verdicts} - {Scoring.INFERRED}
    plan = Plan(
        model=imported.model,
        fingerprint=f"{LOG_PREFIX}{digest}",
        benchmark=imported.benchmark,
        collection=str(path),
        collection_hash=digest,
        form=imported.form,
        shots=imported.shots,
        shot_rule=imported.shot_rule,
        seed=imported.seed,
        setting=imported.setting,
        limit=imported.limit,
        chosen=imported.chosen,
        sampling=imported.sampling,
        scoring=read.pop() if len(read) == 1 else None,
    )
    with open_store(store, create=True) as opened:
        known = opened.latest(plan, imported=True)
        run = known or opened.add(
            plan, imported.verdicts, imported.totals, imported.notes, imported.prompts
        )
    if known is not None:
        say(f"This log was imported earlier, as run {run.id}: nothing is added.")
    else:
        say(
            f"Run {run.id}: {run.plan.model} on {run.plan.benchmark}, {conditions(run.plan)}, "
            f"{counted(run.items, 'item')}, {counted(run.verdicts, 'verdict')}."
        )
    for note in imported.notes:
        say(note)
    if imported.not_imported:
        say(f"Not imported: {some_names(imported.not_imported)}.")
    return {
        "run": run.id,
        "model": run.plan.model,
        "benchmark": run.plan.benchmark,
        "n": run.items,
        "verdicts": run.verdicts,
        "imported_earlier": known is not None,
        "notes": imported.notes,
        "not_imported": imported.not_imported,
    }


def import_tiered(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Tiered logs of GITA v1.")],
    as_json: JsonOption = False,
) -> None:
    """Print the figures of tiered logs, over pairs of stories.

    A pair is correct if the model found the implausible story, consistent if it also found the
    conflicting sentences, verifiable if it also found the physical states. Nothing is recorded.
    """
    # All of them first: a bad file leaves no half of the figures behind.
    logs = [(file, read(file)) for file in files]
    if as_json:
        out_json({"files": [_json(file, pairs) for file, pairs in logs]})
        return
    for i, (file, pairs) in enumerate(logs):
        if i:
            out()
        _print(file, pairs)


def _print(file: Path, pairs: list[Pair]) -> None:
    by_kind = ", ".join(f"{n} {kind}" for kind, n in kinds(pairs).items())
    out(f"{file}: {counted(len(pairs), 'pair')} of stories ({by_kind})")
    print_summary("Correct, consistent, verifiable", summarise(pairs))


def _json(file: Path, pairs: list[Pair]) -> dict[str, Any]:
    summary = summarise(pairs)
    correct, consistent, verifiable = (figure.right for figure in summary.figures)
    return {
        "file": str(file),
        "kinds": kinds(pairs),
        "pairs": len(pairs),
        "correct": correct,
        "consistent": consistent,
        "verifiable": verifiable,
        **summary_json(summary),
    }
