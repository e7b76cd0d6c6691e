"""Writes a plot of recorded runs to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.exchange.exporters import files
from core.exchange.plots.gathering import gather
from core.exchange.plots.plot import PlotError
from core.runs.store import Store

ENDINGS = (".pdf", ".svg", ".png")


def write_plot(
    store: Store, kind: str, runs: Sequence[str], path: Path, *, force: bool = False
) -> Path:
    """Draw a kind of plot of some runs into a file; return its full path.

    The ending of `path` chooses the format. Raises as `gather` and `files.write` do, and
    `PlotError` for another ending and where matplotlib is not installed.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise PlotError(
            f"A plot cannot be written as “{ending}”.",
            where=path,
            hint=f"Its name ends in one of {', '.join(ENDINGS)}.",
        )
    files.check_free(path, force=force)
    plot = gather(store, kind, runs)
    try:
        from core.exchange.plots.drawing import draw
    except ImportError as error:
        raise PlotError(
            "Plots need matplotlib, which is not installed.",
            hint="pip install 'commonsense-tui[plots]'",
        ) from error
    return files.write(path, draw(plot, ending), force=force)
