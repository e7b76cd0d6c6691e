"""A run that was stopped beside one that has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.benchmarks.gita.questions import CONFLICT
from core.contract.question import Verdict
from core.runs.comparison import Comparison, compare
from core.runs.comparison_tables import figures_table, run_line
from core.runs.figure_comparison import FigureComparison
from core.runs.records import Plan, RunState
from core.runs.store import Store
from tests.benchmarks.gita.test_scoring import Told, run
from tests.runs.test_comparison import verdict


def compared(
    store: Store, benchmark: str, whole: Sequence[Verdict], part: Sequence[Verdict]
) -> Comparison:
    """A run that has ended and a paused one."""
    ids = []
    for model, verdicts, state in (
        ("first", whole, RunState.DONE),
        ("second", part, RunState.PAUSED),
    ):
        plan = Plan(model, model, benchmark, "/data/items.json", "c" * 64)
        stored = store.start(plan)
        for seq, each in enumerate(verdicts):
            store.record(stored.id, seq, each, "", 0.0)
        store.set_state(stored.id, state)
        ids.append(stored.id)
    return compare(store, *ids)


def figures(comparison: Comparison) -> dict[str, FigureComparison]:
    return {figure.name: figure for figure in comparison.figures}


def test_a_figure_that_one_run_has_not_come_to_is_not_compared(store: Store) -> None:
    """Its layer was asked about one of two stories, so what was right is a lower bound only."""
    whole = run(*(Told(f"{family}-C0", "rw") for family in range(12)))
    right = run(*(Told(f"{family}-C0", "rr") for family in range(12)))
    part = [v for v in right if v.layer != CONFLICT or int(v.item.partition("-")[0]) < 6]
    comparison = compared(store, "gita", whole, part)
    accuracy, consistency = (figures(comparison)[name] for name in ("Accuracy", "Consistency"))
    assert (accuracy.first, accuracy.second) == (1, 1)
    assert (consistency.first, consistency.second, consistency.difference) == (0, None, None)
    assert consistency.interval is None
    table = figures_table(comparison)
    assert table is not None
    assert "it does not follow from what this run has answered" in table.note


def test_every_figure_that_is_compared_has_its_count(store: Store) -> None:
    stories = run(*(Told(f"{family}-C0", "rw") for family in range(12)))
    table = figures_table(compared(store, "gita", stories, stories))
    assert table is not None
    counts = {row[0].text: row[table.columns.index("n")].text for row in table.rows}
    assert counts["Accuracy"] == "12"
    assert set(counts.values()) <= {"12", "0"}


def test_a_figure_of_other_counts_in_either_run_has_both(store: Store) -> None:
    figure = FigureComparison("top", 0.5, 0.25, None, n=(8, 4))
    stories = run(*(Told(f"{family}-C0", "rw") for family in range(12)))
    comparison = replace(compared(store, "gita", stories, stories), figures=(figure,))
    table = figures_table(comparison)
    assert table is not None
    assert table.rows[0][1].text == "8 / 4"
    assert "Two n: that of A, then that of B." in table.note


def test_answers_to_a_layer_that_the_other_run_has_not_come_to_do_not_count(store: Store) -> None:
    tags = {"falls": "yes"}
    items = [str(number) for number in range(12)]
    stands = [verdict(item, "stands", 1)._replace(tags=tags) for item in items]
    tops = [verdict(item, "top", int(item) < 6)._replace(tags=tags) for item in items]
    top = figures(compared(store, "shapes", [*stands, *tops], [*stands, *tops[:6]]))["Top"]
    assert (top.first, top.second) == (1, 1)


def test_the_line_of_a_run_says_that_it_has_not_ended(store: Store) -> None:
    asked = [verdict("arch", "stands", 1)]
    comparison = compared(store, "shapes", asked, asked)
    assert run_line(comparison.first) == "first, zero-shot, base prompt"
    assert run_line(comparison.second) == "second, zero-shot, base prompt, paused"
