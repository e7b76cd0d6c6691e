"""`runs plot`: pictures of runs for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.exchange.plots.gathering import gather
from core.exchange.plots.terminal import plot_lines
from core.exchange.plots.writing import write_plot
from tui.cli import completion
from tui.cli.lookup import check_named_once, open_store
from tui.cli.options import ForceOption, StoreOption
from tui.cli.output import out, width


def plot_runs(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="What is drawn: layers, figures, hops, grid, funnel, tokens or forest.",
            show_default=False,
            autocompletion=completion.plots,
        ),
    ],
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="The runs, as `runs list` prints them; a forest compares the others with the "
            "first.",
            show_default=False,
            autocompletion=completion.runs,
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            "--out",
            metavar="FILE",
            help="Write to this file; its ending chooses: .pdf, .svg or .png. Without it the plot "
            "is printed.",
        ),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Draw runs as a picture for a paper, one column wide.

    layers: share right in each task layer. figures: the benchmark's own figures. hops, grid:
    accuracy by hops, and by hops and distractors (ACCORD). funnel: items without a wrong answer
    after each layer. tokens: main figure against length of answers. forest: differences to the
    first run, by layer. Files need the extra `plots`; without --to the plot is printed as text.
    """
    check_named_once(names)
    with open_store(store, create=False) as opened:
        if to is None:
            for line in plot_lines(gather(opened, kind, names), width()):
                out(line)
        else:
            out(str(write_plot(opened, kind, names, to, force=force)))
