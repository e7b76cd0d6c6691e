"""`export`: a view as a file to take away, with what a model's blocks say of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
from tui.cli.options import BenchmarkArgument, DataOption, ItemArgument, ModelOption, SetOption
from tui.cli.output import out, say

if TYPE_CHECKING:
    from core.blocks.contrast_prompts import ContrastPrompt
    from core.layout.heatmap import HeatMap
    from core.models.blocks import BlockAccess, Blocks
    from core.models.protocol import Model


def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT", help="html, svg, md, text, json, graphml, dot or mermaid."
        ),
    ],
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    to: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    data: DataOption = None,
    settings: SetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="With the options of every rung after each block.")
    ] = False,
    trace: Annotated[
        bool,
        typer.Option("--trace", help="With the causal trace of a rung."),
    ] = False,
    contrast: ContrastOption = None,
    task_layer: LayerOption = None,
    model: ModelOption = None,
) -> None:
    """Write an item under a setting to a file, and print its path.

    With --blocks or --trace a model is asked; --task-layer says of which rung, instead of all of
    them for --blocks and the first for --trace.
    """
    from core.contract.setting import Setting
    from core.exchange.exporters import files, formats
    from core.exchange.exporters.document import document_of

    known = formats.format_named(form)
    if not blocks and not trace:
        _check_none(contrast, task_layer, model)
        bench = load_benchmark(benchmark)
        collection, found = find_item_in(bench, item, data)
        setting = Setting.from_words(bench.switches(found), words(settings))
        readings: tuple[HeatMap, ...] = ()
    else:
        if not known.readings:
            raise SettingError(
                "What is read between a model's blocks cannot be in this format.",
                where="--blocks" if blocks else "--trace",
                hint=formats.without(form),
            )
        files.check_free(to, force=force)
        asked = Asked(benchmark, item, task_layer, data, settings, None)
        bench, collection, found = asked.benchmark, asked.collection, asked.item
        setting = asked.setting
        readings = _read(
            asked, model, blocks=blocks, trace=trace, contrast=asked.contrast(contrast)
        )
    document = document_of(bench, found, setting, collection.about, readings)
    warning = formats.warning(form, document)
    path = files.write(to, formats.export(form, document), force=force)
    if warning:
        say(warning)
    out(str(path))


def _check_none(contrast: list[str] | None, task_layer: str | None, model: str | None) -> None:
    """Raise `SettingError` for what means nothing where no model is asked."""
    given = {"--contrast": contrast, "--task-layer": task_layer, "--model": model}
    for name, value in given.items():
        if value:
            raise SettingError(
                "No model is asked here.", where=name, hint="Add --blocks or --trace."
            )


def _read(
    asked: Asked, name: str | None, *, blocks: bool, trace: bool, contrast: ContrastPrompt | None
) -> tuple[HeatMap, ...]:
    """Heat maps of what a model's blocks say of the rungs that were asked for."""
    from core.blocks.heatmaps import lens_map
    from core.models.blocks import Part

    found: list[HeatMap] = []

    async def work(loaded: Model, model_blocks: Blocks, access: BlockAccess) -> None:
        for question in asked.meant() if blocks else ():
            table, tokens = await lens_table(asked, question, loaded, model_blocks)
            found.append(lens_map(table, loaded.info, tokens, asked.form_for(loaded.info)))
        if trace:
            traced, tokens = await traced_table(
                asked, contrast, Part.RESIDUAL, loaded, model_blocks, access
            )
            found.append(traced_map(asked, traced, loaded.info, tokens))

    with_blocks(name, work)
    return tuple(found)
