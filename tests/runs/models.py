"""A model for tests: it answers at once, always alike, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import cast

from core.contract.question import OptionScore, Prompt
from core.models.block_requests import Blocks
from core.models.blocks import BlockAccess, BlockReading
from core.models.protocol import Ability, ModelInfo, Token
from core.text.errors import ModelError

INFO = ModelInfo("org/Hashing 1B", "hashing", "f" * 64, frozenset({Ability.SCORE}))

BLOCKS = 4


class HashingModel:
    """Scores an option by a hash of it and its prompt."""

    def __init__(
        self,
        info: ModelInfo = INFO,
        *,
        seconds: float = 0.0,
        fails_after: int | None = None,
        on_score: Callable[[int], None] = lambda count: None,
    ) -> None:
        self.info = info
        self.asked: list[Prompt] = []
        self.seconds = seconds
        self._fails_after = fails_after
        self._on_score = on_score

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        if self._fails_after is not None and len(self.asked) >= self._fails_after:
            raise ModelError("The engine ended.", where="hashing")
        self.asked.append(prompt)
        self._on_score(len(self.asked))
        await asyncio.sleep(self.seconds)
        return tuple(OptionScore(_score(prompt, o), 2, len(o.encode())) for o in options)

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        yield Token("no")

    async def close(self) -> None:
        pass


def _score(prompt: Prompt, option: str) -> float:
    digest = hashlib.sha256(f"{prompt}|{option}".encode()).digest()
    return -int.from_bytes(digest[:6]) / 2**44


class HashingBlocks:
    """Blocks for tests: each scores an option by a hash of its own, the last as the model does."""

    def __init__(self, model: BlockModel) -> None:
        self._model = model

    async def access(self) -> BlockAccess:
        return BlockAccess(BLOCKS, 0, 8, frozenset(), attribution=False, attention=False)

    async def read(self, prompt: Prompt, options: Sequence[str]) -> BlockReading:
        last = await self._model.score(prompt, options)
        rows = (
            tuple(OptionScore(_score(f"{block}|{prompt}", option)) for option in options)
            for block in range(BLOCKS - 1)
        )
        return BlockReading((*rows, last), (), 0.0)


class BlockModel(HashingModel):
    """The hashing model with blocks that can be read; of a reading `asked` holds the prompt too."""

    @property
    def blocks(self) -> Blocks:
        return cast(Blocks, HashingBlocks(self))
