"""Tables of blocks as heat maps, each saying what it is and what it is not."""

from __future__ import annotations

import math

from core.inside.attending import OF_ITEM, Attended
from core.inside.edits import edit_name
from core.inside.patching import Patched
from core.inside.spans import PromptSpan
from core.inside.table import LayerTable
from core.inside.telling import margins_said, option_names, peak_said
from core.inside.tracing import TraceTable
from core.layout.heatmap import HeatMap, HeatRow
from core.models.inside import Guess, PositionReading
from core.models.protocol import ModelInfo
from core.question import Form, Question, shares
from core.view import Role

PROJECTION = (
    "Logit lens: what each block's output would say if it were the last. A reading of a middle "
    "block is a projection, not a belief."
)
WEIGHTS = (
    "Attention weights tell where a head looks from the answer position, not what it does with "
    "what is there."
)
ONE_PAIR = "Causal trace: it is about this one pair of prompts and this model, and no more."
FROM_NOUGHT = "Blocks count from 0."
_DEMO = "The bundled model is a demonstration: its figures are no results."


def layers_map(
    table: LayerTable,
    info: ModelInfo,
    tokens: int,
    form: Form | None = None,
    finding: str = "",
) -> HeatMap:
    """Options by blocks.

    Args:
        table: what was read.
        info: of which model.
        tokens: the length of the prompt.
        form: how it was put; None to leave that out.
        finding: what is found, where `LayerTable.outcome` does not say it.
    """
    columns = tuple(zip(*table.shares(), strict=True))
    golds = _golds(table.question)
    rows = tuple(
        HeatRow(
            label,
            tuple(values),
            ref=str(place),
            role=Role.FORCED if place in golds else Role.PLAIN,
            lead=lead_of(table.question, place),
        )
        for place, (label, values) in enumerate(
            zip(option_names(table.question), columns, strict=True)
        )
    )
    several = (
        (f"Several may be right: picked is what has more than 1/{len(rows)} of the shares.",)
        if table.question.multiple
        else ()
    )
    put = "" if form is None else f" Zero-shot, {form} prompt, log-likelihood."
    return HeatMap(
        title=f"{table.question.item} · {table.question.layer} · options after every block",
        rows=rows,
        columns=tuple(str(block) for block in range(table.blocks)),
        leading=table.leading,
        figure="share among the options",
        notes=(
            finding or table.outcome(),
            f"◆ right answer. {PROJECTION}",
            *several,
            f"The last block's column is the model's own answer{_apart(table.deviation)}",
            f"{FROM_NOUGHT} {subject(info, tokens)}{put}",
            *((_DEMO,) if info.demo else ()),
        ),
        said=tuple(likeliest(guesses) for guesses in table.reading.guesses),
        saying="next",
    )


def position_map(
    question: Question, reading: PositionReading, token: str, info: ModelInfo, tokens: int
) -> HeatMap:
    """What every block would say after one token: each option's first token, and the likeliest."""
    golds = _golds(question)
    columns = tuple(zip(*reading.logprobs, strict=True))
    rows = tuple(
        HeatRow(
            label,
            tuple(math.exp(logprob) for logprob in values),
            ref=str(place),
            role=Role.FORCED if place in golds else Role.PLAIN,
        )
        for place, (label, values) in enumerate(zip(option_names(question), columns, strict=True))
    )
    return HeatMap(
        title=f"{question.item} · {question.layer} · after token {reading.position}, “{token}”",
        rows=rows,
        columns=tuple(str(block) for block in range(len(reading.logprobs))),
        figure="probability of the option's first token as the next one",
        notes=(
            f"After token {reading.position}, “{token}”: what each block would say next.",
            f"◆ right answer. Options that begin alike have the same figures here. {PROJECTION}",
            f"{FROM_NOUGHT} {subject(info, tokens)}",
            *((_DEMO,) if info.demo else ()),
        ),
        said=tuple(likeliest(guesses) for guesses in reading.guesses),
        saying="next",
    )


def attention_map(question: Question, found: Attended, info: ModelInfo, tokens: int) -> HeatMap:
    """Spans of the prompt by the heads of one block."""
    rows = tuple(
        HeatRow(
            span.name,
            weights,
            ref=str(place),
            role=Role.PLAIN if span.kind in OF_ITEM else Role.MUTED,
            note="" if span.tokens is not None else "shares a token with its neighbour",
        )
        for place, (span, weights) in enumerate(zip(found.spans, found.weights, strict=True))
    )
    return HeatMap(
        title=f"{question.item} · {question.layer} · attention in block {found.block}",
        rows=rows,
        columns=tuple(str(head) for head in range(found.heads)),
        figure="share of the head's attention",
        notes=(
            f"Where the heads of block {found.block} look from the answer position.",
            WEIGHTS,
            f"Blocks and heads count from 0. {subject(info, tokens)}",
            *((_DEMO,) if info.demo else ()),
        ),
    )


