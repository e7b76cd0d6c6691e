"""`import lm-eval` and `import inspect`: logs of other programs become runs; `import tiered`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui.cli import tiered
from tui.cli.find import JsonOption, StoreOption, open_store, tell_broken
from tui.cli.output import out, out_json, say

if TYPE_CHECKING:
    from core.exchange.importers.lm_eval import ImportedRun


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module on the command line."""
    imports = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="Make a run of another program's log."
    )
    imports.command("lm-eval")(import_lm_eval)
    imports.command("inspect")(import_inspect)
    tiered.add_to(imports)
    app.add_typer(imports, name="import")


def import_lm_eval(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of the logs.", show_default=False)
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import the logs that lm-evaluation-harness wrote for one model."""
    from core.exchange.importers.lm_eval import read

    tell_broken()
    _record(folder, read(folder), store, as_json=as_json)


def import_inspect(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An .eval or .json log.", show_default=False)
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import a log of Inspect AI."""
    from core.exchange.importers.inspect_logs import read

    _record(file, read(file), store, as_json=as_json)


def _record(path: Path, imported: ImportedRun, store: Path | None, *, as_json: bool) -> None:
    from core.contract.question import Scoring
    from core.runs.records import Plan, log_hash
    from core.runs.replay import conditions
    from core.runs.shots import RANDOM

    digest = log_hash(path)
    read = {verdict.scoring for verdict in imported.verdicts} - {Scoring.INFERRED}
    plan = Plan(
        model=imported.model,
        fingerprint=f"log:{digest}",
        benchmark=imported.benchmark,
        collection=str(path),
        collection_hash=digest,
        form=imported.form,
        shots=imported.shots,
        shot_rule=RANDOM if imported.shots else "",
        seed=imported.seed,
        scoring=read.pop() if len(read) == 1 else None,
    )
    with open_store(store, create=True) as opened:
        known = opened.imported(plan)
        run = known or opened.add(
            plan, imported.verdicts, imported.totals, imported.notes, imported.prompts
        )
    if known is not None:
        say(f"This log was imported earlier, as run {run.id}: nothing is added.")
    else:
        say(
            f"Run {run.id}: {run.plan.model} on {run.plan.benchmark}, {conditions(run.plan)}, "
            f"{run.items} items, {run.verdicts} verdicts."
        )
    for note in imported.notes:
        say(note)
    if imported.not_imported:
        say(f"Not imported: {', '.join(imported.not_imported)}.")
    if as_json:
        out_json(
            {
                "run": run.id,
                "model": run.plan.model,
                "benchmark": run.plan.benchmark,
                "n": run.items,
                "verdicts": run.verdicts,
                "imported_earlier": known is not None,
                "notes": imported.notes,
                "not_imported": imported.not_imported,
            }
        )
    else:
        out(run.id)
