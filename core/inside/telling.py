"""What a trace and a patch come to, in sentences."""

from __future__ import annotations

from core.inside.tracing import Pairing, TraceTable
from core.inside.twins import Twin
from core.models.inside import NO_CONTRAST, Part
from core.question import Question

LEAST = 0.1
"""The share from which on something is said to be restored."""


def option_names(question: Question) -> tuple[str, ...]:
    """The options, each with what it stands for where it is a mere letter."""
    if not question.meanings:
        return question.options
    pairs = zip(question.options, question.meanings, strict=True)
    return tuple(f"{option} {meaning}" for option, meaning in pairs)


def peak_said(table: TraceTable, part: Part = Part.RESIDUAL) -> str:
    """What restores most, or why nothing can be said; empty before the two runs are known."""
    if table.base is None or table.options is None:
        return ""
    if not table.contrast:
        return (
            f"No contrast: the margins differ by less than {NO_CONTRAST} nats, so no share of it "
            "means anything."
        )
    peak = table.peak()
    if peak is None:
        return ""
    span, block, share = peak
    if share < LEAST:
        return f"Nothing restores a tenth of it: at most {share:.2f}, span {span} at block {block}."
    of = "" if part is Part.RESIDUAL else f" by {part}"
    return f"Most is restored{of} by span {span} at block {block}: {share:.2f}."


def margins_said(table: TraceTable) -> str:
    """The margins here and in the twin; empty before the two runs are known."""
    if table.base is None or table.options is None:
        return ""
    first, second = table.options
    here, there = table.base.margins(first, second)
    names = option_names(table.question)
    return (
        f"Margin of “{names[first]}” over “{names[second]}”: {here:+.3f} nats here, "
        f"{there:+.3f} in the twin."
    )


def twin_said(twin: Twin, pairing: Pairing) -> str:
    """Which twin it is, where it says something else, and what of it cannot be compared."""
    pairs = list(zip(pairing.spans, pairing.twin, strict=True))
    other = [n for n, (one, two) in enumerate(pairs) if two is not None and one.text != two.text]
    lost = sum(two is None for _, two in pairs)
    said = f"Beside {twin.name}"
    if other:
        said += f", where {_spans(other)} {'says' if len(other) == 1 else 'say'} something else"
    if lost:
        said += f"; {lost} of {len(pairs)} spans cannot be compared"
    return f"{said}."


def cell_said(table: TraceTable, span: int, block: int) -> str:
    """The figure of one cell and what it means."""
    if table.pairing.twin[span] is None:
        return f"Span {span} cannot be compared: the twin has other tokens there."
    share = table.share(span, block)
    where = f"Span {span} at block {block}"
    if share is None:
        known = table.base is not None and not table.contrast
        return f"{where}: no contrast." if known else f"{where}: not known yet."
    return f"{where}, copied into the twin's run, restores {share + 0.0:.3f} of the margin."


def _spans(places: list[int]) -> str:
    if len(places) == 1:
        return f"span {places[0]}"
    return f"spans {', '.join(map(str, places[:-1]))} and {places[-1]}"
