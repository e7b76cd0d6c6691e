"""The sizes of the network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network. Widths are multiples of 32, which Q8_0 needs."""

    vocabulary: int
    width: int = 160
    blocks: int = 6
    heads: int = 5
    hidden: int = 448
    context: int = 2048
    rope_base: float = 10000.0
    epsilon: float = 1e-5

    @property
    def head(self) -> int:
        return self.width // self.heads
