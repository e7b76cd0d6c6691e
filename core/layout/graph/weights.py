"""The weights of a graph's links: which links are heavy, and weights as per cent."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.view import Link

_HEAVY = 0.5
"""The share of the greatest weight from which on a link is heavy."""
_SLIGHT = 0.01
"""The weight up to which none is."""


def heavy_links(links: Sequence[Link]) -> frozenset[int]:
    """The indices of the links that are drawn heavy, at least half as heavy as the heaviest."""
    weights = {index: link.weight for index, link in enumerate(links) if link.weight is not None}
    least = max(_SLIGHT, _HEAVY * max(weights.values(), default=0.0))
    return frozenset(index for index, weight in weights.items() if weight >= least)


def percent(weight: float) -> str:
    """A share in per cent, never a false 0 or 100."""
    if 0 < weight < 0.005:
        return "<1 %"
    if 0.995 <= weight < 1:
        return ">99 %"
    return f"{100 * weight:.0f} %"
