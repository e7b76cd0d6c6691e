"""`abspyramid`: what only abstraction pyramids can be asked for."""

from __future__ import annotations

import typer

from tui.cli import abspyramid_annotate, abspyramid_curate, abspyramid_score, abspyramid_stats


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module on the command line."""
    abspyramid = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="Abstraction pyramids."
    )
    abspyramid_annotate.add_to(abspyramid)
    abspyramid_curate.add_to(abspyramid)
    abspyramid_score.add_to(abspyramid)
    abspyramid_stats.add_to(abspyramid)
    app.add_typer(abspyramid, name="abspyramid")
