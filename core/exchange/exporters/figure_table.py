"""The figures of runs as one table, a row each and a column for every run: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from core.contract.summary import Figure, Summary
from core.exchange.exporters.verdict_table import defused
from core.runs.records import Run
from core.text.shown_number import ShownNumber

Column = tuple[Run, Summary]
COLUMNS = ("figure", "value", "right/n", "95 % interval", "trivial answers")
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
    }
)
_MARKDOWN = str.maketrans({each: f"\\{each}" for each in "\\`*_{}[]<>#|~$&"})
_INTERVALS = "95 % intervals in brackets, then count and denominator."


def markdown(columns: Sequence[Column]) -> str:
    """A pipe table, with the notes of every run below it."""
    rows = [["", *(_head(run).translate(_MARKDOWN) for run, _ in columns)]]
    rows.append(["---", *["---:"] * len(columns)])
    rows += [
        [name.translate(_MARKDOWN), *(_cell(summary, name) for _, summary in columns)]
        for name in _names(columns)
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    notes = [f"- {note.translate(_MARKDOWN)}" for note in _notes(columns)]
    return "\n".join([*lines, "", _INTERVALS, "", *notes]) + "\n"


def latex(columns: Sequence[Column]) -> str:
    """A `tabular` with the rules of booktabs; the notes of every run are comments below it."""
    lines = [r"\begin{tabular}{l" + "r" * len(columns) + "}", r"\toprule"]
    lines.append(" & ".join(["", *(_head(run).translate(_LATEX) for run, _ in columns)]) + r" \\")
    lines.append(r"\midrule")
    for name in _names(columns):
        cells = (_cell(summary, name).translate(_LATEX) for _, summary in columns)
        lines.append(" & ".join([name.translate(_LATEX), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", f"% {_INTERVALS}"]
    lines += ["% " + " ".join(note.split()) for note in _notes(columns)]
    return "\n".join(lines) + "\n"


def comma_separated(columns: Sequence[Column]) -> str:
    """One row for each figure of each run, with its count, denominator and interval.

    The last column says of the run how many of its written answers could not be read.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(
        ("run", "model", "figure", "value", "right", "n", "low", "high", "note", "not_read_in_run")
    )
    for run, summary in columns:
        for figure in summary.figures:
            low, high = figure.interval or (None, None)
            cells = (run.id, run.plan.model, figure.name)
            numbers = (figure.measured, figure.right, figure.n, low, high)
            unread = summary.counts.get("not_read", 0)
            writer.writerow((*map(defused, cells), *numbers, defused(figure.note), unread))
    return text.getvalue()


def figure_row(figure: Figure) -> tuple[str, ...]:
    """A figure under `COLUMNS`."""
    return (
        figure.name,
        _value(figure),
        figure.counted,
        _interval(figure),
        ", ".join(f"{name} {baseline.value:.3f}" for name, baseline in figure.baselines.items()),
    )


def _value(figure: Figure) -> str:
    if figure.value is None:
        return "unknown"
    return "" if figure.measured is None else f"{ShownNumber(figure.measured):.4f}"


def _interval(figure: Figure) -> str:
    """The interval, or why a figure that has a value has none."""
    if figure.value is None:
        return ""
    if figure.interval is not None:
        return "{:.3f} to {:.3f}".format(*map(ShownNumber, figure.interval))
    if not figure.n:
        return "no items"
    return f"no interval: {figure.withheld}" if figure.withheld else "no interval"


def _head(run: Run) -> str:
    return " ".join(f"{run.plan.model} ({run.id})".split())


def _names(columns: Sequence[Column]) -> list[str]:
    """The names of all figures, in the order of the first run that has them."""
    return list(dict.fromkeys(figure.name for _, summary in columns for figure in summary.figures))


def _cell(summary: Summary, name: str) -> str:
    figure = next((each for each in summary.figures if each.name == name), None)
    return "" if figure is None else _text(figure)


def _text(figure: Figure) -> str:
    if figure.value is None:
        return "unknown"
    if not figure.n:
        return "no items"
    interval = figure.interval
    value, *ends = (f"{ShownNumber(each):.3f}" for each in (figure.value, *(interval or ())))
    bounds = f" [{', '.join(ends)}]" if ends else ""
    return f"{value}{bounds} {figure.counted}"


def _notes(columns: Sequence[Column]) -> list[str]:
    """The notes of the runs, each with the runs that it is about."""
    noted: dict[str, list[str]] = {}
    for run, summary in columns:
        for note in summary.notes:
            noted.setdefault(note, []).append(run.id)
    return [f"{', '.join(ids)}: {note}" for note, ids in noted.items()]
