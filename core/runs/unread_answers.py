"""Written answers that could not be read as one of the options: how many, and what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.contract.question import Scoring, Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.options import unread_text
from core.text.escaping import escape_control_characters
from core.text.language import _

_MOST_LISTED = 30
_LONGEST_TEXT = 240
"""Most characters of a reply that are listed: its beginning and its end."""


def with_unread(
    summary: Summary, verdicts: Sequence[Verdict], titles: Mapping[str, str]
) -> Summary:
    """The summary with how many answers could not be read, in all and for each layer, and which.

    `titles` are those of layers by id; a layer without one is called by its id.
    """
    written = [scoring for scoring in Scoring if scoring.written]
    generated = [v for v in verdicts if v.scoring in written]
    unread = Counter(v.layer for v in generated if v.unread)
    counts = {**summary.counts, "not_read": unread.total()}
    if not generated:
        return replace(summary, counts=counts)
    layers = Counter(v.layer for v in generated)
    counts |= {f"{layer} not_read": unread[layer] for layer in layers}
    parts = [
        _(
            "{layer}, not read: {unread} of {answers}",
            layer=titles.get(layer, layer),
            unread=unread[layer],
            answers=answers,
        )
        for layer, answers in layers.items()
    ]
    note = _("Generated answers. {layers}.", layers="; ".join(parts))
    summary = replace(summary, counts=counts, notes=(*summary.notes, note))
    not_read = [v for v in generated if v.unread]
    if not not_read:
        return summary
    return replace(summary, tables=(*summary.tables, _listed(not_read, len(generated))))


def _listed(unread: Sequence[Verdict], answers: int) -> Grid:
    """The texts of the first answers that could not be read."""
    rows = tuple(
        tuple(map(Cell, (verdict.item, verdict.layer, unread_text(verdict), _text(verdict))))
        for verdict in unread[:_MOST_LISTED]
    )
    note = ""
    if len(unread) > len(rows):
        note = _("The first {n} of {all:,}.", n=len(rows), all=len(unread))
    title = _("Not read: {unread:,} of {answers:,}", unread=len(unread), answers=answers)
    return Grid(title, (_("item"), _("layer"), _("why"), _("the reply")), rows, note)


def _text(verdict: Verdict) -> str:
    """A reply in one line, with only the beginning and the end of a long one."""
    text = " ".join(escape_control_characters(verdict.text, lines=True).split())
    if len(text) > _LONGEST_TEXT:
        half = _LONGEST_TEXT // 2
        text = f"{text[:half]} … {text[-half:]}"
    return text
