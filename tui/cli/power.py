"""`runs power`: which difference in accuracy the questions of a run could show."""

from __future__ import annotations

from typing import Annotated

import typer

from core.runs.power import assumed_power, observed_power
from tui.cli import completion
from tui.cli.figures import print_table
from tui.cli.lookup import open_store
from tui.cli.options import JsonOption, RunArgument, StoreOption
from tui.cli.output import out, out_json

_ASSUMED = 0.2


def show_power(
    run: RunArgument,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="[OTHER]",
            help="A second run, whose share of discordant questions is used.",
            autocompletion=completion.runs,
        ),
    ] = None,
    discordant: Annotated[
        float,
        typer.Option(
            "--discordant",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Assume that so many questions are right in one run and wrong in the other.",
        ),
    ] = _ASSUMED,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print which difference the questions of a run could show.

    By task layer: the smallest difference in accuracy to another run over the same questions that
    the exact McNemar test finds with a power of 80 % at a level of 5 %. It depends on the share of
    discordant questions, right in one run and wrong in the other. Needs the extra `stats`.
    """
    with open_store(store, create=False) as opened:
        if other is None:
            layers = assumed_power(opened, run, discordant)
        else:
            layers = observed_power(opened, run, other)
    if as_json:
        out_json(
            {
                "runs": [run] if other is None else [run, other],
                "assumed": other is None,
                "layers": {
                    each.layer: {
                        "n": each.n,
                        "detectable": each.detectable,
                        "discordant": each.discordant,
                    }
                    for each in layers
                },
            }
        )
        return
    print_table(
        "Differences that would be found four times in five",
        ("layer", "n", "discordant", "difference"),
        [
            (
                each.layer,
                str(each.n),
                f"{each.discordant:.3f}",
                "none" if each.detectable is None else f"{each.detectable:.3f}",
            )
            for each in layers
        ],
    )
    if other is None:
        out(
            f" Assumed: {discordant:g} of the questions are right in one run and wrong in the other"
            "; --discordant changes it, a second run gives the observed share."
        )
    out(
        " None: no difference that is possible with so few discordant questions would be found. "
        "Questions are taken as independent; alike ones need a larger difference."
    )
