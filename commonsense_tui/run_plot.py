"""Recorded runs as a plot: drawn by a notebook, printed as text, written for a paper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_tui.recorded_runs import RecordedRun, common_store
from core.exchange.exporters import files
from core.exchange.plots.gathering import gather
from core.exchange.plots.plot import Plot, PlotError
from core.exchange.plots.terminal import plot_lines
from core.exchange.plots.writing import check
from core.runs.store import Store

_WIDTH = 100
"""Characters of a printed line."""


def plot(kind: str, *runs: RecordedRun) -> RunPlot:
    """Draw runs of one store.

    `kind` is "layers", "figures", "funnel", "tokens" or "forest", and "hops" or "grid" for ACCORD,
    as `runs plot` has them; a forest compares the others with the first. Raises `ExportError` where
    the runs do not have what it shows, and `RunError` for runs of several stores.
    """
    if not runs:
        raise PlotError("No run was named.", hint=f"Write ct.plot({kind!r}, run).")
    with Store(common_store(runs), create=False) as opened:
        return RunPlot(gather(opened, kind, [run.id for run in runs]))


@dataclass(frozen=True, slots=True)
class RunPlot:
    """A plot of runs. A notebook draws it where the extra `plots` is installed."""

    plot: Plot
    """Its points with their intervals, by category and by run, its title and caption."""

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write it as PDF, SVG or PNG, as the ending of `path` says; returns the full path.

        Needs the extra `plots`. Raises `ExportError`, also for a file that is there unless `force`.
        """
        to = Path(path)
        check(to, force=force)
        return files.write(to, _drawn(self.plot, to.suffix.lower()), force=force)

    def __str__(self) -> str:
        return "\n".join(plot_lines(self.plot, _WIDTH))

    def __repr__(self) -> str:
        return f"<{self.plot.title}>"

    def _repr_png_(self) -> bytes | None:
        try:
            return _drawn(self.plot, ".png")
        except ImportError:
            return None


def _drawn(plot: Plot, ending: str) -> bytes:
    from core.exchange.plots.drawing import draw

    return draw(plot, ending)
