"""Results of block requests, kept so that looking again costs nothing.

`BlockResultCache.of` gives a model's blocks as `core.models.block_requests.Blocks` that answer what
was asked before of the same weights from memory, and resume a trace that was left before its end.
Nothing is written to a disk.
"""

from __future__ import annotations

from collections import OrderedDict
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
    Trace,
)
from core.models.blocks import TraceBase, TraceCell

MOST_BYTES = 32 * 2**20
"""Most that is kept, as `_bytes_of` reckons it."""
_OBJECT_BYTES = 100
"""Bytes of a number with what Python puts around it."""

Key = tuple[Hashable, ...]


class BlockResultCache:
    """What is known of any number of models; what was not asked for longest is let go of first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[Key, Any] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        self._bytes = 0

    def of(self, fingerprint: str, blocks: Blocks) -> Blocks:
        """The blocks of a model with these weights, answered from here where that is known."""
        return _CachedBlocks(self, fingerprint, blocks)

    @property
    def bytes(self) -> int:
        """How much is kept, reckoned."""
        return self._bytes

    def get(self, key: Key) -> Any:
        """What is kept under a key; None where nothing is."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Key, value: Any) -> None:
        """Keep something, in the place of what the key had; not what is too large by itself."""
        self._drop(key)
        size = _bytes_of(key) + _bytes_of(value)
        if size > self._most:
            return
        self._kept[key], self._sizes[key] = value, size
        self._bytes += size
        while self._bytes > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        if self._kept.pop(key, None) is not None:
            self._bytes -= self._sizes.pop(key)


_NOT_KEPT = (Needs, Access, Release, Patch)
"""Requests whose replies depend on more than the weights, or are seldom asked for twice."""


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

    async def stream(self, request: Trace) -> AsyncGenerator[TraceBase | TraceCell, None]:
        """Yield the cells that are known, then those that the model has still to compute."""
        first = request.first
        key = (self._model, replace(request, first=0))
        base, known, complete = self._cache.get(key) or (None, (), False)
        if base is not None:
            yield base
            for cell in known[first:]:
                yield cell
        if complete:
            return
        cells: list[TraceCell] = list(known)
        stream = self._blocks.stream(replace(request, first=max(first, len(cells))))
        try:
            async with aclosing(stream):
                async for new in stream:
                    if isinstance(new, TraceCell):
                        cells.append(new)
                        yield new
                    elif base is None:
                        base = new
                        yield new
            complete = True
        finally:
            # A trace that was left is resumed, unless cells are missing before its first one.
            if base is not None and first <= len(known):
                self._cache.put(key, (base, tuple(cells), complete))


def _bytes_of(value: Any) -> int:
    """About how much memory something takes that is made of tuples, dataclasses and texts."""
    if isinstance(value, str | bytes):
        return len(value) + _OBJECT_BYTES
    if isinstance(value, tuple | list):
        return _OBJECT_BYTES + sum(map(_bytes_of, value))
    slots = getattr(type(value), "__slots__", ()) or getattr(value, "__struct_fields__", ())
    return _OBJECT_BYTES if not slots else sum(_bytes_of(getattr(value, slot)) for slot in slots)
