"""Whatever file and request: only the worker can end, and plain requests go on."""

from __future__ import annotations

import os
import random
import signal
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest

from core.contract.question import Message
from core.models.blocks import Action, Edit, Part
from core.models.inspectable import Inspectable
from core.models.llama.block_worker import BlockWorker
from core.models.llama.client import LlamaModel
from core.models.llama.messages import Wire
from core.text.errors import CommonsenseError, ModelError
from tests.gguf_files import Tiny, changed_number, write
from tests.models.blocks import CONTRAST, OPTIONS, STORY, Opened, spec_of
from tests.models.processes import gone, worker_pid


async def everything(model: LlamaModel) -> None:
    """Ask for all there is; what cannot be answered says so."""
    blocks = model.blocks
    assert isinstance(model, Inspectable)
    await blocks.access()
    edit = Edit(Action.COPY, Part.RESIDUAL, 0, 0, 2)
    for request in (
        blocks.tokens(STORY, OPTIONS),
        blocks.read(STORY, OPTIONS),
        blocks.read_position(STORY, OPTIONS, 1),
        blocks.attention(STORY, OPTIONS, 0),
        blocks.attribute(STORY, *OPTIONS),
        blocks.patch(STORY, OPTIONS, [edit], CONTRAST),
    ):
        with suppress(ModelError):
            await request
    with suppress(ModelError):
        async for _ in blocks.trace(STORY, CONTRAST, OPTIONS, [(0, 2)]):
            pass


async def test_weights_of_random_bits(tmp_path: Path, tiny: Path) -> None:
    data = bytearray(tiny.read_bytes())
    data[-300_000:] = random.Random(1).randbytes(300_000)
    path = tmp_path / "m.gguf"
    path.write_bytes(bytes(data))
    model = await LlamaModel.load(path)
    await everything(model)
    assert len(await model.score(STORY, OPTIONS)) == 2
    await model.close()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("llama.context_length", 0),
        ("llama.context_length", 8),
        ("llama.context_length", 2**31 - 1),
        ("llama.block_count", 1),
        ("llama.attention.head_count", 2),
        ("llama.attention.head_count", 64),
    ],
)
async def test_headers_that_lie(tmp_path: Path, key: str, value: int) -> None:
    try:
        model = await LlamaModel.load(changed_number(tmp_path / "m.gguf", key, value))
    except ModelError:
        return
    with suppress(CommonsenseError):
        await everything(model)
    await model.close()


