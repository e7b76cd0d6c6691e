"""`runs pack` and `runs import`: one run as one file."""

from __future__ import annotations

import os
import secrets
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from core.exchange.exporters.document import ExportError
from core.exchange.exporters.files import check_free
from core.files.atomic import make_private
from core.runs.pack import pack, unpack
from tui.cli.lookup import open_store
from tui.cli.options import ForceOption, JsonOption, RunArgument, StoreOption
from tui.cli.output import out, out_json, say


def pack_run(
    run: RunArgument,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Write to this file.")],
    with_texts: Annotated[
        bool, typer.Option("--with-texts", help="Keep the texts of the model's replies.")
    ] = False,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write one run to a file of its own, to hand on.

    The file is a store with this run alone: plan, verdicts with options, scores, tags and hashes,
    times, and the version of this program, without prompts and texts of replies. Name it with
    --store to read it, or add its run to your own with `runs import`. Only you may read it.
    """
    check_free(to, force=force)
    path = to.expanduser().absolute()
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    with open_store(store, create=False) as opened:
        opened.run(run)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            make_private(part)
            pack(opened, run, part, texts=with_texts, program=version("commonsense-tui"))
            part.replace(path)
        except OSError as error:
            raise ExportError(
                f"This file cannot be written: {os.strerror(error.errno or 0)}.", where=path
            ) from error
        finally:
            part.unlink(missing_ok=True)
    out(str(path))


def import_run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `runs pack` wrote.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the run of a pack to your own.

    It keeps its id. A run that is there already is not added again; another run of the same id is
    kept, and the pack refused.
    """
    with open_store(store, create=True) as opened:
        packed = unpack(file, opened)
    run = packed.run
    if not packed.added:
        say(f"Run {run.id} is there already: nothing is added.")
    if as_json:
        out_json(
            {
                "run": run.id,
                "model": run.plan.model,
                "benchmark": run.plan.benchmark,
                "n": run.items,
                "verdicts": run.verdicts,
                "imported_earlier": not packed.added,
            }
        )
    else:
        out(run.id)
