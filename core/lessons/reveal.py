"""Revealing a step: what may be predicted in it, what it comes to, what is said of that then."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.blocks.sentences import option_names
from core.lessons.checker import come_true
from core.lessons.evidence import Evidence, UnreadableError
from core.lessons.lesson import Step
from core.text.errors import ModelError


@dataclass(frozen=True, slots=True)
class Revealed:
    """What a step came to once the model was asked."""

    true: tuple[int, ...]
    """The places of the options that came true."""
    otherwise: tuple[str, ...] = ()
    """What the step was written for and is not so with this model, a sentence each."""
    lacking: str = ""
    """Why it cannot be told what comes true, because a recording lacks it or because the model's
    blocks cannot be read; empty where it can."""
    recorded: str = ""
    """The name of the model of which it is a recording; empty where a model answered now."""


def options_of(step: Step, evidence: Evidence, language: str) -> tuple[str, ...]:
    """What may be predicted in a step: the options of its layer, or its own in a language.

    A letter comes with what it stands for.
    """
    prediction = step.prediction
    if prediction is None:
        return ()
    if prediction.layer:
        return option_names(evidence.question(prediction.layer))
    return tuple(option.text.spoken(language) for option in prediction.options)


async def evaluate_step(step: Step, evidence: Evidence) -> Revealed:
    """What a step comes to, also where a recording lacks what would tell.

    Raises `ModelError` where any other model cannot tell what comes true: `UnreadableError` where
    only its blocks would.
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
            found = await claim.find(evidence)
        except ModelError as error:
            if not (evidence.model.info.recorded or isinstance(error, UnreadableError)):
                raise
            # It may be what only the lesson's own check asks.
            continue
        if not found.holds:
            otherwise.append(found.found)
    return Revealed(true, tuple(otherwise))


def said_after(step: Step, revealed: Revealed, language: str) -> str:
    """What the lesson says once a step is revealed, in Markdown; empty where that is nothing."""
    options = step.prediction.options if step.prediction else ()
    then = [options[place].then for place in revealed.true if place < len(options)]
    # What was written for another answer would be untrue now.
    after = [step.after] if not (revealed.otherwise or revealed.lacking) else []
    return "\n\n".join(words.spoken(language) for words in (*then, *after) if words)
