"""`runs pack` and `runs import`: runs as one file."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from core.files import paths
from core.runs.pack import PackedRun, pack, runs_and_repeats, unpack
from tui.cli.lookup import open_store
from tui.cli.new_file import new_file
from tui.cli.options import ForceOption, JsonOption, RunsArgument, StoreOption
from tui.cli.output import out, out_json, say


def pack_runs(
    names: RunsArgument,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Write to this file.")],
    repeats: Annotated[
        bool,
        typer.Option(
            "--repeats",
            help="Pack their finished repeats too: the other seeds, orders and wordings.",
        ),
    ] = False,
    with_texts: Annotated[
        bool, typer.Option("--with-texts", help="Keep the texts of the model's replies.")
    ] = False,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write runs to a file of their own, to hand on.

    The file is a store with these runs alone: plans, verdicts with options, scores, tags and
    hashes, times, and the version of this program, without prompts and texts of replies. Name it
    with --store to read it, or add its runs to your own with `runs import`. Only you may read it.
    """
    with open_store(store, create=False) as opened:
        ids = [opened.run(name).id for name in names]
        if repeats:
            ids = runs_and_repeats(opened, ids)
        with new_file(to, opened.path, force=force) as part:
            pack(opened, ids, part, texts=with_texts, program=version("commonsense-tui"))
    out(str(paths.destination(to)))


def import_runs(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `runs pack` wrote.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the runs of a pack to your own.

    They keep their ids. A run that is there already is not added again; where another run has one
    of these ids, it is kept and the pack refused.
    """
    packed = unpack(file, store or paths.runs())
    for each in packed:
        if not each.added:
            say(f"Run {each.run.id} is there already: nothing is added.")
    if as_json:
        out_json({"runs": [_packed_json(each) for each in packed]})
    else:
        for each in packed:
            out(each.run.id)


def _packed_json(packed: PackedRun) -> dict[str, Any]:
    run = packed.run
    return {
        "run": run.id,
        "model": run.plan.model,
        "benchmark": run.plan.benchmark,
        "n": run.items,
        "verdicts": run.verdicts,
        "imported_earlier": not packed.added,
    }
