"""A request is cancelled by cancelling its task; closing a model ends everything."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from core.errors import ModelError
from core.models.llama import client
from core.models.llama.client import LlamaModel
from tests.models.processes import LONG, children, gone, worker_pid

ABORTED = 0.2
"""Seconds within which the worker leaves a cancelled request."""
HEEDED = 1.0
"""Seconds after which a worker that does not is killed."""
ATTEMPTS = 4
"""A busy machine may be late; a defect is late every time."""


@pytest_asyncio.fixture
async def slow_model(slow: Path) -> AsyncIterator[LlamaModel]:
    loaded = await LlamaModel.load(slow)
    yield loaded
    await loaded.close()


async def cancelled_in(asking: asyncio.Task[object]) -> float:
    """Seconds from the cancel of a task to its end; then its worker is ready again."""
    assert not asking.done()
    pressed = time.perf_counter()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    return time.perf_counter() - pressed


async def read(model: LlamaModel, prompt: str) -> None:
    async for _ in model.generate(prompt, max_tokens=500):
        pass


@pytest.mark.parametrize("writes", [False, True])
async def test_a_long_prompt_is_left_at_once(slow_model: LlamaModel, writes: bool) -> None:
    pid = worker_pid(slow_model)
    before = await slow_model.score("the cup", [" yes"])
    seconds = []
    for _ in range(ATTEMPTS):
        request = read(slow_model, LONG) if writes else slow_model.score(LONG, [" yes", " no"])
        asking: asyncio.Task[object] = asyncio.create_task(request)
        await asyncio.sleep(0.4)
        seconds.append(await cancelled_in(asking))
        started = time.perf_counter()
        assert await slow_model.score("the cup", [" yes"]) == before
        seconds[-1] += time.perf_counter() - started
    assert min(seconds) < ABORTED
    assert worker_pid(slow_model) == pid


async def test_writing_is_left_at_once(slow_model: LlamaModel) -> None:
    seconds = []
    for _ in range(ATTEMPTS):
        heard = asyncio.Event()

        async def listen(heard: asyncio.Event) -> None:
            async for _ in slow_model.generate("the cup was", max_tokens=5000):
                heard.set()

        asking: asyncio.Task[object] = asyncio.create_task(listen(heard))
        await heard.wait()
        seconds.append(await cancelled_in(asking))
    assert min(seconds) < ABORTED
    assert await slow_model.score("the cup", [" yes"])


async def test_a_generator_that_is_closed(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    seconds = []
    for _ in range(ATTEMPTS):
        writing = slow_model.generate("the cup was", max_tokens=5000)
        await anext(writing)
        started = time.perf_counter()
        await writing.aclose()
        seconds.append(time.perf_counter() - started)
        assert await slow_model.score("the cup", [" yes"])
    assert min(seconds) < ABORTED
    assert worker_pid(slow_model) == pid


async def test_a_generator_that_is_dropped(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    seconds = []
    for _ in range(ATTEMPTS):
        async for _ in slow_model.generate("the cup was", max_tokens=5000):
            break
        started = time.perf_counter()
        await asyncio.wait_for(slow_model.score("the cup", [" yes"]), 5)
        seconds.append(time.perf_counter() - started)
    assert min(seconds) < ABORTED
    assert worker_pid(slow_model) == pid


async def test_who_only_waits_disturbs_nobody(slow_model: LlamaModel) -> None:
    long, short = LONG[:6000], "the cup"
    alone = [await slow_model.score(prompt, [" yes"]) for prompt in (long, short)]
    await slow_model.score("another", [" yes"])
    asked, given_up, last = (
        asyncio.create_task(slow_model.score(prompt, [" yes"])) for prompt in (long, long, short)
    )
    await asyncio.sleep(0.2)
    assert not asked.done()
    given_up.cancel()
    assert [await asked, await last] == alone
    assert given_up.cancelled()


async def test_who_waits_is_answered_after_a_cancel(slow_model: LlamaModel) -> None:
    alone = await slow_model.score("the cup", [" yes"])
    asked = asyncio.create_task(slow_model.score(LONG, [" yes"]))
    waiting = asyncio.create_task(slow_model.score("the cup", [" yes"]))
    await asyncio.sleep(0.3)
    asked.cancel()
    assert await asyncio.wait_for(waiting, 2) == alone
    assert asked.cancelled()


@pytest.mark.parametrize("impatient", [False, True])
async def test_worker_that_does_not_heed_a_cancel_is_killed(
    model: LlamaModel, impatient: bool
) -> None:
    pid = worker_pid(model)
    os.kill(pid, signal.SIGSTOP)
    asking = asyncio.create_task(model.score("the cup", [" yes"]))
    await asyncio.sleep(0.1)
    started = time.perf_counter()
    asking.cancel()
    if impatient:
        await asyncio.sleep(0.1)
        asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    if impatient:
        assert time.perf_counter() - started < HEEDED / 2
    else:
        assert HEEDED - 0.1 < time.perf_counter() - started < HEEDED + 1
    assert await asyncio.wait_for(model.score("the cup", [" yes"]), 20)
    assert await gone(pid)
    assert worker_pid(model) != pid


async def test_time_that_is_up_is_a_cancel(slow_model: LlamaModel) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(slow_model.score(LONG, [" yes"]), 0.3)
    assert await asyncio.wait_for(slow_model.score("the cup", [" yes"]), 1)


@pytest.mark.parametrize("delay", [0.0, 0.005, 0.05, 0.3])
async def test_close_while_the_worker_is_started_again(slow: Path, delay: float) -> None:
    before = children()
    model = await LlamaModel.load(slow)
    os.kill(worker_pid(model), signal.SIGKILL)
    while model._worker.alive:
        await asyncio.sleep(0.01)
    asking = asyncio.create_task(model.score(LONG, [" yes"]))
    await asyncio.sleep(delay)
    await model.close()
    with pytest.raises(ModelError, match="closed"):
        await asyncio.wait_for(asking, 5)
    assert children() == before


async def test_close_of_a_generator_that_nobody_reads(slow_model: LlamaModel) -> None:
    writing = slow_model.generate("the cup was", max_tokens=5000)
    await anext(writing)
    await asyncio.wait_for(slow_model.close(), 3)
    with pytest.raises(ModelError, match="closed"):
        async for _ in writing:
            pass
    with pytest.raises(ModelError, match="closed"):
        await slow_model.score("the cup", [" yes"])


async def test_close_that_is_cancelled_still_closes(tiny: Path) -> None:
    before = children()
    model = await LlamaModel.load(tiny)
    pid = worker_pid(model)
    os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(0.1)
    closing = asyncio.create_task(model.close())
    await asyncio.sleep(0.05)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert await gone(pid)
    await model.close()
    assert children() == before


@pytest.mark.parametrize("seed", [1, 2])
async def test_no_order_of_events_leaves_a_process(tiny: Path, seed: int) -> None:
    """Loads, requests, cancels, deaths and closes at random moments, for three seconds."""
    drawn = random.Random(seed)
    before = children()
    until = time.monotonic() + 3
    while time.monotonic() < until:
        loading = asyncio.create_task(LlamaModel.load(tiny))
        if drawn.random() < 0.4:
            await asyncio.sleep(drawn.uniform(0, 0.8))
            loading.cancel()
        try:
            model = await asyncio.wait_for(asyncio.shield(loading), 20)
        except asyncio.CancelledError:
            assert not children() - before
            continue
        events = [
            asyncio.create_task(_event(model, drawn.random(), drawn.uniform(0, 0.4)))
            for _ in range(6)
        ]
        await asyncio.sleep(drawn.uniform(0, 0.5))
        for event in drawn.sample(events, 2):
            event.cancel()
        if drawn.random() < 0.5:
            await asyncio.wait_for(asyncio.gather(*events, return_exceptions=True), 20)
        await model.close()
        for outcome in await asyncio.wait_for(asyncio.gather(*events, return_exceptions=True), 20):
            assert outcome is None or isinstance(outcome, ModelError | asyncio.CancelledError)
        assert not children() - before


async def _event(model: LlamaModel, kind: float, moment: float) -> None:
    await asyncio.sleep(moment)
    if kind < 0.35:
        assert await model.score("the cup", [" yes"])
    elif kind < 0.6:
        await read(model, "the cup was")
    elif kind < 0.9:
        with suppress(ProcessLookupError):
            os.kill(worker_pid(model), signal.SIGKILL)
    else:
        await model.close()


FAULT = """
import os, signal
from llama_cpp import llama_cpp as c

