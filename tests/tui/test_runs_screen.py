"""The screen of recorded runs: what it lists, and what it does with a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList, Static

from core.answers.scoring import score_answer
from core.contract import registry
from core.contract.question import Answer, OptionScore, Question, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.files import paths
from core.layout.figures import proportion
from core.runs.quick_figures import layer_totals
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store
from core.statistics.proportion import proportion_interval
from tests.pilots import notices, screen_rows
from tests.tui.support import Opened, idle, opened, widget_text
from tests.tui.test_bursts import burst
from tui.runs.comparison_screen import ComparisonScreen
from tui.runs.run_list import RunList
from tui.runs.run_screen import RunScreen
from tui.runs.running import RunPhase
from tui.runs.runs_screen import RunsScreen
from tui.shell import recent
from tui.shell.prompts import AskText, PickOne

pytestmark = pytest.mark.usefixtures("demo_model")

NO_MODEL = "/nowhere.gguf"
PLAN = Plan("org/Sure 7B", "sure", "gita", "/nowhere/stories.json", "h")
SIZES = pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)], ids=lambda size: size[0])


def told(item: str, right: bool, layer: str = "story_class") -> Verdict:
    """An answer about a story, right or wrong."""
    tags = {"type": "", "plausible": "true", "pair": "", "state": "power"}
    tags |= dict.fromkeys(("key", "example_id", "story_id"), item)
    return Verdict(
        item, layer, Setting(), ("true", "false"), (OptionScore(-1.0), OptionScore(-2.0)),
        0, 0 if right else 1, Status.OK, Scoring.LOGLIKELIHOOD,
        tags=tags, digest=item,
    )  # fmt: skip


def record(model: str, right: int, n: int, **plan: object) -> Run:
    """Record a run with so many right answers in the first layer, and one in the second."""
    with Store(paths.runs()) as store:
        changed = replace(PLAN, model=model, fingerprint=model, **plan)  # type: ignore[arg-type]
        run = store.start(changed)
        for seq in range(n):
            store.record(run.id, seq, told(str(seq), seq < right), "", 0.0)
        store.record(run.id, n, told("0", True, "conflict_detec"), "", 0.0)
        store.set_state(run.id, RunState.DONE)
        return store.run(run.id)


def recorded_story_run(model: str, scores: Callable[[Question], Answer]) -> Run:
    """Record the answers to every question about the bundled stories."""
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    with Store(paths.runs()) as store:
        path, content = str(gita.samples()), collection.content_hash
        plan = replace(
            PLAN, model=model, fingerprint=model, collection=path, collection_hash=content
        )
        run = store.start(plan)
        seq = 0
        for layer in gita.layers:
            for index in range(len(collection)):
                question = gita.question(collection.item(index), Setting(), layer.id)
                if question is not None:
                    verdict = score_answer(question, scores(question), gita.score)
                    store.record(run.id, seq, verdict, "", 0.0)
                    seq += 1
        store.set_state(run.id, RunState.DONE)
        return store.run(run.id)


def always(right: bool) -> Callable[[Question], Answer]:
    """Scores of a model that knows, or avoids, every right answer."""

    def scores(question: Question) -> Answer:
        return Answer(
            tuple(
                OptionScore(-1.0 if (index in question.right_options) is right else -9.0)
                for index in range(len(question.options))
            )
        )

    return scores


def runs_of(program: Opened) -> RunsScreen:
    screen = program.app.screen
    assert isinstance(screen, RunsScreen)
    return screen


async def open_runs(program: Opened) -> RunsScreen:
    await program.press("f3")
    await program.until(lambda: isinstance(program.app.screen, RunsScreen))
    await idle(program.pilot)
    return runs_of(program)


def text(program: Opened) -> str:
    return widget_text(program.app.screen.query_one(RunList))


def detail(program: Opened) -> str:
    return str(program.app.screen.query_one("#detail", Static).content)


def ids(screen: RunsScreen) -> list[str]:
    return [each.run.id for each in screen.runs.runs]


@SIZES
async def test_without_a_run_the_screen_says_how_to_make_one(size: tuple[int, int]) -> None:
    async with opened(model=NO_MODEL, size=size) as program:
        await open_runs(program)
        shown = " ".join(text(program).split())
        assert "No run is recorded yet" in shown
        assert "r asks the model all of them" in shown
        assert "commonsense-tui evaluate" in shown
        await program.press("enter", "space", "c", "d", "s", "y", "j", "end")
        assert isinstance(program.app.screen, RunsScreen)
        await program.press("escape")
        assert program.app.screen is program.browse


@SIZES
async def test_every_run_stands_with_its_share_interval_and_count_the_newest_first(
    size: tuple[int, int],
) -> None:
    first, second = record("First", 3, 10), record("org/Second", 7, 9, shots=3, shot_rule="random")
    async with opened(model=NO_MODEL, size=size) as program:
        screen = await open_runs(program)
        assert ids(screen) == [second.id, first.id]
        rows = text(program).split("\n")
        assert "Plausible? [95 % interval]" in rows[0], "layer and kind of interval are named"
        for row, name, right, n in ((rows[1], "Second", 7, 9), (rows[2], "First", 3, 10)):
            low, high = proportion_interval(right, n)
            figure = f"{proportion(right / n)} [{proportion(low)}, {proportion(high)}] {right}/{n}"
            assert name in row
            assert figure in row
        assert "org/Second" in detail(program)
        assert "3-shot, base prompt" in detail(program)
        assert "/nowhere/stories.json" in detail(program)


@SIZES
async def test_a_figure_of_a_part_of_the_collection_says_so(size: tuple[int, int]) -> None:
    record("Whole", 3, 10)
    record("First", 3, 10, limit=10)
    record("Chosen", 3, 10, chosen=(1, 2))
    stopped = record("Stopped", 3, 10)
    with Store(paths.runs()) as store:
        store.set_state(stopped.id, RunState.CANCELLED)
    async with opened(model=NO_MODEL, size=size) as program:
        await open_runs(program)
        rows = text(program).split("\n")[1:5]
        assert [("3/10 part" in row, "Whole" in row) for row in rows] == [
            (True, False), (True, False), (True, False), (False, True),
        ]  # fmt: skip


async def test_names_that_begin_alike_are_not_cut_to_look_alike() -> None:
    for name in ("org/Meta-Llama-3.1-8B", "org/Meta-Llama-3.1-8B-Instruct"):
        record(name, 3, 10)
    async with opened(model=NO_MODEL, size=(60, 20)) as program:
        await open_runs(program)
        names = [row[3:].split()[0] for row in text(program).split("\n")[1:3]]
        assert len(set(names)) == 2


async def test_a_share_counts_only_questions_with_a_known_answer() -> None:
    with Store(paths.runs()) as store:
        several = told("1", True)._replace(
            answer=None, gold=None, multiple=True, answers=(0, 1), golds=(0, 1)
        )
        answers = [
            told("0", False),
            several,
            several._replace(item="2", answers=(0,)),
            several._replace(item="3", golds=()),
            told("4", True)._replace(gold=None),
            told("5", True)._replace(answer=None),
        ]
        store.add(PLAN, answers, {})
        known = [each.right for each in answers if each.right is not None]
        [totals] = layer_totals(store).values()
        assert (
            (totals["story_class"].right, totals["story_class"].n)
            == (sum(known), len(known))
            == (1, 4)
        )


async def test_a_run_of_the_bundled_model_is_marked_as_no_result() -> None:
    record("demo", 3, 10, demo=True)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        await open_runs(program)
        assert "no result" in text(program)
        assert "a demonstration, not a result" in detail(program)
        assert "if items were independent" in detail(program)


async def test_a_broken_store_is_told_in_the_place_of_the_runs() -> None:
    paths.data().mkdir(parents=True)
    paths.runs().write_bytes(b"this is no database" * 100)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await open_runs(program)
        assert "not a store of runs" in " ".join(text(program).split())
        await program.press("enter", "space", "c", "d")
        assert program.app.screen is screen


async def test_runs_and_marks_stay_where_the_store_cannot_be_read_for_a_moment() -> None:
    one, other = record("One", 1, 2), record("Other", 1, 2)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await open_runs(program)
        await program.press("space")
        marked = list(screen.memory.marked)
        assert len(marked) == 1
        whole = paths.runs().read_bytes()
        paths.runs().write_bytes(b"this is no database" * 100)
        screen.read()
        await program.until(lambda: "not a store of runs" in detail(program))
        paths.runs().write_bytes(whole)
        screen.read()
        await program.press("down")
        await program.until(lambda: "not a store of runs" not in detail(program))
        assert ids(screen) == [other.id, one.id]
        assert screen.memory.marked == marked


async def test_hostile_names_are_shown_and_never_obeyed() -> None:
    record("a\x1b[31m[b]\u202eb", 1, 2, collection="/x\x1b[2J/\u202e[red]y")
    async with opened(model=NO_MODEL) as program:
        await open_runs(program)
        assert "a␛[31m[b]⟨RLO⟩b" in text(program)
        assert "⟨RLO⟩[red]y" in detail(program)
        assert "\x1b" not in text(program) + detail(program)


async def test_many_runs_scroll_under_the_heading() -> None:
    for number in range(60):
        record(f"Model {number}", number, 60)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        await open_runs(program)
        assert "60 runs" in str(program.app.screen.query_one("Vertical").border_subtitle)
        await program.press("end")
        rows = text(program).split("\n")
        assert "model" in rows[0]
        assert "Model 0 " in rows[-1]
        await program.press("home")
        assert "Model 59 " in text(program).split("\n")[1]


async def test_the_filter_lists_what_contains_the_text() -> None:
    record("Alpha", 1, 2)
    beta = record("Beta", 1, 2)
    async with opened(model=NO_MODEL, size=(60, 20)) as program:
        screen = await open_runs(program)
        await program.press("slash", *"beta")
        assert screen.query_one(Input).value == "beta"
        assert ids(screen) == [beta.id]
        await program.press("x")
        assert "Nothing here contains this" in text(program)
        await program.press("escape")
        assert len(ids(screen)) == 2
        await program.press("escape")
        assert program.app.screen is program.browse


async def test_sorting_goes_through_the_columns_that_are_shown() -> None:
    low, high = record("Zed", 1, 10), record("Alpha", 9, 10)
    middle = record("Mid", 5, 10)
    async with opened(model=NO_MODEL) as program:
        screen = await open_runs(program)
        orders = {}
        for _ in screen.runs.columns:
            await program.press("s")
            orders[screen.memory.sorted_by] = ids(screen)
        assert orders["model"] == [high.id, middle.id, low.id]
        assert orders["right"] == [high.id, middle.id, low.id]
        assert orders["date"] == [middle.id, high.id, low.id]
        assert set(orders) == set(screen.runs.columns)


async def test_a_run_is_deleted_after_a_question() -> None:
    kept, gone = record("Kept", 1, 2), record("Gone", 1, 2)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await open_runs(program)
        await program.press("d")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        assert "3 answers of Gone" in str(program.app.screen.query_one(".help", Static).content)
        await program.press("enter")
        await idle(program.pilot)
        assert ids(screen) == [gone.id, kept.id], "the answer that is offered first keeps it"
        await program.press("d", "k", "enter")
        await program.until(lambda: ids(screen) == [kept.id])
    with Store(paths.runs(), create=False) as store:
        assert [run.id for run in store.runs()] == [kept.id]
        assert store.verdicts(gone.id) == []


async def test_a_run_that_another_program_records_is_not_deleted() -> None:
    run = record("Held", 1, 2)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await open_runs(program)
        with Store(paths.runs()) as other, other.hold(run.id):
            await program.press("d", "k", "enter")
            await program.until(lambda: "just recording" in detail(program))
        await idle(program.pilot)
        assert "just recording" in detail(program)
        assert ids(screen) == [run.id]
    with Store(paths.runs(), create=False) as store:
        assert len(store.verdicts(run.id)) == 3


@SIZES
async def test_opening_a_run_marks_every_row_and_fills_every_ladder(size: tuple[int, int]) -> None:
    recorded_story_run("Knows", always(True))
    wrong = recorded_story_run("Avoids", always(False))
    async with opened(model=NO_MODEL, benchmark="accord", size=size) as program:
        await open_runs(program)
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
        await program.until(lambda: program.app.model_state.name == f"replay:{wrong.id}")
        await program.until(lambda: program.browse.state and program.browse.state.run)
        await idle(program.pilot)
        state = program.browse.state
        assert state is not None
        assert program.browse.benchmark.name == "gita"
        for index in range(len(state.collection)):
            mark = state.mark(state.collection.entry(index).id)
            assert mark is not None
            assert mark.text == "1"
        assert all(rung.verdict for rung in state.rungs() if rung.question)


async def test_the_figures_of_an_opened_run_are_promised_without_asking() -> None:
    recorded_story_run("Knows", always(True))
    async with opened() as program:
        model = program.app.model_state.model
        assert model is not None
        await open_runs(program)
        await program.press("enter")
        await program.until(lambda: program.browse.state and program.browse.state.run)
        assert any(f"in the place of {model.info.name}" in said for said in notices(program.app))
        await program.press("r")
        await program.until(lambda: "nothing is asked" in " ".join(screen_rows(program.app)))
        await program.press("space")
        await program.until(lambda: "Accuracy" in " ".join(screen_rows(program.app)))


async def test_opening_a_run_of_the_open_collection_reads_no_file_again() -> None:
    recorded_story_run("Knows", always(True))
    async with opened(model=NO_MODEL) as program:
        before = program.browse.state
        await open_runs(program)
        await program.press("enter")
        await program.until(lambda: program.app.model_state.ready)
        assert program.browse.state is before
        await program.until(lambda: before is not None and before.run is not None)


async def test_a_run_whose_items_are_nowhere_asks_where_they_are(tmp_path: Path) -> None:
    record("Lost", 1, 2)
    other = tmp_path / "stories.json"
    other.write_bytes(registry.load("gita").samples().read_bytes())
    async with opened(model=NO_MODEL, size=(40, 12)) as program:
        screen = await open_runs(program)
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        told = str(program.app.screen.query_one(".help", Static).content)
        assert "No collection that is known here" in told
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        await program.press(*str(other), "enter")
        error = program.app.screen.query_one(".error", Static)
        await program.until(lambda: "No item of run" in str(error.content))
        await program.press("escape")
        await program.until(lambda: program.app.screen is screen)
        assert not program.app.model_state.ready


async def imported(program: Opened, run: Run) -> None:
    """Wait until the bundled stories are marked with the answers of an imported run."""
    await program.until(lambda: program.app.screen is program.browse)
    await program.until(lambda: program.app.model_state.name == f"replay:{run.id}")
    await program.until(lambda: program.browse.state and program.browse.state.run)
    state = program.browse.state
    assert state is not None
    for index in range(len(state.collection)):
        mark = state.mark(state.collection.entry(index).id)
        assert mark is not None
        assert mark.text == "1"
    assert all(rung.verdict for rung in state.rungs() if rung.question)
    await program.press("exclamation_mark")
    box = program.browse.query_one("#list-box")
    await program.until(lambda: str(box.border_subtitle) == "300 of 300 failed")


async def test_a_key_lists_the_items_with_an_answer_that_could_not_be_read() -> None:
    def writes(question: Question) -> Answer:
        text = "It depends." if question.item in ("0", "1", "2") else question.options[0]
        return Answer(text=text, scoring=Scoring.GENERATED)

    recorded_story_run("Writes", writes)
    async with opened(model=NO_MODEL) as program:
        await open_runs(program)
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
        await program.until(lambda: program.browse.state and program.browse.state.unread_any)
        state = program.browse.state
        assert state is not None
        unread = {v.item for v in state.verdicts() if v.status is Status.NO_ANSWER}
        assert unread
        box = program.browse.query_one("#list-box")
        await program.press("asterisk")
        await program.until(lambda: str(box.border_subtitle) == f"{len(unread)} of 300")
        assert "answer:unread" in program.browse.query_one("#list-box Input", Input).value
        await program.press("asterisk")
        await program.until(lambda: str(box.border_subtitle) == "300")


def as_imported(run: Run) -> Run:
    """The run as a log of another program brings it: its path is that of the log."""
    with Store(paths.runs()) as store:
        plan = replace(run.plan, collection="/nowhere/log", collection_hash="log", model="Log")
        added = store.add(plan, store.verdicts(run.id), {})
        store.delete(run.id)
        return added


async def test_an_imported_run_opens_in_the_only_collection_with_all_of_its_items() -> None:
    run = as_imported(recorded_story_run("Avoids", always(False)))
    async with opened(model=NO_MODEL, benchmark="accord") as program:
        await open_runs(program)
        await program.press("enter")
        await imported(program, run)


async def test_an_imported_run_opens_in_the_collection_that_is_chosen(tmp_path: Path) -> None:
    run = as_imported(recorded_story_run("Avoids", always(False)))
    stories = json.loads(registry.load("gita").samples().read_text("utf-8"))
    fewer = tmp_path / "fewer.json"
    fewer.write_text(json.dumps(dict(list(stories.items())[:3])), encoding="utf-8")
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(stories), encoding="utf-8")
    for file in (fewer, whole, tmp_path / "gone.json"):
        recent.remember("gita", file)
    async with opened(model=NO_MODEL, benchmark="accord") as program:
        await open_runs(program)
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        options = program.app.screen.query_one(OptionList)
        lines = [str(option.prompt) for option in options.options]
        assert [line.rpartition("  ")[2] for line in lines[:3]] == [
            "(300 of 300 items)", "(300 of 300 items)", "(3 of 300 items)",
        ]  # fmt: skip
        assert len(lines) == 4
        await program.press("enter")
        await imported(program, run)


async def test_the_items_of_a_bundled_collection_are_found_by_their_content() -> None:
    gita = registry.load("gita")
    content = gita.open(gita.samples()).content_hash
    record("Moved", 1, 2, collection_hash=content)
    async with opened(model=NO_MODEL, benchmark="accord") as program:
        await open_runs(program)
        await program.press("enter")
        await program.until(lambda: program.browse.path == gita.samples())


async def test_a_run_of_a_benchmark_that_is_not_installed_stays_listed() -> None:
    record("Old", 1, 2, benchmark="forgotten")
    async with opened(model=NO_MODEL) as program:
        screen = await open_runs(program)
        assert ".500" in text(program)
        await program.press("enter")
        await program.until(lambda: notices(program.app))
        assert "no benchmark called “forgotten” is installed" in notices(program.app)[-1]
        assert "commonsense-tui runs show" in notices(program.app)[-1]
        assert program.app.screen is screen


async def test_a_run_that_is_going_on_is_on_top_and_opens_its_own_screen() -> None:
    record("Before", 1, 2)
    async with opened() as program:
        await program.run_all()
        running = program.app.collection_runs.all[0]
        await program.until(lambda: running.run_id)
        await program.press("space")
        await program.until(lambda: running.phase in {RunPhase.PAUSED, RunPhase.DONE})
        if running.phase is RunPhase.DONE:
            pytest.skip("needs a run that is slower than a key")
        record("After", 1, 2)
        await program.press("f3")
        await program.until(lambda: isinstance(program.app.screen, RunsScreen))
        screen = runs_of(program)
        await program.until(lambda: len(ids(screen)) == 3)
        assert ids(screen)[0] == running.run_id
        assert screen.runs.runs[0].run.state is RunState.PAUSED
        await program.press("home", "d")
        assert "going on" in detail(program)
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, RunScreen))
        await program.press("escape")
        assert program.app.screen is screen
        await running.cancel()


async def test_marks_have_the_letters_of_the_comparison_and_are_kept() -> None:
    first, second = record("First", 1, 2), record("Second", 1, 2)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await open_runs(program)
        await burst(program, "j", "space", "k", "space")
        assert screen.memory.marked == [first.id, second.id]
        rows = text(program).split("\n")
        assert rows[1].startswith(f"✓B {second.id}")
        assert rows[2].startswith(f"✓A {first.id}")
        await program.press("escape")
        screen = await open_runs(program)
        assert text(program).split("\n")[2].startswith(f"✓A {first.id}")
        await program.press("space")
        assert screen.memory.marked == [first.id]


async def test_a_comparison_needs_a_mark_and_another_run() -> None:
    record("First", 1, 2)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await open_runs(program)
        await program.press("c")
        assert "space marks a run" in detail(program)
        await program.press("space", "c")
        assert "space marks a run" in detail(program)
        assert program.app.screen is screen


async def test_runs_of_two_benchmarks_are_not_compared() -> None:
    record("One", 1, 2)
    record("Two", 1, 2, benchmark="accord")
    async with opened(model=NO_MODEL) as program:
        screen = await open_runs(program)
        await program.press("space", "j", "c")
        assert program.app.screen is screen
        assert "of several benchmarks" in detail(program)


async def test_one_mark_is_compared_with_the_run_under_the_cursor() -> None:
    first, second = record("First", 1, 2), record("Second", 1, 2)
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        await open_runs(program)
        await burst(program, "space", "j", "c", "c")
        await program.until(lambda: isinstance(program.app.screen, ComparisonScreen))
        await idle(program.pilot)
        screen = program.app.screen
        assert isinstance(screen, ComparisonScreen)
        assert [run.id for run in screen.runs] == [second.id, first.id]
        assert len(program.app.screen_stack) == 3
