"""The outcome of every question of a run, without its texts, as comparisons need them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from core.contract.question import soft_score
from core.text.errors import RunError

OUTCOME_COLUMNS = (
    "layer, item, digest, setting, options, answer, gold, answers, golds, scoring, "
    "json_extract(tags, ?)"
)
"""What `outcome_of` reads of the table `verdicts`; the parameter is the JSON path of a tag."""


class Outcome(NamedTuple):
    """How one question of a run was answered."""

    layer: str
    item: str
    digest: str
    """`Question.digest`; empty where not known."""
    setting: str
    """As recorded: the same text for the same setting."""
    options: str
    """As recorded: the same text for the same options in the same order."""
    picks: tuple[int, ...]
    """Indices of the picked options; empty where the answer could not be read."""
    right: bool | None
    """None where the right answer is not known."""
    credit: float | None
    """The soft score; None where the right answer is not known."""
    scoring: str
    cluster: str
    """Questions that share it are not independent; the item where nothing else is known."""


def outcome_of(row: Sequence[Any], where: str) -> Outcome:
    """The outcome in a row of `OUTCOME_COLUMNS`.

    Raises `RunError` naming the store `where` for a row that no program of ours has written.
    """
    layer, item, digest, setting, options, answer, gold, answers, golds, scoring, cluster = row
    try:
        picks: tuple[int, ...]
        if answers is None:
            picks = () if answer is None else (answer,)
            right = None if gold is None else answer == gold
            credit = None if right is None else float(right)
        else:
            picks, known = tuple(json.loads(answers)), set(json.loads(golds))
            right = set(picks) == known if known else None
            credit = soft_score(set(picks), known) if known else None
    except (ValueError, TypeError, RecursionError) as error:
        raise RunError(
            f"The verdict on item {item}, layer {layer}, is damaged.",
            where=where,
            hint="Ask or import the run again.",
        ) from error
    return Outcome(
        layer, item, digest, setting, options, picks, right, credit, scoring, str(cluster or item)
    )
