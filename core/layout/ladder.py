"""Draws the ladder: a rung for each layer, its options as bars, gold and answer marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.benchmark import Layer
from core.ladder import climb, probabilities
from core.layout.rows import Ink, Measure, Row, Span, fit, pad, wrap
from core.question import Question, Scoring, Status, Verdict
from core.view import Role
from core.visible import visible

_EIGHTHS = " ▏▎▍▌▋▊▉"


class Phase(StrEnum):
    """How far a rung is."""

    IDLE = "idle"
    ASKING = "asking"
    ANSWERED = "answered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RungState:
    """What is known of one layer on screen."""

    layer: Layer
    question: Question | None
    """None where this layer has nothing to ask under the setting."""
    verdict: Verdict | None = None
    phase: Phase = Phase.IDLE
    error: str = ""


def draw_ladder(
    rungs: Sequence[RungState], width: int, measure: Measure, *, most: int = 5, airy: bool = True
) -> list[Row]:
    """Draw the rungs under each other, at most `most` options of each, gold always among them."""
    counted = {
        rung.verdict.layer: rung.counted
        for rung in climb([state.verdict for state in rungs if state.verdict]).rungs
    }
    rows: list[Row] = []
    for number, state in enumerate(rungs, 1):
        if rows and airy:
            rows.append(())
        rows.append(_heading(number, state, counted.get(state.layer.id, True), width, measure))
        rows.extend(_body(state, width, measure, most))
    return rows


def outcome(rungs: Sequence[RungState]) -> tuple[str, Role]:
    """The ladder in one sentence: the first failure, or how far it held."""
    verdicts = [state.verdict for state in rungs if state.verdict]
    asked = [state for state in rungs if state.question is not None]
    failure = climb(verdicts).first_failure
    if failure is not None:
        number, layer = next((i, s.layer) for i, s in enumerate(rungs, 1) if s.layer.id == failure)
        return f"First failure: layer {number}, {layer.title}", Role.BAD
    if any(verdict.right is None for verdict in verdicts):
        return "There is no gold answer here", Role.MUTED
    if verdicts and len(verdicts) == len(asked):
        many = "Right at the only layer that applies" if len(asked) == 1 else "Right at every layer"
        return many, Role.GOOD
    return "Not asked yet", Role.MUTED


def _heading(number: int, state: RungState, counted: bool, width: int, measure: Measure) -> Row:
    words, role = _status(state, counted)
    title = f" {number} {state.layer.title}"
    room = width - measure(title) - 1
    return (
        Span(title, Ink.HEADING, state.layer.id),
        Span(pad(words, max(1, room), measure, right=True) + " ", role, state.layer.id),
    )


def _status(state: RungState, counted: bool) -> tuple[str, Role]:
    if state.question is None:
        return "nothing to ask", Role.MUTED
    if state.phase is Phase.ASKING:
        return "asking…", Role.CHANGED
    if state.phase is Phase.FAILED:
        return "no answer", Role.BAD
    if state.verdict is None:
        return "not asked", Role.MUTED
    if state.verdict.status is Status.NO_ANSWER:
        return "no answer", Role.BAD
    if state.verdict.right is None:
        return "no gold", Role.MUTED
    aside = "" if counted else ", not counted"
    tie = " (tie)" if state.verdict.status is Status.TIE else ""
    if state.verdict.right:
        return f"✓ right{tie}{aside}", Role.GOOD if counted else Role.MUTED
    return f"✗ wrong{tie}{aside}", Role.BAD if counted else Role.MUTED


def _body(state: RungState, width: int, measure: Measure, most: int) -> list[Row]:
    ref = state.layer.id
    if state.phase is Phase.FAILED:
        lines = wrap(visible(state.error), max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.BAD, ref)) for line in lines]
    question = state.question
    if question is None:
        return []
    if state.verdict is None:
        lines = wrap(state.layer.asks, max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.MUTED, ref)) for line in lines]
    if state.verdict.scoring is Scoring.INFERRED:
        return [(Span("   inferred from a later layer", Role.MUTED, ref),)]
    if state.verdict.status is Status.NO_ANSWER:
        words = "The model computed no numbers here: its weights may be damaged."
        lines = wrap(words, max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.BAD, ref)) for line in lines]
    shares = probabilities(state.verdict)
    label_width = min(max(measure(option) for option in question.options), max(6, width - 24))
    bar_width = max(4, width - label_width - 21)
    shown = _shown(shares, question.gold, state.verdict.answer, most)
    rows = [
        _option(
            question.options[i],
            shares[i],
            picked=i == state.verdict.answer,
            gold=i == question.gold,
            right=state.verdict.right,
            label_width=label_width,
            bar_width=bar_width,
            measure=measure,
            ref=ref,
        )
        for i in shown
    ]
    hidden = len(shares) - len(shown)
    if hidden and most > 2:
        rest = sum(share for i, share in enumerate(shares) if i not in shown)
        rows.append(
            (Span(f"     {hidden} more options, {_share(rest)} together", Role.MUTED, ref),)
        )
    return rows


def _shown(shares: Sequence[float], gold: int | None, answer: int | None, most: int) -> list[int]:
    """The options to draw: the likeliest, with gold and answer always among them, by likelihood."""
    ranked = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    must = [i for i in (answer, gold) if i is not None]
    rest = [i for i in ranked if i not in must]
    kept = {*must, *rest[: max(0, most - len(set(must)))]}
    return [i for i in ranked if i in kept]


def _option(
    option: str,
    share: float,
    *,
    picked: bool,
    gold: bool,
    right: bool | None,
    label_width: int,
    bar_width: int,
    measure: Measure,
    ref: str,
) -> Row:
    tone: Role | Ink = Ink.TRACK
    if picked:
        tone = Role.PLAIN if right is None else Role.GOOD if right else Role.BAD
    bar = _bar(share, bar_width)
    return (
        Span("   ▸ " if picked else "     ", tone if picked else Role.PLAIN, ref),
        Span(
            pad(visible(option), label_width, measure) + " ",
            tone if picked else Role.PLAIN,
            ref,
        ),
        Span(pad(bar, bar_width, measure), tone, ref),
        Span(f" {_share(share):>4}", tone if picked else Role.MUTED, ref),
        Span(" ◆ gold" if gold else "", Role.EVIDENCE, ref),
    )


def _bar(share: float, width: int) -> str:
    """A bar of eighth blocks, `share` of `width` cells long."""
    eighths = round(share * width * 8)
    full, part = divmod(eighths, 8)
    bar = "█" * full + (_EIGHTHS[part] if part else "")
    return fit(bar or "▏", width, len)


def _share(share: float) -> str:
    """A probability in at most four signs: .81, never a false 1 or 0."""
    if share >= 0.995:
        return ">.99"
    return "<.01" if share < 0.005 else f"{share:.2f}".removeprefix("0")
