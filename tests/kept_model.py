"""The bundled model as tests of screens have it: read once, and asked each question once.

What it answers is not tested here, and starting its process takes longer than opening the program.
The process is started when something is asked that was not asked before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.contract.question import OptionScore, Prompt
from core.models.block_requests import BlockRequest, ReplyT, Trace
from core.models.blocks import TraceBase, TraceCell
from core.models.llama.block_client import LlamaBlocks
from core.models.llama.client import LlamaModel

_LOADED: dict[Path, tuple[LlamaModel, tuple[str, ...]]] = {}
"""The bundled model as it was after loading, with the lines of its log."""
_ANSWERS: dict[tuple[str, Prompt, tuple[str, ...]], tuple[OptionScore, ...]] = {}
_REPLIES: dict[tuple[str, BlockRequest[Any]], Any] = {}
_TRACES: dict[tuple[str, Trace], tuple[TraceBase | TraceCell, ...]] = {}
"""Traces that went to their ends."""


class _NoProcess:
    """In the place of the worker's process until something is asked."""

    alive = False
    crashed = False

    async def cleared(self) -> None:
        """Nothing was cancelled."""

    async def stop(self) -> None:
        """Nothing runs."""


def keep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the model, its answers, and what was read between its blocks."""
    _keep_model(monkeypatch)
    _keep_answers(monkeypatch)
    _keep_blocks(monkeypatch)


def _keep_model(monkeypatch: pytest.MonkeyPatch) -> None:
    load = LlamaModel.load

    async def load_once(
        path: Path,
        *,
        on_progress: Callable[[float], None] | None = None,
        on_log: Callable[[str], None] | None = None,
        source: str = "",
        demo: bool = False,
        gpu_layers: int = 0,
        thread_count: int = 0,
        context: int = 0,
        exact: bool = False,
    ) -> LlamaModel:
        if not demo or gpu_layers or thread_count or context or exact:
            return await load(
                path,
                on_progress=on_progress,
                on_log=on_log,
                source=source,
                demo=demo,
                gpu_layers=gpu_layers,
                thread_count=thread_count,
                context=context,
                exact=exact,
            )
        if path not in _LOADED:
            lines: list[str] = []
            first = await load(path, on_log=lines.append, source=source, demo=True)
            await first.close()
            _LOADED[path] = first, tuple(lines)
        loaded, log = _LOADED[path]
        if on_progress is not None:
            on_progress(1.0)
        if on_log is not None:
            for line in log:
                on_log(line)
        return _without_process(loaded, on_log)

    monkeypatch.setattr(LlamaModel, "load", load_once)


def _without_process(loaded: LlamaModel, on_log: Callable[[str], None] | None) -> LlamaModel:
    """The same model, before anything was asked."""
    source = replace(loaded._source, on_progress=None, on_log=on_log)
    none: Any = _NoProcess()
    return LlamaModel(source, none, loaded.info, extra_buffers=loaded._extra_buffers)


def _keep_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    score = LlamaModel.score

    async def score_once(
        self: LlamaModel, prompt: Prompt, options: Sequence[str]
    ) -> tuple[OptionScore, ...]:
        question = self.info.fingerprint, prompt, tuple(options)
        if question not in _ANSWERS:
            _ANSWERS[question] = await score(self, prompt, options)
        return _ANSWERS[question]

    monkeypatch.setattr(LlamaModel, "score", score_once)


def _keep_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, stream = LlamaBlocks.ask, LlamaBlocks.stream

    async def ask_once(self: LlamaBlocks, request: BlockRequest[ReplyT]) -> ReplyT:
        asked = _weights(self), request
        if asked not in _REPLIES:
            _REPLIES[asked] = await ask(self, request)
        reply: ReplyT = _REPLIES[asked]
        return reply

    async def trace_once(
        self: LlamaBlocks, request: Trace
    ) -> AsyncGenerator[TraceBase | TraceCell, None]:
        asked = _weights(self), request
        if asked in _TRACES:
            for result in _TRACES[asked]:
                yield result
            return
        results = []
        async with aclosing(stream(self, request)) as found:
            async for result in found:
                results.append(result)
                yield result
        _TRACES[asked] = tuple(results)

    monkeypatch.setattr(LlamaBlocks, "ask", ask_once)
    monkeypatch.setattr(LlamaBlocks, "stream", trace_once)


def _weights(blocks: LlamaBlocks) -> str:
    """The fingerprint of the weights that a request is about."""
    model = getattr(blocks._answering, "__self__", None)
    assert isinstance(model, LlamaModel)
    return model.info.fingerprint
