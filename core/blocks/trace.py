"""A trace: which spans can be compared, and how much each cell (span, block) restores.

A cell's figure is the share of the difference between the margins of a prompt and its contrast
prompt that is restored when the span's activation after the block is copied from the prompt's run
into the contrast run (causal tracing, Meng et al. 2022, section 2; with a contrast prompt as in
Wang et al. 2022, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.spans import PromptSpan, SpanKind
from core.contract.question import OptionScore, Question
from core.models.blocks import TraceBase, TraceCell


@dataclass(frozen=True, slots=True)
class Pairing:
    """The spans of a prompt paired with those of its contrast prompt."""

    spans: tuple[PromptSpan, ...]
    """The prompt's spans. Several are joined where only together they have the position and length
    of several in the contrast prompt, as two sentences in another order do."""
    contrast: tuple[PromptSpan | None, ...]
    """The contrast prompt's span at the same tokens; None where none is, so that the two cannot be
    compared."""

    @property
    def comparable(self) -> tuple[bool, ...]:
        """For each span, whether the contrast prompt has one at the same tokens."""
        return tuple(span is not None for span in self.contrast)

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


def compared_options(
    question: Question, contrast: Question, base: TraceBase | None = None
) -> tuple[int, int] | None:
    """The two options of the margin: the right one here and the right one in the contrast prompt.

    If these are the same or unknown: the right or else leading option here, against the option that
    leads in the contrast prompt or, if that is the same, the likeliest other one here. None if
    there is no other option, or if this depends on the runs and they are not known yet.
    """
    right, contrast_right = question.right_options[:1], contrast.right_options[:1]
    if right and contrast_right and right != contrast_right:
        return right[0], contrast_right[0]
    if base is None:
        return None
    ranked = _ranked(base.prompt)
    first = (*right, *ranked)[0]
    rest = [option for option in (*_ranked(base.contrast)[:1], *ranked) if option != first]
    return (first, rest[0]) if rest else None


@dataclass(slots=True)
class TraceTable:
    """Spans by blocks, filled cell by cell."""

    question: Question
    contrast: ContrastPrompt
    pairing: Pairing
    blocks: int
    base: TraceBase | None = None
    _cells: dict[tuple[int, int], TraceCell] = field(default_factory=dict)

    def add(self, result: TraceBase | TraceCell) -> None:
        """Add a result of `Blocks.trace` over the comparable spans."""
        if isinstance(result, TraceBase):
            self.base = result
        else:
            self._cells[self.pairing.traced[result.span], result.block] = result

    @property
    def options(self) -> tuple[int, int] | None:
        """The two options of the margin; see `compared_options`."""
        return compared_options(self.question, self.contrast.question, self.base)

    @property
    def margins_differ(self) -> bool:
        """Whether the two runs differ enough for a share of the difference to mean anything."""
        return (
            self.base is not None
            and self.options is not None
            and self.base.margins_differ(*self.options)
        )

    @property
    def restored(self) -> tuple[tuple[float | None, ...], ...]:
        """The share that each cell restores, (spans, blocks): 0 is nothing, 1 all of it.

        None for spans that cannot be compared, without contrast, and for cells not known yet.
        """
        return tuple(
            tuple(self.share(span, block) for block in range(self.blocks))
            for span in range(len(self.pairing.spans))
        )

    def share(self, span: int, block: int) -> float | None:
        """The share that one cell restores."""
        cell = self._cells.get((span, block))
        if cell is None or self.base is None or self.options is None:
            return None
        return cell.share(self.base, *self.options)

    @property
    def done(self) -> int:
        """How many cells are known."""
        return len(self._cells)

    def peak(self) -> tuple[int, int, float] | None:
        """The span and block that restore most, and their share; None if no cell is known."""
        known = [
            (share, -span, -block)
            for span, row in enumerate(self.restored)
            for block, share in enumerate(row)
            if share is not None and share == share
        ]
        if not known:
            return None
        share, span, block = max(known)
        return -span, -block, share


def _ranked(scores: Sequence[OptionScore]) -> list[int]:
    """The options, the likeliest first; those without a number last."""

    def key(option: int) -> float:
        logprob = scores[option].logprob
        return -logprob if logprob == logprob else float("inf")

    return sorted(range(len(scores)), key=key)
