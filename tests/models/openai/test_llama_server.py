"""The client against llama-cpp-python's own server, with a small model of random weights."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from core.models.openai.client import OpenAIModel
from core.question import Message
from tests.gguf_files import write

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("uvicorn") is None,
    reason="llama-cpp-python's server needs the packages of requirements-dev.txt",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = write(tmp_path_factory.mktemp("served") / "tiny.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(file)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "512", "--n_threads", "1"]
    command += ["--model_alias", "tiny", "--chat_format", "chatml"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(300):
                try:
                    httpx.get(f"http://127.0.0.1:{port}/v1/models", trust_env=False)
                    break
                except httpx.TransportError:
                    asyncio.run(asyncio.sleep(0.1))
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


async def test_a_real_server_writes_on(address: str) -> None:
    model = await OpenAIModel.connect(address)
    assert model.info.name == "tiny"
    story = "Maria apre la porta."
    plain = [token.text async for token in model.generate(story, max_tokens=6)]
    turns = [token.text async for token in model.generate((Message("user", story),), max_tokens=6)]
    await model.close()
    assert plain
    assert turns
