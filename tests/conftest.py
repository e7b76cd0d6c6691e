"""Keeps every test away from the person's own files and from animations."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from core import language
from tests.exchange.export import chromium

# How long an example takes says how busy the machine is, not whether the program is right.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# Textual reads it when it is first imported, so it cannot wait for a fixture.
os.environ["TEXTUAL_ANIMATIONS"] = "none"


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home that holds nothing: no configuration, no runs, no themes, no models."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "XDG_STATE_HOME": ".local/state",
    }.items():
        monkeypatch.setenv(name, str(home / folder))


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """English, whatever the environment says and whatever the test before spoke."""
    monkeypatch.setenv("LANGUAGE", language.ENGLISH)
    yield
    language.speak(language.ENGLISH)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    """A headless Chromium that reaches no network."""
    if chromium.found() is None:
        pytest.skip("needs Chromium, which .ci/run installs (Debian: apt install chromium)")
    with chromium.running(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data beside the checkout; the test skips where it is absent."""
    folder = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the real data in {folder.name}/ beside the checkout")
    return folder
