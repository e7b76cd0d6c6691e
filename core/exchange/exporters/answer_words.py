"""A model's answers in words and as a table, for pages that are read without the program."""

from __future__ import annotations

from collections.abc import Sequence

from core.blocks.sentences import option_names
from core.contract.question import Form, Scoring, Status, Verdict, shares
from core.contract.rungs import Rung
from core.contract.task_layer import TaskLayer
from core.contract.view import Cell, Grid, Role
from core.layout.graph.weights import percent
from core.layout.ladder import answered_ladder, rung_numbers
from core.models.protocol import ModelInfo
from core.text.language import _

_MAX_NAMED = 5
"""Most options that are listed with their probabilities."""
_ROLES = {True: Role.GOOD, False: Role.BAD, None: Role.MUTED}


def answers_table(rungs: Sequence[Rung], source: str) -> Grid | None:
    """The answers of a ladder as a table; None where nothing was answered.

    Args:
        rungs: the ladder.
        source: who answered and how, in one line.
    """
    counted = {rung.verdict.layer: rung.counted for rung in answered_ladder(rungs).rungs}
    rows = []
    for number, rung in zip(rung_numbers(rungs), rungs, strict=True):
        if rung.verdict is None or rung.question is None:
            continue
        names = option_names(rung.question)
        about = f": {rung.question.about}" if rung.question.about else ""
        status = verdict_words(rung.verdict, rung.layer, counted.get(rung.layer.id, True))
        rows.append(
            (
                Cell(f"{number} {rung.layer.shown}{about}"),
                Cell(picked_words(rung.verdict, names)),
                Cell(gold_words(rung.verdict, names)),
                Cell(status, role_of(rung.verdict)),
                Cell(share_words(rung.verdict, names)),
            )
        )
    if not rows:
        return None
    columns = (_("question"), _("answer"), _("gold"), _("verdict"), _("shares"))
    return Grid(_("The model's answers"), columns, tuple(rows), note=source)


def source_words(info: ModelInfo, form: Form, rungs: Sequence[Rung]) -> str:
    """The model that answered, and how it was asked, in a line."""
    verdicts = [rung.verdict for rung in rungs if rung.verdict is not None]
    scorings = ", ".join(dict.fromkeys(map(scoring_words, verdicts)))
    if info.recorded:
        line = _("{name}, recorded: {conditions}.", name=info.name, conditions=info.recorded)
    else:
        line = _(
            "{name}, zero-shot, {form} prompt, {scoring}.",
            name=info.name,
            form=form,
            scoring=scorings,
        )
    return f"{line} {_('Demonstration model: not a result.')}" if info.demo else line


def picked_words(verdict: Verdict, names: Sequence[str]) -> str:
    """The options that were answered."""
    answered = ", ".join(names[index] for index in verdict.picked_options)
    return answered or _("none that can be read")


def gold_words(verdict: Verdict, names: Sequence[str]) -> str:
    """The gold options; empty where they are unknown."""
    return ", ".join(names[index] for index in verdict.right_options)


def role_of(verdict: Verdict) -> Role:
    """The role of a right, wrong or unscored answer; its sign is drawn before the words."""
    return _ROLES[verdict.right]


def verdict_words(verdict: Verdict, layer: TaskLayer, counted: bool) -> str:
    """Whether an answer is right, a tie, for comparison or not counted, in words."""
    right = verdict.right
    parts = [_("nobody knows") if right is None else _("right") if right else _("wrong")]
    if verdict.status is Status.TIE:
        parts.append(_("a tie"))
    if layer.aside:
        parts.append(_("to compare"))
    elif right is not None and not counted:
        parts.append(_("not counted"))
    return ", ".join(parts)


def share_words(verdict: Verdict, names: Sequence[str]) -> str:
    """The likeliest options with their probabilities; without likelihoods the number of options."""
    measured = shares(verdict.scores)
    parts = []
    if verdict.scoring is Scoring.LOGLIKELIHOOD and measured:
        ranked = sorted(range(len(measured)), key=lambda index: (-measured[index], index))
        parts = [f"{names[index]} {percent(measured[index])}" for index in ranked[:_MAX_NAMED]]
    if not parts or len(names) > _MAX_NAMED:
        parts.append(_("{number} options", number=len(names)))
    return " · ".join(parts)


def scoring_words(verdict: Verdict) -> str:
    """How an answer was read."""
    match verdict.scoring:
        case Scoring.LOGLIKELIHOOD:
            return _("log-likelihood of the options")
        case Scoring.GENERATED:
            return _("what the model wrote")
        case Scoring.SCHEMA:
            return _("the JSON object that the model was made to write")
        case Scoring.INFERRED:
            return _("inferred from a later answer")
