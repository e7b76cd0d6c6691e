"""Heat maps of what was read of blocks, with notes on what the figures mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from core.blocks.attention import OF_ITEM, SpanAttention
from core.blocks.edits import edit_name
from core.blocks.lens import COUNTED_FROM_0, PROJECTION, LensTable
from core.blocks.patches import Patched
from core.blocks.references import references_sentence
from core.blocks.sentences import (
    changed_sentence,
    from_end_sentence,
    margins_sentence,
    option_names,
    peak_sentence,
    self_test_sentence,
)
from core.blocks.spans import PromptSpan
from core.blocks.trace import Direction, TraceTable
from core.contract.question import Form, Question, shares
from core.contract.view import Role
from core.layout.heatmap import HeatMap, HeatRow
from core.models.blocks import BlockAccess, Guess, PositionReading
from core.models.protocol import ModelInfo
from core.text.language import N_, _, fill, ngettext
from core.text.shown_number import ShownNumber

BEYOND_PRIOR = N_(
    "Beyond the prior: minus what the options get after the same block without the item's "
    "content. A lead of less than 0.1 nat is a near tie and does not count."
)
_IN_NATS = {
    Direction.DENOISING: N_("rise of the margin in nats, of which 1 fills a cell"),
    Direction.NOISING: N_("fall of the margin in nats, of which 1 fills a cell"),
    Direction.CONTROL: N_("rise of the margin in nats, of which 1 fills a cell"),
}
_FIGURES = {
    Direction.DENOISING: N_("share of the margin restored"),
    Direction.NOISING: N_("share of the margin lost"),
    Direction.CONTROL: N_("share of the margin restored"),
}
_CELLS = {
    Direction.DENOISING: N_(
        "Each cell: the contrast run with that span of that block copied from this prompt's."
    ),
    Direction.NOISING: N_(
        "Each cell: this prompt's run with that span of that block copied from the contrast run."
    ),
    Direction.CONTROL: N_(
        "Each cell: the contrast run with that span of that block copied from the contrast prompt "
        "of another item, drawn at random, with as many tokens."
    ),
}
WEIGHTS = N_(
    "Attention weights tell where a head looks from the answer position, not what it does with "
    "what is there."
)
ONE_PAIR = N_("Causal trace: it is about this one pair of prompts and this model, and no more.")
_RIGHT = N_("◆ right answer.")
DEMO = N_("The bundled model is a demonstration: its figures are no results.")


def lens_map(
    table: LensTable,
    info: ModelInfo,
    tokens: int,
    form: Form | None = None,
) -> HeatMap:
    """Options by blocks. `tokens` is the length of the prompt; see `about_model` for `form`."""
    rows = _option_rows(table.question, table.shares())
    calibrated = table.calibrated is not None
    raw = [_("Raw lens: {sentence}", sentence=table.raw_outcome())] * calibrated
    several = _(
        "Several may be right: picked is what has more than 1/{options} of the shares.",
        options=len(rows),
    )
    return HeatMap(
        title=titled(table.question, _("options after every block")),
        rows=rows,
        columns=tuple(str(block) for block in range(table.blocks)),
        across=_("block"),
        leading=table.leading,
        figure=_("share among the options"),
        notes=(
            table.outcome(),
            " ".join([*_content_free_note(table), *raw, _(_RIGHT), _(PROJECTION)]),
            *((several,) if table.question.multiple else ()),
            _deviation_note(table.deviation),
            *about_model(info, tokens, form),
            *((_(BEYOND_PRIOR),) * calibrated),
        ),
        column_texts=tuple(likeliest(guesses) for guesses in table.reading.guesses),
        column_texts_name=_("next"),
    )


def _content_free_note(table: LensTable) -> tuple[str, ...]:
    """Who leads after each block with the content-free prompt; nothing where it was not read."""
    if table.calibrated is None or table.content_free is None:
        return ()
    names = option_names(table.question)
    leaders = [
        _("a tie") if option is None else names[option] for option in table.content_free.leading()
    ]
    runs = [(name, len(list(blocks))) for name, blocks in groupby(leaders)]
    words, first = [], 0
    for name, count in runs:
        last = first + count - 1
        place = str(first) if count == 1 else f"{first}–{last}"
        words.append(
            ngettext(
                "“{option}” (block {blocks})",
                "“{option}” (blocks {blocks})",
                count,
                blocks=place,
                option=name,
            )
        )
        first += count
    return (_("What leads with the content-free prompt: {leaders}.", leaders=", ".join(words)),)


def position_map(
    question: Question, reading: PositionReading, token: str, info: ModelInfo, tokens: int
) -> HeatMap:
    """Each option's first token and the likeliest token, as every block would continue a token."""
    chances = [[math.exp(logprob) for logprob in row] for row in reading.logprobs]
    rows = _option_rows(question, chances)
    return HeatMap(
        title=titled(
            question,
            _("after token {number}, “{token}”", number=reading.position, token=token),
        ),
        rows=rows,
        columns=tuple(str(block) for block in range(len(reading.logprobs))),
        across=_("block"),
        figure=_("probability of the option's first token as the next one"),
        notes=(
            _(
                "After token {number}, “{token}”: what each block would say next.",
                number=reading.position,
                token=token,
            ),
            f"{_(_RIGHT)} {_('Options that begin alike have the same figures here.')} "
            f"{_(PROJECTION)}",
            *about_model(info, tokens),
        ),
        column_texts=tuple(likeliest(guesses) for guesses in reading.guesses),
        column_texts_name=_("next"),
    )


