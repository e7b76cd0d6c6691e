"""The options that all commands of `study` share, and those of `activations`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tui.cli.options import ForceOption, JsonOption, LinesOption, ReadingOptions, StoreOption

LimitOption = Annotated[
    int | None,
    typer.Option("--limit", min=1, metavar="N", help="Look only at the first N items."),
]
ToOption = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="FILE",
        help="Write it into this file instead of printing it: the table as .csv or .parquet, the "
        "picture as .svg, .pdf or .png, with the method in words.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions(ReadingOptions):
    """Which collection is studied with which model, and where the results go, as it was typed."""

    limit: LimitOption = None
    seed: Annotated[int, typer.Option("--seed", help="Draw the controls with this seed.")] = 0
    store: StoreOption = None
    restart: Annotated[
        bool,
        typer.Option("--restart", help="Forget what an equal study measured, and begin again."),
    ] = False
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Measure only the I-th of N parts of the items; `runs merge` puts the parts "
            "together, and the same command without --shard finds them measured.",
        ),
    ] = None
    to: ToOption = None
    force: ForceOption = False
    as_json: JsonOption = False
    as_lines: LinesOption = False


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
