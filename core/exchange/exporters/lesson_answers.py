"""A model's answers in a lesson: who answered, how, how often rightly, and each answer."""

from __future__ import annotations

from collections.abc import Sequence

from core.blocks.sentences import option_names
from core.contract.setting import Setting, Switch
from core.exchange.exporters.answer_words import (
    gold_words,
    picked_words,
    role_of,
    scoring_words,
    share_words,
    verdict_words,
)
from core.exchange.exporters.document import setting_words
from core.layout.rows import SIGNS
from core.lessons.transcript import StepAnswer, TranscribedStep, Transcript
from core.text.escaping import escape_control_characters
from core.text.language import _

_FINGERPRINT = 19


def who_answered(transcript: Transcript) -> list[tuple[str, str]]:
    """The model, how it was asked, when, and how often it was right, as names and values."""
    info, answers = transcript.info, transcript.answers
    parts = [info.name, info.quantisation]
    if info.parameters:
        parts.append(_("{number:,} parameters", number=info.parameters))
    parts.append(info.fingerprint[:_FINGERPRINT])
    rows = [(_("Model"), escape_control_characters(" · ".join(part for part in parts if part)))]
    if not answers:
        return [*rows, (_("How it was asked"), _("No question was asked."))]
    scorings = ", ".join(dict.fromkeys(scoring_words(answer.verdict) for answer in answers))
    when = transcript.when
    if info.recorded:
        recording = _("{when}; recorded then ({recorded}), not asked for this page")
        when = recording.format(when=when, recorded=escape_control_characters(info.recorded))
    else:
        method = _("{scoring}, {form} prompt, zero-shot")
        scorings = method.format(scoring=scorings, form=transcript.form)
    right, known = _counts(answers)
    total = _("{right} of the {known} whose right answer is known; questions asked: {asked}")
    return [
        *rows,
        (_("How it was asked"), scorings),
        (_("When"), when),
        (_("Right answers"), total.format(right=right, known=known, asked=len(answers))),
    ]


def score(answers: Sequence[StepAnswer]) -> str:
    """How many of a step's answers are right, out of those with a gold answer."""
    right, known = _counts(answers)
    return _("{right} of {known} right", right=right, known=known) if known else ""


def _counts(answers: Sequence[StepAnswer]) -> tuple[int, int]:
    known = [answer.verdict.right for answer in answers if answer.verdict.right is not None]
    return sum(known), len(known)


def answer_row(
    answered: StepAnswer, transcribed: TranscribedStep, transcript: Transcript
) -> dict[str, str]:
    """An answer as the cells of a table."""
    verdict = answered.verdict
    names = [escape_control_characters(name) for name in option_names(answered.question)]
    words = verdict_words(verdict, answered.layer, answered.counted)
    setting = ""
    if answered.setting != transcribed.bound_step.setting:
        switches = transcript.bound_lesson.benchmark.switches(transcribed.bound_step.item)
        setting = toggled(switches, answered.setting)
    return {
        "layer": escape_control_characters(answered.layer.shown),
        "setting": setting,
        "answer": picked_words(verdict, names),
        "gold": gold_words(verdict, names),
        "verdict": f"{SIGNS[role_of(verdict)]} {words}".strip(),
        "shares": share_words(verdict, names),
    }


def toggled(switches: Sequence[Switch], setting: Setting) -> str:
    """The switches that were changed, in one line; empty for none."""
    words = setting_words(switches, setting)
    return escape_control_characters("; ".join(f"{_(label)}: {_(value)}" for label, value in words))
