"""A person's own folders: where there is no home folder, and paths that name one."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from core.files import paths
from tests.cli.support import run


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that a container makes up: no entry in the list of users, and no HOME."""

    def no_user(_uid: object) -> None:
        raise KeyError

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", no_user)


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize(
    "words",
    [
        ("runs", "list"),
        ("locate",),
        ("models",),
        ("config", "check"),
        ("themes", "check"),
        ("lesson", "list"),
        ("evaluate", "gita", "--model", "demo", "--limit", "1"),
    ],
    ids=" ".join,
)
def test_without_a_home_folder_commands_say_what_to_do(words: tuple[str, ...]) -> None:
    ran = run(*words)
    assert ran.code == 2
    assert "This account has no home folder." in ran.err
    assert "Set HOME" in ran.err


def test_a_home_that_is_unknown_stays_as_it_is() -> None:
    assert paths.expanded("~nobody-is-called-this/a") == Path("~nobody-is-called-this/a")
    assert paths.expanded("~/a") == Path.home() / "a"
