"""The program's one model: none yet, loading, ready or failed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.models.protocol import Model


class ModelPhase(StrEnum):
    """The phases of the model."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelState:
    """The state of the program's model."""

    phase: ModelPhase = ModelPhase.NONE
    name: str = ""
    """The source to load: "demo", a path, "replay:RUN"."""
    progress: float = 0.0
    """Share of the file that is loaded."""
    model: Model | None = None
    error: str = ""

    @property
    def is_pending(self) -> bool:
        """Whether it is loading, or about to be loaded."""
        return self.phase in {ModelPhase.NONE, ModelPhase.LOADING}

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""
        return self.phase is ModelPhase.READY and self.model is not None
