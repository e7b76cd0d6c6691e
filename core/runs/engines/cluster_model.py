"""A model that the workers of a cluster have loaded, behind the `Model` protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from core.contract.question import OptionScore, Prompt
from core.hub.names import PREFIX
from core.models.block_requests import BlockRequest, Blocks, ReplyT, Streamed
from core.models.model_files import fingerprint
from core.models.protocol import ModelInfo, ResultT, Token
from core.models.resolver import DEMO, is_file_name, model_file, shown_name
from core.runs.engines import worker_models
from core.runs.engines.cluster import Cluster
from core.runs.engines.worker_models import ModelReference
from core.text.errors import ModelError


class ClusterModel:
    """One model on many workers. Made by `load`. Each request is answered by any of them."""

    def __init__(self, cluster: Cluster, reference: ModelReference, info: ModelInfo) -> None:
        self.info = info
        """What the first worker that loaded it says."""
        self.blocks: Blocks = _ClusterBlocks(self)
        """Its transformer blocks."""
        self._cluster = cluster
        self._reference = reference

    @classmethod
    async def load(cls, cluster: Cluster, name: str) -> ClusterModel:
        """The model with the weights that `name` names here, loaded by one worker.

        The others load it with their first request, and refuse if they have other weights under
        the name. Raises `ModelError`, `NotFoundError`.
        """
        if not is_file_name(name):
            raise ModelError(
                "Workers load a model from its file; this one has none.",
                where=shown_name(name),
                hint="Leave --engine out.",
            )
        path = model_file(name)
        weights = await asyncio.to_thread(fingerprint, path)
        if name != DEMO and not name.startswith(PREFIX):
            name = str(path.absolute())
        reference = ModelReference(name, weights, worker_models.versions())
        info: ModelInfo = await cluster.run(
            worker_models.with_model, reference, None, worker_models.info_of
        )
        return cls(cluster, reference, info)

    @property
    def places(self) -> int:
        """How many requests keep all workers busy."""
        return self._cluster.places

    async def run(self, work: Callable[..., Awaitable[ResultT]], *given: object) -> ResultT:
        """What a function of a module makes of the model on one of the workers.

        Raises what it raises, and what `Cluster.run` does.
        """
        result: ResultT = await self._cluster.run(
            worker_models.with_model, self._reference, self.info, work, *given
        )
        return result

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Log-likelihood of each continuation after the prompt; see the protocol."""
        return await self.run(worker_models.score, prompt, tuple(options))

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Greedy continuation; the tokens come all at once when the worker has written the last."""
        for token in await self.run(worker_models.generate, prompt, max_tokens, tuple(stop)):
            yield token

    async def close(self) -> None:
        """Let the workers free the model's memory."""
        await self._cluster.everywhere(worker_models.unload, self._reference)


class _ClusterBlocks(Blocks):
    """The blocks of a model on workers."""

    def __init__(self, model: ClusterModel) -> None:
        self._model = model

    async def ask(self, request: BlockRequest[ReplyT]) -> ReplyT:
        """Have one worker answer a request."""
        reply: ReplyT = await self._model.run(worker_models.ask_blocks, request)
        return reply

    async def stream(self, request: Streamed[ReplyT]) -> AsyncGenerator[ReplyT, None]:
        """Have one worker compute the replies; they come all at once."""
        for result in await self._model.run(worker_models.stream_blocks, request):
            yield result
