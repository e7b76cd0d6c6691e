"""Items by runs, with the first wrong layer of each run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.contract import registry
from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.runs.comparison import ALL_RIGHT, NONE_WRONG, compare
from core.runs.comparison_tables import first_wrong_table
from core.runs.heat_map import HeatMapRow, heat_map
from core.runs.records import Plan, RunState
from core.runs.store import Store


def verdict(item: str, layer: str, gold: int | None) -> Verdict:
    return Verdict(
        item, layer, Setting(), ("a", "b"), (), 0, gold, Status.OK, Scoring.GENERATED, digest=item
    )


def test_rows_have_the_first_wrong_layer_and_the_hardest_items_first(tmp_path: Path) -> None:
    plan = Plan("m", "f", "gita", "/nowhere", "h")
    story, conflict = "story_class", "conflict_detec"
    first = [
        verdict("easy", story, 0), verdict("hard", story, 1), verdict("hard", conflict, 1),
        verdict("open", story, None), verdict("late", story, 0), verdict("late", conflict, 1),
    ]  # fmt: skip
    second = [
        verdict("easy", story, 0), verdict("hard", conflict, 1), verdict("hard", story, 0),
        verdict("open", story, 0),
    ]  # fmt: skip
    with Store(tmp_path / "runs.sqlite") as store:
        runs = [
            store.add(replace(plan, fingerprint=name), verdicts, {})
            for name, verdicts in (("a", first), ("b", second))
        ]
        rows = heat_map(store, runs, registry.load("gita"))
    assert rows == [
        HeatMapRow("hard", (story, conflict)),
        HeatMapRow("late", (conflict, None)),
        HeatMapRow("open", (None, ALL_RIGHT)),
        HeatMapRow("easy", (ALL_RIGHT, ALL_RIGHT)),
    ]


def test_an_item_of_a_run_that_stopped_early_is_not_all_right(tmp_path: Path) -> None:
    plan = Plan("m", "f", "gita", "/nowhere", "h")
    asked = [verdict("easy", "story_class", 0), verdict("hard", "story_class", 1)]
    with Store(tmp_path / "runs.sqlite") as store:
        ended, stopped = store.start(plan), store.start(replace(plan, fingerprint="other"))
        for run, state in ((ended, RunState.DONE), (stopped, RunState.CANCELLED)):
            for seq, each in enumerate(asked):
                store.record(run.id, seq, each, "", 0.0)
            store.set_state(run.id, state)
        rows = heat_map(store, [store.run(ended.id), store.run(stopped.id)], registry.load("gita"))
        comparison = compare(store, ended.id, stopped.id)
    assert rows == [
        HeatMapRow("hard", ("story_class", "story_class")),
        HeatMapRow("easy", (ALL_RIGHT, NONE_WRONG)),
    ]
    table = first_wrong_table(comparison)
    assert table.columns[1:] == ("story_class", NONE_WRONG, ALL_RIGHT)
    assert [cell.text for cell in table.rows[-1]] == [ALL_RIGHT, "0", "1", "0"]
