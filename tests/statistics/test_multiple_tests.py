"""Holm's adjusted p-values, by hand."""

from __future__ import annotations

import sys

import pytest

from core.statistics.multiple_tests import holm


def test_the_smallest_is_multiplied_by_the_number_of_tests_and_none_falls_below_it() -> None:
    # Ascending .005, .01, .03, .04 times 4, 3, 2, 1; the last is raised to the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_without_statsmodels_nothing_is_adjusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    assert holm([0.01]) is None
