"""`blocks`, `trace` and `patch`: read and change the transformer blocks of a model.

Help and completion come to this module too, so each command imports what it does its work with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.text.errors import SettingError
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
from tui.cli.output import out, out_json, width

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap
    from core.models.block_requests import Blocks
    from core.models.blocks import BlockAccess
    from core.models.protocol import Model

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
    from core.blocks.heatmaps import lens_map
    from core.exchange.plots.writing import check, write_block_plot
    from tui.cli.block_documents import head, lens_document
    from tui.cli.item_question import ItemQuestion, lens_table, with_blocks

    if to is not None:
        check(to, force=force)
    asked = ItemQuestion(benchmark, item, task_layer, data, settings, form)

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        table, tokens = await lens_table(asked, asked.question, loaded, blocks)
        used = asked.form_for(loaded.info)
        document = head(asked.question, loaded, used) | lens_document(table) | {"tokens": tokens}
        heat_map = lens_map(table, loaded.info, tokens, used)
        if to is not None:
            title = asked.benchmark.title
            path = write_block_plot(title, loaded.info, table, heat_map, to, force=force)
            if not as_json:
                out(str(path))
                return
        _print(document, heat_map, as_json=as_json)

    with_blocks(model, work)


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
    from core.blocks.edits import parse_part
    from core.exchange.plots.writing import check, write_block_plot
    from tui.cli.block_documents import head, trace_document
    from tui.cli.item_question import ItemQuestion, traced_map, traced_table, with_blocks

    copied, head_number = parse_part(part)
    if to is not None:
        check(to, force=force)
    asked = ItemQuestion(benchmark, item, task_layer, data, settings, form)
    named = asked.contrast_prompt(contrast)

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        table, tokens = await traced_table(
            asked, named, copied, loaded, blocks, access, head_number
        )
        document = (
            head(table.question, loaded, asked.form_for(loaded.info))
            | trace_document(table)
            | {"tokens": tokens, "part": copied, "head": head_number}
        )
        heat_map = traced_map(asked, table, loaded.info, tokens, copied, head_number)
        if to is not None:
            title = asked.benchmark.title
            path = write_block_plot(title, loaded.info, table, heat_map, to, force=force)
            if not as_json:
                out(str(path))
                return
        _print(document, heat_map, as_json=as_json)

    with_blocks(model, work)


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
    from core.blocks.edits import parse_edit, placed, with_vector
    from core.blocks.heatmaps import patch_map
    from core.blocks.patches import Patched
    from core.models.blocks import Action
    from tui.cli.block_documents import head, patch_document
    from tui.cli.item_question import ItemQuestion, with_blocks

    typed: list[tuple[Action, str, tuple[float, ...]]] = [
        (action, word, ())
        for action, option in ((Action.ZERO, zero), (Action.SKIP, skip), (Action.COPY, copy))
        for word in words(option)
    ]
    typed += [(Action.ADD, *_vector(word)) for word in words(add)]
    if not typed:
        raise SettingError("Nothing is to be changed.", hint="Add --zero attn:3, say.")
    asked = ItemQuestion(benchmark, item, task_layer, data, settings, form)
    named = asked.contrast_prompt(contrast)
    if copy and named is None:
        raise SettingError(
            "There is nothing to copy from.", where="--copy", hint="Add --contrast KEY=VALUE."
        )

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        parsed = [(*parse_edit(action, word, access), vector) for action, word, vector in typed]
        aligner = asked.aligner(loaded.info, blocks)
        prompt = asked.prompt(asked.question, loaded.info)
        options = asked.question.continuations()
        tokens = len(await blocks.tokens(prompt, options))
        pairing = None if named is None else await aligner.paired_with(named)
        spans = await aligner.spans() if pairing is None else pairing.spans
        copied = () if pairing is None else pairing.ranges
        edits = []
        for edit, span, vector in parsed:
            copies = edit.action is Action.COPY
            if edit.action is Action.ADD:
                edit = with_vector(edit, vector, access)
            at_tokens = placed(edit, span, spans, copied if copies else [(0, tokens)])
            if copies and not all((each.start, each.stop) in copied for each in at_tokens):
                raise SettingError(
                    f"Span {span} is not comparable with the contrast prompt.", where="--copy"
                )
            edits += at_tokens
        if not edits:
            raise SettingError("Nothing can be compared with the contrast prompt.", where="--copy")
        other = None if named is None else asked.prompt(named.question, loaded.info)
        result = await blocks.patch(prompt, options, edits, other)
        scores = None if other is None else await loaded.score(other, options)
        patched = Patched(asked.question, named, spans, pairing, tuple(edits), result, scores)
        used = asked.form_for(loaded.info)
        document = head(asked.question, loaded, used) | patch_document(patched)
        heat_map = patch_map(patched, loaded.info, tokens, used)
        _print(document | {"tokens": tokens}, heat_map, as_json=as_json)

    with_blocks(model, work)


def _vector(word: str) -> tuple[str, tuple[float, ...]]:
    """What a vector is added to, and the numbers in the file."""
    from core.blocks.vectors import read_vector

    part, _, path = word.partition("=")
    if not path:
        raise SettingError(
            f"“{word}” names no file.",
            where="--add",
            hint="Write PART:BLOCK=FILE, attn:3=v.npy.",
        )
    return part, read_vector(Path(path))


def _print(document: dict[str, Any], heat_map: HeatMap, *, as_json: bool) -> None:
    from core.layout.heatmap import draw_heat_map
    from core.layout.plain_text import cells
    from core.layout.rows import plain

    if as_json:
        out_json(document)
    else:
        out(plain(draw_heat_map(heat_map, min(width(), 120), cells)))
