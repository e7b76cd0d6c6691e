"""What a person did on the screen of runs, kept while other screens are in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.contract.view import Role
    from core.runs.comparison import Comparison
    from core.runs.heat_map import HeatMapRow


@dataclass
class RunsMemory:
    """What a person did on the screen of runs, for when they come back to it."""

    marked: list[str] = field(default_factory=list)
    cursor: str = ""
    sorted_by: str = "date"
    compared: dict[
        tuple[str, ...],
        tuple[Sequence[Comparison], Sequence[HeatMapRow], tuple[str, Role]],
    ] = field(default_factory=dict)
    """Comparisons, with a note on what is left out, by the states of their runs; only the latest is
    kept."""
    flip: str = ""
    """The place of the cursor in the latest comparison."""
