"""The program's side of reading and changing the blocks of a GGUF model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from core.contract.question import OptionScore, Prompt
from core.models.blocks import (
    AttentionReading,
    Attribution,
    BlockAccess,
    BlockNeeds,
    BlockReading,
    Edit,
    Part,
    PatchResult,
    PositionReading,
    PromptToken,
    TraceBase,
    TraceCell,
    Way,
)
from core.models.llama.messages import Wire, pack_prompt
from core.models.llama.process import Exchange

Answering = Callable[[str, Mapping[str, object]], AbstractAsyncContextManager[Exchange]]

_Cell = tuple[int, int, tuple[OptionScore, ...]]


class LlamaBlocks:
    """The blocks of one `LlamaModel`; see `core.models.blocks.Blocks`.

    Requests wait for each other and for the model's others, and are cancelled as those are.
    Every method raises `ModelError`.
    """

    def __init__(self, answering: Answering, alive: Callable[[], bool]) -> None:
        """`answering` sends a request once it is its turn, `alive` tells of the worker."""
        self._answering = answering
        self._alive = alive

    async def needs(self) -> BlockNeeds:
        """What it takes, told before anything is done."""
        return msgspec.convert(await self._ask("block_needs"), BlockNeeds)

    async def access(self) -> BlockAccess:
        """Make ready, and find out what can be read; says why where nothing can."""
        return msgspec.convert(await self._ask("block_access"), BlockAccess)

    async def release(self) -> None:
        """Free the second context, unless it went with the worker; the next request makes one."""
        if self._alive():
            await self._ask("block_release")

    async def tokens(self, prompt: Prompt, options: Sequence[str]) -> tuple[PromptToken, ...]:
        """The tokens of a prompt up to the answer position; positions count them from 0."""
        found = await self._ask("tokens", prompt=pack_prompt(prompt), options=list(options))
        return msgspec.convert(found, tuple[PromptToken, ...])

    async def read(self, prompt: Prompt, options: Sequence[str]) -> BlockReading:
        """Score the options after every block."""
        fields = {"prompt": pack_prompt(prompt), "options": list(options)}
        return msgspec.convert(await self._ask("read_blocks", **fields), BlockReading)

    async def read_positions(
        self, prompt: Prompt, options: Sequence[str], positions: Sequence[int]
    ) -> AsyncGenerator[PositionReading, None]:
        """Read every block at positions of the prompt, one position after the other."""
        fields = {
            "prompt": pack_prompt(prompt),
            "options": list(options),
            "positions": list(positions),
        }
        async with self._answering("read_positions", fields) as exchange:
            while "reading" in (message := await exchange.next()):
                yield msgspec.convert(message["reading"], PositionReading)

    async def attention(
        self, prompt: Prompt, options: Sequence[str], block: int, ways: Sequence[Way] = ()
    ) -> AttentionReading:
        """What a block's heads attend to from the answer position, and along some ways."""
        fields = {
            "prompt": pack_prompt(prompt),
            "options": list(options),
            "block": block,
            "ways": [*map(list, ways)],
        }
        found = await self._ask("attention", **fields)
        return msgspec.convert(found, AttentionReading)

    async def attribute(self, prompt: Prompt, first: str, second: str) -> Attribution:
        """What each part adds to the margin of one option over another, in logits."""
        fields = {"prompt": pack_prompt(prompt), "options": [first, second]}
        return msgspec.convert(await self._ask("attribute", **fields), Attribution)

    async def patch(
        self,
        prompt: Prompt,
        options: Sequence[str],
        edits: Sequence[Edit],
        contrast: Prompt | None = None,
    ) -> PatchResult:
        """Score the options with edits, whose `Action.COPY` copies from the contrast run."""
        found = await self._ask(
            "patch",
            prompt=pack_prompt(prompt),
            options=list(options),
            edits=msgspec.to_builtins(list(edits)),
            contrast=None if contrast is None else pack_prompt(contrast),
        )
        return msgspec.convert(found, PatchResult)

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
        """Copy each span of each block from the prompt's run into the contrast prompt's.

        Yields the two runs first, then a cell at a time: the last span first, in every block.
        """
        fields = {
            "prompt": pack_prompt(prompt),
            "contrast": pack_prompt(contrast),
            "options": list(options),
            "spans": [list(span) for span in spans],
            "part": part.value,
            "head": head,
            "first": first,
        }
        async with self._answering("trace", fields) as exchange:
            runs = [_cell(await exchange.next())[2] for _ in range(2)]
            yield TraceBase(runs[0], runs[1])
            while "cell" in (message := await exchange.next()):
                yield TraceCell(*_cell(message))

    async def _ask(self, operation: str, **fields: object) -> object:
        async with self._answering(operation, fields) as exchange:
            result: object = (await exchange.next())["result"]
        return result


def _cell(message: Wire) -> _Cell:
    found: _Cell = msgspec.convert(message["cell"], _Cell)
    return found
