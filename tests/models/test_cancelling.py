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

from core.models.llama import client, process
from core.models.llama.client import LlamaModel
from core.text.errors import ModelError
from tests.models.processes import LONG, children, computed, computing, gone, noticed, worker_pid
from tests.mostly_slow import mostly_slow

ABORTED = 0.5
"""Seconds of a processor that the worker spends at most until it has left a cancelled request and
answered a short one; a whole long one is some seconds."""
HEEDED = 1.0
"""Seconds after which a worker that does not heed a cancel is killed."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that does not heed a cancel is killed, as in the program."""
    monkeypatch.setattr(process, "STOP_SECONDS", HEEDED)


@pytest_asyncio.fixture
async def slow_model(slow: Path) -> AsyncIterator[LlamaModel]:
    loaded = await LlamaModel.load(slow)
    yield loaded
    await loaded.close()


async def cancel(asking: asyncio.Task[object]) -> None:
    """Cancel a task that is not done; afterwards its worker is ready again."""
    assert not asking.done()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def read(model: LlamaModel, prompt: str) -> None:
    async for _ in model.generate(prompt, max_tokens=500):
        pass


@pytest.mark.parametrize("writes", [False, True])
async def test_a_long_prompt_is_left_at_once(slow_model: LlamaModel, writes: bool) -> None:
    pid = worker_pid(slow_model)
    before = await slow_model.score("the cup", [" yes"])
    request = read(slow_model, LONG) if writes else slow_model.score(LONG, [" yes", " no"])
    asking: asyncio.Task[object] = asyncio.create_task(request)
    await computing(pid)
    spent = computed(pid)
    await cancel(asking)
    assert await slow_model.score("the cup", [" yes"]) == before
    assert computed(pid) - spent < ABORTED
    assert worker_pid(slow_model) == pid


