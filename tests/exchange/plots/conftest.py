"""A store of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.runs.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.sqlite") as opened:
        yield opened
