"""`activations`: the residual stream of every question of a collection, for notebooks.

Help and completion come to this module too, so the command imports what it does its work with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.cli.options import (
    BenchmarkArgument,
    ContextOption,
    DataOption,
    ExactOption,
    ForceOption,
    FormOption,
    JsonOption,
    ModelOption,
    QuietOption,
    SetOption,
    TaskLayerOption,
)
from tui.cli.study_options import LimitOption


def activations(
    benchmark: BenchmarkArgument,
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="FILE", help="Write into this file, which ends in .safetensors."
        ),
    ],
    positions: Annotated[
        str,
        typer.Option(
            "--positions",
            help="Read the residual stream at: last, the answer position; or spans, there and at "
            "the last token of each part of the question.",
        ),
    ] = "last",
    blocks: Annotated[
        str, typer.Option("--blocks", metavar="all|3,5", help="Read it after these blocks.")
    ] = "all",
    data: DataOption = None,
    task_layer: TaskLayerOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    context: ContextOption = None,
    exact: ExactOption = False,
    half: Annotated[
        bool, typer.Option("--half", help="Write numbers of 16 bits in the place of 32.")
    ] = False,
    limit: LimitOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a model's residual stream about a collection to a file.

    The tensor `states` is (rows, blocks, width). Beside it an index says of each row which item,
    position and part it is, with its role, and what the options score. The same command goes on
    with a file that was interrupted.
    """
    from tui.cli.activation_writing import write_activations

    write_activations(
        benchmark, to, positions, blocks, data, task_layer, settings, model, form, limit, context,
        exact=exact, half=half, force=force, as_json=as_json,
    )  # fmt: skip
