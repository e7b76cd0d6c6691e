"""The worker process: dying, being left behind, and files that would take it along."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from textual.app import App

from core.models.llama.client import LlamaModel
from core.models.llama.process import exit_description
from core.text.errors import CommonsenseError, ModelError
from tests.gguf_files import Tiny, changed_number, duplicate_token, write
from tests.models.processes import LONG, alive, children, computing, gone, noticed, worker_pid


async def test_messages_of_any_length(model: LlamaModel) -> None:
    options = [f" {number}" for number in range(4000)]
    assert len(await model.score("the cup", options)) == 4000
    with pytest.raises(ModelError, match="tokens"):
        await model.score("x" * 300_000, [" yes"])


async def test_requests_wait_for_each_other(model: LlamaModel) -> None:
    alone = [await model.score(f"the cup {n}", [" yes", " no"]) for n in range(8)]
    together = await asyncio.gather(
        *(model.score(f"the cup {n}", [" yes", " no"]) for n in range(8))
    )
    assert together == alone


async def test_killed_worker_is_an_error_and_comes_back(slow: Path) -> None:
    model = await LlamaModel.load(slow)
    before = await model.score("the cup", [" yes"])
    pid = worker_pid(model)
    asking = asyncio.create_task(model.score(LONG, [" yes"]))
    await computing(pid)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ModelError, match=r"SIGKILL.*memory"):
        await asking
    assert await model.score("the cup", [" yes"]) == before
    assert worker_pid(model) != pid
    await model.close()


async def test_file_that_changed_is_not_loaded_again(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf")
    model = await LlamaModel.load(path)
    write(path, Tiny(seed=1))
    assert await model.score("the cup", [" yes"])
    os.kill(worker_pid(model), signal.SIGKILL)
    await noticed(model)
    with pytest.raises(ModelError, match="changed"):
        await model.score("the cup", [" yes"])
    await model.close()


async def test_file_cut_short_while_loaded(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf")
    model = await LlamaModel.load(path)
    before = await model.score("the cup", [" yes"])
    os.truncate(path, 1000)
    assert await model.score("the cup", [" yes"]) == before
    await model.close()


async def test_close_ends_the_process_and_what_is_asked(slow: Path) -> None:
    model = await LlamaModel.load(slow)
    pid = worker_pid(model)
    asking = asyncio.create_task(model.score(LONG, [" yes"]))
    await computing(pid)
    await model.close()
    with pytest.raises(ModelError, match="closed"):
        await asking
    assert not alive(pid)
    with pytest.raises(ModelError, match="closed"):
        await model.score("the cup", [" yes"])
    await model.close()


async def test_loading_that_is_given_up_leaves_nothing(slow: Path) -> None:
    before = children()
    loading = asyncio.create_task(LlamaModel.load(slow))
    while not children() - before:
        await asyncio.sleep(0.005)
    [pid] = children() - before
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert await gone(pid)


async def test_no_orphan_when_the_program_is_killed(slow: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from core.models.llama.client import LlamaModel\n"
        "async def main():\n"
        f"    model = await LlamaModel.load(Path({str(slow)!r}))\n"
        "    print(model.worker.pid, flush=True)\n"
        f"    await model.score({LONG!r}, [' yes'])\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    await computing(pid)
    parent.kill()
    parent.communicate()
    assert await gone(pid)


async def test_progress_and_log_are_heard(tiny: Path) -> None:
    shares: list[float] = []
    lines: list[str] = []
    model = await LlamaModel.load(tiny, on_progress=shares.append, on_log=lines.append)
    await model.close()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any("llama" in line for line in lines)
    assert all("\n" not in line and len(line) <= 500 for line in lines)


async def test_inside_a_textual_program(tiny: Path) -> None:
    class Program(App[None]):
        pass

    app = Program()
    async with app.run_test():
        model = await LlamaModel.load(tiny)
        assert len(await model.score("the cup", [" yes", " no"])) == 2
        await model.close()


async def test_duplicate_token_ends_only_the_worker(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="SIGABRT"):
        await LlamaModel.load(duplicate_token(tmp_path / "m.gguf"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("llama.block_count", 60_000),
        ("llama.block_count", 4_000_000_000),
        ("llama.embedding_length", 2**31),
        ("llama.attention.head_count", 0),
        ("llama.attention.head_count_kv", 0),
        ("llama.rope.dimension_count", 7),
        ("llama.feed_forward_length", 0),
    ],
)
async def test_header_that_lies(tmp_path: Path, key: str, value: int) -> None:
    with pytest.raises(ModelError):
        await LlamaModel.load(changed_number(tmp_path / "m.gguf", key, value))


@pytest.mark.parametrize("value", [0, 1, 2**32 - 1])
async def test_context_that_is_claimed(tmp_path: Path, value: int) -> None:
    path = changed_number(tmp_path / "m.gguf", "llama.context_length", value)
    try:
        model = await LlamaModel.load(path)
    except ModelError:
        return
    with suppress(CommonsenseError):
        await model.score("the cup was open", [" yes"])
    await model.close()


@pytest.mark.parametrize("cut", [0.001, 0.02, 0.5, 0.999])
async def test_truncated_file(tmp_path: Path, tiny: Path, cut: float) -> None:
    data = tiny.read_bytes()
    path = tmp_path / "m.gguf"
    path.write_bytes(data[: int(len(data) * cut)])
    with pytest.raises(ModelError):
        await LlamaModel.load(path)


async def test_random_weights_of_all_bits(tmp_path: Path, tiny: Path) -> None:
    data = bytearray(tiny.read_bytes())
    tail = len(data) - 300_000
    data[tail:] = random.Random(5).randbytes(300_000)
    path = tmp_path / "m.gguf"
    path.write_bytes(bytes(data))
    model = await LlamaModel.load(path)
    assert len(await model.score("the cup", [" yes", " no"])) == 2
    await model.close()


async def test_odd_texts(model: LlamaModel) -> None:
    for text in ("\0", "\ud800", "a" * 50, "\u202e\U0010ffff", "\r\n\x1b[2J"):
        scores = await model.score(text, [text + "x", " yes"])
        assert all(score.logprob < 0 for score in scores)


async def test_llama_cpp_that_cannot_be_imported(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "llama_cpp.py").write_text("raise ImportError('no library')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ModelError, match="no library") as caught:
        await LlamaModel.load(tiny)
    assert "pip install" in caught.value.hint


def test_endings_in_words() -> None:
    assert "memory" in exit_description(-signal.SIGKILL)
    assert "SIGSEGV" in exit_description(-signal.SIGSEGV)
    assert "SIGXCPU" in exit_description(-signal.SIGXCPU)
    assert exit_description(3) == "it ended with exit code 3"
    assert "signal 250" in exit_description(-250)
