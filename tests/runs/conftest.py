"""These tests have the invented benchmark installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.runs.store import Store
from tests.fifth.support import installed_shapes, towers


@pytest.fixture(autouse=True)
def _shapes() -> Iterator[None]:
    with installed_shapes():
        yield


@pytest.fixture
def data(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """As many towers as `TOWERS` of the test's module says, or else forty."""
    file = tmp_path / "towers.json"
    file.write_text(json.dumps(towers(getattr(request.module, "TOWERS", 40))))
    return file


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.sqlite") as opened:
        yield opened
