"""The requests about a model's transformer blocks: one class for each operation.

A request holds its arguments and knows the type of its reply: the client sends it, the worker
dispatches on its type, and the cache uses it as a key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

from core.contract.question import Prompt
from core.models.blocks import (
    Action,
    AttentionPath,
    AttentionReading,
    BlockAccess,
    BlockNeeds,
    BlockReading,
    CapturedStates,
    ChangedHead,
    Edit,
    HeadAttribution,
    Part,
    PatchedEach,
    PatchResult,
    PlainRun,
    PositionReading,
    PromptToken,
    TraceBase,
    TraceCell,
)

ReplyT = TypeVar("ReplyT")


class BlockRequest(Generic[ReplyT]):
    """A request about a model's blocks; the parameter is the type of its reply."""

    __slots__ = ()

    @classmethod
    def reply_type(cls) -> Any:
        """The type of the reply: the parameter of the base class."""
        return get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]


class Streamed(BlockRequest[ReplyT]):
    """A request with many replies, the first of which is what the others are compared with."""

    __slots__ = ()
    first: int
    """How many of the other replies to skip, because they are known already."""


@dataclass(frozen=True, slots=True)
class Needs(BlockRequest[BlockNeeds]):
    """Estimate the memory that reading takes, without allocating it."""


@dataclass(frozen=True, slots=True)
class Access(BlockRequest[BlockAccess]):
    """Create the second context, and check what can be read."""


@dataclass(frozen=True, slots=True)
class Release(BlockRequest[None]):
    """Free the second context."""


@dataclass(frozen=True, slots=True)
class Tokens(BlockRequest[tuple[PromptToken, ...]]):
    """The tokens of a prompt up to the answer position; positions count them from 0.

    The answer position is the last token before the options differ from white space: the prompt's
    last token, or white space after it that all options begin with.
    """

    prompt: Prompt
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedTokens:
    """The tokens up to where options of a prompt part."""

    tokens: tuple[PromptToken, ...]
    """Those of the prompt, then those that every option begins with; the last is where the model
    decides between them."""
    left: tuple[int, ...]
    """How many tokens each option has behind them; at least 1."""


@dataclass(frozen=True, slots=True)
class Shared(BlockRequest[SharedTokens]):
    """The tokens of a prompt and of what all options begin with; see `Tokens` for positions."""

    prompt: Prompt
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Read(BlockRequest[BlockReading]):
    """Score the options after every block (logit lens)."""

    prompt: Prompt
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadPosition(BlockRequest[PositionReading]):
    """Read every block at one position of the prompt (logit lens)."""

    prompt: Prompt
    options: tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Attention(BlockRequest[AttentionReading]):
    """Read a block's attention weights from the answer position, and along some paths."""

    prompt: Prompt
    options: tuple[str, ...]
    block: int
    paths: tuple[AttentionPath, ...]


@dataclass(frozen=True, slots=True)
class Attribute(BlockRequest[HeadAttribution]):
    """Direct logit attribution of the margin of the first option over the second."""

    prompt: Prompt
    options: tuple[str, str]
    heads: bool
    """Whether single heads are told too."""


@dataclass(frozen=True, slots=True)
class Capture(BlockRequest[CapturedStates]):
    """Read the residual stream after some blocks at some positions, and score the options.

    The scores are those of `Model.score` to the bit where only the answer position is read.
    """

    prompt: Prompt
    options: tuple[str, ...]
    positions: tuple[int, ...]
    """Negative ones count back from the answer position, which is -1."""
    blocks: tuple[int, ...]
    """`EMBEDDING` is before the first block."""


@dataclass(frozen=True, slots=True)
class ChangeHeads(Streamed[PlainRun | ChangedHead]):
    """Score the options with every head of every block changed, one head at a time.

    The replies are the plain run, then a head at a time, those of the first block first.
    """

    prompt: Prompt
    options: tuple[str, ...]
    action: Action
    """`Action.ZERO`, or `Action.COPY` from the contrast run."""
    ranges: tuple[tuple[int, int], ...]
    """The positions at which a head is changed."""
    contrast: Prompt | None
    first: int = 0
    """How many heads to skip, because they are known already."""
    shifts: tuple[int, ...] = ()
    """See `Trace`."""


@dataclass(frozen=True, slots=True)
class Patch(BlockRequest[PatchResult]):
    """Score the options with edits, whose `Action.COPY` copies from the contrast run."""

    prompt: Prompt
    options: tuple[str, ...]
    edits: tuple[Edit, ...]
    contrast: Prompt | None
    references: tuple[Prompt, ...] = ()
    """The other prompts of `Action.MEAN` and `Action.RESAMPLE`."""


@dataclass(frozen=True, slots=True)
class PatchEach(BlockRequest[PatchedEach]):
    """Score the options with each edit alone; none of them takes anything from another prompt."""

    prompt: Prompt
    options: tuple[str, ...]
    edits: tuple[Edit, ...]
    """Negative positions count back from the answer position, -1; `stop` 0 is behind it."""


