"""`browse`: opens the program."""

from __future__ import annotations

import typer

from core.contract import registry
from core.text.errors import NotFoundError
from core.text.suggestions import nearest
from tui.app.opening import open_program
from tui.cli import groups
from tui.cli.lookup import exists
from tui.cli.options import LangOption, OpenedBenchmarkOption, OpenedModelOption, OpenedPathArgument


def browse(
    path: OpenedPathArgument = None,
    benchmark: OpenedBenchmarkOption = None,
    model: OpenedModelOption = None,
    language: LangOption = None,
) -> None:
    """Open the program (also without a command)."""
    if path is not None and not exists(path):
        if benchmark is None and str(path) in registry.names():
            benchmark, path = str(path), None
        else:
            near = nearest(str(path), groups.COMMANDS)
            raise NotFoundError(
                f"There is neither a command nor a file “{path}”.",
                hint=f"Did you mean “{near[0]}”?"
                if near
                else "commonsense-tui --help lists commands.",
            )
    raise typer.Exit(open_program(path, benchmark, model, language))
