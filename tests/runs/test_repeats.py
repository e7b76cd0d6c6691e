"""Repeats of a run: which runs they are, their spread, and going on after a kill."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.contract.question import Form, Scoring
from core.models.protocol import Sampling
from core.runs.comparison import compare
from core.runs.listing import COLUMNS, ListedRun, list_runs
from core.runs.records import Plan, Run, RunState
from core.runs.repeats import Spread, repeated_figures, repeats_of, with_repeats
from core.runs.store import Store
from core.runs.summaries import summarise
from core.text.errors import RunError
from tests.runs.models import HashingModel
from tests.runs.repeats import ask, ask_in_three_orders
from tui.runs.run_details import describe

ROOT = Path(__file__).parents[2]
PLAN = Plan("m", "f", "com2", "p", "h", Form.BASE, shots=1, shot_rule="random", seed=7)


def run(name: str, seed: int, order: int, state: RunState = RunState.DONE, **plan: Any) -> Run:
    return Run(name, replace(PLAN, seed=seed, order=order, **plan), state, "")


def grouped(of: Run, runs: list[Run]) -> list[list[str]]:
    return [[each.id for each in repeats.runs] for repeats in repeats_of(of, runs)]


def test_the_spread_is_that_of_a_sample() -> None:
    spread = Spread([0.2, 0.4, 0.9])
    assert spread.mean == pytest.approx(0.5)
    # Deviations -.3, -.1, .4: their squares .09, .01, .16 sum to .26, over two.
    assert spread.sd == pytest.approx(0.13**0.5)


def test_repeats_whose_answers_are_drawn_are_told_apart_in_a_list() -> None:
    drawn = {"shots": 0, "shot_rule": "", "sampling": Sampling(0.7)}
    listed = [ListedRun(run("a", 7, 0, **drawn)), ListedRun(run("b", 8, 1, **drawn))]
    assert [COLUMNS["repeat"].text(each) for each in listed] == ["seed 7", "seed 8, order 1"]


def test_without_worked_examples_other_seeds_are_draws_of_answers() -> None:
    drawn = {"shots": 0, "shot_rule": "", "sampling": Sampling(0.7)}
    runs = [run(f"{seed} {order}", seed, order, **drawn) for seed in (7, 8) for order in (0, 1)]
    assert [repeats.title for repeats in repeats_of(runs[0], runs)] == [
        "2 orders of the options",
        "2 draws of answers",
        "2 draws of answers, each in 2 orders of the options",
    ]


def test_repeats_differ_in_order_or_in_seed_or_in_both() -> None:
    runs = [run("a", 7, 0), run("b", 7, 1), run("c", 8, 0), run("d", 8, 1)]
    assert grouped(runs[0], runs) == [["a", "b"], ["a", "c"], ["a", "b", "c", "d"]]
    titles = [repeats.title for repeats in repeats_of(runs[0], runs)]
    assert titles == [
        "2 orders of the options",
        "2 draws of worked examples",
        "2 draws of worked examples, each in 2 orders of the options",
    ]
    # Without the last combination there are only the two by themselves.
    assert grouped(runs[0], runs[:3]) == [["a", "b"], ["a", "c"]]


def test_other_plans_and_unfinished_runs_are_no_repeats() -> None:
    own = run("a", 7, 0)
    others = [
        run("b", 7, 1, RunState.PAUSED),
        run("c", 7, 2, RunState.IMPORTED),
        run("d", 7, 3, limit=5),
        run("e", 8, 0, fingerprint="another"),
    ]
    assert grouped(own, [own, *others]) == []
    paused = run("p", 7, 0, RunState.PAUSED)
    assert grouped(paused, [paused, run("f", 7, 4)]) == []


def test_of_equal_repeats_the_latest_counts_but_for_the_run_itself() -> None:
    own = run("a", 7, 0)
    runs = [own, run("again", 7, 0), run("b", 7, 1), run("b again", 7, 1)]
    assert grouped(own, runs) == [["a", "b again"]]


async def test_figures_of_repeats_are_those_of_their_runs(store: Store) -> None:
    asked = await ask(store, HashingModel(), "accord", orders=range(3), limit=8)
    (repeated,) = repeated_figures(store, asked[0].run, "paper")
    assert [each.id for each in repeated.repeats.runs] == [each.run.id for each in asked]
    for index, evaluation in enumerate(asked):
        for figure in summarise(store, store.run(evaluation.run.id), "paper").figures:
            assert repeated.values[figure.name][index] == (figure.value if figure.n else None)
    name = "bare question"
    right = [
        sum(v.answer == v.gold for v in store.verdicts(each.run.id) if v.layer == "bare")
        for each in asked
    ]
    assert len(set(right)) > 1
    spread = repeated.spreads[name]
    assert spread.mean == pytest.approx(sum(right) / 3 / 8)
    summary = with_repeats(asked[0].summary(), [repeated])
    (row,) = [row for row in summary.tables[0].rows if row[0].text == name]
    low, high = (f"{each / 8:.3f}".removeprefix("0") for each in (min(right), max(right)))
    assert row[4].text == f"{low} – {high}"
    assert row[5].text == "3"


async def test_every_repeat_has_gates_and_examples_of_its_own(store: Store) -> None:
    first, second = await ask(
        store, HashingModel(), "gita", seeds=(1, 2), shots=2, scoring=Scoring.LOGLIKELIHOOD
    )
    gated = []
    for evaluation in (first, second):
        verdicts = store.verdicts(evaluation.run.id)
        right = {v.item for v in verdicts if v.layer == "story_class" and v.right}
        implausible = {v.item for v in verdicts if v.tags["plausible"] == "false"}
        asked = {v.item for v in verdicts if v.layer == "conflict_detec"}
        assert asked == right & implausible
        gated.append(asked)
    assert gated[0] != gated[1]
    (repeated,) = repeated_figures(store, first.run, "unified")
    assert (repeated.repeats.seeds, repeated.repeats.orders) == (2, 1)
    assert not repeated.letters.questions


async def test_equal_plans_ask_nothing_twice(store: Store) -> None:
    model = HashingModel()
    await ask(store, model, "accord", orders=range(2), limit=3)
    asked = len(model.asked)
    # Another order is another plan; the two that were asked are recorded.
    await ask(store, model, "accord", orders=range(2), limit=3)
    assert len(model.asked) == asked
    await ask(store, model, "accord", orders=range(3), limit=3)
    assert len(model.asked) > asked
    assert [each.plan.order for each in store.runs()] == [0, 1, 2]


async def test_a_killed_run_in_several_orders_goes_on(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    words = [sys.executable, "-m", "tests.runs.repeats"]
    place: dict[str, Any] = {"cwd": ROOT, "env": os.environ, "text": True}
    process = subprocess.Popen([*words, killed, "0.02"], stdout=subprocess.PIPE, **place)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("1 2"):  # The second question of the second order is answered.
            break
    process.kill()
    process.wait()
    process.stdout.close()
    with Store(killed) as store:
        before = [store.recorded_verdicts(each) for each in store.runs()]
        assert [each.plan.order for each in store.runs()] == [0, 1]
        assert store.runs()[1].state is RunState.PAUSED
    asked = [await ask_in_three_orders(path) for path in (killed, whole)]
    assert asked[0] == asked[1] - sum(map(len, before))
    with Store(killed) as one, Store(whole) as other:
        assert [each.plan for each in one.runs()] == [each.plan for each in other.runs()]
        for ours, theirs in zip(one.runs(), other.runs(), strict=True):
            assert one.placed(ours.id) == other.placed(theirs.id)
        # What was recorded keeps its seconds, so it was not asked again.
        for recorded, run_now in zip(before, one.runs(), strict=False):
            now = {each.seq: each for each in one.recorded_verdicts(run_now)}
            assert recorded
            assert all(now[each.seq] == each for each in recorded)


async def test_runs_in_different_orders_are_not_compared(store: Store) -> None:
    own, other = await ask(store, HashingModel(), "accord", orders=(0, 1), limit=3)
    with pytest.raises(RunError, match=r"different orders: the benchmark's own in .*drawn order 1"):
        compare(store, own.run.id, other.run.id)


async def test_runs_in_the_same_drawn_order_are_compared(store: Store) -> None:
    one, two = await ask(
        store, HashingModel(), "accord", orders=(1,), seeds=(1, 2), limit=4, shots=1
    )
    comparison = compare(store, one.run.id, two.run.id)
    assert comparison.only_first == comparison.only_second == 0
    assert any("seed" in each for each in comparison.unlike)


async def test_the_details_of_a_run_have_its_spread(store: Store) -> None:
    own, *_others = await ask(store, HashingModel(), "accord", orders=range(3), limit=8)
    listed = {each.run.id: each for each in list_runs(store)}
    (repeated,) = repeated_figures(store, own.run, "paper")
    spread = repeated.spreads["factual"]
    mean, sd = (f"{value:.3f}".removeprefix("0") for value in (spread.mean, spread.sd))
    last = describe(listed[own.run.id]).splitlines()[-1]
    assert last.startswith("over 3 orders of the options: ")
    assert f"Whole tree {mean} right on average, standard deviation {sd}, " in last
    [alone] = await ask(store, HashingModel(), "accord", limit=2)
    again = {each.run.id: each for each in list_runs(store)}
    assert again[alone.run.id].repeated is None
