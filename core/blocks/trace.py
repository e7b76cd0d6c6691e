"""A trace as it comes in: spans by blocks, what can be compared, and how much each cell restores.

A cell is the share of the difference between a prompt's margin and its contrast prompt's that comes
back when one span of one block is copied from the prompt's run into the contrast prompt's (causal
tracing, Meng et al. 2022, section 2; with a contrast prompt as in Wang et al. 2022, section 3).
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
    """The spans of a prompt beside those of its contrast prompt."""

    spans: tuple[PromptSpan, ...]
    """Of the prompt. Where several together have the length and position of several in the contrast
    prompt, but not each by itself, they are one: two sentences in another order, with what is
    between."""
    contrast: tuple[PromptSpan | None, ...]
    """The contrast prompt's at the same tokens; None where it has none, so nothing can be
    compared."""

    @property
    def comparable(self) -> tuple[bool, ...]:
        """Of every span, whether the contrast prompt has one of equal length in the same place."""
        return tuple(span is not None for span in self.contrast)

    @property
    def traced(self) -> tuple[int, ...]:
        """The places of the spans that can be compared."""
        return tuple(index for index, here in enumerate(self.comparable) if here)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The tokens of the spans that can be compared."""
        held = (self.spans[index].tokens for index in self.traced)
        return tuple(tokens for tokens in held if tokens is not None)

    @property
    def differing(self) -> tuple[int, ...]:
        """Indices of the comparable spans that say something else in the contrast prompt."""
        pairs = enumerate(zip(self.spans, self.contrast, strict=True))
        return tuple(
            index for index, (span, other) in pairs if other is not None and span.text != other.text
        )


def pair_spans(spans: Sequence[PromptSpan], contrast: Sequence[PromptSpan]) -> Pairing:
    """Set the spans of a prompt beside those of its contrast prompt, counted from both ends.

    Compared is what begins and ends at the same tokens in both. After the first place at which
    one prompt has become longer than the other, that is nothing until they are level again.
    """
    ours, theirs = _edges(spans), _edges(contrast)
    if len(ours) == len(theirs):
        counted = [(index, index) for index in range(len(ours))]
    else:
        # Which of them is the one more is told by what both say before it and behind it.
        before = _alike(spans, contrast)
        behind = min(_alike(spans[::-1], contrast[::-1]), min(len(spans), len(contrast)) - before)
        counted = [(index, index) for index in range(before + 1)]
        counted += [(len(spans) - back, len(contrast) - back) for back in range(behind, -1, -1)]
    shared = [
        (one, other)
        for one, other in dict.fromkeys(counted)
        if ours[one] is not None and ours[one] == theirs[other]
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


def _alike(spans: Sequence[PromptSpan], contrast: Sequence[PromptSpan]) -> int:
    """How many spans say the same from the first on."""
    pairs = zip(spans, contrast, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1].text, pairs))


def _edges(spans: Sequence[PromptSpan]) -> list[int | None]:
    """Where every span begins, then where the last ends; None where no token begins there."""
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
    """The options between which margins are taken: what is right here, what is right there.

    Where the same is right in both, or nobody knows it: what is right here, else what leads here,
    against what leads in the contrast prompt; where that is the same option, against the likeliest
    other one here. None where there is no other, and before the runs are known, where they decide.
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
        """Take what a trace of the comparable spans yields next."""
        if isinstance(result, TraceBase):
            self.base = result
        else:
            self._cells[self.pairing.traced[result.span], result.block] = result

    @property
    def options(self) -> tuple[int, int] | None:
        """The options between which margins are taken."""
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
        """The share that each cell restores, (spans, blocks): 0 nothing, 1 all of it.

        None where spans are not comparable, without contrast, and where nothing is known yet.
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
        """The span and block that restore most, and how much; None where nothing is known."""
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
    """The options from the likeliest on; those without a number last."""
    return sorted(
        range(len(scores)),
        key=lambda index: (
            -scores[index].logprob
            if scores[index].logprob == scores[index].logprob
            else float("inf")
        ),
    )