@pytest.mark.parametrize("seed", range(3))
async def test_headers_of_random_bytes(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    path = write(tmp_path / "m.gguf", Tiny(blocks=60, width=32, heads=2, hidden=32))
    data = bytearray(path.read_bytes())
    for _ in range(random_.choice((1, 3, 30))):
        data[random_.randrange(9_000)] = random_.randrange(256)
    path.write_bytes(bytes(data))
    try:
        model = await LlamaModel.load(path)
    except ModelError:
        return
    try:
        await everything(model)
    finally:
        await model.close()


async def test_a_text_that_cannot_fit_is_refused_before_it_is_encoded(model: LlamaModel) -> None:
    before = await model.score(STORY, OPTIONS)
    pid = worker_pid(model)
    blocks = model.blocks
    long = "the cup was open. " * 3_000
    for prompt, option in ((long, " no"), (STORY, long), (long * 50, " no")):
        for asking in (
            blocks.read(prompt, [" yes", option]),
            blocks.patch(prompt, [" yes", option], []),
            model.score(prompt, [" yes", option]),
        ):
            with pytest.raises(ModelError, match=r"context takes|can be asked"):
                await asking
    for prompt in (long, long * 50):
        with pytest.raises(ModelError, match=r"context takes|can be asked"):
            await blocks.tokens((Message("user", prompt),), OPTIONS)
        with pytest.raises(ModelError, match=r"context takes|can be asked"):
            async for _ in blocks.trace(STORY, prompt, OPTIONS, [(0, 2)]):
                pass
    assert await model.score(STORY, OPTIONS) == before
    assert worker_pid(model) == pid


def test_a_model_of_one_block_can_be_read(tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", Tiny(blocks=1)))
    assert opened.access.attribution
    edit = Edit(Action.COPY, Part.RESIDUAL, 0, 0, opened.tokens(STORY))
    assert opened.patched(STORY, [edit], CONTRAST) == opened.plain(CONTRAST)


async def test_a_worker_that_dies_is_started_again(model: LlamaModel) -> None:
    first = await model.blocks.read(STORY, OPTIONS)
    pid = worker_pid(model)
    os.kill(pid, signal.SIGKILL)
    assert await gone(pid)
    with suppress(ModelError):  # whoever asks before the end is noticed
        await model.blocks.read(STORY, OPTIONS)
    assert await model.blocks.read(STORY, OPTIONS) == first


async def test_memory_stays_within_the_announced_needs(model: LlamaModel) -> None:
    def resident() -> int:
        fields = Path(f"/proc/{worker_pid(model)}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    await model.score(STORY, OPTIONS)
    needs = await model.blocks.needs()
    before = resident()
    await everything(model)
    assert resident() - before < needs.context + needs.captured


def test_capture_is_off_until_it_is_asked_for(tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("llama")))
    sent: list[Wire] = []
    requests = BlockWorker(opened.engine, opened.prompting, lambda: False, sent.append)
    ask = requests.operations()
    fields: Wire = {"id": 1, "prompt": STORY, "options": list(OPTIONS), "position": 0}
    for operation in ("Needs", "Tokens", "Release"):
        ask[operation](fields)
        assert requests.opened is None
    ask["ReadPosition"](fields)
    assert requests.opened is not None
    assert not sent
    ask["Release"](fields)
    assert requests.opened is None


def test_no_memory_is_said_beforehand(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.llama.block_memory.available_memory", lambda: 10_000_000)
    with pytest.raises(ModelError, match=r"needs about .* 10 MB are free"):
        Opened(tiny)


def test_numbers_of_the_header(tmp_path: Path) -> None:
    engine = Opened(write(tmp_path / "m.gguf", spec_of("qwen3", 3))).engine
    assert engine.number("block_count") == 3
    assert engine.number("attention.head_count_kv") == 2
    assert engine.number("attention.key_length") is None
    assert engine.number("attention.layer_norm_rms_epsilon") is None


def test_an_error_of_a_listener_is_passed_on(tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("llama")))
    before = opened.plain(STORY)
    start, wholes = opened.pairs(STORY)

    def fail(tensor: object, positions: object) -> None:
        raise ModelError("A listener failed.")

    node = opened.inspection.residuals()[1]
    with (
        pytest.raises(ModelError, match="listener failed"),
        opened.inspection.watching({node: [fail]}),
        opened.inspection.request(),
    ):
        opened.inspection.read(wholes[0][:start], start - 1)
    assert opened.patched(STORY, []) == before == opened.plain(STORY)


def test_parts_of_a_tensor_that_do_not_exist(tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of("llama")))
    start, wholes = opened.pairs(STORY)
    node = opened.inspection.residuals()[0]
    width = opened.inspection.width

    def read(asking: tuple[str, tuple[object, ...]]) -> None:
        name, given = asking
        opened.inspection.forget(0)
        with opened.inspection.watching({node: [lambda t, _: getattr(t, name)(*given)]}):
            opened.inspection.read(wholes[0][:start], start - 1)

    row = np.zeros(width, np.float32)
    for asking in (
        ("row", (-1,)),
        ("row", (10_000,)),
        ("row", (0, 1)),
        ("write", (10_000, row)),
        ("write", (0, row, 1)),
        ("write", (0, row, -1)),
    ):
        with pytest.raises(ModelError, match="does not exist"):
            read(asking)


def test_edits_travel_whole() -> None:
    edit = Edit(Action.ADD, Part.HEAD, 3, 1, 9, head=2, vector=(0.5, -1.0))
    assert msgspec.convert(msgspec.to_builtins(edit), Edit) == edit
