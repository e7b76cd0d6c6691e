"""A trace: how much each cell (span, block) restores of what a contrast prompt changes.

A cell's effect is the change of the margin, in nats, when the span's activation after the block is
copied from the prompt's run into the contrast run (causal tracing, Meng et al. 2022, section 2;
with a contrast prompt as in Wang et al. 2022, section 3). For a valid pair it is also given as a
share of the difference between the two prompts' margins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.blocks.beginnings import Beginning
from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.pair_validity import Condition, failing_conditions
from core.blocks.pairing import Pairing
from core.contract.question import OptionScore, Question
from core.layout.heatmap import MARKED_FROM
from core.models.blocks import Part, TraceBase, TraceCell, margin
from core.text.language import N_

TRACED = (Part.RESIDUAL, Part.ATTENTION, Part.FEED_FORWARD)
"""The parts that can be traced, and averaged by role, in this order."""


class Direction(StrEnum):
    """What a trace copies from where to where (Zhang and Nanda 2024, section 2.1)."""

    DENOISING = N_("denoising")
    """From this prompt's run into the contrast run: is it enough to bring the answer back?"""
    NOISING = N_("noising")
    """From the contrast run into this prompt's: is it needed to keep the answer?"""
    CONTROL = N_("random control")
    """From the contrast prompt of another item into the contrast run: does anything do it?"""


Figures = tuple[tuple[float | None, ...], ...]
"""A figure for every cell, (spans, blocks); None where there is none."""


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
    part: Part = Part.RESIDUAL
    """What is copied of each block."""
    base: TraceBase | None = None
    """This prompt's run and the contrast run."""
    direction: Direction = Direction.DENOISING
    own: tuple[OptionScore, ...] = ()
    """This prompt's run, which a control is not asked for."""
    beginning: Beginning | None = None
    """What the two compared options begin with; None before that is known."""
    _two: tuple[OptionScore, ...] = ()
    """The two compared options in the run that is changed, scored as the last row's cells are."""
    _cells: dict[tuple[int, int], TraceCell] = field(default_factory=dict)

    def empty(self) -> TraceTable:
        """The same table without figures."""
        return TraceTable(self.question, self.contrast, self.pairing, self.blocks, self.part)

    def add(self, result: TraceBase | TraceCell) -> None:
        """Add a result of `Blocks.trace` over the comparable spans."""
        if isinstance(result, TraceBase):
            self.base = {
                Direction.DENOISING: result,
                Direction.NOISING: TraceBase(result.contrast, result.prompt),
                Direction.CONTROL: TraceBase(self.own, result.contrast),
            }[self.direction]
        else:
            self._cells[self.pairing.traced[result.span], result.block] = result

    def add_beginning(self, result: TraceBase | TraceCell) -> None:
        """Add a result of a trace of what the two compared options begin with, of these alone."""
        if isinstance(result, TraceBase):
            self._two = result.contrast
        else:
            self._cells[len(self.pairing.spans), result.block] = result

    @property
    def rows(self) -> Pairing:
        """The spans of the prompts, then what the two compared options begin with, if anything."""
        return self.pairing if self.beginning is None else self.beginning.behind(self.pairing)

    @property
    def options(self) -> tuple[int, int] | None:
        """The two options of the margin; see `compared_options`."""
        return compared_options(self.question, self.contrast.question, self.base)

    @property
    def failing(self) -> tuple[Condition, ...] | None:
        """Why shares mean nothing for this pair; empty for a valid one, None before the runs."""
        if self.base is None:
            return None
        return failing_conditions(self.pairing, self.base, self.options)

    @property
    def valid(self) -> bool:
        """Whether the two runs are known and shares of their difference mean something."""
        return self.failing == ()

    @property
    def restored(self) -> Figures:
        """The share that each cell restores, (spans, blocks): 0 is nothing, 1 all of it.

        None for spans that cannot be compared, for a pair that is not valid, and for cells not
        known yet.
        """
        return self._each(self.share)

    @property
    def effects(self) -> Figures:
        """The effect of each cell in nats, (spans, blocks); None where it is not known."""
        return self._each(self.effect)

    def share(self, span: int, block: int) -> float | None:
        """The share that one cell restores; of noising, that is lost."""
        effect = self.effect(span, block)
        if effect is None or self.base is None or self.options is None or not self.valid:
            return None
        here, there = self.base.margins(*self.options)
        return effect / (here - there)

    def effect(self, span: int, block: int) -> float | None:
        """What one cell adds to the contrast run's margin of the first option, in nats.

        Of noising, what it takes from this prompt's.
        """
        cell = self._cells.get((span, block))
        if cell is None or self.base is None or self.options is None:
            return None
        if span == len(self.pairing.spans):
            change = margin(cell.scores, 0, 1) - margin(self._two, 0, 1)
            return -change if self.direction is Direction.NOISING else change
        here, there = self.base.margins(*self.options)
        reached = margin(cell.scores, *self.options)
        return here - reached if self.direction is Direction.NOISING else reached - there

    def by_construction(self, span: int, block: int) -> bool:
        """Whether a cell restores all whatever the model computes: the readout itself.

        It is the residual stream of the last span after the last block, where both options have one
        token behind it.
        """
        if self.base is None or self.options is None or self.part is not Part.RESIDUAL:
            return False
        rows = self.rows
        if (span, block) != (len(rows.spans) - 1, self.blocks - 1) or rows.contrast[span] is None:
            return False
        if self.beginning is not None:
            return self.beginning.decided
        return all(self.base.prompt[option].tokens == 1 for option in self.options)

    def _each(self, figure: Callable[[int, int], float | None]) -> Figures:
        return tuple(
            tuple(figure(span, block) for block in range(self.blocks))
            for span in range(len(self.rows.spans))
        )

    @property
    def done(self) -> int:
        """How many cells are known."""
        return len(self._cells)

    def peak(self) -> tuple[int, int, float] | None:
        """The span and block that restore most, and their share; None if no share is known.

        Left out are the cell that is 1 by construction and, except of a control, those that
        overshoot.
        """
        known = [
            (share, -span, -block)
            for share, span, block in self._shares()
            if self.direction is Direction.CONTROL or not _overshoots(share)
        ]
        if not known:
            return None
        share, span, block = max(known)
        return -span, -block, share

    @property
    def overshooting(self) -> int:
        """How many cells restore much more than the whole difference, and so do something else."""
        return sum(_overshoots(share) for share, _span, _block in self._shares())

    def _shares(self) -> Iterator[tuple[float, int, int]]:
        for span, row in enumerate(self.restored):
            for block, share in enumerate(row):
                if share is None or share != share or self.by_construction(span, block):
                    continue
                yield share, span, block


def _overshoots(share: float) -> bool:
    return share >= 1 + MARKED_FROM


def _ranked(scores: Sequence[OptionScore]) -> list[int]:
    """The options, the likeliest first; those without a number last."""

    def key(option: int) -> float:
        logprob = scores[option].logprob
        return -logprob if logprob == logprob else float("inf")

    return sorted(range(len(scores)), key=key)
