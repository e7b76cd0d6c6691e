"""What was read between a model's blocks, kept so that looking again costs nothing.

`BlockResultCache` is the store; `Readings.of` gives a model's blocks as
`core.models.blocks.Blocks`, which
answers from the store what was asked before of the same weights, and goes on with a trace that was
left before its end. Nothing is written to a disk.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import aclosing
from typing import Any

from core.contract.question import Prompt
from core.models.blocks import (
    AttentionReading,
    Attribution,
    BlockAccess,
    BlockNeeds,
    BlockReading,
    Blocks,
    Edit,
    Part,
    PatchResult,
    PositionReading,
    PromptToken,
    TraceBase,
    TraceCell,
    Way,
)

MOST_BYTES = 32 * 2**20
"""Most that is kept, as `_bytes_of` reckons it."""
_EACH = 100
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
        return _Kept(self, fingerprint, blocks)

    @property
    def bytes(self) -> int:
        """How much is kept, reckoned."""
        return self._bytes

    def get(self, key: Key) -> Any:
        """What is kept under a key; None where nothing is."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Key, found: Any) -> None:
        """Keep something, in the place of what the key had; not what is too large by itself."""
        self._drop(key)
        size = _bytes_of(key) + _bytes_of(found)
        if size > self._most:
            return
        self._kept[key], self._sizes[key] = found, size
        self._bytes += size
        while self._bytes > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        if self._kept.pop(key, None) is not None:
            self._bytes -= self._sizes.pop(key)


class _Kept:
    """Blocks whose readings are kept; see `core.models.blocks.Blocks`."""

    def __init__(self, store: BlockResultCache, fingerprint: str, blocks: Blocks) -> None:
        self._store = store
        self._model = fingerprint
        self._blocks = blocks

    async def needs(self) -> BlockNeeds:
        return await self._blocks.needs()

    async def access(self) -> BlockAccess:
        return await self._blocks.access()

    async def release(self) -> None:
        await self._blocks.release()

    async def tokens(self, prompt: Prompt, options: Sequence[str]) -> tuple[PromptToken, ...]:
        key = (self._model, "tokens", prompt, tuple(options))
        found: tuple[PromptToken, ...] | None = self._store.get(key)
        if found is None:
            found = await self._blocks.tokens(prompt, options)
            self._store.put(key, found)
        return found

    async def read(self, prompt: Prompt, options: Sequence[str]) -> BlockReading:
        key = (self._model, "read", prompt, tuple(options))
        found: BlockReading | None = self._store.get(key)
        if found is None:
            found = await self._blocks.read(prompt, options)
            self._store.put(key, found)
        return found

    async def read_positions(
        self, prompt: Prompt, options: Sequence[str], positions: Sequence[int]
    ) -> AsyncGenerator[PositionReading, None]:
        def key(position: int) -> Key:
            return (self._model, "position", prompt, tuple(options), position)

        known = {position: self._store.get(key(position)) for position in positions}
        missing = [position for position in positions if known[position] is None]
        readings = self._blocks.read_positions(prompt, options, missing)
        async with aclosing(readings):
            for position in positions:
                if (found := known[position]) is None:
                    found = await anext(readings)
                    self._store.put(key(position), found)
                yield found

    async def attention(
        self, prompt: Prompt, options: Sequence[str], block: int, ways: Sequence[Way] = ()
    ) -> AttentionReading:
        key = (self._model, "attention", prompt, tuple(options), block, tuple(ways))
        found: AttentionReading | None = self._store.get(key)
        if found is None:
            found = await self._blocks.attention(prompt, options, block, ways)
            self._store.put(key, found)
        return found

    async def attribute(self, prompt: Prompt, first: str, second: str) -> Attribution:
        key = (self._model, "attribute", prompt, first, second)
        found: Attribution | None = self._store.get(key)
        if found is None:
            found = await self._blocks.attribute(prompt, first, second)
            self._store.put(key, found)
        return found

    async def patch(
        self,
        prompt: Prompt,
        options: Sequence[str],
        edits: Sequence[Edit],
        contrast: Prompt | None = None,
    ) -> PatchResult:
        return await self._blocks.patch(prompt, options, edits, contrast)

    async def trace(
        self,
        prompt: Prompt,
        contrast: Prompt,
        options: Sequence[str],
        spans: Sequence[tuple[int, int]],
        part: Part = Part.RESIDUAL,
        head: int | None = None,
        first: int = 0,
    ) -> AsyncGenerator[TraceBase | TraceCell, None]:
        asked = (prompt, contrast, tuple(options), tuple(spans), part, head)
        key: Key = (self._model, "trace", *asked)
        base, known, whole = self._store.get(key) or (None, (), False)
        if base is not None:
            yield base
            for cell in known[first:]:
                yield cell
        if whole:
            return
        found: list[TraceCell] = list(known)
        cells = self._blocks.trace(
            prompt, contrast, options, spans, part, head, max(first, len(found))
        )
        try:
            async with aclosing(cells):
                async for new in cells:
                    if isinstance(new, TraceCell):
                        found.append(new)
                        yield new
                    elif base is None:
                        base = new
                        yield new
            whole = True
        finally:
            # What was left before its end is gone on with, unless it did not begin at the start.
            if base is not None and first <= len(known):
                self._store.put(key, (base, tuple(found), whole))


def _bytes_of(found: Any) -> int:
    """About how much memory something takes that is made of tuples, dataclasses and texts."""
    if isinstance(found, str | bytes):
        return len(found) + _EACH
    if isinstance(found, tuple | list):
        return _EACH + sum(map(_bytes_of, found))
    slots = getattr(type(found), "__slots__", ())
    return _EACH if not slots else sum(_bytes_of(getattr(found, slot)) for slot in slots)
