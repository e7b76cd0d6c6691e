"""Predictions of detection as rows of one array, which take a tenth of the objects' memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.questions import NO, YES
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import OptionScore, Verdict, shares
from core.statistics.clusters import Codes

Rows = NDArray[np.void]
"""One row of `_ROW` for each prediction."""
UNKNOWN = -1
"""In `label` and `picked`, which are 1 for valid or "yes" and 0 for the other."""
_ROW = np.dtype(
    [
        ("label", np.int8),
        ("picked", np.int8),
        ("p_yes", np.float64),  # NaN where there is none.
        ("p_unread", np.bool_),
        ("relation", np.int8),
        ("head", np.int32),  # An unknown head event has a negative number of its own.
    ]
)
_RELATIONS: dict[str, int] = {relation: number for number, relation in enumerate(Relation)}


def prediction_rows(predictions: Sequence[DetectionPrediction]) -> Rows:
    """The predictions in their order."""
    rows = np.empty(len(predictions), _ROW)
    rows["label"] = [UNKNOWN if each.label is None else each.label for each in predictions]
    rows["picked"] = [UNKNOWN if each.picked is None else each.picked for each in predictions]
    rows["p_yes"] = [np.nan if each.p_yes is None else each.p_yes for each in predictions]
    rows["p_unread"] = [each.p_unread for each in predictions]
    rows["relation"] = [_RELATIONS.get(each.relation or "", UNKNOWN) for each in predictions]
    rows["head"] = _head_numbers(each.head for each in predictions)
    return rows


def verdict_rows(verdicts: Sequence[Verdict]) -> Rows:
    """The predictions in verdicts; P(yes) is normalised over the two options if both are scored."""
    rows = np.empty(len(verdicts), _ROW)
    rows["label"] = [UNKNOWN if each.gold is None else each.gold == YES for each in verdicts]
    rows["picked"] = [UNKNOWN if each.answer is None else each.answer != NO for each in verdicts]
    rows["p_yes"] = [_p_yes(each.scores) if len(each.scores) == 2 else np.nan for each in verdicts]
    rows["p_unread"] = False
    rows["relation"] = [_RELATIONS.get(each.tags.get("relation", ""), UNKNOWN) for each in verdicts]
    rows["head"] = _head_numbers(each.tags.get("head", "") for each in verdicts)
    return rows


def of_relation(rows: Rows, relation: Relation) -> Rows:
    """The rows of one relation."""
    own: Rows = rows[rows["relation"] == _RELATIONS[relation]]
    return own


def head_codes(rows: Rows) -> Codes:
    """The number of each row's head event, from 0, as they first occur."""
    _heads, first, codes = np.unique(rows["head"], return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.intp)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[codes]


def _p_yes(scores: Sequence[OptionScore]) -> float:
    """The share of "yes", as `shares` computes it, in a fifth of its time."""
    difference = scores[YES].logprob - scores[NO].logprob
    if not math.isfinite(difference):
        return shares(scores)[YES]
    odds = math.exp(-abs(difference))
    return (1 if difference >= 0 else odds) / (odds + 1)


def _head_numbers(heads: Iterable[str]) -> list[int]:
    known: dict[str, int] = {}
    return [
        known.setdefault(head, len(known)) if head else UNKNOWN - number
        for number, head in enumerate(heads)
    ]