async def test_writing_is_left_at_once(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    heard = asyncio.Event()

    async def listen() -> None:
        async for _ in slow_model.generate("the cup was", max_tokens=5000):
            heard.set()

    asking: asyncio.Task[object] = asyncio.create_task(listen())
    await heard.wait()
    spent = computed(pid)
    await cancel(asking)
    assert await slow_model.score("the cup", [" yes"])
    assert computed(pid) - spent < ABORTED
    assert worker_pid(slow_model) == pid


async def test_a_generator_that_is_closed(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    writing = slow_model.generate("the cup was", max_tokens=5000)
    await anext(writing)
    spent = computed(pid)
    await writing.aclose()
    assert await slow_model.score("the cup", [" yes"])
    assert computed(pid) - spent < ABORTED
    assert worker_pid(slow_model) == pid


async def test_a_generator_that_is_dropped(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    async for _ in slow_model.generate("the cup was", max_tokens=5000):
        break
    spent = computed(pid)
    assert await slow_model.score("the cup", [" yes"])
    assert computed(pid) - spent < ABORTED
    assert worker_pid(slow_model) == pid


async def test_who_only_waits_disturbs_nobody(slow_model: LlamaModel) -> None:
    long, short = LONG[:2000], "the cup"
    alone = [await slow_model.score(prompt, [" yes"]) for prompt in (long, short)]
    await slow_model.score("another", [" yes"])
    asked, given_up, last = (
        asyncio.create_task(slow_model.score(prompt, [" yes"])) for prompt in (long, long, short)
    )
    await computing(worker_pid(slow_model))
    await cancel(given_up)
    assert not asked.done()
    assert [await asked, await last] == alone


async def test_who_waits_is_answered_after_a_cancel(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    alone = await slow_model.score("the cup", [" yes"])
    asked = asyncio.create_task(slow_model.score(LONG, [" yes"]))
    waiting = asyncio.create_task(slow_model.score("the cup", [" yes"]))
    await computing(pid)
    spent = computed(pid)
    asked.cancel()
    assert await waiting == alone
    assert computed(pid) - spent < ABORTED
    assert asked.cancelled()


async def test_worker_that_does_not_heed_a_cancel_is_killed(
    model: LlamaModel, impatient: None
) -> None:
    pid = worker_pid(model)
    os.kill(pid, signal.SIGSTOP)
    asking = asyncio.create_task(model.score("the cup", [" yes"]))
    await asyncio.sleep(0.1)
    started = time.perf_counter()
    await cancel(asking)
    assert time.perf_counter() - started > HEEDED - 0.1
    assert await model.score("the cup", [" yes"])
    assert await gone(pid)
    assert worker_pid(model) != pid


async def test_who_cancels_twice_does_not_wait_for_the_worker(model: LlamaModel) -> None:
    pid = worker_pid(model)
    os.kill(pid, signal.SIGSTOP)
    asking = asyncio.create_task(model.score("the cup", [" yes"]))
    await asyncio.sleep(0.1)
    asking.cancel()
    await asyncio.sleep(0.1)
    await cancel(asking)
    os.kill(pid, signal.SIGCONT)
    assert await model.score("the cup", [" yes"])
    assert worker_pid(model) == pid


async def test_time_that_is_up_is_a_cancel(slow_model: LlamaModel) -> None:
    pid = worker_pid(slow_model)
    spent = computed(pid)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(slow_model.score(LONG, [" yes"]), 0.3)
    assert await slow_model.score("the cup", [" yes"])
    assert computed(pid) - spent < 0.3 + 3 * ABORTED
    assert worker_pid(slow_model) == pid


@mostly_slow("delay", [0.0, 0.05])
async def test_close_while_the_worker_is_started_again(tiny: Path, delay: float) -> None:
    before = children()
    model = await LlamaModel.load(tiny)
    os.kill(worker_pid(model), signal.SIGKILL)
    await noticed(model)
    asking = asyncio.create_task(model.score(LONG, [" yes"]))
    await asyncio.sleep(delay)
    await model.close()
    with pytest.raises(ModelError, match="closed"):
        await asking
    assert not children() - before


async def test_close_of_a_generator_that_nobody_reads(slow_model: LlamaModel) -> None:
    writing = slow_model.generate("the cup was", max_tokens=5000)
    await anext(writing)
    await slow_model.close()
    with pytest.raises(ModelError, match="closed"):
        async for _ in writing:
            pass
    with pytest.raises(ModelError, match="closed"):
        await slow_model.score("the cup", [" yes"])


async def test_close_that_is_cancelled_still_closes(tiny: Path, impatient: None) -> None:
    before = children()
    model = await LlamaModel.load(tiny)
    pid = worker_pid(model)
    os.kill(pid, signal.SIGSTOP)
    closing = asyncio.create_task(model.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert await gone(pid)
    await model.close()
    assert not children() - before


async def test_cancelling_at_random_leaves_no_process(tiny: Path) -> None:
    """Loads, requests, cancels, deaths and closes at random moments, for three seconds."""
    drawn = random.Random(1)
    before = children()
    until = time.monotonic() + 3
    while time.monotonic() < until:
        loading = asyncio.create_task(LlamaModel.load(tiny))
        if drawn.random() < 0.4:
            await asyncio.sleep(drawn.uniform(0, 0.8))
            loading.cancel()
        try:
            model = await asyncio.shield(loading)
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
            await asyncio.gather(*events, return_exceptions=True)
        await model.close()
        for outcome in await asyncio.gather(*events, return_exceptions=True):
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


@pytest.mark.parametrize(("name", "writes"), [("SIGSEGV", False), ("SIGILL", True)])
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


@mostly_slow(("when", "name"), [("True", "SIGSEGV"), ("rearranged", "SIGKILL")])
async def test_a_request_that_crashes_in_other_ways_is_not_repeated_for_ever(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, name: str
) -> None:
    model, log = await faulty(tiny, tmp_path, monkeypatch, when=when, name=name)
    with pytest.raises(ModelError, match=name):
        await model.score("the cup", [" yes"])
    assert sum("repeated" in line for line in log) == (name == "SIGSEGV")
    await model.close()
