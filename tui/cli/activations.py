"""`activations`: the residual stream of every question of a collection, for notebooks.

Help and completion come to this module too, so the command imports what it does its work with.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tui.cli.options import ForceOption, JsonOption, QuietOption, ReadingOptions
from tui.cli.study_options import LimitOption


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivationOptions(ReadingOptions):
    """Which states are written where, as it was typed."""

    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="FILE", help="Write into this file, which ends in .safetensors."
        ),
    ]
    positions: Annotated[
        str,
        typer.Option(
            "--positions",
            help="Read the residual stream at: last, the answer position; or spans, there and at "
            "the last token of each part of the question.",
        ),
    ] = "last"
    blocks: Annotated[
        str, typer.Option("--blocks", metavar="all|3,5", help="Read it after these blocks.")
    ] = "all"
    half: Annotated[
        bool, typer.Option("--half", help="Write numbers of 16 bits in the place of 32.")
    ] = False
    limit: LimitOption = None
    force: ForceOption = False


def activations(
    asked: ActivationOptions, as_json: JsonOption = False, quiet: QuietOption = False
) -> None:
    """Write a model's residual stream about a collection to a file.

    The tensor `states` is (rows, blocks, width). Beside it an index says of each row which item,
    position and part it is, with its role, and what the options score. The same command goes on
    with a file that was interrupted.
    """
    from tui.cli.activation_writing import write_activations

    write_activations(asked, as_json=as_json)
