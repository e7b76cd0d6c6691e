"""Who gave the answers on the ladder, and how they were asked for, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.question import Form, Scoring
from core.contract.rungs import Rung
from core.models.protocol import Answering, Model, ModelInfo, Replaying
from core.text.language import _
from tui.browse.state import BrowseState


def answer_source(
    model: Model | None, state: BrowseState | None, form: Form, scoring: Scoring | None
) -> str:
    """The model, the conditions, and whether its answers are results; empty without a model.

    `form` and `scoring` are those in which it would be asked now; None for each question's own.
    """
    if model is None:
        return ""
    info = model.info
    if isinstance(model, Answering):
        return _("{name}, a person at the keys.", name=info.name)
    opened = state if state is not None and state.is_open else None
    rungs = opened.rungs() if opened else ()
    scorings = _scorings(model, rungs, scoring)
    if info.recorded:
        source = _recorded(info, scorings)
    else:
        source = _conditions(info.name, opened, form, _(" and ").join(map(_, scorings)))
    if not info.demo:
        return source
    return f"{source} {_('Demonstration model: not a result.')}"


def conditions_of_run(state: BrowseState, rungs: Sequence[Rung], form: Form, scoring: str) -> str:
    """The conditions of the run whose answers are on these rungs.

    Empty if none of the answers is a run's, or if the run asked as the screen does, with `form`
    and `scoring`.
    """
    if state.run is None or not any(map(state.is_of_run, rungs)):
        return ""
    usual = f"zero-shot, {_('{form} prompt', form=form)}"
    read = _("{scoring} answers", scoring=scoring)
    # A run that asked in the same way as the screen does needs no words of its own.
    return "" if state.run.asked_as in {usual, f"{usual}, {read}"} else state.run.asked_as


def _recorded(info: ModelInfo, scorings: Sequence[Scoring]) -> str:
    """The conditions of recorded answers, and what they still wait for."""
    recorded = _(info.recorded)
    if any(_(each) not in recorded for each in scorings):
        recorded = f"{recorded}, {_(' and ').join(map(_, scorings))}"
    source = _("{name}, recorded: {conditions}.", name=info.name, conditions=recorded)
    return f"{source} {info.awaits}." if info.awaits else source


def _conditions(name: str, state: BrowseState | None, form: Form, scoring: str) -> str:
    """How the answers on the ladder were asked for: one by one, in a run, or some so."""
    here = _("{name}, zero-shot, {form} prompt, {scoring}.", name=name, form=form, scoring=scoring)
    answered = [] if state is None else [rung for rung in state.rungs() if rung.verdict is not None]
    if state is None or not (conditions := conditions_of_run(state, answered, form, scoring)):
        return here
    all_of_run = all(map(state.is_of_run, answered))
    if all_of_run and scoring not in conditions:
        conditions = f"{conditions}, {scoring}"
    run = _("{name}, in a run: {conditions}.", name=name, conditions=conditions)
    return run if all_of_run else f"{here} {run}"


def _scorings(model: Model, rungs: Sequence[Rung], scoring: Scoring | None) -> Sequence[Scoring]:
    """The scorings of the answers on screen, given or to come."""
    scorings = []
    for rung in rungs:
        if rung.question is not None:
            recorded = model.recorded(rung.question) if isinstance(model, Replaying) else None
            answered = rung.verdict or recorded
            scorings.append(answered.scoring if answered else scoring or rung.question.scoring)
    known = [each for each in dict.fromkeys(scorings) if each is not Scoring.INFERRED]
    return known or [Scoring.LOGLIKELIHOOD]
