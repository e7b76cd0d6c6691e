"""Draws the ladder: a rung for each layer, and in a sentence how far the model climbed it."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.ladder import Ladder, climb, probabilities
from core.contract.question import Question, Scoring, Status, Verdict
from core.contract.rungs import PatchedAnswer, Phase, RungState
from core.contract.task_layer import TaskLayer
from core.contract.view import Role
from core.layout.options import draw_measured, draw_written, named, picks, share_said, unseen
from core.layout.rows import Ink, Measure, Row, Span, fit, pad, wrap
from core.text.escaping import escape_control_characters
from core.text.language import N_, _

_UNCOUNTED = N_("not counted")
_COMPARED = N_("to compare")
ASIDE = "≈"
"""Stands before a rung that is asked to compare with."""
PATCHED = "⇄"
"""Stands where something inside the model is changed."""
_RIGHT = N_("✓ right")
_WRONG = N_("✗ wrong")
_UNREAD = {
    Status.NO_ANSWER: N_("no answer"),
    Status.AMBIGUOUS: N_("ambiguous"),
    Status.TRUNCATED: N_("cut off"),
    Status.OUT_OF_RANGE: N_("not an option"),
}


def draw_ladder(
    rungs: Sequence[RungState],
    width: int,
    measure: Measure,
    *,
    most: int | Sequence[int] = 5,
    airy: bool = True,
) -> list[Row]:
    """Draw the rungs under each other.

    Args:
        rungs: what is known of each layer.
        width: cells there are.
        measure: cells that a text takes.
        most: options drawn of each rung, or of every one; gold and answer are whatever it is.
        airy: whether blank rows stand between rungs.
    """
    counted = {rung.verdict.layer: rung.counted for rung in climbed(rungs).rungs}
    shown = [most] * len(rungs) if isinstance(most, int) else most
    rows: list[Row] = []
    for number, state, options in zip(numbers(rungs), rungs, shown, strict=True):
        if rows and airy:
            rows.append(())
        rows.append(_heading(number, state, counted.get(state.layer.id, True), width, measure))
        rows.extend(_body(state, width, measure, options))
        if state.remark and state.patched is None:
            indent = Span("   ", Role.PLAIN, state.layer.id)
            lines = wrap(escape_control_characters(state.remark), max(8, width - 4), measure)
            rows += [(indent, Span(line, Role.CHANGED)) for line in lines]
    return rows


def options_fitting(
    rungs: Sequence[RungState], width: int, measure: Measure, height: int, *, airy: bool
) -> tuple[int, ...]:
    """How many options of each rung are drawn for all to take `height` lines, one at least.

    While a line is left, it goes to the rung whose options out of sight come to most together.
    """
    shown = [1] * len(rungs)
    free = height - len(draw_ladder(rungs, width, measure, most=shown, airy=airy))
    waiting = {place: rung.drawn for place, rung in enumerate(rungs) if rung.drawn is not None}
    while free > 0 and waiting:
        place = max(waiting, key=lambda place: unseen(waiting[place], shown[place]))
        before, after = (
            len(_body(rungs[place], width, measure, shown[place] + more)) for more in (0, 1)
        )
        shown[place] += 1
        free -= after - before
        if shown[place] >= len(waiting[place].options):
            del waiting[place]
    return tuple(shown)


def climbed(rungs: Sequence[RungState]) -> Ladder:
    """The ladder of what was answered; layers that are asked beside it do not count."""
    aside = {state.layer.id for state in rungs if state.layer.aside}
    return climb([state.verdict for state in rungs if state.verdict], aside)


def numbers(rungs: Sequence[RungState]) -> tuple[str, ...]:
    """What each rung is counted as; a sign where it stands beside the ladder."""
    found, count = [], 0
    for state in rungs:
        count += not state.layer.aside
        found.append(ASIDE if state.layer.aside else str(count))
    return tuple(found)


def outcome(rungs: Sequence[RungState]) -> tuple[str, Role]:
    """The ladder in one sentence: the first failure, or how far it held, as far as is known.

    A model that gives the same answer where that is wrong does not stand there as right alone.
    """
    said, role = _held(rungs)
    fault = caught(rungs)
    if role is Role.BAD or not fault:
        return said, role
    return _("{outcome}, but it {fault}", outcome=said, fault=fault), role


def caught(rungs: Sequence[RungState]) -> str:
    """What a model does where that is wrong, and how often of how many; empty if nowhere."""
    traps = [state for state in rungs if state.layer.fault and state.verdict is not None]
    fell = [one.layer.fault for one in traps if one.verdict and at_fault(one.layer, one.verdict)]
    if not fell:
        return ""
    return _("{fault} ({wrong} of {asked})", fault=_(fell[0]), wrong=len(fell), asked=len(traps))


def at_fault(layer: TaskLayer, verdict: Verdict) -> bool:
    """Whether an answer shows the fault that its layer is there to find."""
    return bool(layer.fault) and verdict.right is False and verdict.status not in _UNREAD


def _held(rungs: Sequence[RungState]) -> tuple[str, Role]:
    """What the rungs that count came to."""
    within = [state for state in rungs if not state.layer.aside]
    asked = [state for state in within if state.question is not None]
    known = [state for state in asked if state.verdict is not None]
    part = _("Layers answered: {known} of {layers}", known=len(known), layers=len(asked))
    failure = climbed(rungs).first_failure
    if failure is not None:
        number, layer = next((i, s.layer) for i, s in enumerate(within, 1) if s.layer.id == failure)
        said = _("First failure: layer {number}, {title}")
        if any(state.question and state.verdict is None for state in within[:number]):
            said = _("Wrong at layer {number}, {title} · {answered}")
        return said.format(number=number, title=layer.shown, answered=part), Role.BAD
    scored = [state for state in known if state.verdict and state.verdict.right is not None]
    if all(state.question is None for state in rungs):
        return _("There is nothing to ask here"), Role.MUTED
    if all(state.verdict is None for state in rungs):
        return _("Not asked yet"), Role.MUTED
    if not asked:
        return _("No layer applies"), Role.MUTED
    if len(known) < len(asked):
        return _("{answered}, right so far", answered=part) if scored else part, Role.MUTED
    if not scored:
        return _("There is no gold answer here"), Role.MUTED
    if len(scored) < len(known):
        return _("Right at every layer that has a gold answer"), Role.MUTED
    if len(asked) == 1:
        return _("Right at the only layer that applies"), Role.GOOD
    return _("Right at every layer"), Role.GOOD


def _heading(number: str, state: RungState, counted: bool, width: int, measure: Measure) -> Row:
    words, role = _status(state, counted)
    title = whole = f" {number} {state.layer.shown}"
    if state.question is not None and state.question.about:
        whole += escape_control_characters(f": {state.question.about}")
    if measure(whole) + measure(words) + 2 > width:
        words = _briefly(words)
    most = max(measure(title), width - measure(words) - 2)
    title = whole if measure(whole) <= most else f"{fit(whole, most - 1, measure)}…"
    room = width - measure(title) - 1
    return (
        Span(title, Ink.HEADING, state.layer.id),
        Span(pad(words, max(1, room), measure, right=True) + " ", role, state.layer.id),
    )


def _briefly(words: str) -> str:
    """A status beside which a title needs the room; the sign before it tells what is compared."""
    words = words.removesuffix(f", {_(_COMPARED)}")
    uncounted = f", {_(_UNCOUNTED)}"
    return f"({words.removesuffix(uncounted)})" if words.endswith(uncounted) else words


def _status(state: RungState, counted: bool) -> tuple[str, Role]:
    if state.question is None:
        return _("nothing to ask"), Role.MUTED
    if state.patched is not None:
        right = state.patched.verdict.right
        said = {True: f" {_(_RIGHT)}", False: f" {_(_WRONG)}", None: ""}[right]
        return f"{PATCHED} {_('patched')}{said}", Role.FORCED
    if state.phase is Phase.ASKING:
        return _("asking…"), Role.CHANGED
    if state.phase is Phase.FAILED:
        return _("no answer"), Role.BAD
    if state.verdict is None:
        return _("not asked"), Role.MUTED
    if state.verdict.status in _UNREAD:
        return _(_UNREAD[state.verdict.status]), Role.BAD
    if state.verdict.right is None:
        return _("answered") if state.question.open else _("no gold"), Role.MUTED
    aside = "" if counted else f", {_(_UNCOUNTED)}"
    if state.layer.aside:
        aside = f", {_(_COMPARED)}"
    tie = f" ({_('tie')})" if state.verdict.status is Status.TIE else ""
    if state.verdict.right:
        return f"{_(_RIGHT)}{tie}{aside}", Role.GOOD if counted else Role.MUTED
    credit = ""
    if state.verdict.credit:
        credit = ", " + _("credit {share}", share=share_said(state.verdict.credit))
    return f"{_(_WRONG)}{credit}{tie}{aside}", Role.BAD if counted else Role.MUTED


def _body(state: RungState, width: int, measure: Measure, most: int) -> list[Row]:
    ref = state.layer.id
    if state.question is not None and state.patched is not None:
        return _patched(state.question, state.patched, width, measure, most)
    if state.phase is Phase.FAILED:
        lines = wrap(escape_control_characters(state.error), max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.BAD, ref)) for line in lines]
    question = state.question
    if question is None:
        lines = (
            wrap(escape_control_characters(state.skip_reason), max(8, width - 4), measure)
            if state.skip_reason
            else []
        )
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.MUTED, ref)) for line in lines]
    if state.verdict is None:
        lines = wrap(_(state.layer.asks), max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.MUTED, ref)) for line in lines]
    if state.verdict.scoring is Scoring.INFERRED:
        return [(Span(f"   {_('inferred from a later layer')}", Role.MUTED, ref),)]
    if state.verdict.scoring is Scoring.GENERATED:
        return draw_written(question, state.verdict, width, measure, most)
    if state.verdict.status is Status.NO_ANSWER:
        words = _("The model computed no numbers here: its weights may be damaged.")
        lines = wrap(words, max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.BAD, ref)) for line in lines]
    return draw_measured(question, state.verdict, width, measure, most)


def _patched(
    question: Question, patched: PatchedAnswer, width: int, measure: Measure, most: int
) -> list[Row]:
    """The options as the changed model scores them, what was changed, and its own answer."""
    rows = draw_measured(question, patched.verdict, width, measure, most)
    names, own = named(question), probabilities(patched.own)
    picked = ", ".join(f"{names[i]} {share_said(own[i])}" for i in picks(patched.own))
    words = _(
        "{change}; unpatched: {answer}",
        change=escape_control_characters(patched.change),
        answer=picked or _("none"),
    )
    lines = wrap(words, max(8, width - 4), measure)
    blank = Span("   ", Role.PLAIN, question.layer)
    return rows + [(blank, Span(line, Role.FORCED, question.layer)) for line in lines]
