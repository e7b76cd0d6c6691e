"""The bundled model as tests of screens have it."""

from __future__ import annotations

import pytest

from tests import kept_model


@pytest.fixture(autouse=True)
def _kept_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is asked each question once, but for tests that use `running_model`."""
    if "running_model" not in request.fixturenames:
        kept_model.keep(monkeypatch)


@pytest.fixture
def running_model() -> None:
    """The model has a process from the beginning, and is asked whatever was asked before."""
