"""The bundled model as tests of screens have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import kept_model
from tests.tui.support import many_stories


@pytest.fixture(autouse=True)
def _kept_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is asked each question once, but for tests that use `running_model`."""
    if "running_model" not in request.fixturenames:
        kept_model.keep(monkeypatch)


@pytest.fixture
def running_model() -> None:
    """The model has a process from the beginning, and is asked whatever was asked before."""


@pytest.fixture
def few_stories(tmp_path: Path) -> Path:
    """The first fourteen bundled families as a file: a run over all 300 stories takes long."""
    return many_stories(tmp_path / "few.json", 14)
