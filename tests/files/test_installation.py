"""The command that adds a package, by what made the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.files.installation import command_to_add, command_to_add_extra


@pytest.mark.parametrize(
    ("left_by", "command"),
    [
        (None, "pip install"),
        ("pipx_metadata.json", "pipx runpip commonsense-tui install"),
        ("uv-receipt.toml", "uv pip install --python '{prefix}'"),
    ],
)
def test_the_installer_is_the_one_that_made_the_environment(
    left_by: str | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "a folder" / "commonsense-tui"
    prefix.mkdir(parents=True)
    if left_by is not None:
        (prefix / left_by).touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    expected = command.format(prefix=prefix)
    assert command_to_add("numpy==2") == f"{expected} numpy==2"
    assert command_to_add_extra("plots") == f"{expected} 'commonsense-tui[plots]'"
