"""The paths of files that ship with the program, in a wheel or in a checkout."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path


def samples() -> Path:
    """The folder of bundled collections and of the demo model."""
    return _shipped("samples")


def themes() -> Path:
    """The folder of bundled themes."""
    return _shipped("themes")


def _shipped(name: str) -> Path:
    packed = files("core") / "_shipped" / name
    if packed.is_dir():
        # A wheel is installed as plain files, so nothing is unpacked that must be removed.
        with as_file(packed) as folder:
            return folder
    return Path(__file__).resolve().parents[2] / name
