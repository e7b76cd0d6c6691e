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
_SHORTEST_TITLE = 12
"""Cells of a title that are shown at least, however long what is said of its answer."""
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
        rungs: the rung of each layer.
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
    for number, rung, options in zip(rung_numbers(rungs), rungs, shown, strict=True):
        if rows and airy:
            rows.append(())
        rows.append(_heading(number, rung, counted.get(rung.layer.id, True), width, measure))
        rows.extend(_body(rung, width, measure, options, unfolded=unfolded))
        if rung.remark and rung.patched is None:
            rows += _indented(rung.remark, Role.CHANGED, rung, width, measure)
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
    aside = {rung.layer.id for rung in rungs if rung.layer.aside}
    return climb([rung.verdict for rung in rungs if rung.verdict], aside)


def rung_numbers(rungs: Sequence[Rung]) -> tuple[str, ...]:
    """The number of each rung, from 1; a sign for those asked for comparison."""
    labels, count = [], 0
    for rung in rungs:
        count += not rung.layer.aside
        labels.append(ASIDE if rung.layer.aside else str(count))
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
    traps = [rung for rung in rungs if rung.layer.fault and rung.verdict is not None]
    faults = [
        rung.layer.fault for rung in traps if rung.verdict and at_fault(rung.layer, rung.verdict)
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
    within = [rung for rung in rungs if not rung.layer.aside]
    asked = [rung for rung in within if rung.question is not None]
    known = [rung for rung in asked if rung.verdict is not None]
    part = _("Layers answered: {known} of {layers}", known=len(known), layers=len(asked))
    failure = answered_ladder(rungs).first_failure
    if failure is not None:
        number, layer = next((i, s.layer) for i, s in enumerate(within, 1) if s.layer.id == failure)
        sentence = _("First failure: layer {number}, {title}")
        if any(rung.question and rung.verdict is None for rung in within[:number]):
            sentence = _("Wrong at layer {number}, {title} · {answered}")
        return sentence.format(number=number, title=layer.shown, answered=part), Role.BAD
    scored = [rung for rung in known if rung.verdict and rung.verdict.right is not None]
    if all(rung.question is None for rung in rungs):
        return _("There is nothing to ask here"), Role.MUTED
    if all(rung.verdict is None for rung in rungs):
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


def _heading(number: str, rung: Rung, counted: bool, width: int, measure: Measure) -> Row:
    if rung.compared is not None and rung.question is not None and rung.patched is None:
        return _compared_heading(number, rung, width, measure)
    words, role = _status(rung, counted)
    title = whole = f" {number} {rung.layer.shown}"
    if rung.question is not None and rung.question.about:
        whole += escape_control_characters(f": {rung.question.about}")
    if measure(whole) + measure(words) + 2 > width:
        words = _briefly(words)
    most = max(min(measure(title), _SHORTEST_TITLE), width - measure(words) - 2)
    title = whole if measure(whole) <= most else f"{fit(whole, most - 1, measure)}…"
    room = width - measure(title) - 1
    return (
        Span(title, Ink.HEADING, rung.layer.id),
        Span(pad(words, max(1, room), measure, right=True) + " ", role, rung.layer.id),
    )


def _compared_heading(number: str, rung: Rung, width: int, measure: Measure) -> Row:
    """The title, then for each of two runs whether its answer is right; signs if room is scarce."""
    assert rung.compared is not None
    answers = (replace(rung, verdict=rung.compared.verdict, phase=Phase.IDLE), rung)
    results = [_status(each, counted=True) for each in answers]
    parts = [
        (f"{letter} {words}", role)
        for letter, (words, role) in zip(rung.compared.letters, results, strict=True)
    ]
    title = f" {number} {rung.layer.shown}"
    if measure(title) + sum(measure(words) + 2 for words, _role in parts) > width:
        parts = [(words[:3] if words[2] in "✓✗" else words, role) for words, role in parts]
    room = max(1, width - sum(measure(words) + 2 for words, _role in parts))
    return (
        Span(pad(title, room, measure), Ink.HEADING, rung.layer.id),
        *(Span(f" {words} ", role, rung.layer.id) for words, role in parts),
    )


def _briefly(words: str) -> str:
    """A shorter status for a long title; the rung's sign still shows that it is for comparison."""
    words = words.removesuffix(f", {_(_COMPARED)}")
    uncounted = f", {_(_UNCOUNTED)}"
    return f"({words.removesuffix(uncounted)})" if words.endswith(uncounted) else words


def _status(rung: Rung, counted: bool) -> tuple[str, Role]:
    if rung.question is None:
        return _("nothing to ask"), Role.MUTED
    if rung.patched is not None:
        right = rung.patched.verdict.right
        result = {True: f" {_(_RIGHT)}", False: f" {_(_WRONG)}", None: ""}[right]
        return f"{PATCHED} {_('patched')}{result}", Role.FORCED
    if rung.phase is Phase.ASKING:
        return _("asking…"), Role.CHANGED
    if rung.phase is Phase.FAILED:
        return _("no answer"), Role.BAD
    if rung.verdict is None:
        return _("not asked"), Role.MUTED
    if rung.verdict.status in _UNREAD:
        return _(_UNREAD[rung.verdict.status]), Role.BAD
    if rung.verdict.right is None:
        return _("answered") if rung.question.open else _("no gold"), Role.MUTED
    aside = "" if counted else f", {_(_UNCOUNTED)}"
    if rung.layer.aside:
        aside = f", {_(_COMPARED)}"
    tie = f" ({_('tie')})" if rung.verdict.status is Status.TIE else ""
    if rung.verdict.right:
        return f"{_(_RIGHT)}{tie}{aside}", Role.GOOD if counted else Role.MUTED
    credit = ""
    if rung.verdict.credit:
        credit = ", " + _("credit {share}", share=probability_text(rung.verdict.credit))
    return f"{_(_WRONG)}{credit}{tie}{aside}", Role.BAD if counted else Role.MUTED


def _body(
    rung: Rung, width: int, measure: Measure, most: int, *, unfolded: bool = False
) -> list[Row]:
    if rung.question is not None and rung.patched is not None:
        return _patched(rung.question, rung.patched, width, measure, most)
    if (
        rung.question is not None
        and rung.compared is not None
        and (rung.verdict is not None or rung.compared.verdict is not None)
    ):
        rows = draw_compared(rung.question, rung.verdict, rung.compared, width, measure, most)
        return rows + _replies(rung, width, measure) if unfolded else rows
    if rung.phase is Phase.FAILED:
        return _indented(rung.error, Role.BAD, rung, width, measure)
    question = rung.question
    if question is None:
        return _indented(rung.skip_reason, Role.MUTED, rung, width, measure)
    if rung.verdict is None:
        return _indented(_(rung.layer.asks), Role.MUTED, rung, width, measure)
    if rung.verdict.scoring is Scoring.INFERRED:
        return [(Span(f"   {_('inferred from a later layer')}", Role.MUTED, rung.layer.id),)]
    if rung.verdict.scoring.written:
        rows = draw_written(question, rung.verdict, width, measure, most, thinking=not unfolded)
        return rows + _replies(rung, width, measure) if unfolded else rows
    if rung.verdict.status is Status.NO_ANSWER:
        words = _("The model computed no numbers here: its weights may be damaged.")
        return _indented(words, Role.BAD, rung, width, measure)
    return draw_measured(question, rung.verdict, width, measure, most)


def _replies(rung: Rung, width: int, measure: Measure) -> list[Row]:
    """All that the model wrote; of two compared runs after the letter of each."""
    written = [("", rung.verdict)]
    if rung.compared is not None:
        verdicts = (rung.compared.verdict, rung.verdict)
        written = list(zip(rung.compared.letters, verdicts, strict=True))
    rows: list[Row] = []
    for letter, verdict in written:
        if verdict is not None and verdict.text:
            rows += indented(letter, Role.MUTED, width, measure, by=3, ref=rung.layer.id)
            rows += draw_reply(verdict.text, width, measure, whole=True, ref=rung.layer.id)
    return rows


def _indented(text: str, role: Role, rung: Rung, width: int, measure: Measure) -> list[Row]:
    """A text below the heading of a rung."""
    return indented(text, role, width, measure, by=3, ref=rung.layer.id)


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
