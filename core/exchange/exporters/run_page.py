"""Runs as one page that works without the program, the network and scripts.

Figures with intervals and baselines, comparisons with the first run, and the questions that say
most: those that one of two runs has right and the other wrong, or of a single run the surest wrong
answers. The template escapes all texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from core.contract.question import Verdict, shares
from core.contract.summary import Figure, Summary
from core.contract.view import Grid
from core.exchange.exporters.self_contained import (
    escape_texts,
    package_file,
    policy,
    template,
    variables,
)
from core.runs.comparison import Comparison
from core.runs.comparison_tables import (
    about_many_tests,
    conditions_and_left_out,
    counts_table,
    figures_table,
    first_wrong_table,
    layers_table,
)
from core.runs.records import Run
from core.runs.replay import conditions

MOST_QUESTIONS = 10
"""Most questions that are shown with their options."""
_WHOLE_FIGURES = "td, th { overflow-wrap: break-word; }\n"
"""A narrow window scrolls a table and breaks no figure."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run with what a page shows of it."""

    run: Run
    summary: Summary
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Part:
    title: str
    lines: Sequence[str] = ()
    tables: Sequence[_Table] = ()
    notes: Sequence[str] = ()


def run_page(reported: Sequence[ReportedRun], comparisons: Sequence[Comparison]) -> str:
    """The page of some runs; `comparisons` are those of the others with the first."""
    style = f"{variables()}\n{package_file('page.css')}{_WHOLE_FIGURES}"
    parts = [*map(_of_run, reported), *map(_of_comparison, comparisons)]
    if sentence := about_many_tests(comparisons):
        parts.append(_Part("Many tests", [sentence]))
    if comparisons:
        parts.append(_flips(reported[0], reported[1], comparisons[0]))
    else:
        parts.append(_failures(reported[0]))
    title = "Runs: " if len(reported) > 1 else "Run "
    text = template("run_page.html.j2").render(
        policy=policy((style,), ()),
        title=escape_texts(title + ", ".join(each.run.id for each in reported)),
        style=style,
        parts=escape_texts([asdict(part) for part in parts]),
    )
    return text + "\n"


def _of_run(reported: ReportedRun) -> _Part:
    run, summary = reported.run, reported.summary
    lines = [
        f"{run.plan.model} on {run.plan.benchmark}, {run.state}, {conditions(run.plan)}",
        f"{run.items} items, {run.verdicts} verdicts; recorded {run.created[:10]}",
    ]
    columns = ("figure", "value", "right/n", "95 % interval", "trivial answers")
    title = f"Figures under the profile {summary.profile}"
    figures = _Table(title, columns, [_figure_row(figure) for figure in summary.figures])
    notes = [f"{figure.name}: {figure.note}" for figure in summary.figures if figure.note]
    tables = [figures, *map(_grid, summary.tables)]
    return _Part(run.id, lines, tables, [*notes, *summary.notes])


def _figure_row(figure: Figure) -> tuple[str, ...]:
    return (
        figure.name,
        "unknown" if figure.value is None else f"{figure.value:.4f}",
        figure.counted,
        _interval(figure.interval),
        ", ".join(f"{name} {baseline.value:.3f}" for name, baseline in figure.baselines.items()),
    )


def _grid(grid: Grid) -> _Table:
    rows = [[cell.text for cell in row] for row in grid.rows]
    return _Table(grid.title, grid.columns, rows)


def _of_comparison(comparison: Comparison) -> _Part:
    grids = [layers_table(comparison), counts_table(comparison)]
    figures = figures_table(comparison)
    if figures is not None:
        grids.append(figures)
    grids.append(first_wrong_table(comparison))
    return _Part(
        f"A: {comparison.first.id}, B: {comparison.second.id}",
        [line for line, _role in conditions_and_left_out(comparison)],
        [_grid(grid) for grid in grids],
        [grid.note for grid in grids if grid.note],
    )


def _interval(interval: tuple[float, float] | None) -> str:
    return "no interval" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"


def _flips(first: ReportedRun, second: ReportedRun, comparison: Comparison) -> _Part:
    """The flips of two runs of which the answers were the surest."""
    of_first, of_second = map(_by_question, (first.verdicts, second.verdicts))
    pairs = [
        (of_first[key], of_second[key])
        for flip in comparison.flips
        if (key := (flip.layer, flip.item)) in of_first and key in of_second
    ]
    pairs.sort(key=lambda pair: -sum(map(_sureness, pair)))
    tables = [_question((("A", a), ("B", b))) for a, b in pairs[:MOST_QUESTIONS]]
    return _Part(
        f"Questions that one of {first.run.id} (A) and {second.run.id} (B) has right",
        [_counted(len(tables), len(pairs), "the surest answers first")],
        tables,
    )


def _failures(reported: ReportedRun) -> _Part:
    """The wrong answers of a run that were the surest."""
    wrong = sorted((v for v in reported.verdicts if v.right is False), key=_sureness, reverse=True)
    tables = [_question((("answer", verdict),)) for verdict in wrong[:MOST_QUESTIONS]]
    return _Part("Wrong answers", [_counted(len(tables), len(wrong), "the surest first")], tables)


def _counted(shown: int, there: int, order: str) -> str:
    if not there:
        return "There are none."
    return f"{shown} of {there}, {order}: by how far the picked option is ahead of the next."


def _by_question(verdicts: Sequence[Verdict]) -> dict[tuple[str, str], Verdict]:
    return {(verdict.layer, verdict.item): verdict for verdict in verdicts}


def _sureness(verdict: Verdict) -> float:
    """How far the most probable option is ahead of the next; 0 where options have no scores."""
    best, second, *_ = *sorted(shares(verdict.scores), reverse=True), 0.0, 0.0
    return best - second


def _question(answers: Sequence[tuple[str, Verdict]]) -> _Table:
    """The options of a question, with what was picked and what is right."""
    verdict = answers[0][1]
    weights = [shares(each.scores) for _, each in answers]
    scored = [(name, share) for (name, _), share in zip(answers, weights, strict=True) if share]
    rows = []
    for i, option in enumerate(verdict.options):
        picked = ["picked" if i in _picks(each) else "" for _, each in answers]
        share = [f"{each[i]:.3f}" for _, each in scored]
        rows.append((option, "right" if i in _golds(verdict) else "", *picked, *share))
    columns = ("option", "gold", *(name for name, _ in answers))
    shown = (f"share {name}" if len(answers) > 1 else "share" for name, _ in scored)
    words = ", ".join(f"{name} {_status(each)}" for name, each in answers)
    return _Table(f"{verdict.item}, {verdict.layer}: {words}", (*columns, *shown), rows)


def _status(verdict: Verdict) -> str:
    word = "right" if verdict.right else "wrong"
    return word if _picks(verdict) else f"{word} ({verdict.status.value})"


def _picks(verdict: Verdict) -> Sequence[int]:
    return verdict.answers if verdict.multiple else list(_present(verdict.answer))


def _golds(verdict: Verdict) -> Sequence[int]:
    return verdict.golds if verdict.multiple else list(_present(verdict.gold))


def _present(index: int | None) -> Iterator[int]:
    if index is not None:
        yield index
