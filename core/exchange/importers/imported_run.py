"""A run that another program recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.contract.question import Form, Verdict
from core.contract.summary import Totals
from core.models.protocol import Sampling


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A run that another program recorded."""

    model: str
    benchmark: str
    verdicts: tuple[Verdict, ...]
    totals: Mapping[str, Totals] = field(default_factory=dict)
    """By layer, for those without verdicts."""
    notes: tuple[str, ...] = ()
    """Notes on what was inferred, what is unknown, and why figures may not compare."""
    prompts: tuple[str, ...] = ()
    """SHA-256 of each verdict's prompt; empty where it is not recorded."""
    not_imported: tuple[str, ...] = ()
    """Tasks of the log that are no layers of the benchmark."""
    form: Form = Form.BASE
    shots: int = 0
    shot_rule: str = ""
    """How worked examples were drawn; empty for none."""
    seed: int = 0
    setting: tuple[tuple[str, str], ...] = ()
    """Values set on every item, sorted."""
    limit: int | None = None
    """Only the first so many items were asked."""
    chosen: tuple[int, ...] = ()
    """The positions of the items that were asked about, where it were not the first."""
    sampling: Sampling = field(default_factory=Sampling)
    """How answers were written, as far as the log says it."""
