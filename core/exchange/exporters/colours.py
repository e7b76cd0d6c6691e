"""The colours of exported files: those of two bundled themes, one light and one dark."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from core.files import shipped, strict_yaml
from core.text.errors import ConfigError

LIGHT = "paper"
DARK = "dusk"


@cache
def colours(theme: str) -> Mapping[str, str]:
    """The colours of a bundled theme by token, as `#RRGGBB`; `cs-` and a role is a role's."""
    path = shipped.themes() / f"{theme}.yaml"
    value = strict_yaml.read(path, "The theme")
    if value is None:
        raise ConfigError("This theme is empty.", where=path)
    members = value.members(needed=("colours", "roles"))
    tokens = members["colours"].members() | members["roles"].members()
    return {name: token.text() for name, token in tokens.items()}
