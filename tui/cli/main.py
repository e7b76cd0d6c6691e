"""The command line: `commonsense-tui`.

Results go to stdout, everything else to stderr. Exit 0 when the work is done, 1 when it failed,
2 when what was typed or a file that was named is at fault, 130 when it was interrupted.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from core.text.errors import CommonsenseError, NotFoundError, RunError, SettingError
from core.text.suggestions import nearest
from tui.cli import (
    abspyramid,
    accord,
    blocks,
    com2,
    completion,
    config,
    export,
    imports,
    items,
    lessons,
    program,
    runs,
    serve,
)
from tui.cli.find import LangOption, exists
from tui.cli.output import (
    WorkFailedError,
    complain,
    open_missing_streams,
    quiet_pipe,
)

_BROWSE = "browse"
_TYPED = "commonsense_tui.typed"
"""Where a context keeps the words that were typed."""


class _Commands(TyperGroup):
    """The commands: `browse` is meant when none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `browse` in front of a path, of its options, and of nothing at all."""
        own = {option for parameter in self.params for option in parameter.opts} | {"--help"}
        ctx.meta[_TYPED] = tuple(args)
        # Where a shell asks how the first word goes on, none was typed yet.
        unfinished = ctx.resilient_parsing and not args
        if not unfinished and (not args or (args[0] not in self.commands and args[0] not in own)):
            args = [_BROWSE, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an expected failure is a message and an exit code."""
        try:
            _refuse_empty(ctx.meta[_TYPED])
            self._refuse_in_front(ctx.meta[_TYPED])
            return super().invoke(ctx)
        except BrokenPipeError as error:
            quiet_pipe()
            raise typer.Exit(0) from error
        except WorkFailedError as error:
            complain(error.cause)
            raise typer.Exit(1) from error
        except CommonsenseError as error:
            complain(error)
            raise typer.Exit(2) from error

    def _refuse_in_front(self, words: tuple[str, ...]) -> None:
        """Refuse options in front of a command, which would be taken for those of `browse`.

        Raises `SettingError`.
        """
        if not words or not words[0].startswith("-"):
            return
        from core.contract import registry

        parameters = self.commands[_BROWSE].params
        valued = {option for parameter in parameters for option in parameter.opts}
        for place in range(1, len(words)):
            word, rest = words[place], words[place + 1 :]
            if word not in self.commands or words[place - 1] in valued:
                continue
            # A benchmark may be called like a command, and then stands alone.
            if (rest and not rest[0].startswith("-")) or word not in registry.names():
                raise SettingError(
                    f"Options of {word} stand behind it, not in front.",
                    where=words[0],
                    hint=shlex.join(("commonsense-tui", word, *rest, *words[:place])),
                )


def _refuse_empty(words: tuple[str, ...]) -> None:
    """Refuse an option with an empty value, which as a path would be the present folder.

    It comes from a variable that is not set. Raises `SettingError`.
    """
    for before, word in zip(("", *words), words, strict=False):
        name, equals, value = word.partition("=")
        if name.startswith("--") and equals and not value.strip():
            empty = name
        elif before.startswith("--") and "=" not in before and not word.strip():
            empty = before
        else:
            continue
        raise SettingError(f"{empty} has no value.", where=empty, hint="Write one behind it.")


app = typer.Typer(
    cls=_Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Browse commonsense benchmarks, ask a local model, and see at which layer it fails.",
    epilog="Without a command the program opens: commonsense-tui [PATH].",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("commonsense-tui"))
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


@app.command(_BROWSE)
def browse(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="A file or folder of items, or a benchmark's name.",
            show_default=False,
            autocompletion=completion.benchmarks,
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--benchmark",
            help="The benchmark; recognised when left out.",
            autocompletion=completion.benchmarks,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="The model to start with.", autocompletion=completion.models),
    ] = None,
    language: LangOption = None,
) -> None:
    """Open the program (also without a command)."""
    if path is not None and not exists(path):
        from core.contract import registry

        if benchmark is None and str(path) in registry.names():
            benchmark, path = str(path), None
    if path is not None and not exists(path):
        near = nearest(str(path), _names())
        raise NotFoundError(
            f"There is neither a command nor a file “{path}”.",
            hint=f"Did you mean “{near[0]}”?" if near else "commonsense-tui --help lists commands.",
        )
    from tui.app.opening import open_program

    code = open_program(path, benchmark, model, language)
    if code:
        raise typer.Exit(code)


def _names() -> list[str]:
    commands = [command.name for command in app.registered_commands]
    return [name for name in (*commands, *(group.name for group in app.registered_groups)) if name]


items.add_to(app)
export.add_to(app)
blocks.add_to(app)
runs.add_to(app)
lessons.add_to(app)
imports.add_to(app)
com2.add_to(app)
accord.add_to(app)
abspyramid.add_to(app)
program.add_to(app)
config.add_to(app)
serve.add_to(app)


def main() -> None:
    """Run the command line and leave with its exit code."""
    open_missing_streams()
    completion.keep_as_typed()
    completion.rejoin_words()
    try:
        try:
            app(prog_name="commonsense-tui")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        quiet_pipe()
        sys.exit(0)
    except OSError as error:
        # What is left of a result cannot be written: the disk behind stdout is full, say.
        quiet_pipe()
        complain(RunError(f"The result cannot be written: {error.strerror}."))
        sys.exit(1)
