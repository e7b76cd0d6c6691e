"""`locate`: prints where your files are."""

from __future__ import annotations

from typing import Annotated

import typer

from core.files import paths
from tui.cli import completion
from tui.cli.lookup import check_choice
from tui.cli.options import JsonOption
from tui.cli.output import out, out_json


def locate(
    name: Annotated[
        str | None,
        typer.Argument(
            help="config, themes, data or runs; all of them when left out.",
            autocompletion=completion.places,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print where your configuration, themes, data and runs are."""
    places = paths.named_paths()
    if name is not None:
        check_choice(name, places, "place", "NAME")
    chosen = {key: str(path) for key, path in places.items() if name in {None, key}}
    if as_json:
        out_json(chosen)
    elif name is not None:
        out(chosen[name])
    else:
        for key, path in chosen.items():
            out(f"{key}: {path}")
