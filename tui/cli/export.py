"""`export`: writes an item to a file, with scores and traces between a model's blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.heatmaps import lens_map
from core.contract.setting import Setting
from core.exchange.exporters import files, formats
from core.exchange.exporters.document import document_of
from core.layout.heatmap import HeatMap
from core.models.block_requests import Blocks
from core.models.blocks import BlockAccess, Part
from core.models.protocol import Model
from core.text.errors import SettingError
from tui.cli.asked import (
    Asked,
    ContrastOption,
    LayerOption,
    lens_table,
    traced_map,
    traced_table,
    with_blocks,
)
from tui.cli.lookup import find_item_in, load_benchmark, words
from tui.cli.options import (
    BenchmarkArgument,
    DataOption,
    ForceOption,
    ItemArgument,
    ModelOption,
    SetOption,
)
from tui.cli.output import out, say


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
    task_layer: LayerOption = None,
    model: ModelOption = None,
) -> None:
    """Write an item under a setting to a file.

    Prints the path.

    With --blocks or --trace a model is asked: about the task layer that --task-layer names; when
    left out, about all layers for --blocks and the first for --trace.
    """
    known = formats.format_named(form)
    if not blocks and not trace:
        _check_none(contrast, task_layer, model)
        bench = load_benchmark(benchmark)
        collection, exported = find_item_in(bench, item, data)
        setting = Setting.from_words(bench.switches(exported), words(settings))
        readings: tuple[HeatMap, ...] = ()
    else:
        if not known.readings:
            raise SettingError(
                "What is read between a model's blocks cannot be in this format.",
                where="--blocks" if blocks else "--trace",
                hint=formats.no_heat_maps_reason(form),
            )
        files.check_free(to, force=force)
        asked = Asked(benchmark, item, task_layer, data, settings, None)
        bench, collection, exported = asked.benchmark, asked.collection, asked.item
        setting = asked.setting
        readings = _read(
            asked, model, blocks=blocks, trace=trace, contrast=asked.contrast(contrast)
        )
    document = document_of(bench, exported, setting, collection.about, readings)
    warning = formats.warning(form, document)
    path = files.write(to, formats.export(form, document), force=force)
    if warning:
        say(warning)
    out(str(path))


def _check_none(contrast: list[str] | None, task_layer: str | None, model: str | None) -> None:
    """Raise `SettingError` for an option that needs a model where none is asked."""
    given = {"--contrast": contrast, "--task-layer": task_layer, "--model": model}
    for name, value in given.items():
        if value:
            raise SettingError(
                "No model is asked here.", where=name, hint="Add --blocks or --trace."
            )


def _read(
    asked: Asked, name: str | None, *, blocks: bool, trace: bool, contrast: ContrastPrompt | None
) -> tuple[HeatMap, ...]:
    """Draw the heat maps that were asked for."""
    maps: list[HeatMap] = []

    async def work(loaded: Model, model_blocks: Blocks, access: BlockAccess) -> None:
        for question in asked.meant() if blocks else ():
            table, tokens = await lens_table(asked, question, loaded, model_blocks)
            maps.append(lens_map(table, loaded.info, tokens, asked.form_for(loaded.info)))
        if trace:
            traced, tokens = await traced_table(
                asked, contrast, Part.RESIDUAL, loaded, model_blocks, access
            )
            maps.append(traced_map(asked, traced, loaded.info, tokens))

    with_blocks(name, work)
    return tuple(maps)
