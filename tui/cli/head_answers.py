"""What `attention`, `attribution` and `patch --heads` print: the heads of a model's blocks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from core.blocks.attention import SpanAttention, attention_over_spans
from core.blocks.heads import HeadFigure, HeadTable, answer_and_rival, heads_map
from core.blocks.heatmaps import WEIGHTS, attention_map, lead_of, noted
from core.blocks.sentences import contrast_sentence, option_names
from core.layout.contributions import OptionRoles, draw_contributions
from core.layout.heatmap import HeatMap
from core.layout.heatmap_drawing import draw_heat_map
from core.layout.plain_text import cells
from core.layout.rows import plain
from core.models.block_requests import Blocks
from core.models.blocks import Action, AttentionReading, BlockAccess, HeadAttribution, Part
from core.models.protocol import Model
from core.text.errors import ModelError, SettingError
from tui.cli.block_documents import head, span_documents
from tui.cli.item_question import ItemQuestion, Loading, prompt_pair, with_blocks
from tui.cli.output import out, out_json, width

_CHANGES = {"zero": (Action.ZERO, HeadFigure.ZEROED), "copy": (Action.COPY, HeadFigure.COPIED)}


def print_attention(asked: ItemQuestion, model: Loading, *, as_json: bool) -> None:
    """Print the attention of every head of every block over the spans of the prompt."""

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        if not access.attention:
            raise ModelError("Attention weights cannot be read in this architecture.")
        prompt = asked.prompt(asked.question, loaded.info)
        options = asked.question.continuations()
        tokens = await blocks.tokens(prompt, options)
        spans = await asked.aligner(loaded.info, blocks).spans()
        read: list[tuple[AttentionReading, SpanAttention]] = []
        unread: dict[int, str] = {}
        for block in range(access.blocks):
            try:
                reading = await blocks.attention(prompt, options, block)
            except ModelError as error:
                # Blocks with a window are no reason to keep the others back.
                unread[block] = error.what
                continue
            read.append((reading, attention_over_spans(reading, spans)))
        if not read:
            raise ModelError(next(iter(unread.values())))
        if as_json:
            texts = [token.data.decode("utf-8", "replace") or token.name for token in tokens]
            document = head(asked.question, loaded, asked.form_for(loaded.info), access) | {
                "tokens": texts,
                "spans": span_documents(spans),
                "blocks": [_attention_document(*each) for each in read],
                "unread": {str(block): why for block, why in unread.items()},
                "note": WEIGHTS,
            }
            out_json(document)
            return
        for _, attention in read:
            heat = noted(attention_map(asked.question, attention, loaded.info, len(tokens)), access)
            if attention is not read[-1][1]:
                # What is the same for every block is said once, below the last.
                heat = replace(heat, notes=heat.notes[:1], figure="")
            _draw(heat)
            out()
        for block, why in unread.items():
            out(f"Block {block}: {why}")

    with_blocks(model, work)


def print_attribution(asked: ItemQuestion, model: Loading, *, as_json: bool) -> None:
    """Print what the parts and heads of every block add to the answer's lead."""

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        compared, attribution = await _attributed(asked, loaded, blocks, access)
        question, whole = asked.question, attribution.whole
        used = asked.form_for(loaded.info)
        if as_json:
            document = head(question, loaded, used, access) | {
                "compared": compared,
                "compared_tokens": whole.compared,
                "margin": whole.margin,
                "embedding": whole.embedding,
                "attention": whole.attention,
                "feed_forward": whole.feed_forward,
                "constant": whole.constant,
                "deviation": whole.deviation,
                "capped": whole.capped,
                "heads": attribution.heads or None,
                "rest_of_attention": attribution.rest if attribution.heads else None,
            }
            out_json(document)
            return
        names = [option_names(question)[option] for option in compared]
        tokens = len(
            await blocks.tokens(asked.prompt(question, loaded.info), question.continuations())
        )
        out(f" Right speaks for “{names[0]}”, left for “{names[1]}”; figures are logits.\n")
        sides = OptionRoles(*(lead_of(question, option) for option in compared))
        columns = min(width(), 120)
        out(plain(draw_contributions(whole, sides, columns, cells, str)))
        if attribution.heads:
            out()
            heads = attribution.heads
            heat = heads_map(question, compared, heads, HeadFigure.ADDED, loaded.info, tokens, used)
            _draw(noted(heat, access))

    with_blocks(model, work)


