"""Draws the options of a question with the answers of two runs."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.question import Question, Scoring, Verdict, shares
from core.contract.rungs import ComparedAnswer
from core.contract.view import Role
from core.layout.options import option_labels, probability_text, unread_text
from core.layout.rows import Measure, Row, Span, indented, pad
from core.text.language import _, ngettext


def draw_compared(
    question: Question,
    verdict: Verdict | None,
    compared: ComparedAnswer,
    width: int,
    measure: Measure,
    most: int,
) -> list[Row]:
    """A row for each of at most `most` options, with the letters of the runs that picked it.

    Probabilities stand in the order of the letters. Picks and gold options are always drawn.
    """
    ref = question.layer
    verdicts = (compared.verdict, verdict)
    names = option_labels(question)
    golds = set(question.right_options)
    picked = [set(each.picked_options) if each is not None else set() for each in verdicts]
    chances = [_shares(each, len(names)) for each in verdicts]
    numbers = 5 * sum(1 for each in chances if each)
    gold = f" {_('◆ gold')}"
    label_width = min(max(map(measure, names)), max(6, width - 7 - numbers - measure(gold)))
    shown = _shown(chances, golds.union(*picked), len(names), most)
    rows: list[Row] = []
    for option in shown:
        row = [Span("  ", Role.PLAIN, ref)]
        for letter, picks in zip(compared.letters, picked, strict=True):
            tone = Role.PLAIN if not golds else Role.GOOD if option in golds else Role.BAD
            row.append(Span(f"{letter if option in picks else ' '} ", tone, ref))
        row.append(Span(f"{pad(names[option], label_width, measure)}", Role.PLAIN, ref))
        row += [
            Span(f" {probability_text(each[option]):>4}", Role.MUTED, ref)
            for each in chances
            if each
        ]
        row.append(Span(gold if option in golds else "", Role.EVIDENCE, ref))
        rows.append(tuple(row))
    if hidden := len(names) - len(shown):
        more = ngettext("{hidden} more option", "{hidden} more options", hidden, hidden=hidden)
        rows.append((Span(f"      {more}", Role.MUTED, ref),))
    for letter, each in zip(compared.letters, verdicts, strict=True):
        words = _remark(each)
        if words:
            rows += indented(f"{letter}: {words}", Role.MUTED, width, measure, by=3, ref=ref)
    return rows


def _shares(verdict: Verdict | None, options: int) -> Sequence[float]:
    """The probabilities of the options; none where they were not measured."""
    if verdict is None or len(verdict.scores) != options:
        return ()
    return shares(verdict.scores)


def _shown(
    chances: Sequence[Sequence[float]], required: set[int], options: int, most: int
) -> list[int]:
    """The options to draw, in their order: the required ones and the likeliest."""
    likely = [
        max((each[option] for each in chances if each), default=0.0) for option in range(options)
    ]
    ranked = sorted(range(options), key=lambda option: (option not in required, -likely[option]))
    kept = ranked[: max(most, len(required))]
    return sorted(ranked if options - len(kept) == 1 else kept)


def _remark(verdict: Verdict | None) -> str:
    """What the marks on the options do not say."""
    if verdict is None:
        return _("not asked")
    if verdict.scoring is Scoring.INFERRED:
        return _("inferred from a later layer")
    return unread_text(verdict)
