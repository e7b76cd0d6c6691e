"""Revealing a step: the options of its prediction, which come true, and the text shown then."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.blocks.sentences import option_names
from core.lessons.checker import come_true
from core.lessons.evidence import Evidence, UnreadableError
from core.lessons.lesson import Pane, Step
from core.text.errors import ModelError


@dataclass(frozen=True, slots=True)
class Revealed:
    """The result of a step once the model was asked."""

    true: tuple[int, ...]
    """The indices of the options that came true."""
    otherwise: tuple[str, ...] = ()
    """For each check of the step that does not hold with this model, what is the case instead."""
    lacking: str = ""
    """Why it is not known what comes true: a recording lacks the answer, or the model's blocks
    cannot be read; empty where it is known."""
    recorded: str = ""
    """The name of the recorded model; empty where a model answered now."""
    contrast: str = ""
    """The contrast prompt of a trace, in words; empty without one."""


def options_of(step: Step, evidence: Evidence, language: str) -> tuple[str, ...]:
    """The options of a step's prediction: those of its layer, or its own in a language.

    Options that are letters come with their texts.
    """
    prediction = step.prediction
    if prediction is None:
        return ()
    if prediction.layer:
        return option_names(evidence.question(prediction.layer))
    return tuple(option.text.spoken(language) for option in prediction.options)


async def evaluate_step(step: Step, evidence: Evidence) -> Revealed:
    """The result of a step with a prediction, also where a recording lacks an answer.

    Raises `ModelError` where a model that is not recorded cannot answer, and `UnreadableError`
    where its blocks cannot be read.
    """
    try:
        revealed = await _evaluate(step, evidence)
    except ModelError as error:
        if not evidence.model.info.recorded:
            raise
        revealed = Revealed((), lacking=str(error))
    if step.asks_model and evidence.model.info.recorded:
        return replace(revealed, recorded=evidence.model.info.name)
    return revealed


async def _evaluate(step: Step, evidence: Evidence) -> Revealed:
    assert step.prediction is not None
    true = await come_true(step.prediction, evidence)
    otherwise = []
    for claim in step.checks:
        try:
            finding = await claim.judge(evidence)
        except ModelError as error:
            if not (evidence.model.info.recorded or isinstance(error, UnreadableError)):
                raise
            # Only `lesson check` may ask this; the step can be shown without it.
            continue
        if not finding.holds:
            otherwise.append(finding.found)
    return Revealed(true, tuple(otherwise), contrast=await _contrast(step, evidence))


async def _contrast(step: Step, evidence: Evidence) -> str:
    """What the trace that a step shows compares its item with."""
    for claim in step.claims if step.show is Pane.TRACE else ():
        if claim.contrast is not None:
            table, _changed = await evidence.trace(claim.layers[0], claim.contrast)
            return table.contrast.name
    return ""


def said_after(step: Step, revealed: Revealed, language: str) -> str:
    """The text shown once a step is revealed, in Markdown; may be empty."""
    options = step.prediction.options if step.prediction else ()
    then = [options[index].then for index in revealed.true if index < len(options)]
    # The closing text may be wrong when a check does not hold.
    after = [step.after] if not (revealed.otherwise or revealed.lacking) else []
    return "\n\n".join(words.spoken(language) for words in (*then, *after) if words)
