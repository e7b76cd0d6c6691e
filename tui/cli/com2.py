"""`com2`: what only causal event graphs can be asked for."""

from __future__ import annotations

import typer

from tui.cli import com2_query, com2_scenarios, com2_synthesise


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module on the command line."""
    com2 = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Causal event graphs.")
    com2_query.add_to(com2)
    com2_scenarios.add_to(com2)
    com2_synthesise.add_to(com2)
    app.add_typer(com2, name="com2")
