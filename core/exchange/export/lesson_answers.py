"""What a model answered in a lesson, in rows and sentences: of whom, how, and out of how many."""

from __future__ import annotations

from collections.abc import Sequence

from core.exchange.export.document import setting_words
from core.inside.telling import option_names
from core.ladder import probabilities
from core.language import _
from core.lessons.transcript import Answered, Told, Transcript
from core.question import Scoring, Status, Verdict
from core.setting import Setting, Switch
from core.visible import visible

_MOST = 5
"""Most options whose shares are named."""
_FINGERPRINT = 19


def who_answered(transcript: Transcript) -> list[tuple[str, str]]:
    """The model, how it was asked, when, and how often it was right, as names and values."""
    info, answers = transcript.info, transcript.answers
    parts = [info.name, info.quantisation]
    if info.parameters:
        parts.append(_("{number:,} parameters").format(number=info.parameters))
    parts.append(info.fingerprint[:_FINGERPRINT])
    rows = [(_("Model"), visible(" · ".join(part for part in parts if part)))]
    if not answers:
        return [*rows, (_("How it was asked"), _("No question was asked."))]
    scorings = ", ".join(dict.fromkeys(_scoring(one.verdict) for one in answers))
    when = transcript.when
    if info.recorded:
        said = _("{when}; recorded then ({recorded}), not asked for this page")
        when = said.format(when=when, recorded=visible(info.recorded))
    else:
        said = _("{scoring}, {form} prompt, zero-shot")
        scorings = said.format(scoring=scorings, form=transcript.form)
    right, known = _counts(answers)
    total = _("{right} of the {known} whose right answer is known; {asked} questions were asked")
    return [
        *rows,
        (_("How it was asked"), scorings),
        (_("When"), when),
        (_("Right answers"), total.format(right=right, known=known, asked=len(answers))),
    ]


def _scoring(verdict: Verdict) -> str:
    match verdict.scoring:
        case Scoring.LOGLIKELIHOOD:
            return _("log-likelihood of the options")
        case Scoring.GENERATED:
            return _("what the model wrote")
        case Scoring.INFERRED:
            return _("inferred from a later answer")


def score(answers: Sequence[Answered]) -> str:
    """How many of a step's answers are right, out of those of which that is known."""
    right, known = _counts(answers)
    return _("{right} of {known} right").format(right=right, known=known) if known else ""


def _counts(answers: Sequence[Answered]) -> tuple[int, int]:
    known = [one.verdict.right for one in answers if one.verdict.right is not None]
    return sum(known), len(known)


def answer_row(answered: Answered, told: Told, transcript: Transcript) -> dict[str, str]:
    """An answer as the cells of a table."""
    verdict = answered.verdict
    names = [visible(name) for name in option_names(answered.question)]
    picked = verdict.answers if verdict.multiple else (verdict.answer,)
    golds = verdict.golds if verdict.multiple else (verdict.gold,)
    setting = ""
    if answered.setting != told.spot.setting:
        switches = transcript.stage.benchmark.switches(told.spot.item)
        setting = toggled(switches, answered.setting)
    chosen = ", ".join(names[place] for place in picked if place is not None)
    return {
        "layer": visible(answered.layer.shown),
        "setting": setting,
        "answer": chosen or _("none that can be read"),
        "gold": ", ".join(names[place] for place in golds if place is not None),
        "verdict": _verdict(answered),
        "shares": _shares(verdict, names),
    }


def toggled(switches: Sequence[Switch], setting: Setting) -> str:
    """What was toggled, in one line; empty where that is nothing."""
    words = setting_words(switches, setting)
    return visible("; ".join(f"{_(label)}: {_(value)}" for label, value in words))


def _verdict(answered: Answered) -> str:
    right = answered.verdict.right
    parts = [_("nobody knows") if right is None else _("✓ right") if right else _("✗ wrong")]
    if answered.verdict.status is Status.TIE:
        parts.append(_("a tie"))
    if answered.layer.aside:
        parts.append(_("to compare"))
    elif right is not None and not answered.counted:
        parts.append(_("not counted"))
    return ", ".join(parts)


def _shares(verdict: Verdict, names: Sequence[str]) -> str:
    """The likeliest options with their shares; only how many there are where none were measured."""
    found = probabilities(verdict)
    parts = []
    if verdict.scoring is Scoring.LOGLIKELIHOOD and found:
        ranked = sorted(range(len(found)), key=lambda place: (-found[place], place))
        parts = [f"{names[place]} {found[place]:.0%}" for place in ranked[:_MOST]]
    if not parts or len(names) > _MOST:
        parts.append(_("{number} options").format(number=len(names)))
    return " · ".join(parts)
