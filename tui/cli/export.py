"""`export`: writes an item to a file, with scores and traces between a model's blocks.

Help and completion come to this module too, so the command imports what it does its work with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.text.errors import SettingError
from tui.cli.lookup import open_item
from tui.cli.options import (
    BenchmarkArgument,
    ContrastOption,
    DataOption,
    ForceOption,
    ItemArgument,
    ModelOption,
    SetOption,
    TaskLayerOption,
)
from tui.cli.output import out, say

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap
    from core.models.block_requests import Blocks
    from core.models.blocks import BlockAccess
    from core.models.protocol import Model
    from tui.cli.item_question import ItemQuestion


def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT", help="The format: html, svg, md, text, json, graphml, dot or mermaid."
        ),
    ],
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    to: Annotated[Path, typer.Option("--out", metavar="FILE", help="Write to this file.")],
    data: DataOption = None,
    settings: SetOption = None,
    force: ForceOption = False,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="Add the scores of the options after each block.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Add the causal trace of a task layer.")
    ] = False,
    contrast: ContrastOption = None,
    task_layer: TaskLayerOption = None,
    model: ModelOption = None,
) -> None:
    """Write an item under a setting to a file.

    Prints the path.

    With --blocks or --trace a model is asked: about the task layer that --task-layer names; when
    left out, about all layers for --blocks and the first for --trace.
    """
    from core.exchange.exporters import files, formats
    from core.exchange.exporters.document import document_of

    known = formats.format_named(form)
    heat_maps: tuple[HeatMap, ...] = ()
    if not blocks and not trace:
        _check_none({"--contrast": contrast, "--task-layer": task_layer, "--model": model})
        bench, collection, exported, setting = open_item(benchmark, item, data, settings)
    else:
        from tui.cli.item_question import ItemQuestion

        if not known.readings:
            raise SettingError(
                "What is read between a model's blocks cannot be in this format.",
                where="--blocks" if blocks else "--trace",
                hint=formats.no_heat_maps_reason(form),
            )
        files.check_free(to, force=force)
        asked = ItemQuestion(benchmark, item, task_layer, data, settings, None)
        bench, collection, exported = asked.benchmark, asked.collection, asked.item
        setting = asked.setting
        heat_maps = _read_blocks(asked, model, blocks=blocks, trace=trace, contrast=contrast)
    document = document_of(bench, exported, setting, collection.about, heat_maps)
    warning = formats.warning(form, document)
    path = files.write(to, formats.export(form, document), force=force)
    if warning:
        say(warning)
    out(str(path))


def _check_none(given: dict[str, object]) -> None:
    """Raise `SettingError` for an option that needs a model where none is asked."""
    for name, value in given.items():
        if value:
            raise SettingError(
                "No model is asked here.", where=name, hint="Add --blocks or --trace."
            )


def _read_blocks(
    asked: ItemQuestion,
    name: str | None,
    *,
    blocks: bool,
    trace: bool,
    contrast: list[str] | None,
) -> tuple[HeatMap, ...]:
    """Ask a model for the heat maps of its blocks."""
    from core.blocks.heatmaps import lens_map
    from core.models.blocks import Part
    from tui.cli.item_question import lens_table, traced_map, traced_table, with_blocks

    maps: list[HeatMap] = []
    contrast_prompt = asked.contrast_prompt(contrast)

    async def work(loaded: Model, model_blocks: Blocks, access: BlockAccess) -> None:
        for question in asked.questions() if blocks else ():
            table, tokens = await lens_table(asked, question, loaded, model_blocks)
            maps.append(lens_map(table, loaded.info, tokens, asked.form_for(loaded.info)))
        if trace:
            part = Part.RESIDUAL
            traced, tokens = await traced_table(
                asked, contrast_prompt, part, loaded, model_blocks, access
            )
            maps.append(traced_map(asked, traced, loaded.info, tokens, part))

    with_blocks(name, work)
    return tuple(maps)
