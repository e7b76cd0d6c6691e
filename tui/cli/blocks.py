"""`blocks`, `trace` and `patch`: read and change the transformer blocks of a model.

Help and completion come to this module too, so each command imports what it does its work with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.cli.lookup import words
from tui.cli.options import (
    BenchmarkArgument,
    ContrastOption,
    DataOption,
    ForceOption,
    FormOption,
    ItemArgument,
    JsonOption,
    ModelOption,
    SetOption,
    TaskLayerOption,
)

_PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="FILE",
        help="Draw it for a paper into this file instead of printing it; its ending chooses: .pdf, "
        ".svg or .png. Needs the extra `plots`.",
    ),
]


def blocks(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    task_layer: TaskLayerOption = None,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    to: _PlotOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score the options after every block of a model.

    The logit lens: a projection of the residual stream, not what the model believes.
    """
    from tui.cli.block_answers import print_lens
    from tui.cli.item_question import ItemQuestion

    asked = ItemQuestion(benchmark, item, task_layer, data, settings, form)
    print_lens(asked, model, to, force=force, as_json=as_json)


def trace(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    contrast: ContrastOption = None,
    task_layer: TaskLayerOption = None,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    part: Annotated[
        str, typer.Option("--part", help="What is copied: residual, attn, ffn or head:H.")
    ] = "residual",
    to: _PlotOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Copy spans block by block from a contrast prompt.

    Shows which copies bring the answer back.

    The contrast prompt is what the item asks with other values; left out, one is chosen in which
    something else is right and of which most can be compared. Where none can, a sentence is
    replaced or something is set in both, as `setting` says.
    """
    from tui.cli.block_answers import print_trace
    from tui.cli.item_question import ItemQuestion

    asked = ItemQuestion(benchmark, item, task_layer, data, settings, form)
    print_trace(asked, contrast, part, model, to, force=force, as_json=as_json)


def patch(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    zero: Annotated[
        list[str] | None,
        typer.Option("--zero", metavar="PART:BLOCK[@SPAN]", help="Zero a part: attn:3, head:3.1."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="BLOCK[@SPAN]", help="Have a block add nothing."),
    ] = None,
    copy: Annotated[
        list[str] | None,
        typer.Option(
            "--copy", metavar="PART:BLOCK[@SPAN]", help="Copy a part from the contrast run."
        ),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--add",
            metavar="PART:BLOCK[@SPAN]=FILE",
            help="Add a vector: a JSON list of numbers or a .npy file.",
        ),
    ] = None,
    contrast: ContrastOption = None,
    task_layer: TaskLayerOption = None,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change parts of blocks and score the options again.

    All changes are made together.

    Spans are numbered as `trace` with the same contrast prompt lists them; without one every token
    of the prompt is meant, and of a copy every token that can be compared.
    """
    from core.models.blocks import Action
    from tui.cli.block_answers import print_patch
    from tui.cli.item_question import ItemQuestion

    changes = {Action.ZERO: zero, Action.SKIP: skip, Action.COPY: copy, Action.ADD: add}
    asked = ItemQuestion(benchmark, item, task_layer, data, settings, form)
    named = {action: words(option) for action, option in changes.items()}
    print_patch(asked, named, contrast, model, as_json=as_json)