def print_heads(
    asked: ItemQuestion,
    change: str,
    contrast: list[str] | None,
    model: Loading,
    *,
    as_json: bool,
) -> None:
    """Print the effect of changing each head; raises `SettingError` for an unknown change."""
    if change not in _CHANGES:
        raise SettingError(
            f"Heads cannot be changed by “{change}”.",
            where="--heads",
            hint=f"Choose {' or '.join(_CHANGES)}.",
        )
    action, shown = _CHANGES[change]
    named = asked.contrast_prompt(contrast)
    if named is not None and action is Action.ZERO:
        raise SettingError("Zeroing heads needs no contrast prompt.", where="--contrast")

    async def work(loaded: Model, blocks: Blocks, access: BlockAccess) -> None:
        if Part.HEAD not in access.parts:
            raise ModelError("Single heads cannot be changed in this architecture.")
        question, other = asked.question, None
        ranges: Sequence[tuple[int, int]] = ()
        shifts: Sequence[int] = ()
        notes: Sequence[str] = ()
        if action is Action.COPY:
            pair = await prompt_pair(asked, named, loaded, blocks)
            question, ranges = pair.question, pair.pairing.ranges
            shifts = pair.pairing.shifts
            other = asked.prompt(pair.contrast.question, loaded.info)
            notes = (contrast_sentence(pair.contrast, pair.pairing),)
            if not pair.pairing.differing:
                raise SettingError(
                    "Nothing can be compared with the contrast prompt.", where="--contrast"
                )
        prompt, options = asked.prompt(question, loaded.info), question.continuations()
        tokens = len(await blocks.tokens(prompt, options))
        compared = answer_and_rival(await loaded.score(prompt, options), question.gold)
        if compared is None:
            raise ModelError("There is one option only, so there is no margin.")
        table = HeadTable(compared, access.blocks, access.heads)
        whole = ranges or ((0, tokens),)
        stream = blocks.change_heads(prompt, options, action, whole, other, shifts)
        async with aclosing(stream) as replies:
            async for reply in replies:
                table.add(reply)
        used = asked.form_for(loaded.info)
        if as_json:
            document = head(question, loaded, used, access) | {
                "change": change,
                "compared": compared,
                "ranges": whole,
                "shifts": shifts or [0] * len(whole),
                "contrast": pair.contrast.name if action is Action.COPY else None,
                "scores": [score.logprob for score in table.plain.scores] if table.plain else None,
                "effects": table.figures,
            }
            out_json(document)
            return
        heat = heads_map(
            question, compared, table.figures, shown, loaded.info, tokens, used, *notes
        )
        _draw(noted(heat, access))

    with_blocks(model, work)


async def _attributed(
    asked: ItemQuestion, model: Model, blocks: Blocks, access: BlockAccess
) -> tuple[tuple[int, int], HeadAttribution]:
    """The compared options, and what parts and heads add; no heads where none can be read."""
    if not access.attribution:
        raise ModelError(
            "Between attention and feed-forward nothing can be read in this architecture, so what "
            "each adds cannot be told."
        )
    question = asked.question
    prompt, options = asked.prompt(question, model.info), question.continuations()
    compared = answer_and_rival(await model.score(prompt, options), question.gold)
    if compared is None:
        raise ModelError("There is one option only, so there is no margin.")
    first, second = (options[option] for option in compared)
    heads = Part.HEAD in access.parts
    return compared, await blocks.attribute(prompt, first, second, heads=heads)


def _attention_document(reading: AttentionReading, attention: SpanAttention) -> dict[str, Any]:
    return {
        "block": reading.block,
        "heads": [
            {
                "head": number,
                "tokens": weights,
                "spans": [row[number] for row in attention.weights],
            }
            for number, weights in enumerate(reading.weights)
        ],
    }


def _draw(heat: HeatMap) -> None:
    out(plain(draw_heat_map(heat, min(width(), 120), cells)))
