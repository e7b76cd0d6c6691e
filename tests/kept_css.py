"""Parses each source of CSS once for all programs that the tests of a process open."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import CSSLocation, Stylesheet

_RULES: dict[tuple[Any, ...], list[RuleSet]] = {}
_parse_rules = Stylesheet._parse_rules


def _rules(
    self: Stylesheet,
    css: str,
    read_from: CSSLocation,
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    variables = tuple(sorted(self._variables.items()))
    source = css, read_from, is_default_rules, tie_breaker, scope, variables
    if source not in _RULES:
        _RULES[source] = _parse_rules(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _RULES[source]


def keep_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what was parsed, with the values of its variables."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", _rules)
