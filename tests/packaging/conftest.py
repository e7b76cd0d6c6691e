"""What is built and installed once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.environments import ROOT, Environment, build, make_environment


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel in an environment of its own."""
    return make_environment(tmp_path_factory.mktemp("installed"), wheel)
