"""Answers whose options have equal scores: how many, and how many count as right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.contract.question import Status, Verdict
from core.contract.summary import Summary
from core.text.language import _


def with_ties(summary: Summary, verdicts: Sequence[Verdict]) -> Summary:
    """The summary with a note on the ties among the answers, where there are some."""
    ties = [verdict for verdict in verdicts if verdict.status is Status.TIE]
    if not ties:
        return summary
    note = _(
        "Ties: {ties:,} of {answers:,} answers. Counted as right, because the first of the tied "
        "options is the right one: {right:,}.",
        ties=len(ties),
        answers=len(verdicts),
        right=sum(1 for verdict in ties if verdict.right),
    )
    return replace(summary, notes=(*summary.notes, note))