def attention_map(
    question: Question, attention: SpanAttention, info: ModelInfo, tokens: int
) -> HeatMap:
    """Spans of the prompt by the heads of one block."""
    rows = tuple(
        HeatRow(
            span.name,
            weights,
            ref=str(index),
            role=Role.PLAIN if span.kind in OF_ITEM else Role.MUTED,
            note="" if span.tokens is not None else _("shares a token with its neighbour"),
        )
        for index, (span, weights) in enumerate(
            zip(attention.spans, attention.weights, strict=True)
        )
    )
    return HeatMap(
        title=titled(question, _("attention in block {block}", block=attention.block)),
        rows=rows,
        columns=tuple(str(head) for head in range(attention.heads)),
        across=_("head"),
        figure=_("share of the head's attention"),
        notes=(
            _(
                "Where the heads of block {block} look from the answer position.",
                block=attention.block,
            ),
            _(WEIGHTS),
            *about_model(info, tokens, counted=_("Blocks and heads count from 0.")),
        ),
    )


def _option_rows(question: Question, shares: Sequence[Sequence[float]]) -> tuple[HeatRow, ...]:
    """A row for each option of `shares`, (columns, options), with the right ones marked."""
    return tuple(
        HeatRow(
            name,
            tuple(values),
            ref=str(option),
            role=Role.FORCED if option in question.right_options else Role.PLAIN,
            lead=lead_of(question, option),
        )
        for option, (name, values) in enumerate(
            zip(option_names(question), zip(*shares, strict=True), strict=True)
        )
    )


def likeliest(guesses: tuple[Guess, ...]) -> str:
    """The first guess as it is drawn; empty if there is none."""
    return token_text(guesses[0].text) if guesses else ""


def token_text(text: str) -> str:
    """A token's text without its leading blank, with signs for breaks and blank tokens."""
    drawn = text.replace("\n", "⏎").replace("\t", "⇥")
    return drawn.removeprefix(" ") if drawn.strip() else drawn.replace(" ", "␣")


def lead_of(question: Question, option: int) -> Role:
    """The role of an option where it leads: right, wrong, or neither if that is not known."""
    if not question.right_options:
        return Role.EVIDENCE
    return Role.GOOD if option in question.right_options else Role.BAD


def titled(question: Question, what: str) -> str:
    """The title of a map about a question."""
    return f"{question.item} · {question.layer} · {what}"


def noted(heat: HeatMap, access: BlockAccess) -> HeatMap:
    """A map that says how exactly the blocks are read, where that is not to the bit."""
    note = self_test_sentence(access)
    return replace(heat, notes=(*heat.notes, note)) if note else heat


def _deviation_note(deviation: float) -> str:
    if deviation == 0:
        return _("The last block's column is the model's own answer, bit for bit.")
    return _(
        "The last block's column is the model's own answer; it differs by {nats:.2g} nats from a "
        "request of its own.",
        nats=deviation,
    )


