"""The grounds of heat maps in pages: steps from the colour of a surface to that of a link."""

from __future__ import annotations

from collections.abc import Mapping

_SHARES = (0.0, 0.14, 0.28, 0.42, 1.0)
"""Up to where plain ink can be read on the mixture, then the colour itself, with the other ink."""
_PLAIN_UP_TO = 3
STEPS = len(_SHARES)


def heat_variables(colours: Mapping[str, str]) -> dict[str, str]:
    """The ground and the ink of each step by name: `heat-0` and `heat-ink-0`, `#RRGGBB`.

    `colours` are those of a theme by token.
    """
    surface, full = colours["surface"], colours["cs-link"]
    found = {}
    for step, share in enumerate(_SHARES):
        found[f"heat-{step}"] = _mixed(surface, full, share)
        found[f"heat-ink-{step}"] = colours["cs-plain"] if step <= _PLAIN_UP_TO else surface
    return found


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
