"""How many of several cases something holds for."""

from __future__ import annotations

from dataclasses import dataclass

from core.text.quantities import counted


@dataclass(frozen=True, slots=True)
class Count:
    """For how many items of a collection something holds."""

    held: int
    n: int
    """Items for which it is known whether it holds."""
    interval: tuple[float, float] | None
    """The 95 % interval of the share, by clusters; None for too few of them."""
    complete: bool
    """Whether these are all items of the collection that it can be said of."""
    out_of_time: bool = False
    """Whether more would have been counted, had there been time."""

    def __str__(self) -> str:
        """The count in words."""
        if not self.n:
            return "no item"
        within = ""
        if self.interval is not None:
            low, high = self.interval
            within = f", 95 % interval {low:.2f} to {high:.2f}"
        return f"{self.held} of {counted(self.n, 'item')} ({self.share:.2f}{within})"

    @property
    def share(self) -> float:
        """The share of the items for which it holds; `n` must be positive."""
        return self.held / self.n

    @property
    def rare(self) -> bool:
        """Whether it holds for fewer than half: an item where it does is an exception."""
        return self.n > 0 and 2 * self.held < self.n
