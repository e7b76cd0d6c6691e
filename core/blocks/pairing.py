"""Pairs the spans of a prompt with those of its contrast prompt, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from core.blocks.spans import PromptSpan, SpanKind


@dataclass(frozen=True, slots=True)
class Pairing:
    """The spans of a prompt paired with those of its contrast prompt."""

    spans: tuple[PromptSpan, ...]
    """The prompt's spans. Several are joined where only together they have the position and length
    of several in the contrast prompt, as two sentences in another order do."""
    contrast: tuple[PromptSpan | None, ...]
    """The contrast prompt's span at the same tokens, counted from the beginning or from the end;
    None where none is, so that the two cannot be compared."""

    @property
    def comparable(self) -> tuple[bool, ...]:
        """For each span, whether the contrast prompt has one at the same tokens."""
        return tuple(span is not None for span in self.contrast)

    @property
    def aligned(self) -> bool:
        """Whether every span is at the same positions of both prompts."""
        return all(self.comparable) and not self.from_end

    @property
    def traced(self) -> tuple[int, ...]:
        """Indices of the spans that can be compared."""
        return tuple(index for index, span in enumerate(self.contrast) if span is not None)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The token ranges of the spans that can be compared."""
        ranges = (self.spans[index].tokens for index in self.traced)
        return tuple(tokens for tokens in ranges if tokens is not None)

    @property
    def shifts(self) -> tuple[int, ...]:
        """Of each of `ranges`, its position in the contrast prompt less that here."""
        return tuple(self.shift(index) for index in self.traced)

    @property
    def from_end(self) -> tuple[int, ...]:
        """Indices of the spans that are compared at other positions, counted from the end."""
        return tuple(index for index in self.traced if self.shift(index))

    def shift(self, index: int) -> int:
        """The position of a span in the contrast prompt less that here; 0 if not comparable."""
        span, other = self.spans[index], self.contrast[index]
        if other is None or span.tokens is None or other.tokens is None:
            return 0
        return other.tokens[0] - span.tokens[0]

    def shift_at(self, start: int, stop: int) -> int | None:
        """The shift of the comparable span that holds a range of tokens; None where none does."""
        for (first, end), shift in zip(self.ranges, self.shifts, strict=True):
            if first <= start and stop <= end:
                return shift
        return None

    @property
    def differing(self) -> tuple[int, ...]:
        """Indices of the comparable spans that say something else in the contrast prompt."""
        pairs = enumerate(zip(self.spans, self.contrast, strict=True))
        return tuple(
            index for index, (span, other) in pairs if other is not None and span.text != other.text
        )


def pair_spans(spans: Sequence[PromptSpan], contrast: Sequence[PromptSpan]) -> Pairing:
    """Pair the spans of a prompt with those of its contrast prompt, counted from both ends.

    A pair begins and ends at the same tokens in both prompts. So nothing is paired from where one
    prompt becomes longer than the other until both are at the same token again.
    """
    ours, theirs = _edges(spans), _edges(contrast)
    if len(ours) == len(theirs):
        counted = [(index, index) for index in range(len(ours))]
    else:
        # Equal texts before and after the additional spans show which ones are additional.
        before = _equal_at_start(spans, contrast)
        behind = min(
            _equal_at_start(spans[::-1], contrast[::-1]), min(len(spans), len(contrast)) - before
        )
        counted = [(index, index) for index in range(before + 1)]
        counted += [(len(spans) - back, len(contrast) - back) for back in range(behind, -1, -1)]
    shared = [
        (our_edge, their_edge)
        for our_edge, their_edge in dict.fromkeys(counted)
        if ours[our_edge] is not None and ours[our_edge] == theirs[their_edge]
    ]
    joined_spans: list[PromptSpan] = []
    joined_contrast: list[PromptSpan | None] = []
    for (here, there), (end, contrast_end) in pairwise(shared):
        joined_spans.append(_joined(spans[here:end], ours[here], ours[end]))
        joined_contrast.append(_joined(contrast[there:contrast_end], ours[here], ours[end]))
    first = shared[0][0] if shared else len(spans)
    last = shared[-1][0] if shared else len(spans)
    head, tail = spans[:first], spans[last:]
    return Pairing(
        (*head, *joined_spans, *tail),
        (*(None for _ in head), *joined_contrast, *(None for _ in tail)),
    )


def pair_from_both_ends(spans: Sequence[PromptSpan], contrast: Sequence[PromptSpan]) -> Pairing:
    """Pair spans as `pair_spans` does, and those behind a change of length by their texts.

    They are compared where they say the same in as many tokens, as far from the end of both
    prompts; from the first on that says something else, nothing more is.
    """
    pairing = pair_spans(spans, contrast)
    end, contrast_end = _edges(spans)[-1:], _edges(contrast)[-1:]
    if not end or not contrast_end or end[0] is None or contrast_end[0] is None:
        return pairing
    shift = contrast_end[0] - end[0]
    paired = list(pairing.contrast)
    used = max((other.tokens[1] for other in paired if other and other.tokens), default=0)
    for back in range(1, min(len(paired), len(contrast)) + 1):
        span, other = pairing.spans[-back], contrast[-back]
        if paired[-back] is not None or span.text != other.text:
            break
        if span.tokens is None or other.tokens is None or other.tokens[0] < used:
            continue
        if other.tokens == (span.tokens[0] + shift, span.tokens[1] + shift):
            paired[-back] = other
    return Pairing(pairing.spans, tuple(paired))


def _equal_at_start(spans: Sequence[PromptSpan], contrast: Sequence[PromptSpan]) -> int:
    """How many spans from the first on have the same text."""
    pairs = zip(spans, contrast, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1].text, pairs))


def _edges(spans: Sequence[PromptSpan]) -> list[int | None]:
    """The first token of every span, then the end of the last; None where spans share a token."""
    edges = [None if span.tokens is None else span.tokens[0] for span in spans]
    last = spans[-1].tokens if spans else None
    return [*edges, None if last is None else last[1]]


def _joined(spans: Sequence[PromptSpan], start: int | None, stop: int | None) -> PromptSpan:
    assert start is not None
    assert stop is not None
    if len(spans) == 1:
        return PromptSpan(spans[0].kind, spans[0].text, (start, stop))
    text = " / ".join(span.text for span in spans)
    return PromptSpan(SpanKind.SEVERAL, text, (start, stop))
