"""The worker's side of reading and changing blocks: requests in, plain values out.

The second context is made by the first request that needs it and freed on request, so a program
that never asks pays nothing. It is tested when it is made, before anything is shown of it, and not
when the file is loaded: that would cost everybody the memory and the time, and loading computes
nothing, so that a crash in what is computed first can be told from a broken file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from core.contract.question import OptionScore
from core.models.blocks import BlockAccess, Edit, Part, PatchResult, PromptToken, Unreadable, Way
from core.models.llama.attention import read_attention
from core.models.llama.attribution import attribute
from core.models.llama.completion import beginning
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection, needs_of
from core.models.llama.lens import read_blocks, read_positions
from core.models.llama.messages import Wire, unpack_prompt
from core.models.llama.patcher import Scores, score_patched
from core.models.llama.tokenizer import Prompting
from core.models.llama.tracer import Pairs, trace
from core.text.errors import ModelError

MOST_EDITS = 1_000
"""Most edits of one request."""

Send = Callable[[Wire], None]


class BlockRequests:
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
        """What can be asked, by name."""
        return {
            "block_needs": self._needs,
            "block_access": self._access,
            "block_release": self._release,
            "tokens": self._tokens,
            "read_blocks": self._read,
            "read_positions": self._read_positions,
            "attention": self._attention,
            "attribute": self._attribute,
            "patch": self._patch,
            "trace": self._trace,
        }

    def _needs(self, _: Wire) -> Any:
        return msgspec.to_builtins(needs_of(self._engine))

    def _access(self, _: Wire) -> Any:
        try:
            return msgspec.to_builtins(self._open()[1])
        except ModelError as error:
            blocks = self._engine.blocks
            return msgspec.to_builtins(
                BlockAccess(blocks, 0, 0, frozenset(), False, False, Unreadable.MEMORY, str(error))
            )

    def _release(self, _: Wire) -> None:
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def _tokens(self, request: Wire) -> Any:
        return [
            msgspec.to_builtins(PromptToken(self._engine.piece(token), self._engine.text_of(token)))
            for token in self._up_to_answer(request)
        ]

    def _read(self, request: Wire) -> Any:
        lengths = _lengths(request["options"])
        start, wholes = self._pairs(request["prompt"], request["options"])
        inspection = self._inspection()
        return msgspec.to_builtins(read_blocks(self._engine, inspection, start, wholes, lengths))

    def _read_positions(self, request: Wire) -> None:
        start, wholes = self._pairs(request["prompt"], request["options"])
        for reading in read_positions(
            self._engine, self._inspection(), start, wholes, request["positions"]
        ):
            self._send({"id": request["id"], "reading": msgspec.to_builtins(reading)})

    def _attention(self, request: Wire) -> Any:
        prompt = self._up_to_answer(request)
        ways = msgspec.convert(request["ways"], tuple[Way, ...])
        found = read_attention(self._inspection(), prompt, request["block"], ways)
        return msgspec.to_builtins(found)

    def _attribute(self, request: Wire) -> Any:
        start, wholes = self._pairs(request["prompt"], request["options"])
        return msgspec.to_builtins(attribute(self._engine, self._inspection(), start, wholes))

    def _patch(self, request: Wire) -> Any:
        edits = msgspec.convert(request["edits"], tuple[Edit, ...])
        if len(edits) > MOST_EDITS:
            raise ModelError(f"At most {MOST_EDITS:,} edits can be made at once.")
        options = request["options"]
        contrast = (
            None if request["contrast"] is None else self._pairs(request["contrast"], options)
        )
        plain, patched = score_patched(
            self._inspection(), *self._pairs(request["prompt"], options), edits, contrast
        )
        return msgspec.to_builtins(PatchResult(_scores(plain, options), _scores(patched, options)))

    def _trace(self, request: Wire) -> None:
        options = request["options"]
        spans = [(start, stop) for start, stop in request["spans"]]
        for block, span, scores in trace(
            self._inspection(),
            self._pairs(request["prompt"], options),
            self._pairs(request["contrast"], options),
            spans,
            Part(request["part"]),
            request["head"],
            request["first"],
        ):
            cell = [block, span, msgspec.to_builtins(_scores(scores, options))]
            self._send({"id": request["id"], "cell": cell})

    def _up_to_answer(self, request: Wire) -> list[int]:
        """The tokens of a prompt; the last of them stands at the answer position."""
        start, wholes = self._pairs(request["prompt"], request["options"])
        return wholes[0][: beginning(self._engine, start, wholes)]

    def _pairs(self, prompt: Any, options: Sequence[str]) -> Pairs:
        if not options:
            raise ModelError("There are no options to be scored.")
        return self._prompting.pairs(self._prompting.prepare(unpack_prompt(prompt)), options)

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


def _lengths(options: Sequence[str]) -> list[int]:
    return [len(option.encode("utf-8", "replace")) for option in options]


def _scores(scores: Scores, options: Sequence[str]) -> tuple[OptionScore, ...]:
    return tuple(
        OptionScore(logprob, tokens, length)
        for (logprob, tokens), length in zip(scores, _lengths(options), strict=True)
    )
