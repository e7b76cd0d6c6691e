"""Draws the ladder: a rung for each task layer, and one sentence on how far the model got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.contract.ladder import Ladder, climb
from core.contract.question import Question, Scoring, Status, Verdict, shares
from core.contract.rungs import PatchedAnswer, Phase, Rung
from core.contract.task_layer import TaskLayer
from core.contract.view import Role
from core.layout.compared_options import draw_compared
from core.layout.options import (
    draw_measured,
    draw_written,
    hidden_share,
    option_labels,
    probability_text,
)
from core.layout.replies import draw_reply
from core.layout.rows import Ink, Measure, Row, Span, fit, indented, pad
from core.text.escaping import escape_control_characters
from core.text.language import N_, _

_UNCOUNTED = N_("not counted")
_COMPARED = N_("to compare")
ASIDE = "≈"
"""Sign of a rung that is asked for comparison only and does not count."""
PATCHED = "⇄"
"""Sign of an answer that was given while something inside the model was changed."""
_RIGHT = N_("✓ right")
_WRONG = N_("✗ wrong")
_UNREAD = {
    Status.NO_ANSWER: N_("no answer"),
    Status.AMBIGUOUS: N_("ambiguous"),
    Status.TRUNCATED: N_("cut off"),
    Status.OUT_OF_RANGE: N_("not an option"),
}


def draw_ladder(
    rungs: Sequence[Rung],
    width: int,
    measure: Measure,
    *,
    most: int | Sequence[int] = 5,
    airy: bool = True,
    unfolded: bool = False,
) -> list[Row]:
    """Draw the rungs under each other.

    Args:
        rungs: the state of each layer.
        width: terminal cells available.
        measure: terminal cells that a text takes.
        most: most options drawn, for all rungs or one number a rung; gold options and answers are
            always drawn.
        airy: whether to leave a blank row between rungs.
        unfolded: whether all is drawn that the model wrote, its thinking too.
    """
    counted = {rung.verdict.layer: rung.counted for rung in answered_ladder(rungs).rungs}
    shown = [most] * len(rungs) if isinstance(most, int) else most
    rows: list[Row] = []
    for number, state, options in zip(rung_numbers(rungs), rungs, shown, strict=True):
        if rows and airy:
            rows.append(())
        rows.append(_heading(number, state, counted.get(state.layer.id, True), width, measure))
        rows.extend(_body(state, width, measure, options, unfolded=unfolded))
        if state.remark and state.patched is None:
            rows += _indented(state.remark, Role.CHANGED, state, width, measure)
    return rows


def options_fitting(
    rungs: Sequence[Rung], width: int, measure: Measure, height: int, *, airy: bool
) -> tuple[int, ...]:
    """How many options to draw of each rung, one at least, so that all rungs fit `height` lines.

    Each line left over goes to the rung whose hidden options have the largest share together.
    """
    shown = [1] * len(rungs)
    free = height - len(draw_ladder(rungs, width, measure, most=shown, airy=airy))
    waiting = {index: rung.drawn for index, rung in enumerate(rungs) if rung.drawn is not None}
    while free > 0 and waiting:
        index = max(waiting, key=lambda index: hidden_share(waiting[index], shown[index]))
        before, after = (
            len(_body(rungs[index], width, measure, shown[index] + more)) for more in (0, 1)
        )
        shown[index] += 1
        free -= after - before
        if shown[index] >= len(waiting[index].options):
            del waiting[index]
    return tuple(shown)


def answered_ladder(rungs: Sequence[Rung]) -> Ladder:
    """The ladder of the rungs that were answered; layers asked for comparison do not count."""
    aside = {state.layer.id for state in rungs if state.layer.aside}
    return climb([state.verdict for state in rungs if state.verdict], aside)


def rung_numbers(rungs: Sequence[Rung]) -> tuple[str, ...]:
    """The number of each rung, from 1; a sign for those asked for comparison."""
    labels, count = [], 0
    for state in rungs:
        count += not state.layer.aside
        labels.append(ASIDE if state.layer.aside else str(count))
    return tuple(labels)


def outcome(rungs: Sequence[Rung]) -> tuple[str, Role]:
    """The ladder in one sentence: the first failure, or how far the model was right so far.

    A model that was right but shows a fault elsewhere gets that fault in the same sentence.
    """
    sentence, role = _progress(rungs)
    fault = fault_summary(rungs)
    if role is Role.BAD or not fault:
        return sentence, role
    return _("{outcome}, but it {fault}", outcome=sentence, fault=fault), role


def fault_summary(rungs: Sequence[Rung]) -> str:
    """The fault that the model shows, and in how many of the layers asked; empty for none."""
    traps = [state for state in rungs if state.layer.fault and state.verdict is not None]
    faults = [
        state.layer.fault
        for state in traps
        if state.verdict and at_fault(state.layer, state.verdict)
    ]
    if not faults:
        return ""
    return _(
        "{fault} ({wrong} of {asked})", fault=_(faults[0]), wrong=len(faults), asked=len(traps)
    )


def at_fault(layer: TaskLayer, verdict: Verdict) -> bool:
    """Whether a wrong answer shows the fault that its layer tests for."""
    return bool(layer.fault) and verdict.right is False and verdict.status not in _UNREAD


def _progress(rungs: Sequence[Rung]) -> tuple[str, Role]:
    """The outcome of the rungs that count."""
    within = [state for state in rungs if not state.layer.aside]
    asked = [state for state in within if state.question is not None]
    known = [state for state in asked if state.verdict is not None]
    part = _("Layers answered: {known} of {layers}", known=len(known), layers=len(asked))
    failure = answered_ladder(rungs).first_failure
    if failure is not None:
        number, layer = next((i, s.layer) for i, s in enumerate(within, 1) if s.layer.id == failure)
        sentence = _("First failure: layer {number}, {title}")
        if any(state.question and state.verdict is None for state in within[:number]):
            sentence = _("Wrong at layer {number}, {title} · {answered}")
        return sentence.format(number=number, title=layer.shown, answered=part), Role.BAD
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


def _heading(number: str, state: Rung, counted: bool, width: int, measure: Measure) -> Row:
    if state.compared is not None and state.question is not None and state.patched is None:
        return _compared_heading(number, state, width, measure)
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


def _compared_heading(number: str, state: Rung, width: int, measure: Measure) -> Row:
    """The title, then for each of two runs whether its answer is right; signs if room is scarce."""
    assert state.compared is not None
    answers = (replace(state, verdict=state.compared.verdict, phase=Phase.IDLE), state)
    results = [_status(each, counted=True) for each in answers]
    parts = [
        (f"{letter} {words}", role)
        for letter, (words, role) in zip(state.compared.letters, results, strict=True)
    ]
    title = f" {number} {state.layer.shown}"
    if measure(title) + sum(measure(words) + 2 for words, _role in parts) > width:
        parts = [(words[:3] if words[2] in "✓✗" else words, role) for words, role in parts]
    room = max(1, width - sum(measure(words) + 2 for words, _role in parts))
    return (
        Span(pad(title, room, measure), Ink.HEADING, state.layer.id),
        *(Span(f" {words} ", role, state.layer.id) for words, role in parts),
    )


def _briefly(words: str) -> str:
    """A shorter status for a long title; the rung's sign still shows that it is for comparison."""
    words = words.removesuffix(f", {_(_COMPARED)}")
    uncounted = f", {_(_UNCOUNTED)}"
    return f"({words.removesuffix(uncounted)})" if words.endswith(uncounted) else words


