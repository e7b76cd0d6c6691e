"""Figures that SQL computes: no verdict is decoded, so they are fast for all runs together."""

from __future__ import annotations

from core.contract.question import Form, Scoring
from core.contract.summary import Totals
from core.runs.store import Store
from core.runs.verdict_rows import unread_sql

_LAYER_TOTALS = f"""SELECT run, layer, sum(is_right), count(is_right), sum(unread) FROM (
    SELECT run, layer, seq, {unread_sql()} AS unread,
        CASE WHEN answers IS NULL THEN CASE WHEN gold IS NOT NULL THEN answer IS gold END
        WHEN golds != '[]' THEN answers = golds END AS is_right
    FROM verdicts
) GROUP BY run, layer ORDER BY run, min(seq)"""
_SECONDS_PER_ITEM = """SELECT sum(seconds) / count(DISTINCT item)
    FROM verdicts JOIN runs ON run = id
    WHERE fingerprint = :fingerprint AND benchmark = :benchmark AND shots = :shots
        AND runs.form = :form AND seconds IS NOT NULL
    GROUP BY run
    HAVING :scoring IS NULL OR CASE WHEN :scoring = 'log-likelihood'
        THEN max(verdicts.scoring = :scoring) ELSE min(verdicts.scoring = :scoring) END
    ORDER BY runs.rowid DESC LIMIT 1"""
"""Open questions are always answered in writing, so a run by log-likelihood may hold such answers,
but one of written answers holds no others."""


def layer_totals(store: Store) -> dict[str, dict[str, Totals]]:
    """Right answers and questions whose right answer is known, by run and layer.

    The layers of a run are in run order.
    """
    totals: dict[str, dict[str, Totals]] = {}
    for run_id, layer, right, n, unread in store.select(_LAYER_TOTALS):
        totals.setdefault(run_id, {})[layer] = Totals(right or 0, n, unread)
    return totals


def seconds_per_item(
    store: Store,
    fingerprint: str,
    benchmark: str,
    *,
    shots: int,
    form: Form,
    scoring: Scoring | None,
) -> float | None:
    """How long a model took for the questions about an item, in its latest run that asked so.

    Where `scoring` is None, answers may have been read in any way. None where there is no such run.
    """
    named = {"fingerprint": fingerprint, "benchmark": benchmark, "shots": shots}
    for (seconds,) in store.select(_SECONDS_PER_ITEM, named | {"form": form, "scoring": scoring}):
        return float(seconds)
    return None
