"""A GGUF model behind the `Model` protocol, answered by a worker process."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from core.contract.question import OptionScore, Prompt, option_scores
from core.hub.cache import origin_of
from core.models.block_requests import Blocks, Needs, Release, Shared, Tokens
from core.models.gguf_header import Header
from core.models.llama import threads
from core.models.llama.block_client import LlamaBlocks
from core.models.llama.messages import Wire, check_prompt
from core.models.llama.process import Exchange, WorkerProcess
from core.models.memory import needs_of, on_accelerator
from core.models.model_files import Inspected, check_memory, fingerprint
from core.models.protocol import Ability, ModelInfo, Token, Writing
from core.system.typed_values import ready
from core.text.errors import ModelError
from core.text.language import _

_LONGEST_NAME = 60
_NOT_COMPUTING = frozenset(kind.__name__ for kind in (Needs, Release, Shared, Tokens))
"""Requests that run no kernel, so they cannot show whether llama.cpp's kernels crash."""


@dataclass(frozen=True, slots=True)
class _Source:
    """What a worker needs to start, the first time and after a crash."""

    path: Path
    stamp: tuple[int, int]
    context: int
    gpu_layers: int
    gpu_bytes: int
    """Estimated memory that these layers take on the accelerator."""
    threads: int
    """0 for what was chosen on this machine, or the usual number."""
    exact: bool
    """Whether keys and values are kept as 32-bit numbers."""
    on_progress: Callable[[float], None] | None
    on_log: Callable[[str], None] | None

    async def start(self) -> WorkerProcess:
        """A worker without a model. Raises `ModelError`."""
        accelerated = self.gpu_layers > 0
        return await WorkerProcess.start(str(self.path), self.on_log, accelerated=accelerated)

    async def load_into(self, worker: WorkerProcess, *, extra_buffers: bool) -> Wire:
        """Load the file in a worker; returns its reply. Stops the worker if that fails."""
        fields = {
            "path": str(self.path),
            "context": self.context,
            "gpu_layers": self.gpu_layers,
            "gpu_bytes": self.gpu_bytes,
            "extra_buffers": extra_buffers,
            "exact": self.exact,
            "threads": self.threads,
            "known_threads": {size: each.threads for size, each in threads.choices().items()},
        }
        async with worker.exchange("load", **fields) as exchange:
            try:
                while "progress" in (message := await exchange.next()):
                    if self.on_progress is not None:
                        self.on_progress(message["progress"])
            except BaseException:
                await worker.stop()
                raise
        loaded: Wire = message["result"]
        return loaded


