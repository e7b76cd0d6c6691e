"""These tests have the invented benchmark installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fifth.support import installed_shapes


@pytest.fixture(autouse=True)
def _shapes() -> Iterator[None]:
    with installed_shapes():
        yield
