"""`browse`: opens the program."""

from __future__ import annotations

import typer

from core.contract import registry
from core.text.errors import NotFoundError
from tui.app.opening import open_program
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
            raise NotFoundError("There is no such file or folder.", where=str(path))
    raise typer.Exit(open_program(path, benchmark, model, language))
