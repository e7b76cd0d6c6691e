"""`accord`: what only reasoning trees can be asked for."""

from __future__ import annotations

import typer

from tui.cli import accord_kb, accord_suites, accord_trees


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module on the command line."""
    accord = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Reasoning trees.")
    accord_trees.add_to(accord)
    accord_kb.add_to(accord)
    accord_suites.add_to(accord)
    app.add_typer(accord, name="accord")
