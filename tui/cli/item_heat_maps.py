"""The heat maps of a model's blocks that stand in an exported item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.blocks.edits import check_part
from core.blocks.heatmaps import lens_map, noted
from core.contract.question import Question
from core.contract.task_layer import layer_titles
from core.layout.heatmap import HeatMap
from core.models.block_requests import Blocks
from core.models.blocks import BlockAccess, Part
from core.models.protocol import Model
from tui.cli.item_question import (
    ItemQuestion,
    Loading,
    lens_table,
    prompt_pair,
    traced_map,
    traced_table,
    with_blocks,
)


def read_blocks(
    asked: ItemQuestion,
    name: str | None,
    *,
    blocks: bool,
    trace: bool,
    contrast: list[str] | None,
) -> tuple[HeatMap, ...]:
    """Ask a model for the heat maps of its blocks."""
    maps: list[HeatMap] = []
    titles = layer_titles(asked.benchmark.layers)
    contrast_prompt = asked.contrast_prompt(contrast)

    async def work(loaded: Model, model_blocks: Blocks, access: BlockAccess) -> None:
        for question in asked.questions() if blocks else ():
            table, tokens = await lens_table(asked, question, loaded, model_blocks)
            heat = lens_map(table, loaded.info, tokens, asked.form_for(loaded.info))
            maps.append(noted(_entitled(heat, question, titles), access))
        if trace:
            part = Part.RESIDUAL
            check_part(part, None, access)
            pair = await prompt_pair(asked, contrast_prompt, loaded, model_blocks)
            traced, tokens = await traced_table(asked, pair, part, loaded, model_blocks, access)
            heat = traced_map(asked, traced, loaded.info, tokens, part)
            maps.append(noted(_entitled(heat, traced.question, titles), access))

    with_blocks(Loading(name), work)
    return tuple(maps)


def _entitled(heat: HeatMap, question: Question, titles: Mapping[str, str]) -> HeatMap:
    """A map that calls the task layer by its title, for readers who know no ids."""
    layer = titles.get(question.layer, question.layer)
    return replace(heat, title=heat.title.replace(question.layer, layer, 1))
