"""Installs the invented benchmark for a test, as pip would: its files on the path."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.contract import registry
from tui.cli import plugin_groups

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


BREAKS = {
    "raises": "raise RuntimeError('no\\nlibfoo')",
    "leaves": "import sys; sys.exit(3)",
    "lacks": "import no_such_module_at_all",
    "has no class": "x = 1",
    "cannot be made": """
from shapes_benchmark import Shapes

class Broken(Shapes):
    def __init__(self):
        raise KeyError("key")
""",
    "is no python": "def :",
}
"""Code of packages whose benchmark cannot be loaded."""


@contextmanager
def installed_broken(place: Path, code: str) -> Iterator[None]:
    """Let the registry find a benchmark `broken`, of a package of that name, beside the others."""
    with _installed(place, code, f"[{registry.GROUP}]\nbroken = broken_module:Broken\n"):
        yield


@contextmanager
def installed_commands(place: Path, code: str, name: str = "broken") -> Iterator[None]:
    """Let the command line find `app` of some code as a group, of a package `broken-package`."""
    with _installed(place, code, f"[{plugin_groups.GROUP}]\n{name} = broken_module:app\n"):
        yield


@contextmanager
def _installed(place: Path, code: str, entry_points: str) -> Iterator[None]:
    info = place / "broken_package-1.0.dist-info"
    info.mkdir(parents=True)
    (place / "broken_module.py").write_text(code)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place))
        _forget()
        try:
            yield
        finally:
            sys.modules.pop("broken_module", None)
    _forget()


def towers(count: int, seed: int = 7) -> list[dict[str, object]]:
    """Towers as rows of a file of the invented benchmark."""
    draw = random.Random(seed)
    return [
        {"id": f"tower {i}", "parts": [draw.choice(PARTS) for _ in range(draw.randint(2, 5))]}
        for i in range(count)
    ]


def _forget() -> None:
    registry.entry_points_of.cache_clear()
    registry.load.cache_clear()