def trace_map(
    table: TraceTable, info: ModelInfo, tokens: int, form: Form | None = None, changed: str = ""
) -> HeatMap:
    """Spans by blocks. `changed` says what was changed in the question, if anything was.

    `tokens` is the length of the prompt; see `about_model` for `form`.
    """
    pairing = table.rows
    figures = table.restored if table.valid else table.effects
    rows = tuple(
        HeatRow(
            f"{index} {span.name}",
            values,
            ref=str(index),
            role=_role(span, other),
            note="" if other is not None else _incomparable_note(span),
        )
        for index, (span, other, values) in enumerate(
            zip(pairing.spans, pairing.contrast, figures, strict=True)
        )
    )
    question = table.question
    differing = [row for row in rows if row.role is Role.CHANGED]
    last = len(rows) - 1, table.blocks - 1
    return HeatMap(
        title=titled(
            question,
            _(
                "{direction}, compared with {contrast}",
                direction=_(table.direction),
                contrast=table.contrast.name,
            ),
        ),
        rows=rows,
        columns=tuple(str(block) for block in range(table.blocks)),
        across=_("block"),
        figure=_(_FIGURES[table.direction]) if table.valid else _(_IN_NATS[table.direction]),
        by_construction=frozenset({last} if table.by_construction(*last) else ()),
        notes=(
            *filter(
                None, (margins_sentence(table), peak_sentence(table), changed_sentence(changed))
            ),
            *[_("△ the contrast prompt says something else there.") for _row in differing[:1]],
            *filter(None, [from_end_sentence(pairing)]),
            f"{_(_CELLS[table.direction])} {_(ONE_PAIR)}",
            *about_model(info, tokens, form),
        ),
    )


def patch_map(patched: Patched, info: ModelInfo, tokens: int, form: Form | None = None) -> HeatMap:
    """Options without and with the edits. `tokens` is the length of the prompt; see `about_model`
    for `form`."""
    question, result = patched.question, patched.result
    figures = [_aligned([score.logprob for score in run]) for run in (result.plain, result.patched)]
    options = _option_rows(question, (shares(result.plain), shares(result.patched)))
    # Figures stand in front, because a long name is cut.
    rows = tuple(
        replace(row, label=f"{' → '.join(pair)}  {row.label}")
        for row, pair in zip(options, zip(*figures, strict=True), strict=True)
    )
    notes = ["; ".join(edit_name(edit) for edit in patched.edits) + "."]
    if (restored := patched.restored) is not None:
        share = _("Share of the difference to the contrast prompt that this brings: {share:.2f}.")
        notes.append(fill(share, share=restored))
    elif patched.contrast is not None:
        notes.append(_("The margins of the two prompts hardly differ, so no share means anything."))
    if patched.references:
        notes.append(references_sentence(patched.references, result.replaced, tokens))
    return HeatMap(
        title=titled(question, _("patched")),
        rows=rows,
        columns=(_("own"), _("new")),
        leading=patched.answers,
        figure=_("share among the options"),
        notes=(
            *notes,
            _(
                "◆ right answer; log-likelihoods in nats, without and with the patch. A patch is "
                "about this one prompt and this model, and no more."
            ),
            *about_model(info, tokens, form),
        ),
    )


def _aligned(numbers: Sequence[float]) -> list[str]:
    """Numbers as texts of one width, aligned at the right."""
    texts = [f"{ShownNumber(number):.3f}" for number in numbers]
    widest = max(map(len, texts), default=0)
    return [text.rjust(widest) for text in texts]


def _role(span: PromptSpan, other: PromptSpan | None) -> Role:
    if other is None:
        return Role.MUTED
    return Role.PLAIN if span.text == other.text else Role.CHANGED


def _incomparable_note(span: PromptSpan) -> str:
    if span.tokens is None:
        return _("not comparable: shares a token")
    return _("not comparable: other tokens there")


def about_model(
    info: ModelInfo, tokens: int, form: Form | None = None, *, counted: str = ""
) -> tuple[str, ...]:
    """Notes below a table: how blocks are counted, which model, and whether it is a demonstration.

    Args:
        info: the model.
        tokens: the length of the prompt.
        form: the form of the prompt; None to leave that out.
        counted: what counts from 0, if it is not only blocks.
    """
    about = _("Model {model} ({blocks} blocks) on {tokens:,} tokens.")
    if info.parameters:
        about = _(
            "Model {model} ({millions:,.1f}M parameters, {blocks} blocks) on {tokens:,} tokens."
        )
    millions = info.parameters / 1e6
    about = about.format(model=info.name, millions=millions, blocks=info.blocks, tokens=tokens)
    note = f"{counted or _(COUNTED_FROM_0)} {about}"
    if form is not None:
        note += " " + _("Zero-shot, {form} prompt, log-likelihood.", form=form)
    return (note, _(DEMO)) if info.demo else (note,)
