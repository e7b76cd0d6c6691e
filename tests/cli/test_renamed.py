"""Old names of commands and options, which are answered with the new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import ok, run
from tests.fifth.support import installed_commands

ITEM = ("gita", "0")
PLUGIN = """
from typing import Annotated
import typer
app = typer.Typer()

@app.command()
def go(
    word: Annotated[str, typer.Argument()] = "",
    layers: Annotated[int, typer.Option("--layers")] = 0,
    twin: Annotated[str, typer.Option("--twin")] = "",
):
    print(f"{word} {layers} {twin}")

@app.command()
def stop():
    pass
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("layers", *ITEM), "`layers` is now `blocks`"),
        (("layers",), "`layers` is now `blocks`"),
        (("layers", "--help"), "`layers` is now `blocks`"),
        (("export", "html", *ITEM, "--layers", "--out", "x"), "`--layers` is now `--blocks`"),
        (("export", "html", *ITEM, "--twin", "variant=1"), "`--twin` is now `--contrast`"),
        (("trace", *ITEM, "--twin", "variant=1"), "`--twin` is now `--contrast`"),
        (("patch", *ITEM, "--twin=variant=1"), "`--twin` is now `--contrast`"),
    ],
)
def test_an_old_name_is_answered_with_the_new_one(words: tuple[str, ...], message: str) -> None:
    ran = run(*words)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("show", *ITEM), "--layers"),
        (("trace", *ITEM), "--layers"),
        (("evaluate", "gita"), "--layers"),
        (("lesson", "export", "1"), "--twin"),
    ],
)
def test_a_command_that_never_had_the_option_does_not_know_it(
    words: tuple[str, ...], option: str
) -> None:
    ran = run(*words, option)
    assert ran.code == 2
    assert f"No such option: {option}" in ran.err
    assert "is now" not in ran.err


def test_a_value_called_like_an_old_option_is_a_value(tmp_path: Path) -> None:
    ran = run("export", "html", *ITEM, "--set", "--layers", "--out", tmp_path / "x.html")
    assert ran.code == 2
    assert "is now" not in ran.err


def test_words_behind_two_dashes_are_left_alone(tmp_path: Path) -> None:
    ran = run("export", "--out", tmp_path / "x.html", "html", "gita", "--", "--layers")
    assert ran.code == 2
    assert "is now" not in ran.err
    assert "--layers" in ran.err


def test_options_of_another_package_may_have_an_old_name(tmp_path: Path) -> None:
    with installed_commands(tmp_path, PLUGIN):
        assert ok("broken", "go", "--layers", "3", "--twin", "a").out == " 3 a\n"
        assert ok("broken", "go", "--", "--layers").out == "--layers 0 \n"


def test_a_group_of_another_package_may_have_an_old_name(tmp_path: Path) -> None:
    with installed_commands(tmp_path, PLUGIN, name="layers"):
        assert ok("layers", "go", "x").out == "x 0 \n"


def test_a_folder_may_have_an_old_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("layers").mkdir()
    ran = run("layers")
    assert ran.code == 2
    assert "is now" not in ran.err
    assert "needs a terminal" in ran.err
