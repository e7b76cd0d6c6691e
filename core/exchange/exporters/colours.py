"""The colours of exported files: those of two bundled themes, one light and one dark.

Heat maps have background colours in steps from the surface to the link colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from core.files import shipped, strict_yaml

LIGHT = "paper"
DARK = "dusk"
_SHARES = (0.0, 0.14, 0.28, 0.42, 1.0)
"""Shares of the link colour: up to 0.42 plain ink is readable, on 1.0 the surface colour is."""
_PLAIN_UP_TO = 3
STEPS = len(_SHARES)


@cache
def colours(theme: str) -> Mapping[str, str]:
    """The colours of a bundled theme by token, as `#RRGGBB`; `cs-` and a role is a role's."""
    path = shipped.themes() / f"{theme}.yaml"
    members = strict_yaml.read(path, "The theme").members(needed=("colours", "roles"))
    tokens = members["colours"].members() | members["roles"].members()
    return {name: token.text() for name, token in tokens.items()}


def heat_variables(colours: Mapping[str, str]) -> dict[str, str]:
    """The background and ink of each step by name: `heat-0` and `heat-ink-0`, `#RRGGBB`.

    `colours` are those of a theme by token.
    """
    surface, full = colours["surface"], colours["cs-link"]
    variables = {}
    for step, share in enumerate(_SHARES):
        variables[f"heat-{step}"] = _mixed(surface, full, share)
        variables[f"heat-ink-{step}"] = colours["cs-plain"] if step <= _PLAIN_UP_TO else surface
    return variables


def _mixed(start: str, end: str, share: float) -> str:
    pairs = zip(_channels(start), _channels(end), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[index : index + 2], 16) for index in (1, 3, 5))
