"""Generated answers that could not be read as one of the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.contract.question import UNREAD, Verdict
from core.contract.summary import Summary
from core.text.language import _, numbered


def with_unread(
    summary: Summary, verdicts: Sequence[Verdict], titles: Mapping[str, str]
) -> Summary:
    """The summary with how many answers could not be read, in all and for each layer.

    `titles` are those of layers by id; a layer without one is called by its id.
    """
    generated = [v for v in verdicts if v.scoring.written]
    unread = Counter(v.layer for v in generated if v.status in UNREAD)
    counts = {**summary.counts, "not_read": unread.total()}
    if not generated:
        return replace(summary, counts=counts)
    layers = Counter(v.layer for v in generated)
    counts |= {f"{layer} not_read": unread[layer] for layer in layers}
    parts = [
        _(
            "{layer}, not read: {unread} of {answers}",
            layer=numbered(titles.get(layer, layer)),
            unread=unread[layer],
            answers=answers,
        )
        for layer, answers in layers.items()
    ]
    note = _("Generated answers. {layers}.", layers="; ".join(parts))
    return replace(summary, counts=counts, notes=(*summary.notes, note))
