"""Models of a worker, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models.model_files import fingerprint
from core.models.protocol import Model
from core.models.resolver import load_model
from core.runs.engines import worker_models
from core.runs.engines.worker_models import ModelReference, info_of, unload, versions, with_model
from tests.gguf_files import write


async def test_a_model_that_could_not_be_loaded_is_loaded_for_the_next_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "tiny.gguf")
    reference = ModelReference(str(path), fingerprint(path), versions())

    async def has_no_room(_name: str) -> Model:
        raise MemoryError

    monkeypatch.setattr(worker_models, "load_model", has_no_room)
    with pytest.raises(MemoryError):
        await with_model(reference, None, info_of)
    monkeypatch.setattr(worker_models, "load_model", load_model)
    info = await with_model(reference, None, info_of)
    assert info.fingerprint == reference.fingerprint
    await unload(reference)
