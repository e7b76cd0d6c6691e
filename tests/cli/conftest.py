"""These tests have the invented benchmark installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.files.shipped import samples
from tests.fifth.support import installed_shapes


@pytest.fixture(autouse=True)
def _shapes() -> Iterator[None]:
    with installed_shapes():
        yield


@pytest.fixture
def demo_model() -> None:
    """Skips where the bundled model was not made."""
    if not list((samples() / "models").glob("*.gguf")):
        pytest.skip("needs the bundled demo model")
