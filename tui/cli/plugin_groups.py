"""The commands of benchmarks from other packages, found through an entry-point group.

The commands of our own benchmarks are in the same entry-point group; the table in `groups` repeats
them, so that naming one does not search all installed packages.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from core.contract import registry
from core.text.errors import CommonsenseError
from tui.cli.lazy_commands import Command, Group, LazyCommand, LazyGroup
from tui.cli.output import WorkFailedError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "commonsense_tui.commands"
"""The entry-point group: the name of a group of commands = its `typer.Typer` or `Group`."""
_EXPECTED = (
    CommonsenseError,
    WorkFailedError,
    BrokenPipeError,
    typer.TyperException,
    typer.Exit,
    typer.Abort,
    SystemExit,
)
"""What a command may raise."""


class BrokenCommandsError(CommonsenseError):
    """The package of a group of commands is installed but does not work."""

    title = "These commands cannot be used"


class _PluginCommands(LazyGroup):
    """A group of another package: an unexpected error in it names the package."""

    point: EntryPoint

    def invoke(self, ctx: Any) -> Any:
        """Run a command of the group; raises `BrokenCommandsError` if it fails unexpectedly."""
        with _named(self.point, _EXPECTED):
            return super().invoke(ctx)


class _PluginCommand(LazyCommand):
    """Stands for a group of another package that is not imported yet."""

    def __init__(self, point: EntryPoint) -> None:
        package = registry.package_of(point.name, point)
        super().__init__(point.name, Command(point.value, f"Commands of the package {package}."))
        self._point = point

    def load(self) -> _PluginCommands:
        """Import the package; raises `BrokenCommandsError` if it fails or names no group."""
        with _named(self._point):
            group = _group(self._point.name, self._point.load())
        group.point = self._point
        return group


def plugin_groups() -> dict[str, LazyCommand]:
    """A stand-in for every installed group of commands with a name that can be shown, by name."""
    points = registry.entry_points_of(GROUP).items()
    return {name: _PluginCommand(point) for name, point in points if name.isprintable()}


def _group(name: str, target: object) -> _PluginCommands:
    """The group that an entry point names; raises `TypeError` if it is something else."""
    if isinstance(target, Group):
        return _PluginCommands.of(name, target)
    if not isinstance(target, typer.Typer):
        raise TypeError(f"expected a typer.Typer, not {type(target).__name__}")
    outer = typer.Typer(add_completion=False, rich_markup_mode=None)
    outer.add_typer(target, name=name, cls=_PluginCommands)
    commands: dict[str, Any] = dict(typer.main.get_group(outer).commands)
    named: _PluginCommands = commands[name]
    return named


@contextmanager
def _named(point: EntryPoint, expected: tuple[Any, ...] = ()) -> Iterator[None]:
    """Turn whatever a package raises, other than what is expected of it, into an error naming it.

    Ctrl-C passes.
    """
    try:
        yield
    except (KeyboardInterrupt, *expected):
        raise
    except BaseException as error:
        # Code of another package may fail in any way; a panic of code in Rust is no `Exception`.
        raise _broken(point, error) from error


def _broken(point: EntryPoint, error: BaseException) -> BrokenCommandsError:
    package = registry.package_of(point.name, point)
    return BrokenCommandsError(
        f"The commands “{point.name}” fail: {registry.cause_of(error)}",
        where=f"package {package}",
        hint=f"Update, reinstall or remove {package}.",
    )
