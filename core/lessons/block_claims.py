"""What a lesson may claim of what goes on between the blocks of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.lessons.claims import Finding, Range, option_index
from core.lessons.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Settles:
    """After which blocks the final answer leads for good (logit lens)."""

    asks_model: ClassVar[bool] = True
    layer: str
    within: Range
    """Blocks, counted from 0."""
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"settles: {{layer: {self.layer}, {self.within}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must ask something."""
        evidence.question(self.layer)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it settles within these blocks."""
        table = await evidence.table(self.layer)
        block = table.prediction_depth
        return Finding(block is not None and block in self.within, table.outcome())


@dataclass(frozen=True, slots=True)
class Led:
    """An option leads after some block and is not the answer in the end (logit lens)."""

    asks_model: ClassVar[bool] = True
    layer: str
    option: str
    """Empty for any."""
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        option = f", option: {self.option}" if self.option else ""
        return f"led: {{layer: {self.layer}{option}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must have the option."""
        question = evidence.question(self.layer)
        if self.option:
            option_index(question, self.option)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it led and lost."""
        table = await evidence.table(self.layer)
        *before, last = table.leading
        lost = {leader for leader in before if leader is not None and leader != last}
        holds = option_index(table.question, self.option) in lost if self.option else bool(lost)
        led = ", ".join("a tie" if one is None else table.question.options[one] for one in before)
        return Finding(holds, f"Before the last block led: {led}.")


@dataclass(frozen=True, slots=True)
class Restores:
    """How much of the answer one span of one block restores (causal tracing)."""

    asks_model: ClassVar[bool] = True
    layer: str
    contrast: Mapping[str, str]
    """Switches that differ in the contrast prompt; empty for the one that fits best."""
    within: Range
    """Of the best cell: 0 nothing, 1 all of the difference."""
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        values = ", ".join(f"{key}: {value}" for key, value in self.contrast.items())
        contrast = f", contrast: {{{values}}}" if values else ""
        return f"restores: {{layer: {self.layer}{contrast}, {self.within}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must ask something, and the contrast prompt too."""
        evidence.question(self.layer)
        if self.contrast:
            evidence.other(self.layer, self.contrast)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether the best cell restores that much."""
        table, _changed = await evidence.trace(self.layer, self.contrast)
        peak = table.peak()
        if peak is None and table.base is not None and not table.margins_differ:
            return Finding(
                False, f"The margin hardly differs with the contrast prompt {table.contrast.name}."
            )
        if peak is None:
            return Finding(
                False, f"Nothing can be compared with the contrast prompt {table.contrast.name}."
            )
        span, block, share = peak
        said = table.pairing.spans[span].text
        name = table.contrast.name
        found = f"Block {block} at “{said}” restores {share:.2f} of it (contrast prompt: {name})."
        return Finding(share in self.within, found)
