"""Sentences about traces, patches, and the memory they need."""

from __future__ import annotations

from collections.abc import Sequence

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.pairing import Pairing
from core.blocks.trace import Direction, TraceTable
from core.contract.question import Question
from core.models.blocks import SELF_TEST_TOLERANCE, BlockAccess, BlockNeeds, Part
from core.text.language import _, fill, ngettext

_MIB = 2**20
LEAST = 0.1
"""Smallest share that counts as restored."""


def option_names(question: Question) -> tuple[str, ...]:
    """The options; one that is only a letter comes with its meaning."""
    if not question.meanings:
        return question.options
    pairs = zip(question.options, question.meanings, strict=True)
    return tuple(f"{option} {meaning}" for option, meaning in pairs)


def memory_sentence(needs: BlockNeeds) -> str:
    """The memory that reading takes, shown before it begins."""
    return _(
        "Getting ready: a second context of {context}, and at most {captured} for what the blocks"
        " compute; both are freed when this is closed…",
        context=_size(needs.context),
        captured=_size(needs.captured),
    )


def self_test_sentence(access: BlockAccess) -> str:
    """How far reading along was from not reading along in the self-test; empty where not at all."""
    if not access.deviation:
        return ""
    return _(
        "On an accelerator reading along rounds differently: in the self-test by up to {gap:.2g} "
        "(logits and nats; up to {allowed:g} is allowed).",
        gap=access.deviation,
        allowed=SELF_TEST_TOLERANCE,
    )


def validity_sentence(table: TraceTable) -> str:
    """Why effects are in nats and no share is given; empty for a valid pair and before the runs."""
    if not table.failing:
        return ""
    return _("Effects in nats, no shares: {why}.", why="; ".join(map(_, table.failing)))


def peak_sentence(table: TraceTable) -> str:
    """The cell that restores most, or why none is named; empty before the two runs are known."""
    if table.base is None or table.options is None:
        return ""
    if not table.valid:
        return validity_sentence(table)
    peak = table.peak()
    overshoot = _overshoot_sentence(table)
    if peak is None:
        return overshoot
    span, block, share = peak
    if share < LEAST and overshoot:
        return overshoot
    if share < LEAST:
        sentence = _(
            "Nothing restores a tenth of it: at most {share:.2f}, span {span} at block {block}."
        )
        if table.direction is Direction.NOISING:
            sentence = _(
                "Nothing takes a tenth of it away: at most {share:.2f}, span {span} at block "
                "{block}."
            )
    elif table.direction is Direction.CONTROL:
        sentence = _(
            "Another item's prompt brings back as much as {share:.2f} (span {span} at block "
            "{block}, {nats:.2f} nats), so smaller shares say little."
        )
    elif table.direction is Direction.NOISING:
        sentence = _(
            "Span {span} at block {block} takes most away, {share:.2f} of the difference: it "
            "lowers “{option}” by {nats:.2f} nats."
        )
    elif table.part is Part.RESIDUAL:
        sentence = _(
            "Span {span} at block {block} restores most, {share:.2f} of the difference: it raises "
            "“{option}” by {nats:.2f} nats."
        )
    else:
        sentence = _(
            "The {part} of span {span} at block {block} restores most, {share:.2f} of the "
            "difference: it raises “{option}” by {nats:.2f} nats."
        )
    named = fill(
        sentence,
        share=round(share, 2),
        span=span,
        block=block,
        part=_(table.part),
        option=option_names(table.question)[table.options[0]],
        nats=table.effect(span, block),
    )
    return f"{named} {overshoot}".strip()


def _overshoot_sentence(table: TraceTable) -> str:
    """How many cells of a trace overshoot, which no sentence names as the most; empty for none."""
    if table.direction is Direction.CONTROL or not table.overshooting:
        return ""
    return ngettext(
        "Left aside: {n} cell (▲) a quarter or more beyond the whole difference.",
        "Left aside: {n} cells (▲) a quarter or more beyond the whole difference.",
        table.overshooting,
        n=table.overshooting,
    )


def margins_sentence(table: TraceTable) -> str:
    """The margins here and in the contrast prompt; empty before the two runs are known."""
    if table.base is None or table.options is None:
        return ""
    first, second = table.options
    here, there = table.base.margins(first, second)
    names = option_names(table.question)
    return _(
        "Margin of “{option}” over “{other}”: {here:+.3f} nats here, {there:+.3f} in the contrast "
        "prompt.",
        option=names[first],
        other=names[second],
        here=here,
        there=there,
    )


