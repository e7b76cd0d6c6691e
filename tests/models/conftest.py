"""Small model files, and a model that is closed after its test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.models.llama import process
from core.models.llama.client import LlamaModel
from tests.gguf_files import Tiny, write
from tests.models.reference import Reference


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is killed because a busy machine lets it heed a cancel late."""
    monkeypatch.setattr(process, "STOP_SECONDS", 60.0)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of 0.5 MB with a chat template."""
    return write(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture(scope="session")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model that needs some seconds for a long prompt."""
    spec = Tiny(blocks=6, width=512, heads=8, hidden=1536, context=8192, deviation=0.05)
    return write(tmp_path_factory.mktemp("models") / "slow.gguf", spec)


@pytest.fixture(scope="session")
def reference(tiny: Path) -> Reference:
    return Reference(tiny)


@pytest_asyncio.fixture
async def model(tiny: Path) -> AsyncIterator[LlamaModel]:
    loaded = await LlamaModel.load(tiny)
    yield loaded
    await loaded.close()