@dataclass(frozen=True, slots=True)
class Trace(Streamed[TraceBase | TraceCell]):
    """Copy each span of each block from the prompt's run into the contrast run.

    The replies are the two runs, then one cell at a time, in an order that depends on the request
    alone: the last span first, in every block.
    """

    prompt: Prompt
    contrast: Prompt
    options: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    """Positions in the prompt."""
    part: Part
    head: int | None
    """The head that `Part.HEAD` copies."""
    first: int = 0
    """How many cells to skip, because they are known already."""
    shifts: tuple[int, ...] = ()
    """For each span the position in the contrast prompt, less that in the prompt; empty for none,
    where all are at the same positions."""


class Blocks(ABC):
    """A model whose blocks can be read and changed. Every method raises `ModelError`."""

    @abstractmethod
    async def ask(self, request: BlockRequest[ReplyT]) -> ReplyT:
        """Answer a request that has one reply: any but `Trace` and `ChangeHeads`."""

    @abstractmethod
    def stream(self, request: Streamed[ReplyT]) -> AsyncGenerator[ReplyT, None]:
        """Yield the results of a request as they are computed."""

    async def needs(self) -> BlockNeeds:
        """See `Needs`."""
        return await self.ask(Needs())

    async def access(self) -> BlockAccess:
        """See `Access`."""
        return await self.ask(Access())

    async def release(self) -> None:
        """See `Release`."""
        await self.ask(Release())

    async def tokens(self, prompt: Prompt, options: Sequence[str]) -> tuple[PromptToken, ...]:
        """See `Tokens`."""
        return await self.ask(Tokens(prompt, tuple(options)))

    async def shared(self, prompt: Prompt, options: Sequence[str]) -> SharedTokens:
        """See `Shared`."""
        return await self.ask(Shared(prompt, tuple(options)))

    async def read(self, prompt: Prompt, options: Sequence[str]) -> BlockReading:
        """See `Read`."""
        return await self.ask(Read(prompt, tuple(options)))

    async def read_position(
        self, prompt: Prompt, options: Sequence[str], position: int
    ) -> PositionReading:
        """See `ReadPosition`."""
        return await self.ask(ReadPosition(prompt, tuple(options), position))

    async def attention(
        self,
        prompt: Prompt,
        options: Sequence[str],
        block: int,
        paths: Sequence[AttentionPath] = (),
    ) -> AttentionReading:
        """See `Attention`."""
        return await self.ask(Attention(prompt, tuple(options), block, tuple(paths)))

    async def attribute(
        self, prompt: Prompt, first: str, second: str, *, heads: bool = False
    ) -> HeadAttribution:
        """See `Attribute`."""
        return await self.ask(Attribute(prompt, (first, second), heads))

    async def capture(
        self,
        prompt: Prompt,
        options: Sequence[str],
        positions: Sequence[int],
        blocks: Sequence[int],
    ) -> CapturedStates:
        """See `Capture`."""
        return await self.ask(Capture(prompt, tuple(options), tuple(positions), tuple(blocks)))

    def change_heads(
        self,
        prompt: Prompt,
        options: Sequence[str],
        action: Action,
        ranges: Sequence[tuple[int, int]],
        contrast: Prompt | None = None,
        shifts: Sequence[int] = (),
    ) -> AsyncGenerator[PlainRun | ChangedHead, None]:
        """See `ChangeHeads`."""
        request = ChangeHeads(
            prompt, tuple(options), action, tuple(ranges), contrast, shifts=tuple(shifts)
        )
        return self.stream(request)

    async def patch(
        self,
        prompt: Prompt,
        options: Sequence[str],
        edits: Sequence[Edit],
        contrast: Prompt | None = None,
        references: Sequence[Prompt] = (),
    ) -> PatchResult:
        """See `Patch`."""
        request = Patch(prompt, tuple(options), tuple(edits), contrast, tuple(references))
        return await self.ask(request)

    async def patch_each(
        self, prompt: Prompt, options: Sequence[str], edits: Sequence[Edit]
    ) -> PatchedEach:
        """See `PatchEach`."""
        return await self.ask(PatchEach(prompt, tuple(options), tuple(edits)))

    def trace(
        self,
        prompt: Prompt,
        contrast: Prompt,
        options: Sequence[str],
        spans: Sequence[tuple[int, int]],
        part: Part = Part.RESIDUAL,
        head: int | None = None,
        shifts: Sequence[int] = (),
    ) -> AsyncGenerator[TraceBase | TraceCell, None]:
        """See `Trace`."""
        request = Trace(
            prompt, contrast, tuple(options), tuple(spans), part, head, shifts=tuple(shifts)
        )
        return self.stream(request)
