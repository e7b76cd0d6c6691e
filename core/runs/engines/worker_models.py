"""The models that a worker has loaded. Everything in here runs on workers.

A model is loaded with the first request for it and kept for the next. Its weights have to be those
that the calling process named by their hash.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from socket import gethostname

from core.contract.question import OptionScore, Prompt
from core.models.block_requests import BlockRequest, ReplyT, Streamed
from core.models.inspectable import blocks_of
from core.models.protocol import Model, ModelInfo, ResultT, Token
from core.models.resolver import load_model
from core.text.errors import WorkersError

_DECISIVE = ("commonsense-tui", "llama-cpp-python")
"""Packages that prompts and scores depend on."""


def versions() -> tuple[str, ...]:
    """The versions of the packages that answers depend on."""
    return tuple(f"{name} {version(name)}" for name in _DECISIVE)


@dataclass(frozen=True, slots=True)
class ModelReference:
    """Which model a worker has to have."""

    name: str
    """As a person names it: an absolute path, demo or hf:…"""
    fingerprint: str
    """Of the weights."""
    versions: tuple[str, ...]
    """What `versions` returns in the calling process."""


@dataclass(slots=True)
class _Loaded:
    """A model that is loaded, or is being loaded."""

    model: asyncio.Task[Model]
    users: int = 0
    """Requests under way."""
    wanted: bool = True
    """Whether it stays when no request is under way."""


_LOADED: dict[ModelReference, _Loaded] = {}


async def with_model(
    reference: ModelReference,
    expected: ModelInfo | None,
    work: Callable[..., Awaitable[ResultT]],
    *given: object,
) -> ResultT:
    """What a function makes of the model, which is loaded if it is not yet.

    `expected` is what another worker said of it. Raises `WorkersError` where this worker has other
    weights, other versions or less room, and `ModelError` and `NotFoundError` where the model
    cannot be loaded or asked.
    """
    async with _in_use(reference) as model:
        if expected is not None and model.info.context != expected.context:
            raise WorkersError(
                f"It takes {model.info.context:,} tokens here and {expected.context:,} on another "
                "worker, so longer texts would be cut here only.",
                where=_place(reference),
                hint="Free memory there, or use fewer workers a machine.",
            )
        return await work(model, *given)


async def info_of(model: Model) -> ModelInfo:
    """Facts about a model."""
    return model.info


async def score(model: Model, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
    """See `Model.score`."""
    return await model.score(prompt, options)


async def generate(
    model: Model, prompt: Prompt, max_tokens: int, stop: Sequence[str]
) -> list[Token]:
    """All tokens of `Model.generate`."""
    async with aclosing(model.generate(prompt, max_tokens=max_tokens, stop=stop)) as tokens:
        return [token async for token in tokens]


async def ask_blocks(model: Model, request: BlockRequest[ReplyT]) -> ReplyT:
    """The reply to a request about the blocks of a model; raises `ModelError`."""
    return await blocks_of(model).ask(request)


async def stream_blocks(model: Model, request: Streamed[ReplyT]) -> list[ReplyT]:
    """All replies to a request; raises `ModelError`."""
    async with aclosing(blocks_of(model).stream(request)) as results:
        return [result async for result in results]


async def unload(reference: ModelReference) -> None:
    """Free a model's memory, as soon as the requests under way are answered."""
    loaded = _LOADED.get(reference)
    if loaded is not None:
        loaded.wanted = False
        if not loaded.users:
            await _close(reference)


@asynccontextmanager
async def _in_use(reference: ModelReference) -> AsyncIterator[Model]:
    """The model, which is not closed meanwhile."""
    if reference not in _LOADED:
        _LOADED[reference] = _Loaded(asyncio.create_task(_load(reference)))
    loaded = _LOADED[reference]
    loaded.users, loaded.wanted = loaded.users + 1, True
    try:
        yield await asyncio.shield(loaded.model)
    finally:
        loaded.users -= 1
        if not (loaded.users or loaded.wanted):
            await _close(reference)


async def _load(reference: ModelReference) -> Model:
    """Load a model in the place of those that nobody asks now."""
    try:
        for other in [other for other, loaded in _LOADED.items() if not loaded.users]:
            await _close(other)
        if reference.versions != versions():
            raise WorkersError(
                f"Another version is installed here: {', '.join(versions())}; the run is begun "
                f"with {', '.join(reference.versions)}.",
                where=_place(reference),
                hint="Install the same versions everywhere.",
            )
        model = await load_model(reference.name)
        if model.info.fingerprint == reference.fingerprint:
            return model
        await model.close()
        raise WorkersError(
            "The file of the model has other weights here than where the run is begun.",
            where=_place(reference),
            hint="Copy the same file to all machines.",
        )
    except BaseException:
        # The next request tries again, whatever went wrong.
        del _LOADED[reference]
        raise


async def _close(reference: ModelReference) -> None:
    model = await _LOADED.pop(reference).model
    await model.close()


def _place(reference: ModelReference) -> str:
    return f"{reference.name} on {gethostname()}"
