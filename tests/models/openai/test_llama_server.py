"""The client against llama-cpp-python's own server, with a small model of random weights."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from core.contract.question import Message
from core.models.openai.client import OpenAIModel
from tests.gguf_files import write

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("uvicorn") is None,
    reason="needs uvicorn: make install-tests",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    file = write(folder / "tiny.gguf")
    said = folder / "said.txt"
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(file)]
    command += ["--host", "127.0.0.1", "--port", "0", "--n_ctx", "512", "--n_threads", "1"]
    command += ["--model_alias", "tiny", "--chat_format", "chatml"]
    with (
        said.open("wb") as stderr,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as server,
    ):
        try:
            # It says so once it listens, at the free port that it was given.
            while not (
                running := re.search(r"running on (http://127\.0\.0\.1:\d+)", said.read_text())
            ):
                assert server.poll() is None, said.read_text()
                time.sleep(0.05)
            yield running[1]
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