def contrast_sentence(contrast: ContrastPrompt, pairing: Pairing) -> str:
    """Which contrast prompt it is, which spans differ in it, and how many cannot be compared."""
    differing, lost = pairing.differing, pairing.contrast.count(None)
    sentence = _("Compared with {contrast}")
    if len(differing) == 1:
        sentence = _("Compared with {contrast}, where span {span} says something else")
    elif differing:
        sentence = _("Compared with {contrast}, where spans {spans} and {span} say something else")
    sentence = sentence.format(
        contrast=contrast.label,
        spans=", ".join(map(str, differing[:-1])),
        span=differing[-1] if differing else "",
    )
    if lost:
        missing = ngettext(
            "{lost} of {spans} spans cannot be compared",
            "{lost} of {spans} spans cannot be compared",
            lost,
        )
        sentence = f"{sentence}; {missing.format(lost=lost, spans=len(pairing.spans))}"
    return f"{sentence}. {from_end_sentence(pairing)}".rstrip()


def from_end_sentence(pairing: Pairing) -> str:
    """Which spans are compared at other positions; empty where none are."""
    from_end = pairing.from_end
    if not from_end:
        return ""
    return ngettext(
        "Span {spans} is counted from the end: it has the same words and as many tokens in the "
        "contrast prompt, at other positions.",
        "Spans {spans} are counted from the end: they have the same words and as many tokens in "
        "the contrast prompt, at other positions.",
        len(from_end),
        spans=_listed(from_end),
    )


def _listed(indices: Sequence[int]) -> str:
    """Indices in order, neighbours as a range: “1, 4 to 6”."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(
        str(run[0]) if len(run) == 1 else _("{first} to {last}", first=run[0], last=run[-1])
        for run in runs
    )


def changed_sentence(changed: str) -> str:
    """The change to the question that makes both prompts equally long; empty without one."""
    return (
        _("Here {change}, so that both prompts have the same length.", change=changed)
        if changed
        else ""
    )


def cell_sentence(table: TraceTable, span: int, block: int) -> str:
    """The figure of one cell and what it means."""
    if table.rows.contrast[span] is None:
        sentence = _("Span {span} cannot be compared: the contrast prompt has other tokens there.")
        return sentence.format(span=span)
    effect = table.effect(span, block)
    if effect is None or table.options is None:
        return _("Span {span} at block {block}: not known yet.", span=span, block=block)
    names = option_names(table.question)
    option, other = (names[index] for index in table.options)
    raises = _(
        "Span {span} at block {block}, copied into the contrast run, raises “{option}” over "
        "“{other}” by {nats:.3f} nats"
    )
    lowers = _(
        "Span {span} at block {block}, copied into the contrast run, lowers “{option}” under "
        "“{other}” by {nats:.3f} nats"
    )
    sentence = fill(
        lowers if effect < 0 else raises,
        span=span,
        block=block,
        option=option,
        other=other,
        nats=abs(effect),
    )
    if table.by_construction(span, block):
        return _("{sentence}: by construction, as the answer is read there.", sentence=sentence)
    share = table.share(span, block)
    if share is None:
        return f"{sentence}."
    return _("{sentence}, {share:.3f} of the difference.", sentence=sentence, share=share)


def span_sentence(table: TraceTable, index: int) -> str:
    """A span's text here and in the contrast prompt, and its tokens."""
    span, contrast = table.rows.spans[index], table.rows.contrast[index]
    if span.tokens is None:
        return _("“{text}”, shares a token with its neighbour", text=span.text)
    start, stop = span.tokens
    tokens = _("tokens {first} to {last}", first=start, last=stop - 1)
    if shift := table.rows.shift(index):
        tokens = _(
            "{tokens} (in the contrast prompt {first} to {last}: counted from the end)",
            tokens=tokens,
            first=start + shift,
            last=stop - 1 + shift,
        )
    if contrast is None or contrast.text == span.text:
        return _("“{text}”, {tokens}", text=span.text, tokens=tokens)
    return _(
        "here “{text}”\ncontrast “{other}”, {tokens}",
        text=span.text,
        other=contrast.text,
        tokens=tokens,
    )


def _size(size: int) -> str:
    """An amount of memory in MB, as llama.cpp counts them."""
    return f"{size / _MIB:,.0f} MB" if size >= _MIB else _("less than 1 MB")
