"""The program's one model: none yet, loading, ready or failed, and its log."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from core.models.protocol import Model


class ModelPhase(StrEnum):
    """How far the model is."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelState:
    """What every screen may know of the model."""

    phase: ModelPhase = ModelPhase.NONE
    name: str = ""
    """What was asked for: "demo", a path, "replay:RUN"."""
    progress: float = 0.0
    """Share of the file that is loaded."""
    model: Model | None = None
    error: str = ""

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""
        return self.phase is ModelPhase.READY and self.model is not None


LOG_LINES = 2000
"""Most lines of the engine's log that are kept."""


def new_log() -> deque[str]:
    """An empty log of bounded length."""
    return deque(maxlen=LOG_LINES)
