"""The commands of the invented benchmark: `commonsense-tui shapes`."""

from __future__ import annotations

from typing import Annotated

import typer
from shapes_benchmark import CARRIES_NOTHING, Shapes

app = typer.Typer(help="Towers of shapes.", no_args_is_help=True)


@app.command()
def count(part: Annotated[str, typer.Argument(help="A part, such as ball.")]) -> None:
    """Print how many towers have a part."""
    towers = Shapes().open(Shapes().samples())
    having = sum(part in towers.item(i).parts for i in range(len(towers)))
    typer.echo(f"{having} of {len(towers)} towers have a {part}.")


@app.command()
def carry(part: str) -> None:
    """Print whether a part carries another; fails for an unknown one."""
    known = {"cube": True, "cylinder": True} | dict.fromkeys(CARRIES_NOTHING, False)
    typer.echo("yes" if known[part] else "no")
