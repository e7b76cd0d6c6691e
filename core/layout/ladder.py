"""Draws the ladder: a rung for each layer, its options as bars, gold and answer marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from string import ascii_uppercase
from typing import Any

from core.answers.judging import shows_letters
from core.benchmark import Benchmark, Layer, Remarks, TellsSilence
from core.ladder import Ladder, climb, probabilities
from core.language import N_, _, ngettext
from core.layout.rows import Ink, Measure, Row, Span, fit, pad, wrap
from core.question import Question, Scoring, Status, Verdict
from core.setting import Setting
from core.view import Role
from core.visible import visible

_UNCOUNTED = N_("not counted")
_COMPARED = N_("to compare")
_ASIDE = "≈"
"""Stands before a rung that is asked to compare with."""
PATCHED = "⇄"
"""Stands where something inside the model is changed."""
_RIGHT = N_("✓ right")
_WRONG = N_("✗ wrong")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_UNREAD = {
    Status.NO_ANSWER: N_("no answer"),
    Status.AMBIGUOUS: N_("ambiguous"),
    Status.TRUNCATED: N_("cut off"),
    Status.OUT_OF_RANGE: N_("not an option"),
}
_WHY = {
    Status.NO_ANSWER: N_("no option is named"),
    Status.AMBIGUOUS: N_("several options are named"),
    Status.TRUNCATED: N_("cut before an answer"),
    Status.OUT_OF_RANGE: N_("no such option was offered"),
}


class Phase(StrEnum):
    """How far a rung is."""

    IDLE = "idle"
    ASKING = "asking"
    ANSWERED = "answered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PatchedAnswer:
    """What a layer is answered while something inside the model is changed."""

    verdict: Verdict
    own: Verdict
    """Without the change, measured in the same way."""
    change: str
    """What is changed, in a few words ("span 3 at block 2 from the twin")."""


@dataclass(frozen=True, slots=True)
class RungState:
    """What is known of one layer on screen."""

    layer: Layer
    question: Question | None
    """None where this layer has nothing to ask under the setting."""
    verdict: Verdict | None = None
    phase: Phase = Phase.IDLE
    error: str = ""
    silence: str = ""
    """Why there is nothing to ask, where that does not go without saying."""
    remark: str = ""
    """What the answer shows beyond right or wrong."""
    patched: PatchedAnswer | None = None
    """Shown in the place of the verdict, which stays what counts."""


def unasked(benchmark: Benchmark, item: Any, setting: Setting) -> tuple[RungState, ...]:
    """The rungs of an item under a setting before anything was asked.

    A layer that may be left out is, unless it has a question or says why it has none.
    """
    rungs = []
    for layer in benchmark.layers:
        question, silence = benchmark.question(item, setting, layer.id), ""
        if question is None and isinstance(benchmark, TellsSilence):
            silence = benchmark.silence(item, setting, layer.id)
        if question is not None or silence or not layer.optional:
            rungs.append(RungState(layer, question, silence=silence))
    return tuple(rungs)


def answered(benchmark: Benchmark, rung: RungState, verdict: Verdict) -> RungState:
    """A rung with its answer."""
    remark = benchmark.remark(verdict) if isinstance(benchmark, Remarks) else ""
    return replace(rung, verdict=verdict, phase=Phase.ANSWERED, remark=remark)


def draw_ladder(
    rungs: Sequence[RungState], width: int, measure: Measure, *, most: int = 5, airy: bool = True
) -> list[Row]:
    """Draw the rungs under each other, at most `most` options of each; gold and answer always."""
    counted = {rung.verdict.layer: rung.counted for rung in climbed(rungs).rungs}
    rows: list[Row] = []
    for number, state in zip(numbers(rungs), rungs, strict=True):
        if rows and airy:
            rows.append(())
        rows.append(_heading(number, state, counted.get(state.layer.id, True), width, measure))
        rows.extend(_body(state, width, measure, most))
        if state.remark and state.patched is None:
            indent = Span("   ", Role.PLAIN, state.layer.id)
            lines = wrap(visible(state.remark), max(8, width - 4), measure)
            rows += [(indent, Span(line, Role.CHANGED)) for line in lines]
    return rows


def climbed(rungs: Sequence[RungState]) -> Ladder:
    """The ladder of what was answered; layers that are asked beside it do not count."""
    aside = {state.layer.id for state in rungs if state.layer.aside}
    return climb([state.verdict for state in rungs if state.verdict], aside)


def numbers(rungs: Sequence[RungState]) -> tuple[str, ...]:
    """What each rung is counted as; a sign where it stands beside the ladder."""
    found, count = [], 0
    for state in rungs:
        count += not state.layer.aside
        found.append(_ASIDE if state.layer.aside else str(count))
    return tuple(found)


def outcome(rungs: Sequence[RungState]) -> tuple[str, Role]:
    """The ladder in one sentence: the first failure, or how far it held."""
    within = [state for state in rungs if not state.layer.aside]
    verdicts = [state.verdict for state in within if state.verdict]
    asked = [state for state in within if state.question is not None]
    failure = climbed(rungs).first_failure
    if failure is not None:
        number, layer = next((i, s.layer) for i, s in enumerate(within, 1) if s.layer.id == failure)
        said = _("First failure: layer {number}, {title}")
        return said.format(number=number, title=layer.shown), Role.BAD
    if any(verdict.right is None for verdict in verdicts):
        return _("There is no gold answer here"), Role.MUTED
    if verdicts and len(verdicts) == len(asked):
        if len(asked) == 1:
            return _("Right at the only layer that applies"), Role.GOOD
        return _("Right at every layer"), Role.GOOD
    return _("Not asked yet"), Role.MUTED


def _heading(number: str, state: RungState, counted: bool, width: int, measure: Measure) -> Row:
    words, role = _status(state, counted)
    title = whole = f" {number} {state.layer.shown}"
    if state.question is not None and state.question.about:
        whole += visible(f": {state.question.about}")
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
        credit = ", " + _("credit {share}").format(share=_share(state.verdict.credit))
    return f"{_(_WRONG)}{credit}{tie}{aside}", Role.BAD if counted else Role.MUTED


def _body(state: RungState, width: int, measure: Measure, most: int) -> list[Row]:
    ref = state.layer.id
    if state.question is not None and state.patched is not None:
        return _patched(state.question, state.patched, width, measure, most)
    if state.phase is Phase.FAILED:
        lines = wrap(visible(state.error), max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.BAD, ref)) for line in lines]
    question = state.question
    if question is None:
        lines = wrap(visible(state.silence), max(8, width - 4), measure) if state.silence else []
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.MUTED, ref)) for line in lines]
    if state.verdict is None:
        lines = wrap(_(state.layer.asks), max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.MUTED, ref)) for line in lines]
    if state.verdict.scoring is Scoring.INFERRED:
        return [(Span(f"   {_('inferred from a later layer')}", Role.MUTED, ref),)]
    if state.verdict.scoring is Scoring.GENERATED:
        return _written(question, state.verdict, width, measure, most)
    if state.verdict.status is Status.NO_ANSWER:
        words = _("The model computed no numbers here: its weights may be damaged.")
        lines = wrap(words, max(8, width - 4), measure)
        return [(Span("   ", Role.PLAIN, ref), Span(line, Role.BAD, ref)) for line in lines]
    return _measured(question, state.verdict, width, measure, most)


def _patched(
    question: Question, patched: PatchedAnswer, width: int, measure: Measure, most: int
) -> list[Row]:
    """The options as the changed model scores them, what was changed, and its own answer."""
    rows = _measured(question, patched.verdict, width, measure, most)
    named, own = _named(question), probabilities(patched.own)
    picked = ", ".join(f"{named[i]} {_share(own[i])}" for i in _picks(patched.own))
    words = _("{change}; unpatched: {answer}").format(
        change=visible(patched.change), answer=picked or _("none")
    )
    lines = wrap(words, max(8, width - 4), measure)
    blank = Span("   ", Role.PLAIN, question.layer)
    return rows + [(blank, Span(line, Role.FORCED, question.layer)) for line in lines]


def _measured(
    question: Question, verdict: Verdict, width: int, measure: Measure, most: int
) -> list[Row]:
    """A bar for each option."""
    ref = question.layer
    shares = probabilities(verdict)
    names = _named(question)
    label_width = min(max(map(measure, names)), max(6, width - 24))
    bar_width = max(4, width - label_width - 21)
    ranked = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    shown = _shown(ranked, verdict, most)
    rows: list[Row] = []
    for i in shown:
        marks = _marks_of(verdict, i)
        bar = Span(pad(_bar(shares[i], bar_width), bar_width, measure), marks.bar, ref)
        share = Span(f" {_share(shares[i]):>4}", marks.share, ref)
        label = pad(names[i], label_width, measure)
        rows.append((*marks.label(label, ref), bar, share, marks.gold(ref)))
    hidden = len(shares) - len(shown)
    if hidden and most > 2:
        rest = sum(share for i, share in enumerate(shares) if i not in shown)
        more = ngettext(
            "{hidden} more option, {share}", "{hidden} more options, {share} together", hidden
        ).format(hidden=hidden, share=_share(rest))
        rows.append((Span(f"     {more}", Role.MUTED, ref),))
    return rows


def _named(question: Question) -> list[str]:
    """The options, each with what it stands for where it is a mere letter."""
    if not question.meanings:
        return [visible(option) for option in question.options]
    pairs = zip(question.options, question.meanings, strict=True)
    return [visible(f"{option} {meaning}") for option, meaning in pairs]


def _written(
    question: Question, verdict: Verdict, width: int, measure: Measure, most: int
) -> list[Row]:
    """The options with their marks, then what was read in how many tokens."""
    ref, options = question.layer, question.options
    lettered = shows_letters(question) and not question.meanings
    names = [f"{ascii_uppercase[i]} " if lettered else "" for i in range(len(options))]
    shown = _shown(range(len(options)), verdict, most)
    every = _named(question)
    labels = [f"{names[i]}{every[i]}" for i in shown]
    label_width = min(max(map(measure, labels)), max(6, width - 13))
    rows: list[Row] = []
    for i, label in zip(shown, labels, strict=True):
        marks = _marks_of(verdict, i)
        rows.append((*marks.label(pad(label, label_width, measure), ref), marks.gold(ref)))
    hidden = len(options) - len(shown)
    if hidden and most > 2:
        more = ngettext("{hidden} more option", "{hidden} more options", hidden)
        rows.append((Span(f"     {more.format(hidden=hidden)}", Role.MUTED, ref),))
    quoted = [_("“{text}”").format(text=visible(option)) for option in options]
    picked = [names[i].strip() or quoted[i] for i in _picks(verdict)]
    read = _("read {answer}").format(answer=", ".join(picked)) if picked else ""
    read = _(_WHY.get(verdict.status, "")) or read
    size = verdict.output_tokens
    wrote = ngettext("wrote {size:,} token", "wrote {size:,} tokens", size).format(size=size)
    wrote = wrote if size else ""
    words = ", ".join(part for part in (wrote, read) if part)
    rows += [
        (Span("     ", Role.PLAIN, ref), Span(line, Role.MUTED, ref))
        for line in wrap(words, max(8, width - 6), measure)
    ]
    return rows


def _picks(verdict: Verdict) -> tuple[int, ...]:
    if verdict.multiple:
        return verdict.answers
    return () if verdict.answer is None else (verdict.answer,)


def _golds(verdict: Verdict) -> tuple[int, ...]:
    if verdict.multiple:
        return verdict.golds
    return () if verdict.gold is None else (verdict.gold,)


def _shown(ranked: Sequence[int], verdict: Verdict, most: int) -> list[int]:
    """The options to draw, in the order given: the first, with every pick and gold among them."""
    must = {*_picks(verdict), *_golds(verdict)}
    rest = [i for i in ranked if i not in must]
    kept = {*must, *rest[: max(0, most - len(must))]}
    return [i for i in ranked if i in kept]


@dataclass(frozen=True, slots=True)
class _Marks:
    """How an option is drawn: whether it was picked, is gold, and is known to be either."""

    picked: bool
    is_gold: bool
    tone: Role
    """Of an option that was picked."""

    @property
    def bar(self) -> Role | Ink:
        return self.tone if self.picked else Ink.TRACK

    @property
    def share(self) -> Role:
        return self.tone if self.picked else Role.MUTED

    def label(self, text: str, ref: str) -> tuple[Span, Span]:
        """The option's sign and its words."""
        ink = self.tone if self.picked else Role.PLAIN
        return Span("   ▸ " if self.picked else "     ", ink, ref), Span(f"{text} ", ink, ref)

    def gold(self, ref: str) -> Span:
        """The sign of a right option."""
        return Span(f" {_('◆ gold')}" if self.is_gold else "", Role.EVIDENCE, ref)


def _marks_of(verdict: Verdict, option: int) -> _Marks:
    golds = _golds(verdict)
    tone = Role.PLAIN if not golds else Role.GOOD if option in golds else Role.BAD
    return _Marks(option in _picks(verdict), option in golds, tone)


def _bar(share: float, width: int) -> str:
    """A bar of eighth blocks, `share` of `width` cells long."""
    eighths = round(share * width * 8)
    full, part = divmod(eighths, 8)
    bar = "█" * full + (_EIGHTHS[part] if part else "")
    return fit(bar or "▏", width, len)


def _share(share: float) -> str:
    """A probability in at most four signs: .81, never a false 1 or 0."""
    if share >= 0.995:
        return ">.99"
    return "<.01" if share < 0.005 else f"{share:.2f}".removeprefix("0")
