"""Scores options by log-likelihood, and continues a prompt greedily."""

from __future__ import annotations

import codecs
import math
from collections.abc import Iterator, Sequence

import numpy as np

from core.models.llama.decoder import Decoder, Row
from core.models.llama.engine import Engine
from core.text.errors import LongPromptError, ModelError
from core.text.language import _

EncodedOptions = tuple[int, Sequence[list[int]]]
"""Options as `score_options` takes them: where they begin, and a sequence for each."""


def score_options(
    engine: Decoder, start: int, sequences: Sequence[list[int]]
) -> list[tuple[float, int]]:
    """Natural-log likelihood of each option and the number of its tokens.

    `sequences` holds prompt and option in tokens, one sequence per option; the option's tokens
    begin at position `start`. The shared prefix is evaluated once. The last token of an option is
    not evaluated, because its logits are not needed. Sums are NaN where the model computes NaN.
    Raises `LongPromptError` when a sequence is too long for the context, `Interrupted`.
    """
    check_length(engine, max(len(sequence) for sequence in sequences))
    shared = shared_length(sequences)
    first = start - 1
    sums = [0.0] * len(sequences)
    with engine.request():
        rows = engine.read(sequences[0][:shared], first)
        for position, row in rows.items():
            normaliser = log_normaliser(row)
            for option, sequence in enumerate(sequences):
                sums[option] += float(row[sequence[position + 1]]) - normaliser
        tails = [sequence[shared:-1] for sequence in sequences]
        for option, position, row in engine.branch(shared, tails, first):
            token = sequences[option][position + 1]
            sums[option] += float(row[token]) - log_normaliser(row)
    return [(total, len(sequence) - start) for total, sequence in zip(sums, sequences, strict=True)]


def log_normaliser(row: Row) -> float:
    """The log-sum-exp of a row of logits, in double precision: logit minus it is the logprob."""
    wide = row.astype(np.float64)
    highest = wide.max()
    with np.errstate(invalid="ignore"):
        wide -= highest
        np.exp(wide, out=wide)
        return float(highest + math.log(wide.sum()))


def generate_greedily(
    engine: Engine, prompt: Sequence[int], max_tokens: int, stop: Sequence[str]
) -> Iterator[tuple[str, bool]]:
    """Continue a prompt greedily, one token at a time; yields what `GreedyText.take` returns.

    Raises `ModelError` when the prompt is too long or the model computes NaN, `Interrupted`.
    """
    text = GreedyText(engine, len(prompt), max_tokens, stop)
    with engine.request():
        row = engine.read(prompt, len(prompt) - 1)[len(prompt) - 1]
        while True:
            yield from text.take(row)
            if text.ended:
                break
            row = engine.extend(text.token, text.position)


class GreedyText:
    """What a model writes that always takes the likeliest token.

    It ends at an end-of-generation token, before a stop text, after a number of tokens, or when the
    context is full. The text of a token is empty while a character is incomplete; text that may be
    the beginning of a stop text is held back until that is known.
    """

    def __init__(
        self, engine: Engine, prompt_tokens: int, max_tokens: int, stop: Sequence[str]
    ) -> None:
        """Raises `ModelError` where the prompt is too long for the context."""
        check_length(engine, prompt_tokens + 1)
        self.token = 0
        """The last token, whose logits are wanted next."""
        self.position = prompt_tokens - 1
        """Its position."""
        self.ended = False
        self._engine = engine
        self._last = min(prompt_tokens + max_tokens, engine.context)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._guard = _StopGuard([text for text in stop if text])

    def take(self, row: Row) -> list[tuple[str, bool]]:
        """Take the logits after the last token.

        Returns the tokens that are certain now: of each its text, and whether a limit cut the text
        there. Raises `ModelError` where the model computes NaN.
        """
        self.position += 1
        if self.position >= self._last:
            return self._end()
        self.token = int(row.argmax())
        # The first NaN counts as the largest number.
        if not math.isfinite(row[self.token]):
            raise ModelError(
                _("The model computes no numbers (NaN)."), hint=_("Its file is damaged.")
            )
        if self._engine.ends(self.token):
            return self._end()
        guard = self._guard
        certain = list(guard.add(self._decoder.decode(self._engine.piece(self.token))))
        if guard.stopped:
            self.ended = True
        elif self.position + 1 == self._last:
            certain += [text for text, _ in self._end()]
            return [(text, number == len(certain)) for number, text in enumerate(certain, 1)]
        return [(text, False) for text in certain]

    def _end(self) -> list[tuple[str, bool]]:
        self.ended = True
        rest = self._guard.rest(self._decoder.decode(b"", final=True))
        return [(text, False) for text in rest]


def check_length(engine: Decoder, tokens: int) -> None:
    """Raise `LongPromptError` when there are more tokens than the context takes."""
    if tokens > engine.context:
        raise LongPromptError(
            _(
                "The prompt with its continuation has {tokens:,} tokens; this model's "
                "context takes {context:,}.",
                tokens=tokens,
                context=engine.context,
            ),
            hint=_(
                "Ask a smaller item or with fewer worked examples, or give --context a "
                "larger number."
            ),
        )


def common_prefix_length(sequences: Sequence[list[int]]) -> int:
    """Length of the longest common prefix, in tokens."""
    low, high = min(sequences), max(sequences)
    for index, (token, other_token) in enumerate(zip(low, high, strict=False)):
        if token != other_token:
            return index
    return min(len(low), len(high))


def shared_length(sequences: Sequence[list[int]]) -> int:
    """How many tokens all sequences begin with, and none ends with."""
    return min(common_prefix_length(sequences), min(map(len, sequences)) - 1)


def option_text_start(engine: Engine, start: int, sequences: Sequence[list[int]]) -> int:
    """Position of the first token of the options that is not white space shared by all of them.

    White space at the end of a prompt belongs to the options (`Prompting.encode_options`), and most
    chat templates end in a line break, which every model predicts. The answer position is the one
    before.
    """
    shared = shared_length(sequences)
    position = start
    while position < shared and not engine.piece(sequences[0][position]).strip():
        position += 1
    return position


class _StopGuard:
    """Holds tokens back while they may be the beginning of a stop text."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._held: list[str] = []
        self.stopped = False

    def add(self, text: str) -> Iterator[str]:
        """Add a token; yields the tokens that cannot be part of a stop text any more."""
        self._held.append(text)
        held_text = "".join(self._held)
        stop_starts = [start for stop in self._stops if (start := held_text.find(stop)) >= 0]
        if stop_starts:
            self.stopped = True
            yield from self._release(min(stop_starts))
        elif not any(_may_begin(stop, held_text) for stop in self._stops):
            yield from self._release(len(held_text))

    def rest(self, text: str) -> Iterator[str]:
        """Yield the tokens still held back, with the last text of the decoder."""
        if text and self._held:
            self._held[-1] += text
        elif text:
            self._held.append(text)
        yield from self._release(sum(map(len, self._held)))

    def _release(self, length: int) -> Iterator[str]:
        held, self._held = self._held, []
        for text in held:
            if length <= 0 and self.stopped:
                return
            yield text[:length]
            length -= len(text)


def _may_begin(stop: str, text: str) -> bool:
    """Whether `text` ends with a prefix of `stop`."""
    return any(text.endswith(stop[:length]) for length in range(1, len(stop)))
