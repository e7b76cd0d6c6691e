"""Draws the options of a question, with bars for likelihoods and marks for gold and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from core.answers.scoring import shows_letters
from core.contract.question import Question, Status, Verdict, shares
from core.contract.view import Role
from core.layout.replies import folded_thinking
from core.layout.rows import Ink, Measure, Row, Span, indented, pad, share_bar
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext

_UNREADABLE = {
    Status.NO_ANSWER: N_("no option is named"),
    Status.AMBIGUOUS: N_("several options are named"),
    Status.TRUNCATED: N_("cut before an answer"),
    Status.OUT_OF_RANGE: N_("no such option was offered"),
}


def draw_measured(
    question: Question, verdict: Verdict, width: int, measure: Measure, most: int
) -> list[Row]:
    """A bar for each of at most `most` options; gold options and answers are always drawn."""
    ref = question.layer
    probabilities = shares(verdict.scores)
    names = option_labels(question)
    # Where there is little room, a label says more than a long bar.
    label_width = min(max(map(measure, names)), max(9, width - 24))
    bar_width = max(2, width - label_width - 21)
    shown = _shown(_ranked(probabilities), verdict, most)
    rows: list[Row] = []
    for i in shown:
        marks = _marks_of(verdict, i)
        length = share_bar(probabilities[i], bar_width) or "▏"
        bar = Span(pad(length, bar_width, measure), marks.bar, ref)
        share = Span(f" {probability_text(probabilities[i]):>4}", marks.share, ref)
        label = pad(names[i], label_width, measure)
        rows.append((*marks.label(label, ref), bar, share, marks.gold(ref)))
    hidden = len(probabilities) - len(shown)
    if hidden:
        rest = hidden_share(verdict, most)
        more = ngettext(
            "{hidden} more option, {share}",
            "{hidden} more options, {share} together",
            hidden,
            hidden=hidden,
            share=probability_text(rest),
        )
        if measure(more) + 5 > width:
            few = ngettext("{hidden} more option", "{hidden} more options", hidden, hidden=hidden)
            more = f"{few}, {probability_text(rest)}"
        rows.append((Span(f"     {more}", Role.MUTED, ref),))
    return rows


def option_labels(question: Question) -> list[str]:
    """The options as text, with the letters that stand for them in the prompt."""
    letters, texts = _letters(question), question.meanings or question.options
    pairs = zip(letters, texts, strict=True)
    return [escape_control_characters(f"{letter} {text}".lstrip()) for letter, text in pairs]


def _letters(question: Question) -> Sequence[str]:
    """The letter of each option; empty where the prompt shows none."""
    if question.meanings:
        return question.options
    count = len(question.options)
    lettered = count <= len(ascii_uppercase) and shows_letters(question)
    return ascii_uppercase[:count] if lettered else [""] * count


def draw_written(
    question: Question,
    verdict: Verdict,
    width: int,
    measure: Measure,
    most: int,
    *,
    thinking: bool = True,
) -> list[Row]:
    """At most `most` options with their marks, then the answer that was read and its length.

    With `thinking` it says how much was thought.
    """
    ref, options = question.layer, question.options
    shown = _shown(range(len(options)), verdict, most)
    names = option_labels(question)
    labels = [names[i] for i in shown]
    label_width = min(max(map(measure, labels)), max(6, width - 13))
    rows: list[Row] = []
    for i, label in zip(shown, labels, strict=True):
        marks = _marks_of(verdict, i)
        rows.append((*marks.label(pad(label, label_width, measure), ref), marks.gold(ref)))
    hidden = len(options) - len(shown)
    if hidden:
        more = ngettext("{hidden} more option", "{hidden} more options", hidden)
        rows.append((Span(f"     {more.format(hidden=hidden)}", Role.MUTED, ref),))
    letters, quoted = _letters(question), [_("“{text}”", text=option) for option in options]
    picked = [letters[i] or quoted[i] for i in verdict.picked_options]
    read = _("read {answer}", answer=", ".join(picked)) if picked else ""
    read = _(_UNREADABLE.get(verdict.status, "")) or read
    size = verdict.output_tokens
    wrote = ngettext("wrote {size:,} token", "wrote {size:,} tokens", size, size=size)
    wrote = wrote if size else ""
    thought = folded_thinking(verdict.text) if thinking else ""
    words = ", ".join(part for part in (thought, wrote, read) if part)
    return rows + indented(words, Role.MUTED, width, measure, by=5, ref=ref)


def unread_text(verdict: Verdict) -> str:
    """Why an answer gives no option; empty where it gives one."""
    return _(_UNREADABLE[verdict.status]) if verdict.status in _UNREADABLE else ""


def _shown(ranked: Sequence[int], verdict: Verdict, most: int) -> list[int]:
    """The options to draw, in the given order: the first ones, and every pick and gold option.

    A single hidden option is drawn too: it takes no more room than the line that counts it.
    """
    required = {*verdict.picked_options, *verdict.right_options}
    rest = [i for i in ranked if i not in required]
    kept = {*required, *rest[: max(0, most - len(required))]}
    if len(ranked) - len(kept) == 1:
        return list(ranked)
    return [i for i in ranked if i in kept]


def hidden_share(verdict: Verdict, most: int) -> float:
    """The probability of the options that are hidden if `most` are drawn; 0 without scores."""
    probabilities = shares(verdict.scores)
    shown = _shown(_ranked(probabilities), verdict, most)
    return sum(share for i, share in enumerate(probabilities) if i not in shown)


def _ranked(shares: Sequence[float]) -> list[int]:
    """The indices of the options, likeliest first; ties keep their order."""
    return sorted(range(len(shares)), key=lambda i: (-shares[i], i))


@dataclass(frozen=True, slots=True)
class _Marks:
    """How an option is drawn: whether it was picked, and whether it is gold."""

    picked: bool
    is_gold: bool
    tone: Role
    """The role of an option that was picked."""

    @property
    def bar(self) -> Role | Ink:
        return self.tone if self.picked else Ink.TRACK

    @property
    def share(self) -> Role:
        return self.tone if self.picked else Role.MUTED

    def label(self, text: str, ref: str) -> tuple[Span, Span]:
        """The sign of the option and its label."""
        ink = self.tone if self.picked else Role.PLAIN
        return Span("   ▸ " if self.picked else "     ", ink, ref), Span(f"{text} ", ink, ref)

    def gold(self, ref: str) -> Span:
        """The mark of a gold option; empty for any other."""
        return Span(f" {_('◆ gold')}" if self.is_gold else "", Role.EVIDENCE, ref)


def _marks_of(verdict: Verdict, option: int) -> _Marks:
    golds = verdict.right_options
    tone = Role.PLAIN if not golds else Role.GOOD if option in golds else Role.BAD
    return _Marks(option in verdict.picked_options, option in golds, tone)


def probability_text(share: float) -> str:
    """A probability in at most four characters: .81, never rounded to 0 or 1."""
    if share >= 0.995:
        return ">.99"
    return "<.01" if share < 0.005 else f"{share:.2f}".removeprefix("0")
