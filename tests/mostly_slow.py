"""Cases of a test of which `make test` has time for a few, and `make test-slow` for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest


def mostly_slow(
    names: str | tuple[str, ...],
    cases: Sequence[Any],
    *,
    quick: int = 1,
    ids: Callable[[Any], object] | None = None,
) -> pytest.MarkDecorator:
    """As `pytest.mark.parametrize`, but all cases after the first `quick` ones are slow."""
    several = not isinstance(names, str)
    slow = [
        pytest.param(*(case if several else (case,)), marks=pytest.mark.slow)
        for case in cases[quick:]
    ]
    return pytest.mark.parametrize(names, [*cases[:quick], *slow], ids=ids)
