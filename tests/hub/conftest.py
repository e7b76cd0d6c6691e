"""A server that publishes, and an environment that names it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from core.hub import client
from core.hub.catalogue import KnownData
from tests.hub.hub_server import Published, hub_server

TOKEN = "hf_secretsecretsecretsecretsecret"


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Iterator[Published]:
    """The server; `HF_ENDPOINT` names it, and nothing else of the environment is seen."""
    for name in ("HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    # So that a small file comes in several pieces.
    monkeypatch.setattr(client, "PIECE_BYTES", 100_000)
    with hub_server() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def known(**changes: Any) -> KnownData:
    """A data set, without the files that the server of a test publishes."""
    data = KnownData(
        name="causes",
        title="Causes",
        page="https://example.org/causes",
        licence="CC BY 4.0",
        citation="A. Author (2020). Causes.",
        checked="2026-01-01",
        use="commonsense-tui browse PATH --benchmark com2",
        benchmark="com2",
    )
    return replace(data, **changes)
