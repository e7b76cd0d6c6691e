"""A GGUF model behind the `Model` protocol, answered by a worker process."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.errors import ModelError, RequestCancelledError
from core.models.files import Inspected, check_memory, fingerprint
from core.models.header import Header
from core.models.llama.messages import Wire, pack_prompt
from core.models.llama.process import Exchange, WorkerProcess
from core.models.protocol import Ability, ModelInfo, Token
from core.question import OptionScore, Prompt

_LONGEST_NAME = 60


class LlamaModel:
    """A loaded GGUF file. Made by `load`.

    Requests wait for each other. When the worker dies, whatever was being asked raises
    `ModelError`, and the next request starts another worker and loads the file again.
    """

    def __init__(
        self,
        path: Path,
        on_progress: Callable[[float], None] | None,
        on_log: Callable[[str], None] | None,
    ) -> None:
        self._path = path
        self._on_progress = on_progress
        self._on_log = on_log
        self._lock = asyncio.Lock()
        self._worker: WorkerProcess | None = None
        self._current: Exchange | None = None
        self._closed = False
        self._context = 0
        self._stamp = (0, 0)
        self._info: ModelInfo | None = None

    @classmethod
    async def load(
        cls,
        path: Path,
        *,
        on_progress: Callable[[float], None] | None = None,
        on_log: Callable[[str], None] | None = None,
        source: str = "",
        demo: bool = False,
    ) -> LlamaModel:
        """Look at a file, then load it in a process of its own.

        `on_progress` hears the share that is loaded, from 0 to 1; `on_log` hears llama.cpp's
        log. `source` names where the model came from, if not its path. A caller that is
        cancelled leaves no process behind. Raises `ModelError`, `NotFoundError`.
        """
        path = path.absolute()
        inspected = await asyncio.to_thread(check_memory, path)
        model = cls(path, on_progress, on_log)
        model._context = inspected.context
        model._stamp = _stamp(path)
        identity = await asyncio.to_thread(fingerprint, path)
        loaded = await model._start()
        model._info = _info(path, inspected, loaded, identity, source or str(path), demo)
        return model

    @property
    def info(self) -> ModelInfo:
        """What is known of it."""
        if self._info is None:
            raise ModelError("This model is not loaded.", where=str(self._path))
        return self._info

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Log-likelihood of each continuation after the prompt; see the protocol.

        NaN where the model computes NaN. Raises `ModelError` when a continuation is empty or
        does not fit the context with the prompt, and `RequestCancelledError`.
        """
        if not options:
            return ()
        result = await self._ask("score", prompt=pack_prompt(prompt), options=list(options))
        return tuple(
            OptionScore(logprob, tokens, len(option.encode("utf-8", "replace")))
            for (logprob, tokens), option in zip(result, options, strict=True)
        )

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncIterator[Token]:
        """Greedy continuation, token by token, up to a stop text, which is not part of it.

        The text of a token is empty while it is part of a character. Raises `ModelError` and
        `RequestCancelledError`.
        """
        fields = {"prompt": pack_prompt(prompt), "max_tokens": max_tokens, "stop": list(stop)}
        async with self._lock:
            worker = await self._ready()
            async with self._exchange(worker, "generate", fields) as exchange:
                async for message in exchange.messages():
                    if "token" in message:
                        yield Token(*message["token"])

    async def count_tokens(self, prompt: Prompt) -> int:
        """How many tokens a prompt has, with what begins every text. Raises `ModelError`."""
        return int(await self._ask("count", prompt=pack_prompt(prompt)))

    async def cancel(self) -> None:
        """Stop the request in progress, if there is one, and wait until it has stopped."""
        if self._current is not None and self._worker is not None:
            await self._worker.cancel(self._current)

    async def close(self) -> None:
        """End the worker. What is being asked raises `RequestCancelledError`."""
        self._closed = True
        if self._current is not None:
            self._current.cancelled = True
        if self._worker is not None:
            await self._worker.stop()

    async def _ask(self, operation: str, **fields: object) -> Any:
        async with self._lock:
            worker = await self._ready()
            async with self._exchange(worker, operation, fields) as exchange:
                return await exchange.result()

    async def _ready(self) -> WorkerProcess:
        """The worker with its model, started anew if it is gone."""
        if self._closed:
            raise ModelError("This model was closed.", where=str(self._path))
        if self._worker is None or not self._worker.alive:
            if _stamp(self._path) != self._stamp:
                raise ModelError(
                    "The file changed after it was loaded.",
                    where=str(self._path),
                    hint="Load the model again.",
                )
            await self._start()
        if self._worker is None:
            raise RequestCancelledError("The model was closed.", where=str(self._path))
        return self._worker

    async def _start(self) -> Wire:
        """Start a worker and let it load; returns what it found."""
        self._worker = worker = await WorkerProcess.start(str(self._path), self._on_log)
        fields = {"path": str(self._path), "context": self._context}
        try:
            async with self._exchange(worker, "load", fields) as exchange:
                async for message in exchange.messages():
                    if "progress" in message and self._on_progress is not None:
                        self._on_progress(message["progress"])
                    elif "result" in message:
                        loaded: Wire = message["result"]
            return loaded
        except BaseException:
            await worker.stop()
            raise

    @asynccontextmanager
    async def _exchange(
        self, worker: WorkerProcess, operation: str, fields: dict[str, Any]
    ) -> AsyncIterator[Exchange]:
        """A request that is stopped when whoever asked goes away."""
        exchange = worker.begin(operation, **fields)
        self._current = exchange
        try:
            yield exchange
        finally:
            self._current = None
            worker.finish(exchange)


def _stamp(path: Path) -> tuple[int, int]:
    """Changes when a file does; zeros when it is gone."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def _info(
    path: Path, inspected: Inspected, loaded: Wire, identity: str, source: str, demo: bool
) -> ModelInfo:
    chat = {Ability.CHAT} if loaded["chat"] else set()
    header = inspected.header
    return ModelInfo(
        name=_name(header, path),
        source=source,
        fingerprint=identity,
        abilities=frozenset({Ability.SCORE, Ability.GENERATE} | chat),
        architecture=header.architecture,
        parameters=loaded["parameters"],
        quantisation=header.quantisation,
        bytes=inspected.bytes,
        context=loaded["context"],
        blocks=loaded["blocks"],
        system_turn=loaded["system_turn"],
        demo=demo,
    )


def _name(header: Header, path: Path) -> str:
    """The name that the file gives itself, if that says something; else the file's own."""
    name = " ".join(header.text("general.name").split())
    if len(re.findall(r"\w", name)) < 3 or len(name) > _LONGEST_NAME:
        return path.stem
    return name
