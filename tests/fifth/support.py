"""Installs the invented benchmark for a test, as pip would: its files on the path."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core import registry

INSTALLED = Path(__file__).parent / "installed"
PARTS = ("cube", "cylinder", "ball", "cone", "prism")


@contextmanager
def installed_shapes() -> Iterator[None]:
    """Let the registry find the benchmark, and forget it afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(INSTALLED))
        _forget()
        yield
    _forget()


def towers(count: int, seed: int = 7) -> list[dict[str, object]]:
    """Towers as rows of a file of the invented benchmark."""
    draw = random.Random(seed)
    return [
        {"id": f"tower {i}", "parts": [draw.choice(PARTS) for _ in range(draw.randint(2, 5))]}
        for i in range(count)
    ]


def _forget() -> None:
    registry._found.cache_clear()
    registry.load.cache_clear()