def _status(state: Rung, counted: bool) -> tuple[str, Role]:
    if state.question is None:
        return _("nothing to ask"), Role.MUTED
    if state.patched is not None:
        right = state.patched.verdict.right
        result = {True: f" {_(_RIGHT)}", False: f" {_(_WRONG)}", None: ""}[right]
        return f"{PATCHED} {_('patched')}{result}", Role.FORCED
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
        credit = ", " + _("credit {share}", share=probability_text(state.verdict.credit))
    return f"{_(_WRONG)}{credit}{tie}{aside}", Role.BAD if counted else Role.MUTED


def _body(
    state: Rung, width: int, measure: Measure, most: int, *, unfolded: bool = False
) -> list[Row]:
    if state.question is not None and state.patched is not None:
        return _patched(state.question, state.patched, width, measure, most)
    if (
        state.question is not None
        and state.compared is not None
        and (state.verdict is not None or state.compared.verdict is not None)
    ):
        rows = draw_compared(state.question, state.verdict, state.compared, width, measure, most)
        return rows + _replies(state, width, measure) if unfolded else rows
    if state.phase is Phase.FAILED:
        return _indented(state.error, Role.BAD, state, width, measure)
    question = state.question
    if question is None:
        return _indented(state.skip_reason, Role.MUTED, state, width, measure)
    if state.verdict is None:
        return _indented(_(state.layer.asks), Role.MUTED, state, width, measure)
    if state.verdict.scoring is Scoring.INFERRED:
        return [(Span(f"   {_('inferred from a later layer')}", Role.MUTED, state.layer.id),)]
    if state.verdict.scoring.written:
        rows = draw_written(question, state.verdict, width, measure, most, thinking=not unfolded)
        return rows + _replies(state, width, measure) if unfolded else rows
    if state.verdict.status is Status.NO_ANSWER:
        words = _("The model computed no numbers here: its weights may be damaged.")
        return _indented(words, Role.BAD, state, width, measure)
    return draw_measured(question, state.verdict, width, measure, most)


def _replies(state: Rung, width: int, measure: Measure) -> list[Row]:
    """All that the model wrote; of two compared runs after the letter of each."""
    written = [("", state.verdict)]
    if state.compared is not None:
        verdicts = (state.compared.verdict, state.verdict)
        written = list(zip(state.compared.letters, verdicts, strict=True))
    rows: list[Row] = []
    for letter, verdict in written:
        if verdict is not None and verdict.text:
            rows += indented(letter, Role.MUTED, width, measure, by=3, ref=state.layer.id)
            rows += draw_reply(verdict.text, width, measure, whole=True, ref=state.layer.id)
    return rows


def _indented(text: str, role: Role, state: Rung, width: int, measure: Measure) -> list[Row]:
    """A text below the heading of a rung."""
    return indented(text, role, width, measure, by=3, ref=state.layer.id)


def _patched(
    question: Question, patched: PatchedAnswer, width: int, measure: Measure, most: int
) -> list[Row]:
    """The options as the patched model scores them, the patch, and the unpatched answer."""
    rows = draw_measured(question, patched.verdict, width, measure, most)
    labels, unpatched = option_labels(question), shares(patched.own.scores)
    picked = ", ".join(
        f"{labels[i]} {probability_text(unpatched[i])}" for i in patched.own.picked_options
    )
    words = _(
        "{change}; unpatched: {answer}",
        change=patched.change,
        answer=picked or _("none"),
    )
    return rows + indented(words, Role.FORCED, width, measure, by=3, ref=question.layer)
