"""Answers block requests in the worker process.

The second context is created and checked by the first request that needs it, and freed on request.
It is not created when the file is loaded, because that would always take its memory and time, and a
crash in the first forward pass could not be distinguished from a broken file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from core.contract.question import Prompt, option_scores
from core.models.block_requests import (
    Access,
    Attention,
    Attribute,
    BlockRequest,
    Capture,
    ChangeHeads,
    Needs,
    Patch,
    PatchEach,
    Read,
    ReadPosition,
    Release,
    Shared,
    SharedTokens,
    Tokens,
    Trace,
)
from core.models.blocks import (
    AttentionReading,
    BlockAccess,
    BlockReading,
    CapturedStates,
    ChangedHead,
    HeadAttribution,
    PatchedEach,
    PatchResult,
    PlainRun,
    PositionReading,
    PromptToken,
    TraceBase,
    TraceCell,
    Unreadable,
)
from core.models.llama.attention import read_attention
from core.models.llama.attribution import attribute
from core.models.llama.block_memory import needs_of
from core.models.llama.completion import EncodedOptions, option_text_start, shared_length
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection
from core.models.llama.lens import read_blocks, read_position
from core.models.llama.messages import Wire
from core.models.llama.patcher import change_heads, counted_edit, score_each, score_patched
from core.models.llama.states import capture_states
from core.models.llama.tokenizer import Prompting
from core.models.llama.tracer import trace
from core.text.errors import ModelError
from core.text.language import _

MOST_EDITS = 1_000
"""Most edits of one request."""

Send = Callable[[Wire], None]


class BlockWorker:
    """Answers block requests about one model."""

    def __init__(
        self, engine: Engine, prompting: Prompting, cancelled: Callable[[], bool], send: Send
    ) -> None:
        self._engine = engine
        self._prompting = prompting
        self._cancelled = cancelled
        self._send = send
        self.opened: tuple[Inspection, BlockAccess] | None = None
        """The second context with its check; None while there is none."""

    def operations(self) -> Mapping[str, Callable[[Wire], Any]]:
        """The handler of each request, by the request's name on the wire."""
        handlers: Mapping[type[BlockRequest[Any]], Callable[[Any], Any]] = {
            Needs: lambda _: needs_of(self._engine),
            Access: self._access,
            Release: self._release,
            Tokens: self._tokens,
            Shared: self._shared,
            Read: self._read,
            ReadPosition: self._read_position,
            Attention: self._attention,
            Attribute: self._attribute,
            Capture: self._capture,
            Patch: self._patch,
            PatchEach: self._patch_each,
        }
        operations = {
            kind.__name__: _decoding_request(kind, handler) for kind, handler in handlers.items()
        }
        return operations | {
            Trace.__name__: self._trace,
            ChangeHeads.__name__: self._change_heads,
        }

    def _access(self, _: Access) -> BlockAccess:
        try:
            return self._open()[1]
        except ModelError as error:
            return BlockAccess(self._engine.blocks, unreadable=Unreadable.MEMORY, reason=str(error))

    def _release(self, _: Release) -> None:
        if self.opened is not None:
            self.opened[0].close()
            self.opened = None

    def _tokens(self, request: Tokens) -> list[PromptToken]:
        return self._named(self._up_to_answer(request.prompt, request.options))

    def _shared(self, request: Shared) -> SharedTokens:
        _start, sequences = self._encode_options(request.prompt, request.options)
        shared = shared_length(sequences)
        left = tuple(len(sequence) - shared for sequence in sequences)
        return SharedTokens(tuple(self._named(sequences[0][:shared])), left)

    def _named(self, tokens: Sequence[int]) -> list[PromptToken]:
        return [
            PromptToken(self._engine.piece(token), self._engine.text_of(token)) for token in tokens
        ]

    def _read(self, request: Read) -> BlockReading:
        start, sequences = self._encode_options(request.prompt, request.options)
        return read_blocks(self._engine, self._inspection(), start, sequences, request.options)

    def _read_position(self, request: ReadPosition) -> PositionReading:
        start, sequences = self._encode_options(request.prompt, request.options)
        return read_position(self._engine, self._inspection(), start, sequences, request.position)

    def _attention(self, request: Attention) -> AttentionReading:
        prompt = self._up_to_answer(request.prompt, request.options)
        return read_attention(self._inspection(), prompt, request.block, request.paths)

    def _attribute(self, request: Attribute) -> HeadAttribution:
        start, sequences = self._encode_options(request.prompt, request.options)
        return attribute(self._engine, self._inspection(), start, sequences, heads=request.heads)

    def _capture(self, request: Capture) -> CapturedStates:
        start, sequences = self._encode_options(request.prompt, request.options)
        scores, positions, states = capture_states(
            self._engine, self._inspection(), start, sequences, request.positions, request.blocks
        )
        data = states.astype("<f4", copy=False).tobytes()
        return CapturedStates(option_scores(scores, request.options), positions, data)

    def _patch(self, request: Patch) -> PatchResult:
        edits, options = request.edits, request.options
        _check_count(edits)
        contrast = self._encode_contrast(request.contrast, options)
        references = [self._encode_options(each, options) for each in request.references]
        plain, patched, replaced = score_patched(
            self._inspection(),
            *self._encode_options(request.prompt, options),
            edits,
            contrast,
            references,
        )
        return PatchResult(option_scores(plain, options), option_scores(patched, options), replaced)

    def _patch_each(self, request: PatchEach) -> PatchedEach:
        _check_count(request.edits)
        start, sequences = self._encode_options(request.prompt, request.options)
        answer = option_text_start(self._engine, start, sequences) - 1
        edits = [counted_edit(edit, answer) for edit in request.edits]
        plain, patched = score_each(self._inspection(), start, sequences, edits)
        each = tuple(option_scores(scores, request.options) for scores in patched)
        return PatchedEach(option_scores(plain, request.options), each)

    def _trace(self, message: Wire) -> None:
        request = msgspec.convert(message, Trace)
        options = request.options
        results = trace(
            self._inspection(),
            self._encode_options(request.prompt, options),
            self._encode_options(request.contrast, options),
            request.spans,
            request.part,
            request.head,
            request.first,
            request.shifts,
        )
        runs = [option_scores(scores, options) for _, _, scores in islice(results, 2)]
        cells = (
            TraceCell(block, span, option_scores(scores, options))
            for block, span, scores in results
        )
        for item in chain((TraceBase(*runs),), cells):
            self._send({"id": message["id"], "item": msgspec.to_builtins(item)})

    def _change_heads(self, message: Wire) -> None:
        request = msgspec.convert(message, ChangeHeads)
        options = request.options
        _check_count(request.ranges)
        plain, cells = change_heads(
            self._inspection(),
            *self._encode_options(request.prompt, options),
            request.action,
            request.ranges,
            self._encode_contrast(request.contrast, options),
            request.first,
            request.shifts,
        )
        changed = (ChangedHead(*cell, option_scores(scores, options)) for cell, scores in cells)
        for item in chain((PlainRun(option_scores(plain, options)),), changed):
            self._send({"id": message["id"], "item": msgspec.to_builtins(item)})

    def _encode_contrast(
        self, contrast: Prompt | None, options: Sequence[str]
    ) -> EncodedOptions | None:
        return None if contrast is None else self._encode_options(contrast, options)

    def _up_to_answer(self, prompt: Prompt, options: Sequence[str]) -> list[int]:
        """The tokens of a prompt up to the answer position."""
        start, sequences = self._encode_options(prompt, options)
        return sequences[0][: option_text_start(self._engine, start, sequences)]

    def _encode_options(self, prompt: Prompt, options: Sequence[str]) -> EncodedOptions:
        if not options:
            raise ModelError(_("There are no options to be scored."))
        return self._prompting.encode_options(self._prompting.prepare(prompt), options)

    def _inspection(self) -> Inspection:
        inspection, access = self._open()
        if access.unreadable is not None:
            raise ModelError(access.reason, hint=_("Everything else works with this model."))
        return inspection

    def _open(self) -> tuple[Inspection, BlockAccess]:
        if self.opened is None:
            inspection = Inspection(self._engine, self._cancelled)
            try:
                self.opened = inspection, inspection.check(self._engine)
            finally:
                if self.opened is None:
                    inspection.close()
        return self.opened


def _check_count(edits: Sequence[object]) -> None:
    if len(edits) > MOST_EDITS:
        raise ModelError(
            _("At most {most_edits:,} edits can be made at once.", most_edits=MOST_EDITS)
        )


def _decoding_request(
    kind: type[BlockRequest[Any]], answer: Callable[[Any], Any]
) -> Callable[[Wire], Any]:
    """Wrap a handler: decodes the request from its message, and encodes the reply."""
    return lambda message: msgspec.to_builtins(answer(msgspec.convert(message, kind)))
