"""Writes plots to files: of recorded runs, of what was read of a model's blocks, of studies."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from core.blocks.lens import LensTable
from core.blocks.trace import TraceTable
from core.exchange.exporters import files
from core.exchange.plots.gathering import gather
from core.exchange.plots.plot import PlotError
from core.files.installation import command_to_add_extra
from core.layout.heatmap import HeatMap
from core.models.protocol import ModelInfo
from core.runs.store import Store
from core.studies.report import StudyReport

ENDINGS = (".pdf", ".svg", ".png")


def check(path: Path, *, force: bool) -> None:
    """Raise what writing a plot to this path would raise, before anything is computed.

    Raises as `files.check_free` does, and `PlotError` for an ending that names no format and where
    matplotlib is not installed.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise PlotError(
            f"A plot cannot be written as “{ending}”.",
            where=path,
            hint=f"Its name ends in one of {', '.join(ENDINGS)}.",
        )
    files.check_free(path, force=force)
    try:
        import_module("core.exchange.plots.style")
    except ImportError as error:
        raise PlotError(
            "Plots need matplotlib, which is not installed.",
            hint=command_to_add_extra("plots"),
        ) from error


def write_plot(
    store: Store, kind: str, runs: Sequence[str], path: Path, *, force: bool = False
) -> Path:
    """Draw a kind of plot of some runs into a file; return its full path.

    The ending of `path` chooses the format. Raises as `check`, `gather` and `files.write` do.
    """
    check(path, force=force)
    from core.exchange.plots.drawing import draw

    plot = gather(store, kind, runs)
    return files.write(path, draw(plot, path.suffix.lower()), force=force)


def write_block_plot(
    benchmark: str,
    info: ModelInfo,
    table: LensTable | TraceTable,
    heat: HeatMap,
    path: Path,
    *,
    force: bool = False,
) -> Path:
    """Draw options after every block, or a trace, into a file; return its full path.

    Args:
        benchmark: the title of the benchmark.
        info: the model that was read.
        table: what was read of its blocks.
        heat: the heat map of it, whose notes are the caption.
        path: its ending chooses the format.
        force: whether to overwrite a file.

    Raises as `check` and `files.write` do.
    """
    check(path, force=force)
    from core.exchange.plots.block_drawing import draw_blocks

    drawn = draw_blocks(benchmark, table, heat, path.suffix.lower(), demo=info.demo)
    return files.write(path, drawn, force=force)


def write_study_plot(
    report: StudyReport, path: Path, *, demo: bool = False, force: bool = False
) -> Path:
    """Draw what a study found into a file; return its full path.

    The ending of `path` chooses the format. Raises as `check` and `files.write` do, and `PlotError`
    where no item counted.
    """
    check(path, force=force)
    if isinstance(report.picture, HeatMap) and not report.picture.rows:
        raise PlotError("There is nothing to draw in this study.", hint=report.findings[0])
    from core.exchange.plots.study_drawing import draw_study

    return files.write(path, draw_study(report, path.suffix.lower(), demo=demo), force=force)
