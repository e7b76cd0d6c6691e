"""`runs export`: the verdicts or the figures of runs as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from core.exchange.exporters import figure_table, files, verdict_table
from core.exchange.exporters.document import ExportError
from core.files import paths
from core.runs.garbage import gc_paused
from core.runs.summaries import summarise
from tui.cli.lookup import check_named_once, open_store
from tui.cli.options import ForceOption, RunsArgument, StoreOption
from tui.cli.output import out

_VERDICTS: dict[str, Callable[..., None]] = {
    ".csv": verdict_table.write_csv,
    ".jsonl": verdict_table.write_json_lines,
    ".parquet": verdict_table.write_parquet,
}
_FIGURES = {
    ".csv": figure_table.comma_separated,
    ".md": figure_table.markdown,
    ".tex": figure_table.latex,
}


_PAGE = ".html"


def export_runs(
    names: RunsArgument,
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            "--out",
            metavar="FILE",
            help="Write to this file; its ending chooses: verdicts as .csv, .jsonl or .parquet, "
            "figures as .md or .tex, a page to read as .html.",
        ),
    ],
    figures: Annotated[
        bool, typer.Option("--figures", help="Write the figures to a .csv, not the verdicts.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="Take the questions and graphs of a page from this file or folder of items; by "
            "default from where the items were, or from the bundled ones.",
        ),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write runs to a file for other programs.

    Verdicts are one row for every question with options, scores, answer, right answer, text,
    tokens, seconds and hashes. Figures are a table with a column for every run, with intervals,
    counts and notes; .tex needs the package booktabs. A page has the figures, what differs from the
    first run, and the ten most telling items with their questions, answers and graphs; it holds
    these items' texts, and needs neither this program nor a network.
    """
    ending = to.suffix.lower()
    if data is not None and (ending != _PAGE or figures):
        raise ExportError(
            "Only a page shows items.",
            where="--data",
            hint="Leave --data out, or write a file whose name ends in .html.",
        )
    check_named_once(names)
    with open_store(store, create=False) as opened:
        runs = [opened.run(name) for name in names]
        if ending in _FIGURES and (figures or ending not in _VERDICTS):
            columns = [(run, summarise(opened, run)) for run in runs]
            path = files.write(to, _FIGURES[ending](columns).encode(), force=force)
        elif ending == _PAGE and not figures:
            from tui.cli.run_report import report

            page = report(opened, runs, data).encode("utf-8", "replace")
            path = files.write(to, page, force=force)
        elif ending in _VERDICTS and not figures:
            path = paths.destination(to)
            with files.draft(to, force=force) as handle, gc_paused():
                _VERDICTS[ending](handle, verdict_table.verdict_columns(opened, runs))
        else:
            endings = _FIGURES if figures else dict.fromkeys([*_VERDICTS, *_FIGURES, _PAGE])
            raise ExportError(
                f"A file cannot be written as “{ending}”.",
                where=to,
                hint=f"Its name ends in one of {', '.join(endings)}.",
            )
    out(str(path))
