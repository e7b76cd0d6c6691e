"""`runs backup` and `runs verify`: a copy of the store of runs, and whether a store is sound."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from core.files import paths
from core.runs.backup import back_up, damage, verified
from core.studies.study_store import StudyStore
from core.text.errors import NotFoundError
from core.text.quantities import counted
from tui.cli.lookup import open_store
from tui.cli.new_file import new_file
from tui.cli.options import ForceOption, JsonOption, StoreOption
from tui.cli.output import out, out_json, say


def back_up_runs(
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Write to this file.")],
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Copy the store of runs while it is in use.

    Programs may go on recording: the copy is that of one moment, in one file, and is read again
    before the command ends. Name it with --store to read it. Only you may read it.
    """
    _check_exists(store)
    with (
        open_store(store, create=False) as opened,
        new_file(to, opened.path, force=force) as part,
    ):
        count = back_up(opened, part)
    say(f"{counted(count, 'run')}.")
    out(str(paths.destination(to)))


def verify_runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Read again all that is recorded of every run.

    Checks the file, decodes every verdict and computes the figures of every run. A study whose
    record cannot be read is named. Nothing is changed. Exits with 1 where something is wrong.
    """
    _check_exists(store)
    with open_store(store, create=False) as opened:
        studies = StudyStore(opened.path, database=opened.database)
        problems = damage(opened) + [error.what for error in studies.damaged_studies()]
        runs = list(verified(opened))
    sound = not problems and not any(each.problem for each in runs)
    if as_json:
        out_json(
            {
                "sound": sound,
                "file": problems,
                "runs": [
                    {
                        "run": each.run.id,
                        "state": each.run.state.value,
                        "verdicts": each.verdicts,
                        "problem": each.problem or None,
                    }
                    for each in runs
                ],
            }
        )
    else:
        for text in problems:
            out(f"The file: {text}")
        for each in runs:
            verdicts = counted(each.verdicts, "verdict")
            out(f"{each.run.id}: {each.problem or f'{verdicts}, sound'}")
        if not runs:
            say("No run is recorded.")
    if not sound:
        raise typer.Exit(1)


def _check_exists(store: Path | None) -> None:
    """Raise `NotFoundError` for a store that was named and does not exist.

    Commands that list runs take it for an empty one.
    """
    if store is not None and not os.path.lexists(store):
        raise NotFoundError("There is no such store of runs.", where=store)