def likeliest(guesses: tuple[Guess, ...]) -> str:
    """The first of some guesses, as it is drawn; empty where there is none."""
    return token_text(guesses[0].text) if guesses else ""


def token_text(text: str) -> str:
    """A token's text without the blank before it, with signs for breaks and for mere blanks."""
    drawn = text.replace("\n", "⏎").replace("\t", "⇥")
    return drawn.removeprefix(" ") if drawn.strip() else drawn.replace(" ", "␣")


def lead_of(question: Question, option: int) -> Role:
    """How an option is drawn where it leads: as right, as wrong, or as neither without gold."""
    golds = _golds(question)
    if not golds:
        return Role.EVIDENCE
    return Role.GOOD if option in golds else Role.BAD


def _golds(question: Question) -> frozenset[int]:
    golds = question.golds if question.multiple else (question.gold,)
    return frozenset(gold for gold in golds if gold is not None)


def _apart(deviation: float) -> str:
    if deviation == 0:
        return ", bit for bit."
    return f"; it differs by {deviation:.2g} nats from a request of its own."


def trace_map(table: TraceTable, info: ModelInfo, tokens: int) -> HeatMap:
    """Spans by blocks; `tokens` is the length of the prompt."""
    pairing = table.pairing
    rows = tuple(
        HeatRow(
            f"{place} {span.name}",
            values,
            ref=str(place),
            role=_role(span, other),
            note="" if other is not None else _why_not(span),
        )
        for place, (span, other, values) in enumerate(
            zip(pairing.spans, pairing.twin, table.restored, strict=True)
        )
    )
    question = table.question
    return HeatMap(
        title=f"{question.item} · {question.layer} · beside {table.twin.name}",
        rows=rows,
        columns=tuple(str(block) for block in range(table.blocks)),
        figure="share of the margin restored",
        notes=(
            *(said for said in (margins_said(table), peak_said(table)) if said),
            "△ the twin says something else there. Each cell: the twin's run with that span of "
            f"that block copied from this prompt's. {ONE_PAIR}",
            f"{FROM_NOUGHT} {subject(info, tokens)}",
            *((_DEMO,) if info.demo else ()),
        ),
    )


def patch_map(patched: Patched, info: ModelInfo, tokens: int) -> HeatMap:
    """Options without and with the edits; `tokens` is the length of the prompt."""
    question, result = patched.question, patched.result
    columns = (shares(result.plain), shares(result.patched))
    rows = tuple(
        HeatRow(
            f"{name}  {result.plain[place].logprob:.3f} → {result.patched[place].logprob:.3f}",
            tuple(column[place] for column in columns),
            ref=str(place),
            role=Role.FORCED if place in _golds(question) else Role.PLAIN,
            lead=lead_of(question, place),
        )
        for place, name in enumerate(option_names(question))
    )
    restored = patched.restored
    brought = (
        ()
        if patched.twin is None
        else ("No contrast to the twin, so no share of it means anything.",)
        if restored is None
        else (f"Share of the difference to the twin that this brings: {restored:.2f}.",)
    )
    return HeatMap(
        title=f"{question.item} · {question.layer} · patched",
        rows=rows,
        columns=("own", "new"),
        leading=patched.answers,
        figure="share among the options",
        notes=(
            "; ".join(edit_name(edit) for edit in patched.edits) + ".",
            *brought,
            "◆ right answer; log-likelihoods in nats, without and with the patch. A patch is "
            "about this one prompt and this model, and no more.",
            f"{FROM_NOUGHT} {subject(info, tokens)}",
            *((_DEMO,) if info.demo else ()),
        ),
    )


def _role(span: PromptSpan, other: PromptSpan | None) -> Role:
    if other is None:
        return Role.MUTED
    return Role.PLAIN if span.text == other.text else Role.CHANGED


def _why_not(span: PromptSpan) -> str:
    if span.tokens is None:
        return "not comparable: shares a token"
    return "not comparable: other tokens there"


def subject(info: ModelInfo, tokens: int) -> str:
    """Which model, on how many tokens."""
    size = f"{info.parameters / 1e6:,.1f}M parameters, " if info.parameters else ""
    return f"Model {info.name} ({size}{info.blocks} blocks) on {tokens:,} tokens."
