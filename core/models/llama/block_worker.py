"""The worker's side of reading and changing blocks: requests in, plain values out.

The second context is made by the first request that needs it and freed on request, so a program
that never asks pays nothing. It is tested when it is made, before anything is shown of it, and not
when the file is loaded: that would cost everybody the memory and the time, and loading computes
nothing, so that a crash in what is computed first can be told from a broken file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from core.contract.question import OptionScore, Prompt
from core.models.block_requests import (
    Access,
    Attention,
    Attribute,
    BlockRequest,
    Needs,
    Patch,
    Read,
    ReadPosition,
    Release,
    Tokens,
    Trace,
)
from core.models.blocks import (
    AttentionReading,
    Attribution,
    BlockAccess,
    BlockReading,
    PatchResult,
    PositionReading,
    PromptToken,
    TraceBase,
    TraceCell,
    Unreadable,
)
from core.models.llama.attention import read_attention
from core.models.llama.attribution import attribute
from core.models.llama.completion import beginning
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection, needs_of
from core.models.llama.lens import read_blocks, read_position
from core.models.llama.messages import Wire
from core.models.llama.patcher import Scores, score_patched
from core.models.llama.tokenizer import Prompting
from core.models.llama.tracer import Pairs, trace
from core.text.errors import ModelError

MOST_EDITS = 1_000
"""Most edits of one request."""

Send = Callable[[Wire], None]


class BlockWorker:
    """Answers what is asked about the blocks of one model."""

    def __init__(
        self, engine: Engine, prompting: Prompting, cancelled: Callable[[], bool], send: Send
    ) -> None:
        self._engine = engine
        self._prompting = prompting
        self._cancelled = cancelled
        self._send = send
        self._opened: tuple[Inspection, BlockAccess] | None = None

    @property
    def capturing(self) -> bool:
        """Whether there is a context that keeps what the blocks compute."""
        return self._opened is not None

    def operations(self) -> Mapping[str, Callable[[Wire], Any]]:
        """What answers each request, by its name on the wire."""
        answers: Mapping[type[BlockRequest[Any]], Callable[[Any], Any]] = {
            Needs: lambda _: needs_of(self._engine),
            Access: self._access,
            Release: self._release,
            Tokens: self._tokens,
            Read: self._read,
            ReadPosition: self._read_position,
            Attention: self._attention,
            Attribute: self._attribute,
            Patch: self._patch,
        }
        found = {kind.__name__: _converting(kind, answer) for kind, answer in answers.items()}
        return found | {Trace.__name__: self._trace}

    def _access(self, _: Access) -> BlockAccess:
        try:
            return self._open()[1]
        except ModelError as error:
            blocks = self._engine.blocks
            return BlockAccess(
                blocks, 0, 0, frozenset(), False, False, Unreadable.MEMORY, str(error)
            )

    def _release(self, _: Release) -> None:
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def _tokens(self, request: Tokens) -> list[PromptToken]:
        return [
            PromptToken(self._engine.piece(token), self._engine.text_of(token))
            for token in self._up_to_answer(request.prompt, request.options)
        ]

    def _read(self, request: Read) -> BlockReading:
        start, wholes = self._pairs(request.prompt, request.options)
        lengths = _lengths(request.options)
        return read_blocks(self._engine, self._inspection(), start, wholes, lengths)

    def _read_position(self, request: ReadPosition) -> PositionReading:
        start, wholes = self._pairs(request.prompt, request.options)
        return read_position(self._engine, self._inspection(), start, wholes, request.position)

    def _attention(self, request: Attention) -> AttentionReading:
        prompt = self._up_to_answer(request.prompt, request.options)
        return read_attention(self._inspection(), prompt, request.block, request.paths)

    def _attribute(self, request: Attribute) -> Attribution:
        start, wholes = self._pairs(request.prompt, request.options)
        return attribute(self._engine, self._inspection(), start, wholes)

    def _patch(self, request: Patch) -> PatchResult:
        edits, options = request.edits, request.options
        if len(edits) > MOST_EDITS:
            raise ModelError(f"At most {MOST_EDITS:,} edits can be made at once.")
        contrast = None if request.contrast is None else self._pairs(request.contrast, options)
        plain, patched = score_patched(
            self._inspection(), *self._pairs(request.prompt, options), edits, contrast
        )
        return PatchResult(_scores(plain, options), _scores(patched, options))

    def _trace(self, message: Wire) -> None:
        request = msgspec.convert(message, Trace)
        options = request.options
        found = trace(
            self._inspection(),
            self._pairs(request.prompt, options),
            self._pairs(request.contrast, options),
            request.spans,
            request.part,
            request.head,
            request.first,
        )
        runs = [_scores(scores, options) for _, _, scores in islice(found, 2)]
        cells = (TraceCell(block, span, _scores(scores, options)) for block, span, scores in found)
        for item in chain((TraceBase(*runs),), cells):
            self._send({"id": message["id"], "item": msgspec.to_builtins(item)})

    def _up_to_answer(self, prompt: Prompt, options: Sequence[str]) -> list[int]:
        """The tokens of a prompt; the last of them stands at the answer position."""
        start, wholes = self._pairs(prompt, options)
        return wholes[0][: beginning(self._engine, start, wholes)]

    def _pairs(self, prompt: Prompt, options: Sequence[str]) -> Pairs:
        if not options:
            raise ModelError("There are no options to be scored.")
        return self._prompting.pairs(self._prompting.prepare(prompt), options)

    def _inspection(self) -> Inspection:
        inspection, access = self._open()
        if access.unreadable is not None:
            raise ModelError(access.reason, hint="Everything else works with this model.")
        return inspection

    def _open(self) -> tuple[Inspection, BlockAccess]:
        if self._opened is None:
            inspection = Inspection(self._engine, self._cancelled)
            try:
                self._opened = inspection, inspection.check(self._engine)
            finally:
                if self._opened is None:
                    inspection.close()
        return self._opened


def _converting(
    kind: type[BlockRequest[Any]], answer: Callable[[Any], Any]
) -> Callable[[Wire], Any]:
    """Answers a message with plain values, given what answers the request that it holds."""
    return lambda message: msgspec.to_builtins(answer(msgspec.convert(message, kind)))


def _lengths(options: Sequence[str]) -> list[int]:
    return [len(option.encode("utf-8", "replace")) for option in options]


def _scores(scores: Scores, options: Sequence[str]) -> tuple[OptionScore, ...]:
    return tuple(
        OptionScore(logprob, tokens, length)
        for (logprob, tokens), length in zip(scores, _lengths(options), strict=True)
    )
