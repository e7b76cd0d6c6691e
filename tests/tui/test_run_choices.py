"""What a person chooses before a run: items, worked examples, form and scoring."""

from __future__ import annotations

from dataclasses import replace

from core.contract.question import Form, Scoring
from core.files import paths
from core.models.protocol import Ability
from core.runs.records import RunState
from core.runs.store import Store
from tests.runs.models import INFO
from tests.tui.funnel_panes import running, shown
from tests.tui.support import opened
from tests.tui.test_bursts import burst
from tui.runs.choices import Choices, Items, ItemSelection, RunForm
from tui.runs.running import RunPhase


def values(form: RunForm, times: int) -> list[Choices]:
    """What the line under the cursor goes through."""
    found = []
    for _ in range(times):
        form.change(1, INFO)
        found.append(form.choices)
    return found


def test_items_are_all_those_listed_those_that_failed_or_a_sample() -> None:
    items = Items(50, listed=(1, 4), failed=(3,))
    form = RunForm(items)
    found = values(form, 5)
    assert [c.which for c in found] == [
        ItemSelection.LISTED,
        ItemSelection.FAILED,
        ItemSelection.SAMPLE,
        ItemSelection.SAMPLE,
        ItemSelection.ALL,
    ]
    assert [list(items.chosen(c)) for c in found[:2]] == [[1, 4], [3]]
    assert [items.number(c) for c in found] == [2, 1, 10, 30, 50]
    small, large = (set(items.chosen(c)) for c in found[2:4])
    # A larger sample holds the smaller one, and each is the same whenever it is drawn.
    assert small < large
    assert set(Items(50).chosen(found[2])) == small
    assert items.chosen(found[4]) == ()


def test_what_is_not_there_is_not_offered() -> None:
    form = RunForm(Items(5))
    assert {c.which for c in values(form, 3)} == {ItemSelection.ALL}
    form = RunForm(Items(50, listed=(1,)), Choices(ItemSelection.LISTED))
    form.offer(Items(50), lambda shots: 2.0)
    assert form.choices.which is ItemSelection.ALL
    assert form.expected_seconds() == 100.0


def test_form_and_scoring_are_offered_where_the_model_has_them() -> None:
    able = replace(INFO, abilities=frozenset(Ability))
    plain = replace(INFO, abilities=frozenset({Ability.GENERATE}))
    form = RunForm(Items(5), Choices(form=Form.CHAT, scoring=Scoring.GENERATED))
    assert len(form.lines(able)) == len(form.lines(plain)) + 2 == 4
    assert form.usable(able) == form.choices
    assert form.usable(plain) == Choices()


async def test_a_sample_with_worked_examples_is_asked_recorded_and_offered_again() -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: "space asks the model all 42 items" in shown(program))
        assert "not known before a first run" in shown(program)
        await program.press("l", "j", "right", "k")
        await program.until(lambda: "asks the model 10 of 42 items" in shown(program))
        assert "1-shot" in shown(program)
        # The second key of a burst neither pauses nor starts another.
        await burst(program, "enter", "enter")
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        with Store(paths.runs()) as store:
            (run,) = store.runs()
            assert (run.state, run.items, run.plan.shots) == (RunState.DONE, 10, 1)
            assert len(run.plan.chosen) == 10
        assert any("chosen items" in note for note in running(program).summary.notes)
        await program.press("o")
        await program.until(lambda: "asks the model 10 of 42 items" in shown(program))
        assert "Expected time: about" in shown(program)
        await program.press("h")
        await program.until(lambda: "all 42 items" in shown(program))


async def test_those_that_are_listed_are_offered() -> None:
    async with opened() as program:
        program.browse.list_filter.list_positions([2, 3, 5])
        await program.press("r")
        await program.until(lambda: "all 42 items" in shown(program))
        await program.press("l")
        await program.until(lambda: "those in the list: 3" in shown(program))
        await program.press("enter")
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        with Store(paths.runs()) as store:
            assert store.runs()[0].plan.chosen == (2, 3, 5)
