"""`cluster slurm`: a script that has a scheduler ask the shards of a run and merge them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from core.exchange.exporters.files import check_free, write
from core.text.errors import SettingError
from tui.cli.evaluate import evaluate
from tui.cli.lookup import named_benchmark
from tui.cli.option_groups import with_single_options
from tui.cli.options import BenchmarkArgument, ForceOption
from tui.cli.output import out

_SCRIPT = """\
#!/bin/sh
# Submits an array of shards and a job that merges them, once for each layer that waits for another.
# Options of sbatch may follow: sh SCRIPT --time=1:00:00 --gres=gpu:1
# Submitted again, it goes on with what is missing.
set -eu
mkdir -p -- {folder}
"""
_SUBMISSION = """
shards=$(sbatch --parsable --array=1-{of} {after}"$@" --wrap {ask})
merged=$(sbatch --parsable --dependency="afterok:${{shards%%;*}}" "$@" --wrap {merge})
"""
_SET_HERE = ("shard", "survivors", "store")


def slurm(
    benchmark: BenchmarkArgument,
    shards: Annotated[
        int, typer.Option("--shards", min=1, max=10_000, metavar="N", help="Ask in N jobs.")
    ],
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="Write the script to this file.")
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Keep the stores of the shards in this folder, and the merged one, merged.sqlite.",
        ),
    ],
    options: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- OPTIONS...]", help="Options of `evaluate`, after two dashes."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a script of SLURM jobs that ask shards and merge them.

    Run the script where sbatch is, in the folder that paths in OPTIONS begin from; all jobs have to
    see that folder. Its own arguments are given to sbatch.
    """
    bench, _ = named_benchmark(benchmark, None)
    _check(benchmark, options or [])
    check_free(to, force=force)
    if folder.is_file():
        raise SettingError("This is a file.", where=f"--folder {folder}", hint="Name a folder.")
    place = shlex.quote(str(folder))
    merged = f"{place}/merged.sqlite"
    question = shlex.join(["commonsense-tui", "evaluate", benchmark, *(options or [])])
    ask = (
        f'{question} --shard "$SLURM_ARRAY_TASK_ID/{shards}"'
        f' --store {place}/"shard-$SLURM_ARRAY_TASK_ID-of-{shards}.sqlite"'
    )
    merge = f"commonsense-tui runs merge {place}/shard-*-of-{shards}.sqlite --into {merged}"
    script = _SCRIPT.format(folder=place)
    after = ""
    for _round in range(1 + sum(layer.gated for layer in bench.layers)):
        script += _SUBMISSION.format(
            of=shards, after=after, ask=shlex.quote(ask), merge=shlex.quote(merge)
        )
        if not after:
            after = '--dependency="afterok:${merged%%;*}" '
            ask += f" --survivors {merged}"
    out(str(write(to, script.encode(), force=force)))


def _check(benchmark: str, options: list[str]) -> None:
    """Raise what `evaluate` would raise for options that it does not know or that are set here."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command("evaluate")(with_single_options(evaluate))
    command = typer.main.get_command(app)
    with command.make_context("commonsense-tui evaluate", [benchmark, *options]) as context:
        for name in _SET_HERE:
            if context.params[name] is not None:
                raise SettingError(
                    f"The script sets --{name} itself.",
                    where=f"--{name}",
                    hint="Leave it out.",
                )
