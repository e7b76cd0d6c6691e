"""The attention head that an item is to be opened with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DrawnHead:
    """A head of the loaded model, whose attention is drawn on an item."""

    layer: str
    """Id of the task layer whose question the model reads."""
    block: int
    head: int
