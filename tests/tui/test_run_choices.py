"""What a person chooses before a run: items, worked examples, form and scoring."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.contract.question import Form, Scoring, Verdict
from core.files import paths
from core.models.protocol import Ability, Traffic
from core.runs.records import RunState
from core.runs.store import Store
from tests.models.openai.scoring_server import scoring_server
from tests.runs.models import INFO, HashingModel
from tests.tui.run_panes import running, shown
from tests.tui.support import idle, many_stories, opened
from tests.tui.test_bursts import burst
from tui.runs import kept_choices
from tui.runs.choices import Choices, Items, ItemSelection, RunForm
from tui.runs.running import RunPhase

MODEL = HashingModel()


class Served(HashingModel):
    """A model as on a server."""

    traffic = Traffic()


def values(form: RunForm, times: int) -> list[Choices]:
    """What the line under the cursor goes through."""
    found = []
    for _ in range(times):
        form.change(1, MODEL)
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
    assert form.expected_seconds(MODEL) == 100.0


@pytest.mark.parametrize("count", [20, 30])
def test_a_sample_as_large_as_the_collection_is_all_items(count: int) -> None:
    form = RunForm(Items(50), Choices(ItemSelection.SAMPLE, 30))
    form.offer(Items(count), lambda shots: 2.0)
    assert form.choices == Choices()
    assert form.items.chosen(form.choices) == ()


def test_form_and_scoring_are_offered_where_the_model_has_them() -> None:
    able = HashingModel(replace(INFO, abilities=frozenset(Ability)))
    plain = HashingModel(replace(INFO, abilities=frozenset({Ability.GENERATE})))
    form = RunForm(Items(5), Choices(form=Form.CHAT, scoring=Scoring.GENERATED))
    assert len(form.lines(able)) == len(form.lines(plain)) + 2 == 4
    assert form.usable(able) == form.choices
    assert form.usable(plain) == Choices()


async def test_a_server_scores_options_in_a_run_where_that_is_chosen(tmp_path: Path) -> None:
    stories = many_stories(tmp_path / "stories.json", 4)
    async with (
        scoring_server(offers=("echo",)) as server,
        opened(path=stories, model=server.url) as program,
    ):
        await program.press("r")
        form, model = running(program).options, program.app.model_state.model
        at = next(n for n, each in enumerate(form.lines(model)) if each.label == "Answers")
        await program.press(*["j"] * at, "right")
        await program.until(lambda: "log-likelihood" in shown(program))
        await program.press("space")
        await program.until(lambda: running(program).phase in {RunPhase.DONE, RunPhase.FAILED})
        assert running(program).error == ""
    with Store(paths.runs()) as store:
        (run,) = store.runs()
        assert run.plan.likelihoods == "exact (echo)"
        assert {each.scoring for each in store.verdicts(run.id)} == {Scoring.LOGLIKELIHOOD}


async def test_a_server_that_cannot_score_says_so_and_nothing_is_recorded(tmp_path: Path) -> None:
    stories = many_stories(tmp_path / "stories.json", 4)
    async with (
        scoring_server(offers=()) as server,
        opened(path=stories, model=server.url) as program,
    ):
        await program.press("r")
        run = running(program)
        run.options.choices = Choices(scoring=Scoring.LOGLIKELIHOOD)
        await program.press("space")
        await program.until(lambda: run.phase is RunPhase.FAILED)
        assert "does not score options" in run.error
    with Store(paths.runs()) as store:
        assert store.runs() == []


def test_questions_at_once_are_chosen_for_servers_alone() -> None:
    form = RunForm(Items(5), cursor=2, usual_at_once=6)
    server = Served()
    assert [line.value for line in form.lines(server)][2:] == ["6"]
    assert len(form.lines(MODEL)) == len(form.lines(None)) == 2
    form.change(1, server)
    assert form.usable(server).at_once == 8
    form.change(-1, server)
    form.change(-1, server)
    assert form.usable(server).at_once == 4
    form.change_at_once(4)
    assert form.lines(server)[2].value == "16"
    # A local file is asked one question after the other.
    assert form.usable(MODEL).at_once == 0


def test_the_expected_time_is_shared_by_the_questions_that_a_server_is_asked_at_once() -> None:
    form = RunForm(Items(50), seconds_per_item=lambda choices: 2.0, usual_at_once=4)
    assert form.expected_seconds(MODEL) == form.expected_seconds(None) == 100.0
    assert form.expected_seconds(Served()) == 25.0
    form.choices = Choices(at_once=10)
    assert form.expected_seconds(Served()) == 10.0
    form.choices = Choices(at_once=512)
    assert form.expected_seconds(Served()) == 2.0
    assert form.expected_seconds(MODEL) == 100.0


def test_the_cursor_stops_at_the_first_and_the_last_line() -> None:
    form = RunForm(Items(50))
    last = len(form.lines(MODEL)) - 1
    for _ in range(last + 3):
        form.move(1, MODEL)
    assert form.cursor == last
    for _ in range(last + 3):
        form.move(-1, MODEL)
    assert form.cursor == 0


def test_orders_are_offered_where_options_have_letters() -> None:
    form = RunForm(Items(5), Choices(orders=3), seconds_per_item=lambda shots: 2.0)
    assert len(form.lines(MODEL)) == 2
    assert form.usable(MODEL).orders == 1
    assert form.expected_seconds(MODEL) == 10.0
    form.lettered, form.cursor = True, 2
    assert form.lines(MODEL)[2].value == "3"
    assert form.usable(MODEL).orders == 3
    assert form.expected_seconds(MODEL) == 30.0
    form.change(1, MODEL)
    assert form.choices.orders == 4


def test_choices_are_kept_for_each_collection(tmp_path: Path) -> None:
    chosen = Choices(ItemSelection.SAMPLE, 30, 3, Form.CHAT, Scoring.GENERATED, 4, 128)
    assert kept_choices.read("gita", tmp_path) == Choices()
    kept_choices.keep("gita", tmp_path, chosen)
    kept_choices.keep("accord", tmp_path, Choices(shots=1))
    assert kept_choices.read("gita", tmp_path) == chosen
    kept_choices.keep("gita", tmp_path, Choices(shots=5))
    assert kept_choices.read("gita", tmp_path) == Choices(shots=5)
    assert kept_choices.read("accord", tmp_path) == Choices(shots=1)
    assert kept_choices.read("accord", tmp_path / "other") == Choices()


def test_choices_are_kept_for_a_file_whose_name_is_no_unicode(tmp_path: Path) -> None:
    data = tmp_path / "st\udcf6ries.jsonl"
    kept_choices.keep("gita", data, Choices(shots=3))
    assert kept_choices.read("gita", data) == Choices(shots=3)


@pytest.mark.parametrize(
    "text",
    ["", "[", "[1]", "{}", "[" * 100_000]
    + [
        f'[{{"benchmark": "gita", "path": "/data", "choices": {choices}}}]'
        for choices in (
            '{"shots": 7}',
            '{"shots": "1"}',
            '{"orders": 999}',
            '{"at_once": -1}',
            "[]",
        )
    ],
)
def test_choices_that_nobody_could_have_made_are_not_taken(text: str) -> None:
    kept_choices.place().parent.mkdir(parents=True)
    kept_choices.place().write_text(text)
    assert kept_choices.read("gita", Path("/data")) == Choices()
    kept_choices.keep("gita", Path("/data"), Choices(shots=2))
    assert kept_choices.read("gita", Path("/data")) == Choices(shots=2)


def recorded_verdicts(run_id: str) -> list[Verdict]:
    with Store(paths.runs(), create=False) as store:
        return store.verdicts(run_id)


async def test_a_sample_with_worked_examples_is_asked_recorded_and_offered_again() -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: "space asks the model all 300 items" in shown(program))
        unknown = "Expected time: not known before one item was asked (esc, then space)."
        assert unknown in shown(program)
        await program.press("l", "j", "right", "k")
        await program.until(lambda: "not known before a first run" in shown(program))
        await program.until(lambda: "asks the model 10 of 300 items" in shown(program))
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
        await program.until(lambda: "asks the model 10 of 300 items" in shown(program))
        assert "Expected time: about" in shown(program)
        # Those that failed in the run that has just ended can be asked again.
        await program.press("h")
        await program.until(lambda: "those that failed" in shown(program))
        wrong = {v.item for v in recorded_verdicts(run.id) if v.right is False}
        failed = running(program).options.items.failed
        entries = running(program).collection.entry
        assert {entries(position).id for position in failed} == wrong
        await program.press("h")
        await program.until(lambda: "all 300 items" in shown(program))
        assert "Expected time: about" in shown(program)
        # That run scored its answers, so it does not tell how long writing them takes.
        await program.press("j", "j", "right", "right")
        await program.until(lambda: "‹ generated ›" in shown(program))
        assert "not known before a first run that asks in this way" in shown(program)


async def test_one_item_that_was_asked_tells_how_long_a_run_takes() -> None:
    async with opened() as program:
        await program.press("space")
        await idle(program.pilot)
        (seconds,) = program.app.collection_runs.item_seconds.values()
        await program.press("r")
        await program.until(lambda: "all 300 items" in shown(program))
        assert running(program).options.expected_seconds(None) == 300 * seconds
        assert "Expected time: about" in shown(program)
        # Writing an answer takes another time than scoring it.
        await program.press("j", "j", "right", "right")
        await program.until(lambda: "‹ generated ›" in shown(program))
        assert "not known before a first run that asks in this way" in shown(program)


async def test_those_that_are_listed_are_offered() -> None:
    async with opened() as program:
        program.browse.list_filter.list_positions([2, 3, 5])
        await program.press("r")
        await program.until(lambda: "all 300 items" in shown(program))
        await program.press("l")
        await program.until(lambda: "those in the list: 3" in shown(program))
        await program.press("enter")
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        with Store(paths.runs()) as store:
            assert store.runs()[0].plan.chosen == (2, 3, 5)


async def test_choices_and_marks_of_the_last_run_come_back_when_the_program_is_opened_again() -> (
    None
):
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: "space asks the model all 300 items" in shown(program))
        await program.press("l", "enter")
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        run = running(program).run_id
        await program.press("escape")
        await program.until(lambda: "✗" in program.list)
        marks = program.list
    async with opened() as program:
        await program.until(lambda: "✗" in program.list)
        assert program.list == marks
        said = (
            f"Marks and answers are those of run {run}, which has not asked everything: 10 of 300"
        )
        assert said in " ".join(program.live.split())
        # Those that failed are known, so they can be listed and asked again.
        await program.press("exclamation_mark")
        await program.until(
            lambda: "failed" in str(program.browse.query_one("#list-box").border_subtitle)
        )
        await program.press("exclamation_mark", "r")
        await program.until(lambda: "asks the model 10 of 300 items" in shown(program))
        await program.press("h")
        await program.until(lambda: "those that failed" in shown(program))


async def test_the_newest_run_of_another_form_leaves_no_marks(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        await program.press("escape")
    with closing(sqlite3.connect(paths.runs())) as store, store:
        store.execute("UPDATE runs SET form = 'chat'")
    async with opened(path=few_stories) as program:
        await idle(program.pilot)
        assert "✗" not in program.list
        assert "✓" not in program.list


async def test_marks_of_a_run_with_other_items_or_another_setting_are_not_shown(
    few_stories: Path, tmp_path: Path
) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        await program.press("escape")
    async with opened(path=many_stories(tmp_path / "stories.json", 12)) as program:
        await idle(program.pilot)
        assert "✗" not in program.list
    with closing(sqlite3.connect(paths.runs())) as store, store:
        store.execute('UPDATE runs SET setting = \'[["variant", "x"]]\'')
    async with opened(path=few_stories) as program:
        await idle(program.pilot)
        assert "✗" not in program.list


async def test_an_item_with_one_question_stands_for_one_with_a_question_in_every_layer() -> None:
    async with opened() as program:
        await program.press("space")
        await idle(program.pilot)
        state = program.browse.state
        assert state is not None
        rungs = state.rungs()
        assert [rung.verdict is not None for rung in rungs] == [True, False, False]
        (whole,) = program.app.collection_runs.item_seconds.values()
        spoken = next(line for line in program.live.split("\n") if line.endswith(" ms"))
        measured = float(spoken.split(",")[-1].removesuffix(" ms")) / 1000
        assert abs(whole - 3 * measured) < 0.003
