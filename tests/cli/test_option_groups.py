"""A group of options stands for its fields, in the help and when the command is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from tui.cli.option_groups import with_single_options


@dataclass(frozen=True)
class Meal:
    dish: Annotated[str, typer.Argument()]
    salt: Annotated[int, typer.Option("--salt")] = 1


def cook(
    *, heat: Annotated[int, typer.Option("--heat")] = 7, meal: Meal, loud: bool = False
) -> None:
    """Cook."""
    print(heat, meal, loud)


app = typer.Typer(rich_markup_mode=None)
app.command()(with_single_options(cook))


def test_a_command_gets_a_group_as_one_value() -> None:
    result = CliRunner().invoke(app, ["soup", "--salt", "3", "--loud"])
    assert result.output == "7 Meal(dish='soup', salt=3) True\n"


def test_what_is_left_out_of_a_group_has_its_default() -> None:
    assert CliRunner().invoke(app, ["soup"]).output == "7 Meal(dish='soup', salt=1) False\n"


def test_a_group_stands_in_the_help_where_it_is_a_parameter() -> None:
    text = CliRunner().invoke(app, ["--help"]).output
    assert text.index("--heat") < text.index("--salt") < text.index("--loud")


def test_a_command_without_groups_is_left_alone() -> None:
    def plain(heat: int = 1) -> None: ...

    assert with_single_options(plain) is plain
