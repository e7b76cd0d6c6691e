"""The demonstration model and two runs of it, once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonsense_tui as ct
from core.models.resolver import demo_file

LIMIT = 8
"""Items of a run."""


@pytest.fixture(scope="module")
def model() -> Iterator[ct.LoadedModel]:
    if not demo_file().exists():
        pytest.skip("The demonstration model is not there.")
    with ct.load_model("demo") as loaded:
        yield loaded


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "runs.sqlite"


@pytest.fixture(scope="module")
def pair(model: ct.LoadedModel, store: Path) -> tuple[ct.RecordedRun, ct.RecordedRun]:
    """A run without and one with worked examples."""
    stories = ct.open("gita")
    first = ct.evaluate(model, stories, store, limit=LIMIT)
    return first, ct.evaluate(model, stories, str(store), limit=LIMIT, shots=2)
