"""The logistic regression of right answers, where statsmodels has no degrees of freedom left."""

from __future__ import annotations

import math
import warnings

import pytest

from core.statistics.logistic import logistic

CLUSTERS = 12


def test_as_many_coefficients_as_kinds_of_cases_give_the_odds_without_a_warning() -> None:
    """Of each cluster two of four easy cases are right and one of four hard ones."""
    rights = {0.0: (True, True, False, False), 1.0: (True, False, False, False)}
    cases = [
        ((hard,), right, cluster)
        for cluster in range(CLUSTERS)
        for hard, answers in rights.items()
        for right in answers
    ]
    rows, right, clusters = zip(*cases, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = logistic(rows, right, clusters)
    assert fitted is not None
    assert fitted.values == pytest.approx([0, math.log(1 / 3)])
    assert all(each == pytest.approx([0, math.log(1 / 3)]) for each in fitted.without)
