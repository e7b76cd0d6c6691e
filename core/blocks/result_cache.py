"""Results of block requests, kept so that looking again costs nothing.

`BlockResultCache.of` wraps a model's blocks: a request that was answered before for the same
weights is answered from memory, and an interrupted trace is resumed. Nothing is written to disk.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Hashable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from core.models.block_requests import (
    Access,
    BlockRequest,
    Blocks,
    Needs,
    Patch,
    Release,
    ReplyT,
    Streamed,
)

MOST_BYTES = 16 * 2**20
"""Largest estimated size of all that is kept."""
_OBJECT_BYTES = 100
"""Bytes of a number as a Python object."""

Key = tuple[Hashable, ...]


class BlockResultCache:
    """Results of any number of models; those that were not asked for longest are dropped first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._kept: dict[Key, tuple[Any, int]] = {}
        """Values with their sizes, the one that was used last at the end."""
        self.bytes = 0
        """Estimated size of what is kept."""

    def of(self, fingerprint: str, blocks: Blocks) -> Blocks:
        """The blocks of a model with these weights, answered from here where that is known."""
        return _CachedBlocks(self, fingerprint, blocks)

    def get(self, key: Key) -> Any:
        """The value of a key; None where there is none."""
        if key not in self._kept:
            return None
        self._kept[key] = self._kept.pop(key)
        return self._kept[key][0]

    def put(self, key: Key, value: Any) -> None:
        """Replace the value of a key; one that is too large by itself is not kept."""
        self._drop(key)
        size = _bytes_of(key) + _bytes_of(value)
        if size > self._most:
            return
        self._kept[key] = value, size
        self.bytes += size
        while self.bytes > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        _value, size = self._kept.pop(key, (None, 0))
        self.bytes -= size


_NOT_KEPT = (Needs, Access, Release, Patch)
"""Requests whose replies depend on more than the weights, or that are seldom repeated."""


class _CachedBlocks(Blocks):
    """Blocks whose results are kept."""

    def __init__(self, cache: BlockResultCache, fingerprint: str, blocks: Blocks) -> None:
        self._cache = cache
        self._model = fingerprint
        self._blocks = blocks

    async def ask(self, request: BlockRequest[ReplyT]) -> ReplyT:
        """Answer from the cache, or ask the model and keep the reply."""
        if type(request) in _NOT_KEPT:
            return await self._blocks.ask(request)
        key = (self._model, request)
        reply: ReplyT | None = self._cache.get(key)
        if reply is None:
            reply = await self._blocks.ask(request)
            self._cache.put(key, reply)
        return reply

    async def release(self) -> None:
        """Release the model's own."""
        await self._blocks.release()

    async def stream(self, request: Streamed[ReplyT]) -> AsyncGenerator[ReplyT, None]:
        """Yield all replies: those that are known, then those that the model computes."""
        key = (self._model, request)
        base, known, complete = self._cache.get(key) or (None, (), False)
        if base is not None:
            yield base
            for cell in known:
                yield cell
        if complete:
            return
        cells: list[ReplyT] = list(known)
        stream = self._blocks.stream(_from(request, len(cells)))
        try:
            async with aclosing(stream):
                again = await anext(stream)
                if base is None:
                    base = again
                    yield base
                async for new in stream:
                    cells.append(new)
                    yield new
            complete = True
        finally:
            # A request that was left is resumed.
            if base is not None:
                self._cache.put(key, (base, tuple(cells), complete))


def _from(request: Streamed[ReplyT], first: int) -> Streamed[ReplyT]:
    """The same request without the first replies."""
    return replace(request, first=first)  # type: ignore[type-var]


def _bytes_of(value: Any) -> int:
    """Estimated memory of a value made of tuples, dataclasses and texts."""
    if isinstance(value, str | bytes):
        return len(value) + _OBJECT_BYTES
    if isinstance(value, tuple | list):
        return _OBJECT_BYTES + sum(map(_bytes_of, value))
    slots = getattr(type(value), "__slots__", ()) or getattr(value, "__struct_fields__", ())
    return _OBJECT_BYTES if not slots else sum(_bytes_of(getattr(value, slot)) for slot in slots)
