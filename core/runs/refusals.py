"""What a model is not asked, and why: errors that are known before it is asked."""

from __future__ import annotations

from core.contract.question import Answer, Form, Question, Scoring
from core.models.protocol import (
    Ability,
    Answering,
    Batching,
    Model,
    ModelInfo,
    Replaying,
    Sampling,
    Writer,
)
from core.models.replay import not_recorded_hint
from core.text.errors import ModelError
from core.text.language import _

_NEEDS = {
    Scoring.LOGLIKELIHOOD: Ability.SCORE,
    Scoring.GENERATED: Ability.GENERATE,
    Scoring.SCHEMA: Ability.GENERATE,
}


def refusal(model: Model, question: Question) -> ModelError | None:
    """Why this model is not asked this question; None where it is.

    A record holds the answers to what was asked then, and no others. A person is asked no open
    question: the options, which are on their screen, are what the answer is compared with.
    """
    if isinstance(model, Replaying) and model.recorded(question) is None:
        return not_recorded(question, model.info)
    if isinstance(model, Answering) and question.open:
        return ModelError(
            _("A person is asked only questions with options."), where=model.info.source
        )
    return None


def check_form(info: ModelInfo, form: Form) -> None:
    """Raise `ModelError` for turns where a model takes none."""
    if form is Form.CHAT and Ability.CHAT not in info.abilities:
        raise ModelError(
            _("This model has no chat template, so it takes no turns."),
            where=info.source,
            hint=_("Use the base form."),
        )


def check_able(info: ModelInfo, form: Form, scoring: Scoring) -> None:
    check_form(info, form)
    if _NEEDS[scoring] not in info.abilities:
        other = Scoring.LOGLIKELIHOOD if scoring.written else Scoring.GENERATED
        raise ModelError(
            _("This model gives no {scoring} answers.", scoring=scoring),
            where=info.source,
            hint=_("Choose another model, or ask for {other} answers.", other=other),
        )


def check_sampling(model: Model, sampling: Sampling) -> None:
    """Raise `ModelError` for a temperature at which a model does not write."""
    if sampling.temperature and not isinstance(model, Writer):
        raise ModelError(
            _("Only a server writes at a temperature; this model takes the likeliest token."),
            where=model.info.source,
            hint=_("Leave the temperature out."),
        )


def check_batch(model: Model) -> None:
    """Raise `ModelError` where a model cannot be asked several questions in one forward pass."""
    if not isinstance(model, Batching):
        raise ModelError(
            _("Only a model file is asked several questions in one forward pass."),
            where=model.info.source,
            hint=_("Leave --batch out; of a server ask several at once with --concurrency."),
        )


def check_same_scoring(
    recorded: Answer, question: Question, scoring: Scoring | None, info: ModelInfo
) -> None:
    if scoring is not None and not question.open and recorded.scoring is not scoring:
        raise ModelError(
            _(
                "This was answered by {scoring}, not by {wanted}.",
                scoring=recorded.scoring,
                wanted=scoring,
            ),
            where=info.source,
            hint=_("Answers read in different ways are never compared: ask as it was asked then."),
        )


def not_recorded(question: Question, info: ModelInfo) -> ModelError:
    return ModelError(
        _(
            "Layer {layer} of item {item} is not in the record.",
            layer=question.layer,
            item=question.item,
        ),
        where=info.source,
        hint=not_recorded_hint(info),
    )


def no_json(model: Model) -> ModelError:
    return ModelError(
        _("Only a server can be made to write JSON."),
        where=model.info.source,
        hint=_("Choose another model, or ask for {other} answers.", other=Scoring.GENERATED),
    )
