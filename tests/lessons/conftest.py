"""What the tests of lessons share."""

from __future__ import annotations

import pytest

from core.lessons import survey


@pytest.fixture(autouse=True)
def few_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count over a few items only; `test_survey.py` says how many."""
    monkeypatch.setattr(survey, "MOST_ITEMS", 8)
