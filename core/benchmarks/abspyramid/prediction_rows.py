"""Predictions of detection as rows of one array, which take a tenth of the objects' memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.tuples import Relation
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
        ("head", np.int32),  # Below 0, each its own, where the head event is not known.
    ]
)
_RELATIONS: dict[Relation | None, int] = {
    None: UNKNOWN,
    **{relation: number for number, relation in enumerate(Relation)},
}


def prediction_rows(predictions: Iterable[DetectionPrediction]) -> Rows:
    """The predictions in their order."""
    return np.fromiter(_values(predictions), dtype=_ROW)


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


def _values(predictions: Iterable[DetectionPrediction]) -> Iterator[tuple[Any, ...]]:
    heads: dict[str, int] = {}
    for number, (label, picked, p_yes, p_unread, relation, head) in enumerate(predictions):
        yield (
            UNKNOWN if label is None else label,
            UNKNOWN if picked is None else picked,
            np.nan if p_yes is None else p_yes,
            p_unread,
            _RELATIONS[relation],
            heads.setdefault(head, len(heads)) if head else UNKNOWN - number,
        )
