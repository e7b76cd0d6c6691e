"""The command line: `commonsense-tui`.

Results go to stdout, everything else to stderr. Exit 0 when the work is done, 1 when it failed,
2 when what was typed or a file that was named is at fault, 130 when it was interrupted,
143 and 129 when SIGTERM and SIGHUP did that.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Container
from pathlib import Path
from typing import Annotated, Any

import typer

from core.contract import registry
from core.text.errors import CommonsenseError, DataError, NotFoundError, SettingError
from core.text.suggestions import nearest
from tui.cli import COMPLETION_VARIABLE, completion
from tui.cli.groups import COMMANDS
from tui.cli.lazy_commands import LazyGroup
from tui.cli.lookup import exists
from tui.cli.output import WorkFailedError, complain, open_missing_streams, quiet_pipe
from tui.cli.plugin_groups import plugin_groups
from tui.cli.renamed import refuse_old_command, refuse_old_options

_BROWSE = "browse"
_TYPED = "commonsense_tui.typed"
"""Where a context keeps the words that were typed."""


class _Commands(LazyGroup):
    """All commands: `browse` is meant when none is named."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.add(COMMANDS)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `browse` in front of a path, of its options, and of nothing at all."""
        own = {option for parameter in self.params for option in parameter.opts} | {"--help"}
        ctx.meta[_TYPED] = tuple(args)
        if args and _may_name_a_plugin(self.commands, args[0]):
            self._add_plugins()
        # Where a shell asks how the first word goes on, none was typed yet.
        unfinished = ctx.resilient_parsing and not args
        if not unfinished and (not args or (args[0] not in self.commands and args[0] not in own)):
            args = [_BROWSE, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete the name of a command; of other packages' where none of ours begins so."""
        if not incomplete or not any(name.startswith(incomplete) for name in self.commands):
            self._add_plugins()
        return super().shell_complete(ctx, incomplete)

    def _add_plugins(self) -> None:
        for name, group in plugin_groups().items():
            self.commands.setdefault(name, group)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an expected failure is a message and an exit code."""
        try:
            words = ctx.meta[_TYPED]
            refuse_old_command(words, self.commands)
            _refuse_unknown_word(words, self.commands)
            _refuse_empty_values(words)
            self._refuse_options_in_front(ctx, words)
            with refuse_old_options(words):
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

    def _refuse_options_in_front(self, ctx: Any, words: tuple[str, ...]) -> None:
        """Refuse options in front of a command, which would be taken for those of `browse`.

        Raises `SettingError`.
        """
        if not words or not words[0].startswith("-"):
            return
        _, browse, _ = self.resolve_command(ctx, [_BROWSE])
        valued = {option for parameter in browse.params for option in parameter.opts}
        for i in range(1, len(words)):
            word, rest = words[i], words[i + 1 :]
            if word not in self.commands or words[i - 1] in valued:
                continue
            # A benchmark may be called like a command, and then stands alone.
            if (rest and not rest[0].startswith("-")) or word not in registry.names():
                raise SettingError(
                    f"Options of {word} stand behind it, not in front.",
                    where=words[0],
                    hint=shlex.join(("commonsense-tui", word, *rest, *words[:i])),
                )


def _may_name_a_plugin(commands: Container[str], word: str) -> bool:
    """Whether the commands of other packages are needed, which takes as long as all of `--help`."""
    return word == "--help" or (word not in commands and word.isidentifier())


def _refuse_unknown_word(words: tuple[str, ...], commands: Container[str]) -> None:
    """Refuse a first word that is no command, no benchmark, no file and no folder.

    Otherwise `browse` would take it for a path and complain about the words after it. Raises
    `NotFoundError`.
    """
    word = words[0] if words else "-"
    if word.startswith("-") or word in commands or exists(Path(word)) or word in registry.names():
        return
    near = nearest(word, COMMANDS)
    raise NotFoundError(
        f"There is neither a command nor a file “{word}”.",
        hint=f"Did you mean “{near[0]}”?" if near else "commonsense-tui --help lists commands.",
    )


def _refuse_empty_values(words: tuple[str, ...]) -> None:
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
        # Finding what is installed takes as long as the whole of `--help`.
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


def main() -> None:
    """Run the command line and leave with its exit code."""
    open_missing_streams()
    if COMPLETION_VARIABLE in os.environ:
        completion.keep_words_as_typed()
        completion.rejoin_words()
    try:
        try:
            app(prog_name="commonsense-tui")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        quiet_pipe()
        sys.exit(0)
    except CommonsenseError:
        # Commands handle their errors; a group of another package fails while a shell completes.
        sys.exit(1)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:
            # A relative path needs the present folder.
            what = "The folder that you are in was removed."
            complain(NotFoundError(what, hint="Go to another."))
            sys.exit(2)
        if error.filename is not None:
            # A path that was typed, such as one that is too long.
            complain(DataError(f"{error.strerror}.", where=str(error.filename)))
            sys.exit(2)
        # What is left of a result cannot be written: the disk behind stdout is full, say.
        quiet_pipe()
        what = f"The result cannot be written: {error.strerror or error}."
        complain(CommonsenseError(what, hint="What runs and studies recorded is kept."))
        sys.exit(1)
