"""Commands whose modules are imported when they are named, so that `--help` imports none."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple, Self

import typer
from typer.core import TyperCommand, TyperGroup

from tui.cli.option_groups import with_single_options
from tui.cli.own_input import OwnCommand


class Command(NamedTuple):
    """Where a command is, and its line in the `--help` of the group that it belongs to."""

    target: str
    """`module:attribute`: a function with Typer's annotations, a `typer.Typer`, a click command.

    A parameter of the function may be a group of options (`tui.cli.option_groups`).
    """
    help: str


class Group(NamedTuple):
    """Commands under a name of their own, and the group's line in `--help`."""

    help: str
    commands: Mapping[str, Command | Group]
    epilog: str | None = None
    """What its own `--help` ends with."""


class LazyCommand(TyperCommand):
    """Stands in `--help` and in completion for a command that is not imported yet."""

    def __init__(self, name: str, command: Command) -> None:
        super().__init__(name, help=command.help, rich_markup_mode=None)
        self._target = command.target

    def load(self) -> Any:
        """Import the module and return the click command."""
        module, _, attribute = self._target.partition(":")
        target = getattr(import_module(module), attribute)
        if isinstance(target, TyperCommand | TyperGroup):
            return target
        if isinstance(target, typer.Typer):
            app = target
        else:
            app = typer.Typer(add_completion=False, rich_markup_mode=None)
            app.command(self.name, cls=OwnCommand)(with_single_options(target))
        command = typer.main.get_command(app)
        command.name = self.name
        return command


class LazyGroup(TyperGroup):
    """A group that imports a command only to run it, to complete its words or to show its help."""

    @classmethod
    def of(cls, name: str, entry: Group) -> Self:
        """The group of this name in a table."""
        group = cls(
            name=name,
            help=entry.help,
            epilog=entry.epilog,
            no_args_is_help=True,
            rich_markup_mode=None,
        )
        group.add(entry.commands)
        return group

    def add(self, commands: Mapping[str, Command | Group]) -> None:
        """Add commands of a table."""
        for name, entry in commands.items():
            if isinstance(entry, Group):
                self.add_command(LazyGroup.of(name, entry))
            else:
                self.add_command(LazyCommand(name, entry))

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of the group; a flag that is not given is False.

        Typer would make a bool of None by pydantic, whose import takes as long as all the rest.
        """
        parameters: list[Any] = super().get_params(ctx)
        for parameter in parameters:
            if parameter.type_descriptor.annotation is bool and parameter.default is None:
                parameter.default = False
        return parameters

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that was named, imported."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, LazyCommand) else command, rest
