"""Freeing what only reading the blocks needs, of a model whose worker is gone."""

from __future__ import annotations

import os
import signal

from core.models.llama.client import LlamaModel
from tests.models.processes import noticed, worker_pid


async def test_nothing_is_loaded_again_to_be_freed(model: LlamaModel) -> None:
    first = await model.blocks.read("the cup was", (" open", " closed"))
    pid = worker_pid(model)
    os.kill(pid, signal.SIGKILL)
    await noticed(model)
    await model.blocks.release()
    assert not model.worker.alive
    assert await model.blocks.read("the cup was", (" open", " closed")) == first
    assert worker_pid(model) != pid
    await model.blocks.release()
    assert model.worker.alive
