"""Results of block requests, kept so that looking again costs nothing.

`BlockResultCache.of` wraps a model's blocks: a request that was answered before for the same
weights is answered from memory, and an interrupted trace is resumed. Nothing is written to disk.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from hashlib import sha256
from typing import Any

import msgspec

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
from core.system.typed_values import ready

MOST_BYTES = 4 * 2**20
"""Most bytes of encoded results."""


class BlockResultCache:
    """Results of any number of models; those that were not asked for longest are dropped first.

    They are encoded: as objects the tokens of a prompt alone would take ten times the memory.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        """In the order in which they were last used."""
        self.bytes = 0
        """The size of what is kept."""

    def of(self, fingerprint: str, blocks: Blocks) -> Blocks:
        """The blocks of a model with these weights, answered from here where that is known."""
        return _CachedBlocks(self, fingerprint, blocks)

    def get(self, key: bytes, kind: Any) -> Any:
        """The value of a key, which has the type `kind`; None where there is none."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return msgspec.msgpack.decode(self._kept[key], type=ready(kind))

    def put(self, key: bytes, value: Any) -> None:
        """Replace the value of a key; one that is too large by itself is not kept."""
        self.bytes -= len(self._kept.pop(key, b""))
        encoded = msgspec.msgpack.encode(value)
        if len(encoded) > self._most:
            return
        self._kept[key] = encoded
        self.bytes += len(encoded)
        while self.bytes > self._most:
            self.bytes -= len(self._kept.popitem(last=False)[1])


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
        key = self._key(request)
        reply: ReplyT | None = self._cache.get(key, request.reply_type())
        if reply is None:
            reply = await self._blocks.ask(request)
            self._cache.put(key, reply)
        return reply

    async def release(self) -> None:
        """Release the model's own."""
        await self._blocks.release()

    async def stream(self, request: Streamed[ReplyT]) -> AsyncGenerator[ReplyT, None]:
        """Yield all replies: those that are known, then those that the model computes."""
        key, reply = self._key(request), request.reply_type()
        kept = self._cache.get(key, tuple[reply, tuple[reply, ...], bool])  # type: ignore[valid-type]
        base, known, complete = kept or (None, (), False)
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

    def _key(self, request: BlockRequest[Any]) -> bytes:
        """What identifies a request of this model."""
        asked = (self._model, type(request).__name__, request)
        return sha256(msgspec.msgpack.encode(asked)).digest()


def _from(request: Streamed[ReplyT], first: int) -> Streamed[ReplyT]:
    """The same request without the first replies."""
    return replace(request, first=first)  # type: ignore[type-var]
