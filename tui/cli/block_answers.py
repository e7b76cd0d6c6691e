"""What `blocks`, `trace` and `patch` print: one question after every block of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.blocks.edits import ANSWER, check_part, parse_edit, parse_part, placed, with_vector
from core.blocks.heatmaps import lens_map, noted, patch_map
from core.blocks.pairing import Pairing
from core.blocks.patches import Patched
from core.blocks.references import reference_questions
from core.blocks.vectors import read_vector
from core.contract.question import Question
from core.exchange.plots.writing import check, write_block_plot
from core.layout.heatmap import HeatMap
from core.layout.heatmap_drawing import draw_heat_map
from core.layout.plain_text import cells
from core.layout.rows import plain
from core.models.block_requests import Blocks
from core.models.blocks import Action, BlockAccess, Edit
from core.models.protocol import Model
from core.text.errors import SettingError
from tui.cli.block_documents import (
    control_documents,
    head,
    lens_document,
    patch_document,
    trace_document,
)
from tui.cli.item_question import (
    ItemQuestion,
    Loading,
    control_tables,
    lens_table,
    prompt_pair,
    traced_map,
    traced_table,
    with_blocks,
)
from tui.cli.output import out, out_json, width


def print_lens(
    asked: ItemQuestion, model: Loading, to: Path | None, *, force: bool, as_json: bool
) -> None:
    """Print what the options score after every block, or draw it into the file `to`."""
    if to is not None:
        check(to, force=force)

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        table, tokens = await lens_table(asked, asked.question, loaded, blocks)
        used = asked.form_for(loaded.info)
        document = (
            head(asked.question, loaded, used, access) | lens_document(table) | {"tokens": tokens}
        )
        heat_map = noted(lens_map(table, loaded.info, tokens, used), access)
        if to is not None:
            write_block_plot(asked.benchmark.title, loaded.info, table, heat_map, to, force=force)
        _print(document, heat_map, to, as_json=as_json)

    with_blocks(model, work)


def print_trace(
    asked: ItemQuestion,
    contrast: list[str] | None,
    part: str,
    model: Loading,
    to: Path | None,
    *,
    controls: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Print what copying spans from a contrast prompt changes, or draw it into the file `to`.

    With `controls` also the other way round, and copied from another item's contrast prompt.
    Raises `SettingError` for a part or a contrast that there is not.
    """
    copied, head_number = parse_part(part)
    if to is not None:
        check(to, force=force)
    named = asked.contrast_prompt(contrast)

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        check_part(copied, head_number, access)
        pair = await prompt_pair(asked, named, loaded, blocks)
        table, tokens = await traced_table(asked, pair, copied, loaded, blocks, access, head_number)
        document = (
            head(table.question, loaded, asked.form_for(loaded.info), access)
            | trace_document(table)
            | {"tokens": tokens, "part": copied, "head": head_number}
        )
        heat_map = noted(traced_map(asked, table, loaded.info, tokens, copied, head_number), access)
        if to is not None:
            write_block_plot(asked.benchmark.title, loaded.info, table, heat_map, to, force=force)
        if not controls:
            _print(document, heat_map, to, as_json=as_json)
            return
        noising, control, control_of = await control_tables(
            asked, table, tokens, loaded, blocks, head_number
        )
        document |= control_documents(noising, control, control_of)
        _print(document, heat_map, to, as_json=as_json)
        if as_json:
            return
        for other in filter(None, (noising, control)):
            out()
            _print({}, traced_map(asked, other, loaded.info, tokens, copied, head_number), None)
        out(f"\n The control copies from {control_of}." if control else f"\n {control_of}")

    with_blocks(model, work)


def print_patch(
    asked: ItemQuestion,
    changes: Mapping[Action, Sequence[str]],
    contrast: list[str] | None,
    model: Loading,
    *,
    as_json: bool,
) -> None:
    """Print what the options score with all changes made together.

    `changes` are the typed words by what they do. Raises `SettingError` for a word that cannot be
    read.
    """
    typed = [
        (action, *(_vector(word) if action is Action.ADD else (word, ())))
        for action, option in changes.items()
        for word in option
    ]
    if not typed:
        raise SettingError("Nothing is to be changed.", hint="Add --zero attn:3, say.")
    named = asked.contrast_prompt(contrast)
    if changes[Action.COPY] and named is None:
        raise SettingError(
            "There is nothing to copy from.", where="--copy", hint="Add --contrast KEY=VALUE."
        )
    others: Sequence[Question] = ()
    if changes[Action.MEAN] or changes[Action.RESAMPLE]:
        others = reference_questions(asked.benchmark, asked.collection, asked.item, asked.question)

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
            edits += [_copied(each, span, pairing) for each in at_tokens] if copies else at_tokens
        if not edits:
            raise SettingError("Nothing can be compared with the contrast prompt.", where="--copy")
        other = None if named is None else asked.prompt(named.question, loaded.info)
        references = [asked.prompt(each, loaded.info) for each in others]
        result = await blocks.patch(prompt, options, edits, other, references)
        scores = None if other is None else await loaded.score(other, options)
        patched = Patched(
            asked.question, named, spans, pairing, tuple(edits), result, scores, len(references)
        )
        used = asked.form_for(loaded.info)
        document = head(asked.question, loaded, used, access) | patch_document(patched)
        heat_map = noted(patch_map(patched, loaded.info, tokens, used), access)
        _print(document | {"tokens": tokens}, heat_map, None, as_json=as_json)

    with_blocks(model, work)


def _copied(edit: Edit, span: int | None, pairing: Pairing | None) -> Edit:
    """The edit with the place in the contrast prompt that it copies from."""
    shift = None if pairing is None else pairing.shift_at(edit.start, edit.stop)
    if shift is None:
        where = "The answer position" if span == ANSWER else f"Span {span}"
        raise SettingError(f"{where} is not comparable with the contrast prompt.", where="--copy")
    return replace(edit, shift=shift)


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


def _print(
    document: dict[str, Any], heat_map: HeatMap, plot: Path | None, *, as_json: bool = False
) -> None:
    """Print the document, else the file of the plot, else the heat map."""
    if as_json:
        out_json(document)
    elif plot is not None:
        out(str(plot))
    else:
        out(plain(draw_heat_map(heat_map, min(width(), 120), cells)))
