"""The program's side of reading and changing the blocks of a GGUF model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec

from core.models.block_requests import BlockRequest, Blocks, ReplyT, Streamed
from core.models.llama.messages import check_prompt
from core.models.llama.process import Exchange
from core.system.typed_values import ready

Answering = Callable[[str, Mapping[str, object]], AbstractAsyncContextManager[Exchange]]


class LlamaBlocks(Blocks):
    """The blocks of one `LlamaModel`.

    Requests wait for each other and for the model's others, and are cancelled as those are.
    """

    def __init__(self, answering: Answering, alive: Callable[[], bool]) -> None:
        """`answering` sends a request once it is its turn; `alive` says whether a worker runs."""
        self._answering = answering
        self._alive = alive

    async def ask(self, request: BlockRequest[ReplyT]) -> ReplyT:
        """Send a request to the worker and wait for its reply."""
        async with self._send(request) as exchange:
            reply: ReplyT = msgspec.convert(
                (await exchange.next())["result"], ready(request.reply_type())
            )
        return reply

    async def stream(self, request: Streamed[ReplyT]) -> AsyncGenerator[ReplyT, None]:
        """Send a request to the worker, and yield what comes back."""
        async with self._send(request) as exchange:
            while "item" in (message := await exchange.next()):
                yield msgspec.convert(message["item"], ready(request.reply_type()))

    async def release(self) -> None:
        """Free the second context, unless it went with the worker; the next request makes one."""
        if self._alive():
            await super().release()

    def _send(self, request: BlockRequest[Any]) -> AbstractAsyncContextManager[Exchange]:
        for name in ("prompt", "contrast"):
            if (prompt := getattr(request, name, None)) is not None:
                check_prompt(prompt)
        for prompt in getattr(request, "references", ()):
            check_prompt(prompt)
        return self._answering(type(request).__name__, msgspec.to_builtins(request))
