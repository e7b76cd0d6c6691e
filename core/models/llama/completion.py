"""What is asked of a model: the likelihood of options, and a greedy continuation."""

from __future__ import annotations

import codecs
import math
from collections.abc import Iterator, Sequence

import numpy as np

from core.models.llama.decoder import Decoder, Row
from core.models.llama.engine import Engine
from core.text.errors import ModelError


def score_options(
    engine: Decoder, start: int, wholes: Sequence[list[int]]
) -> list[tuple[float, int]]:
    """Natural-log likelihood of each option and the number of its tokens.

    `wholes` are prompt and option in tokens; what comes after the first `start` is the option.
    What all of them begin with is evaluated once. The last token of an option is never
    evaluated, because nothing is asked after it. Sums are NaN where the model computes NaN.
    Raises `ModelError` when one is too long for the context, `Interrupted`.
    """
    check_length(engine, max(len(whole) for whole in wholes))
    shared = min(common_length(wholes), min(len(whole) for whole in wholes) - 1)
    first = start - 1
    sums = [0.0] * len(wholes)
    with engine.request():
        rows = engine.read(wholes[0][:shared], first)
        for place, row in rows.items():
            normaliser = log_normaliser(row)
            for number, whole in enumerate(wholes):
                sums[number] += float(row[whole[place + 1]]) - normaliser
        tails = [whole[shared:-1] for whole in wholes]
        for number, place, row in engine.branch(shared, tails, first):
            token = wholes[number][place + 1]
            sums[number] += float(row[token]) - log_normaliser(row)
    return [(total, len(whole) - start) for total, whole in zip(sums, wholes, strict=True)]


def log_normaliser(row: Row) -> float:
    """What a row of logits is less than its log-probabilities by, in double precision."""
    wide = row.astype(np.float64)
    highest = wide.max()
    with np.errstate(invalid="ignore"):
        return float(highest + math.log(np.exp(wide - highest).sum()))


def write_on(
    engine: Engine, prompt: Sequence[int], max_tokens: int, stop: Sequence[str]
) -> Iterator[tuple[str, float, bool]]:
    """Greedy continuation: one token after the other.

    Yields a token's text, its natural-log probability, and whether a limit ends the text there.
    Ends at a token that ends a text, before a stop text, after `max_tokens`, or when the context
    is full. A token's text is empty while it is part of a character; text that may be the
    beginning of a stop text is held back until that is known. Raises `ModelError` when the
    prompt is too long or the model computes NaN, `Interrupted`.
    """
    check_length(engine, len(prompt) + 1)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    guard = _StopGuard([text for text in stop if text])
    with engine.request():
        row = engine.read(prompt, len(prompt) - 1)[len(prompt) - 1]
        last = min(len(prompt) + max_tokens, engine.context)
        for place in range(len(prompt), last):
            token = int(row.argmax())
            logprob = float(row[token]) - log_normaliser(row)
            if math.isnan(logprob):
                raise ModelError(
                    "The model computes no numbers (NaN).", hint="Its file is damaged."
                )
            if engine.ends(token):
                break
            certain = list(guard.add(decoder.decode(engine.piece(token)), logprob))
            if place + 1 == last and not guard.stopped:
                certain += guard.rest(decoder.decode(b"", final=True))
                for number, (text, known) in enumerate(certain, 1):
                    yield text, known, number == len(certain)
                return
            for text, known in certain:
                yield text, known, False
            if guard.stopped:
                return
            row = engine.extend(token, place)
    for text, known in guard.rest(decoder.decode(b"", final=True)):
        yield text, known, False


def check_length(engine: Decoder, tokens: int) -> None:
    """Raise `ModelError` for more tokens than the context takes."""
    if tokens > engine.context:
        raise ModelError(
            f"The prompt with its continuation has {tokens:,} tokens; "
            f"this model's context takes {engine.context:,}.",
            hint="Ask a smaller item or with fewer worked examples, or use a longer context.",
        )


def common_length(wholes: Sequence[list[int]]) -> int:
    """How many tokens all begin with."""
    low, high = min(wholes), max(wholes)
    for place, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            return place
    return min(len(low), len(high))


def beginning(engine: Engine, start: int, wholes: Sequence[list[int]]) -> int:
    """Where options begin to say something: behind blanks that all of them begin with.

    Blanks at the end of a prompt belong to the options (`Prompting.pairs`), and most chat templates
    end in a line break. What is likely there is nothing but that.
    """
    shared = min(common_length(wholes), min(map(len, wholes)) - 1)
    place = start
    while place < shared and not engine.piece(wholes[0][place]).strip():
        place += 1
    return place


class _StopGuard:
    """Holds tokens back while their text may be the beginning of a stop text."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._held: list[tuple[str, float]] = []
        self.stopped = False

    def add(self, text: str, logprob: float) -> Iterator[tuple[str, float]]:
        """Take a token; yields those that are certain now."""
        self._held.append((text, logprob))
        whole = "".join(text for text, _ in self._held)
        found = [at for stop in self._stops if (at := whole.find(stop)) >= 0]
        if found:
            self.stopped = True
            yield from self._release(min(found))
        elif not any(_may_begin(stop, whole) for stop in self._stops):
            yield from self._release(len(whole))

    def rest(self, text: str) -> Iterator[tuple[str, float]]:
        """Yield what is still held, with the last text that the decoder gave."""
        if text and self._held:
            last, logprob = self._held[-1]
            self._held[-1] = (last + text, logprob)
        elif text:
            self._held.append((text, 0.0))
        yield from self._release(sum(len(text) for text, _ in self._held))

    def _release(self, length: int) -> Iterator[tuple[str, float]]:
        held, self._held = self._held, []
        for text, logprob in held:
            if length <= 0 and self.stopped:
                return
            yield text[:length], logprob
            length -= len(text)


def _may_begin(stop: str, text: str) -> bool:
    """Whether the end of `text` is a beginning of `stop`."""
    return any(text.endswith(stop[:length]) for length in range(1, len(stop)))
