"""How two runs answered the same questions, as comparisons need it.

Questions are the same when layer, item, text, setting and options are. Runs that ask about the same
items under two settings, or in two wordings, are paired by layer and item.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from core.contract.question import Scoring, Status
from core.runs.store import Store
from core.runs.verdict_rows import damaged_verdict, unread_sql

_PAIRED = """FROM verdicts AS a JOIN verdicts AS b USING (layer, item)
    WHERE a.run = :first AND b.run = :second AND (:by_item OR
    (a.digest, a.setting, a.options) = (b.digest, b.setting, b.options))"""
_SCORES = f"""SELECT layer, item,
    CAST(coalesce(nullif(json_extract(a.tags, :tag), ''), item) AS TEXT),
    a."right" = 1, b."right" = 1,
    CAST(a.credit AS REAL), CAST(b.credit AS REAL),
    {unread_sql("a")}, {unread_sql("b")},
    a.status = '{Status.TIE}', b.status = '{Status.TIE}',
    a.scoring = '{Scoring.INFERRED}', b.scoring = '{Scoring.INFERRED}',
    (a.digest, a.options) = (b.digest, b.options) {_PAIRED} ORDER BY a.seq"""
_FLIPS = f"""SELECT layer, item, a."right" = 1, a.answer, a.answers, a.options,
    b."right" = 1, b.answer, b.answers, b.options {_PAIRED} AND a."right" != b."right"
    ORDER BY a.seq"""


class PairedScores(NamedTuple):
    """How two runs did on a question; None where the right answer is not known."""

    layer: str
    item: str
    cluster: str
    """Questions that share it are not independent; the item where nothing else is known."""
    first_right: int | None
    second_right: int | None
    first_credit: float | None
    """The soft score."""
    second_credit: float | None
    first_unread: int
    """1 where the answer was written and could not be read; it counts as wrong."""
    second_unread: int
    first_tie: int
    """1 where the options with the highest score tie."""
    second_tie: int
    first_inferred: int
    """1 where the answer is not known but that it was right or wrong, from a later layer."""
    second_inferred: int
    same_question: int
    """1 where both were asked the same text with the same options."""


class Outcome(NamedTuple):
    """How one run answered a question."""

    picks: tuple[int, ...]
    """Indices of the picked options; empty where the answer could not be read."""
    right: bool
    options: str
    """As recorded: JSON."""


class Flip(NamedTuple):
    """A question that one run has right and the other wrong."""

    layer: str
    item: str
    first: Outcome
    second: Outcome


def paired_scores(
    store: Store, first_id: str, second_id: str, cluster_tag: str = "", *, by_item: bool = False
) -> list[PairedScores]:
    """How two runs did on the questions that both answered, in the order of the first.

    `cluster_tag` is the tag that dependent questions share. With `by_item` what both asked about
    an item in a layer is paired whatever it was. Raises `RunError`.
    """
    values = {"tag": f'$."{cluster_tag}"', **_values(first_id, second_id, by_item=by_item)}
    return list(map(PairedScores._make, store.select(_SCORES, values)))


def flips(
    store: Store, first_id: str, second_id: str, *, by_item: bool = False
) -> tuple[Flip, ...]:
    """The pairs that one of two runs has right and the other wrong; raises `RunError`."""
    rows = store.select(_FLIPS, _values(first_id, second_id, by_item=by_item))
    return tuple(_flip(row, str(store.path)) for row in rows)


def _values(first_id: str, second_id: str, *, by_item: bool) -> dict[str, Any]:
    return {"first": first_id, "second": second_id, "by_item": by_item}


def _flip(row: Sequence[Any], where: str) -> Flip:
    layer, item, *answered = row
    try:
        return Flip(layer, item, _outcome(*answered[:4]), _outcome(*answered[4:]))
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged_verdict(item, layer, where) from error


def _outcome(right: int, answer: int | None, answers: str | None, options: str) -> Outcome:
    if answers is not None:
        return Outcome(tuple(json.loads(answers)), bool(right), options)
    return Outcome(() if answer is None else (answer,), bool(right), options)
