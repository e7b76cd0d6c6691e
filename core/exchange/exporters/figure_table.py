"""The figures of runs as one table, a row each and a column for every run: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import PurePath

from core.contract.summary import Figure, Summary
from core.exchange.exporters.run_conditions import asked_as, items_of, not_comparable
from core.exchange.exporters.verdict_table import defused
from core.runs.records import Run, RunState
from core.text.escaping import escape_control_characters
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
    """A pipe table; below it how every run was asked, and its notes."""
    rows = [["", *(_head(run).translate(_MARKDOWN) for run, _ in columns)]]
    rows.append(["---", *["---:"] * len(columns)])
    rows += [
        [_one_line(name).translate(_MARKDOWN), *(_cell(summary, name) for _, summary in columns)]
        for name in _names(columns)
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    notes = [f"- {note.translate(_MARKDOWN)}" for note in _notes(columns)]
    return "\n".join([*lines, "", _INTERVALS, "", *notes]) + "\n"


def latex(columns: Sequence[Column]) -> str:
    """A `tabular` with the rules of booktabs; comments say how runs were asked, and their notes."""
    lines = [r"\begin{tabular}{l" + "r" * len(columns) + "}", r"\toprule"]
    lines.append(" & ".join(["", *(_head(run).translate(_LATEX) for run, _ in columns)]) + r" \\")
    lines.append(r"\midrule")
    for name in _names(columns):
        cells = (_cell(summary, name).translate(_LATEX) for _, summary in columns)
        lines.append(" & ".join([_one_line(name).translate(_LATEX), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", f"% {_INTERVALS}"]
    lines += [f"% {note}" for note in _notes(columns)]
    return "\n".join(lines) + "\n"


def comma_separated(columns: Sequence[Column]) -> str:
    """One row for each figure of each run, with its count, denominator, interval and baselines.

    The columns after the note are of the run: how many of its written answers could not be read,
    how it was asked and about what, and why the runs of the table do not compare.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    why = not_comparable([run for run, _ in columns])
    of_runs = [{"profile": each.profile, **_run_cells(run)} for run, each in columns]
    headings = (
        *("run", "model", "figure", "value", "right", "n", "low", "high"),
        *("trivial_answers", "note"),
    )
    names = list(of_runs[0]) if of_runs else []
    writer.writerow((*headings, "not_read_in_run", *names, "not_comparable"))
    for (run, summary), of_run in zip(columns, of_runs, strict=True):
        for figure in summary.figures:
            low, high = figure.interval or (None, None)
            cells = (run.id, run.plan.model, figure.name)
            numbers = (figure.measured, figure.right, figure.n, low, high)
            unread = summary.counts.get("not_read", 0)
            texts = _text_cell(_trivial(figure)), _text_cell(figure.note)
            row = (*map(_text_cell, cells), *numbers, *texts, unread)
            writer.writerow((*row, *of_run.values(), _text_cell(why)))
    return text.getvalue()


def _run_cells(run: Run) -> dict[str, str | int | None]:
    """How a run was asked and about what, by column; the collection of an imported run is its log.

    `items` is how many were asked about so far.
    """
    plan = run.plan
    return {
        "benchmark": _text_cell(plan.benchmark),
        "state": run.state.value,
        "collection": _text_cell(PurePath(plan.collection).name),
        "collection_hash": plan.collection_hash,
        "items": run.items,
        "limit": plan.limit,
        "form": plan.form.value,
        "shots": plan.shots,
        "shot_rule": plan.shot_rule,
        "seed": plan.seed if plan.draws else None,
        "scoring": ", ".join(run.read_by),
        "setting": _text_cell(", ".join(f"{key}={value}" for key, value in plan.setting)),
        "conditions": _text_cell(asked_as(run)),
    }


def figure_row(figure: Figure) -> tuple[str, ...]:
    """A figure under `COLUMNS`."""
    return (
        figure.name,
        _value(figure),
        figure.counted,
        _interval(figure),
        _trivial(figure),
    )


def _trivial(figure: Figure) -> str:
    """What trivial answers reach, each by its name."""
    return ", ".join(f"{name} {baseline.value:.3f}" for name, baseline in figure.baselines.items())


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


def _one_line(text: str) -> str:
    """A text on one line, with a sign in the place of what a terminal would obey."""
    return escape_control_characters(" ".join(text.split()), limit=len(text))


def _text_cell(text: str) -> str:
    """A text of somebody else's in a cell, which neither a terminal nor a spreadsheet obeys."""
    return defused(escape_control_characters(text, lines=True, limit=len(text)))


def _head(run: Run) -> str:
    return _one_line(f"{run.plan.model} ({run.id})")


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
    """How each run was asked, why the runs do not compare, and their notes with the runs' ids.

    Of the notes the first is what trivial answers reach in each figure.
    """
    runs = [run for run, _ in columns]
    why = not_comparable(runs)
    noted: dict[str, list[str]] = {}
    for run, summary in columns:
        reached = [
            f"{figure.name} {_trivial(figure)}" for figure in summary.figures if figure.baselines
        ]
        trivial = [f"Trivial answers: {'; '.join(reached)}."] if reached else []
        for note in (*trivial, *summary.notes):
            noted.setdefault(note, []).append(run.id)
    notes = [
        *(f"{run.id}: {_asked(run)}." for run in runs),
        *(f"Profile {name}." for name in dict.fromkeys(each.profile for _, each in columns)),
        *filter(None, [why]),
        *(f"{', '.join(ids)}: {note}" for note, ids in noted.items()),
    ]
    return list(map(_one_line, notes))


def _asked(run: Run) -> str:
    """How a run was asked, about which items, and whether about all of them."""
    words = [asked_as(run)]
    if run.plan.shots and run.plan.shot_rule:
        words.append(f"{run.plan.shot_rule} worked examples with seed {run.plan.seed}")
    words.append(items_of(run, collection=True))
    if run.state is RunState.DONE:
        words.append("asked to the end")
    return ", ".join(words)
