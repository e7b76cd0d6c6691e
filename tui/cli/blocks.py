"""`blocks`, `trace` and `patch`: read and change the transformer blocks of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.blocks.edits import parse_edit, parse_part, placed, with_vector
from core.blocks.heatmaps import lens_map, patch_map
from core.blocks.patches import Patched
from core.blocks.vectors import read_vector
from core.layout.heatmap import HeatMap, draw_heat_map
from core.layout.plain_text import cells
from core.layout.rows import plain
from core.models.block_requests import Blocks
from core.models.blocks import Action, BlockAccess
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
from tui.cli.block_documents import head, lens_document, patch_document, trace_document
from tui.cli.lookup import words
from tui.cli.options import (
    BenchmarkArgument,
    DataOption,
    FormOption,
    ItemArgument,
    JsonOption,
    ModelOption,
    SetOption,
)
from tui.cli.output import out, out_json, width


def blocks(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    task_layer: LayerOption = None,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score the options after every block of a model.

    The logit lens: a projection of the residual stream, not what the model believes.
    """
    asked = Asked(benchmark, item, task_layer, data, settings, form)

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        table, tokens = await lens_table(asked, asked.question, loaded, blocks)
        used = asked.form_for(loaded.info)
        if as_json:
            begun = head(asked.question, loaded, used)
            out_json(begun | lens_document(table) | {"tokens": tokens})
            return
        _print(lens_map(table, loaded.info, tokens, used))

    with_blocks(model, work)


def trace(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    contrast: ContrastOption = None,
    task_layer: LayerOption = None,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    part: Annotated[
        str, typer.Option("--part", help="What is copied: residual, attn, ffn or head:H.")
    ] = "residual",
    as_json: JsonOption = False,
) -> None:
    """Copy spans block by block from a contrast prompt.

    Shows which copies bring the answer back.

    The contrast prompt is what the item asks with other values; left out, one is chosen in which
    something else is right and of which most can be compared. Where none can, a sentence is
    replaced or something is set in both, as `setting` says.
    """
    copied, head_number = parse_part(part)
    asked = Asked(benchmark, item, task_layer, data, settings, form)
    named = asked.contrast(contrast)

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        table, tokens = await traced_table(
            asked, named, copied, loaded, blocks, access, head_number
        )
        if as_json:
            out_json(
                head(table.question, loaded, asked.form_for(loaded.info))
                | trace_document(table)
                | {"tokens": tokens, "part": copied, "head": head_number}
            )
            return
        _print(traced_map(asked, table, loaded.info, tokens))

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
    task_layer: LayerOption = None,
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
    typed: list[tuple[Action, str, tuple[float, ...]]] = [
        (action, word, ())
        for action, many in ((Action.ZERO, zero), (Action.SKIP, skip), (Action.COPY, copy))
        for word in words(many)
    ]
    typed += [(Action.ADD, *_vector(word)) for word in words(add)]
    if not typed:
        raise SettingError("Nothing is to be changed.", hint="Add --zero attn:3, say.")
    asked = Asked(benchmark, item, task_layer, data, settings, form)
    named = asked.contrast(contrast)
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
            found = placed(edit, span, spans, copied if copies else [(0, tokens)])
            if copies and not all((one.start, one.stop) in copied for one in found):
                raise SettingError(
                    f"Span {span} is not comparable with the contrast prompt.", where="--copy"
                )
            edits += found
        if not edits:
            raise SettingError("Nothing can be compared with the contrast prompt.", where="--copy")
        other = None if named is None else asked.prompt(named.question, loaded.info)
        result = await blocks.patch(prompt, options, edits, other)
        scores = None if other is None else await loaded.score(other, options)
        patched = Patched(asked.question, named, spans, pairing, tuple(edits), result, scores)
        used = asked.form_for(loaded.info)
        if as_json:
            begun = head(asked.question, loaded, used)
            out_json(begun | patch_document(patched) | {"tokens": tokens})
            return
        _print(patch_map(patched, loaded.info, tokens, used))

    with_blocks(model, work)


def _vector(word: str) -> tuple[str, tuple[float, ...]]:
    """What a vector is added to, and the numbers in the file."""
    part, _, path = word.partition("=")
    if not path:
        raise SettingError(
            f"“{word}” names no file.",
            where="--add",
            hint="Write PART:BLOCK=FILE, attn:3=v.npy.",
        )
    return part, read_vector(Path(path))


def _print(heat: HeatMap) -> None:
    out(plain(draw_heat_map(heat, min(width(), 120), cells)))