rearranged = False
load, decode = c.llama_model_load_from_file, c.llama_decode

def loading(path, wanted):
    global rearranged
    rearranged = wanted.use_extra_bufts
    return load(path, wanted)

def decoding(*given):
    if {when}:
        os.kill(os.getpid(), signal.{name})
    return decode(*given)

c.llama_model_load_from_file, c.llama_decode = loading, decoding
"""
"""What Python runs first in a worker whose processor llama.cpp has wrong code for."""


async def faulty(
    tiny: Path, folder: Path, patch: pytest.MonkeyPatch, *, when: str, name: str
) -> tuple[LlamaModel, list[str]]:
    (folder / "sitecustomize.py").write_text(FAULT.format(when=when, name=name))
    patch.setenv("PYTHONPATH", str(folder))
    patch.setattr(client, "has_matrix_tiles", lambda: False)
    log: list[str] = []
    return await LlamaModel.load(tiny, on_log=log.append), log


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGILL"])
@pytest.mark.parametrize("writes", [False, True])
async def test_kernels_that_crash_are_not_used_again(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, writes: bool
) -> None:
    model, log = await faulty(tiny, tmp_path, monkeypatch, when="rearranged", name=name)
    if writes:
        assert [token async for token in model.generate("the cup was", max_tokens=3)]
    else:
        assert len(await model.score("the cup", [" yes", " no"])) == 2
    assert sum("repeated" in line for line in log) == 1
    pid = worker_pid(model)
    assert await model.score("the cup", [" yes"])
    os.kill(pid, signal.SIGKILL)
    await gone(pid)
    with suppress(ModelError):  # whoever asks before the end is noticed
        await model.score("the cup", [" yes"])
    assert await model.score("the cup", [" yes"])
    assert sum("repeated" in line for line in log) == 1
    await model.close()


@pytest.mark.parametrize(("when", "name"), [("True", "SIGSEGV"), ("rearranged", "SIGKILL")])
async def test_a_request_that_crashes_in_other_ways_is_not_repeated_for_ever(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, name: str
) -> None:
    model, log = await faulty(tiny, tmp_path, monkeypatch, when=when, name=name)
    with pytest.raises(ModelError, match=name):
        await asyncio.wait_for(model.score("the cup", [" yes"]), 20)
    assert sum("repeated" in line for line in log) == (name == "SIGSEGV")
    await model.close()