class LlamaModel:
    """A loaded GGUF file. Made by `load`.

    Requests wait for each other. One whose task is cancelled, or whose generator is closed, is
    stopped in the worker before the next begins. When the worker dies, whatever was being asked
    raises `ModelError`, and the next request starts another worker and loads the file again.
    """

    def __init__(
        self, source: _Source, worker: WorkerProcess, info: ModelInfo, *, extra_buffers: bool
    ) -> None:
        self.info = info
        """Name, weights and abilities."""
        self.blocks: Blocks = LlamaBlocks(self._answering, lambda: self.worker.alive)
        """Its transformer blocks."""
        self._source = source
        self.worker = worker
        """The current worker process; replaced after a crash."""
        self._extra_buffers = extra_buffers
        self._on_trial = extra_buffers
        self._lock = asyncio.Lock()
        self._closed = False

    @classmethod
    async def load(
        cls,
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
        """Check a file, then load it in a process of its own.

        `on_progress` is called with the share that is loaded, from 0 to 1; `on_log` with each line
        of llama.cpp's log. `source` names where the model came from, if not its path. An
        accelerator computes `gpu_layers` layers, or all where there are fewer. With a
        `thread_count` of 0 as many threads compute as are known to be the fastest, or as there are
        cores. Its context takes what the model was trained for, at most `context` tokens, or 8,192
        with 0, and less where memory is short; where `exact`, keys and values are kept as 32-bit
        numbers. When the caller is cancelled, no process is left behind. Raises `ModelError`,
        `NotFoundError`.
        """
        path = path.absolute()
        stamp = _stamp(path)
        inspected = await asyncio.to_thread(check_memory, path, context, exact=exact)
        identity = await asyncio.to_thread(fingerprint, path)
        needs = needs_of(inspected.header, inspected.bytes, exact=exact)
        blocks = inspected.header.of_architecture("block_count")
        origin = _Source(
            path,
            stamp,
            inspected.context,
            gpu_layers,
            on_accelerator(needs.total(inspected.context), gpu_layers, blocks),
            thread_count,
            exact,
            on_progress,
            on_log,
        )
        extra_buffers = not has_matrix_tiles()
        worker = await origin.start()
        loaded = await origin.load_into(worker, extra_buffers=extra_buffers)
        info = _info(path, inspected, loaded, identity, source or str(path), demo, exact)
        return cls(origin, worker, info, extra_buffers=extra_buffers)

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Log-likelihood of each continuation after the prompt; see the protocol.

        NaN where the model computes NaN. Raises `ModelError` when a continuation is empty or
        does not fit the context with the prompt, and when the model is closed meanwhile.
        """
        if not options:
            return ()
        check_prompt(prompt)
        fields = {"prompt": msgspec.to_builtins(prompt), "options": list(options)}
        async with self._answering("score", fields) as exchange:
            result = (await exchange.next())["result"]
        return option_scores(result, options)

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Greedy continuation, token by token, up to a stop text, which is not part of it.

        The text of a token is empty while its character is incomplete. A caller that stops early
        closes the generator: other requests wait until then. Raises `ModelError`, also when the
        model is closed meanwhile.
        """
        check_prompt(prompt)
        fields = {
            "prompt": msgspec.to_builtins(prompt),
            "max_tokens": max_tokens,
            "stop": list(stop),
        }
        async with self._answering("generate", fields) as exchange:
            while "token" in (message := await exchange.next()):
                yield Token(*message["token"])

    async def score_together(
        self, asked: Sequence[tuple[Prompt, Sequence[str]]], *, batch: int
    ) -> list[tuple[OptionScore, ...]]:
        """Log-likelihoods of several prompts' continuations, of `batch` prompts at a time.

        See `core.models.protocol.Batching`.
        """
        if not asked:
            return []
        for prompt, _options in asked:
            check_prompt(prompt)
        questions = [
            {"prompt": msgspec.to_builtins(prompt), "options": list(options)}
            for prompt, options in asked
        ]
        fields = {"questions": questions, "batch": batch}
        async with self._answering("score_together", fields) as exchange:
            results = (await exchange.next())["result"]
        return [
            option_scores(result, options)
            for result, (_, options) in zip(results, asked, strict=True)
        ]

    async def generate_together(self, asked: Sequence[Writing], *, batch: int) -> list[list[Token]]:
        """Greedy continuations of several prompts, `batch` of them side by side.

        See `core.models.protocol.Batching`.
        """
        if not asked:
            return []
        for writing in asked:
            check_prompt(writing.prompt)
        fields = {"questions": msgspec.to_builtins(list(asked)), "batch": batch}
        async with self._answering("generate_together", fields) as exchange:
            results = (await exchange.next())["result"]
        return [[Token(*token) for token in tokens] for tokens in results]

    async def choose_threads(self) -> None:
        """Find the fastest number of threads; see `core.models.protocol.Threaded`."""
        size = threads.size_of(self.info.parameters)
        if not size or self._source.threads or self.info.gpu_layers or size in threads.choices():
            return
        async with self._answering("choose_threads", {}) as exchange:
            measured = (await exchange.next())["result"]
        choice = msgspec.convert(measured, ready(threads.ThreadChoice), strict=False)
        threads.keep(size, choice)
        # What follows is about the chat template.
        _, *rest = self.info.computed_by.split("; ", 1)
        computed_by = "; ".join([threads.described(choice.threads), *rest])
        self.info = replace(self.info, computed_by=computed_by)

    @property
    def busy(self) -> bool:
        """Whether a request is running."""
        return self._lock.locked()

    async def close(self) -> None:
        """Stop the worker. Running and later requests raise `ModelError`."""
        self._closed = True
        await self.worker.stop()

    @asynccontextmanager
    async def _answering(
        self, operation: str, fields: Mapping[str, object]
    ) -> AsyncIterator[Exchange]:
        """Send a request as soon as the earlier ones have ended."""
        async with self._lock, AsyncExitStack() as requests:
            try:
                yield await self._begin(requests, operation, fields)
            except ModelError:
                self._check_open()
                raise

    async def _begin(
        self, requests: AsyncExitStack, operation: str, fields: Mapping[str, object]
    ) -> Exchange:
        """Send a request; a second time, without extra buffers, if the first crashed on them.

        `has_matrix_tiles` knows the processors on which llama.cpp's kernels for rearranged
        weights are known to crash. On one that it does not know, the first request after
        loading shows it.
        """
        worker = await self._ready()
        exchange = await requests.enter_async_context(worker.exchange(operation, **fields))
        if not self._on_trial or operation in _NOT_COMPUTING:
            return exchange
        await exchange.begun.wait()
        self._on_trial = False
        if not worker.crashed:
            return exchange
        self._extra_buffers = False
        if self._source.on_log is not None:
            self._source.on_log(
                "llama.cpp crashed on the first request. The model is loaded again without "
                "weights rearranged for this processor, and the request is repeated."
            )
        worker = await self._ready()
        return await requests.enter_async_context(worker.exchange(operation, **fields))

    async def _ready(self) -> WorkerProcess:
        """The idle worker with its model loaded; restarted if it crashed."""
        self._check_open()
        await self.worker.cleared()
        if self.worker.alive:
            return self.worker
        if _stamp(self._source.path) != self._source.stamp:
            raise ModelError(
                _("The file changed after it was loaded."),
                where=self._source.path,
                hint=_("Load the model again."),
            )
        worker = await self._source.start()
        if self._closed:
            await worker.stop()
            self._check_open()
        self.worker = worker
        await self._source.load_into(worker, extra_buffers=self._extra_buffers)
        self._on_trial = self._extra_buffers
        return worker

    def _check_open(self) -> None:
        if self._closed:
            raise ModelError(_("This model was closed."), where=self._source.path)


def has_matrix_tiles() -> bool:
    """Whether the processor has AMX, for which this llama.cpp's kernels crash on Q8_0 weights."""
    try:
        return "amx_tile" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _stamp(path: Path) -> tuple[int, int]:
    """Size and modification time of a file; zeros where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # no file, or no path: a null character in it
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)


def _info(
    path: Path,
    inspected: Inspected,
    loaded: Wire,
    identity: str,
    source: str,
    demo: bool,
    exact: bool,
) -> ModelInfo:
    chat = {Ability.CHAT} if loaded["chat"] else set()
    header = inspected.header
    return ModelInfo(
        name=_name(header, path),
        source=source,
        fingerprint=identity,
        abilities=frozenset({Ability.SCORE, Ability.GENERATE} | chat),
        parameters=loaded["parameters"],
        quantisation=header.quantisation,
        bytes=inspected.bytes,
        context=loaded["context"],
        blocks=loaded["blocks"],
        gpu_layers=loaded["gpu_layers"],
        exact=exact,
        computed_by="; ".join(
            filter(None, (threads.described(loaded["threads"]), loaded["template"]))
        ),
        system_turn=loaded["system_turn"],
        origin=str(origin_of(path) or ""),
        demo=demo,
    )


def _name(header: Header, path: Path) -> str:
    """The model name in the header if it is usable, else the file name."""
    name = " ".join(header.text("general.name").split())
    if len(re.findall(r"\w", name)) < 3 or len(name) > _LONGEST_NAME:
        return path.stem
    return name
