"""The filter of the list finds items by any field of the answers to them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from core.contract import registry
from core.contract.question import (
    Answer,
    Form,
    OptionScore,
    Question,
    Scoring,
    Status,
    Verdict,
    verdict_on,
)
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.files import paths
from core.files.shipped import samples
from core.models.protocol import Ability
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Run, RunState
from core.runs.store import Store
from tests.mostly_slow import mostly_slow
from tests.runs.models import INFO, HashingModel
from tests.tui.support import Opened, opened
from tests.tui.test_runs_screen import always, as_imported, recorded_story_run
from tui.browse.verdict_filter import VerdictFilter

pytestmark = pytest.mark.usefixtures("demo_model")


def first_options(question: Question) -> Answer:
    """Scores of a model that takes first options."""
    return Answer(tuple(OptionScore(-1.0 - index) for index in range(len(question.options))))


async def listed(program: Opened, typed: str) -> set[str]:
    """The ids in the list after a filter was typed and found."""
    line = program.browse.query_one("#filter", Input)
    await program.press("slash")
    line.value = ""
    await program.press("enter", "slash")
    line.value = typed
    await program.pilot.pause()
    await program.until(lambda: not any(w.group == "find" for w in program.browse.workers))
    items = program.browse.items
    assert items.collection is not None
    return {items.collection.entry(position).id for position in items.positions}


@pytest.mark.parametrize("kind", ["recorded", "imported"])
async def test_the_list_is_filtered_by_fields_of_a_replayed_run(kind: str) -> None:
    run = recorded_story_run("First", first_options)
    if kind == "imported":
        run = as_imported(run)
    with Store(paths.runs(), create=False) as store:
        verdicts = store.verdicts(run.id)
    async with opened(model=f"replay:{run.id}") as program:
        state = program.browse.state
        await program.until(lambda: state is not None and state.run is not None)
        wrong = {v.item for v in verdicts if v.right is False}
        assert await listed(program, "answer:wrong") == wrong
        conflict = {v.item for v in verdicts if v.layer == "conflict_detec"}
        assert await listed(program, "layer:conflict") == conflict
        both = {v.item for v in verdicts if v.layer == "conflict_detec" and v.right is False}
        assert 0 < len(both) < len(conflict)
        assert await listed(program, "layer:conflict answer:wrong") == both
        assert await listed(program, "answer:unread") == set()
        chosen = {v.item for v in verdicts if v.options[v.answer or 0] == "false"}
        assert await listed(program, "option:false") == chosen
        tagged = {v.item for v in verdicts if "power" in v.tags["state"]}
        assert tagged
        assert await listed(program, "state:power") == tagged
        assert await listed(program, "zoe answer:wrong") < wrong
        assert await listed(program, "nofield:x") == set(), "an unknown field is text"
        await program.press("escape")
        assert await listed(program, "") == {v.item for v in verdicts}


async def test_the_list_is_filtered_by_fields_of_a_run_just_made(tmp_path: Path) -> None:
    # A run over all questions takes long; eight have more than one number of hops too.
    few = tmp_path / "accord"
    shutil.copytree(samples() / "accord", few, ignore=shutil.ignore_patterns("sweep.yaml"))
    file = few / "questions.yaml"
    first = file.read_text(encoding="utf-8").split("\n  - id: ")[:9]
    file.write_text("\n  - id: ".join(first) + "\n", encoding="utf-8")
    async with opened(benchmark="accord", path=file) as program:
        await program.run_all()
        await program.until(
            lambda: (
                program.app.collection_runs.all and program.app.collection_runs.all[0].answers.whole
            )
        )
        verdicts = program.app.collection_runs.all[0].answers.verdicts
        await program.press("escape")
        hops = sorted({v.tags["hops"] for v in verdicts if "hops" in v.tags})
        assert len(hops) > 1
        for number in hops:
            expected = {v.item for v in verdicts if v.tags.get("hops") == number}
            assert await listed(program, f"hops:{number}") == expected
        most = {v.item for v in verdicts if v.tags.get("hops") == hops[-1] and v.right}
        assert await listed(program, f"hops:{hops[-1]} answer:right") == most


async def test_an_answer_to_one_item_is_found_too() -> None:
    async with opened(size=(40, 12)) as program:
        state = program.browse.state
        assert state is not None
        await program.ask()
        assert await listed(program, "layer:story") == {state.item.id}
        assert await listed(program, "hops:3") == set()


async def test_a_field_that_no_answer_has_is_said_to_be_one_of_answers() -> None:
    async with opened(model="/nowhere.gguf") as program:
        assert await listed(program, "state:wet") == set()
        assert "only items that were asked have answers" in " ".join(program.list.split())


async def test_the_field_completes_and_names_its_fields() -> None:
    run = recorded_story_run("First", first_options)
    async with opened(model=f"replay:{run.id}") as program:
        await program.until(lambda: program.browse.state and program.browse.state.run)
        await program.press("slash")
        line = program.browse.query_one("#filter", Input)
        for name in ("answer:", "layer:", "option:", "state:"):
            assert name in line.placeholder
        await program.press(*"an", "right")
        await program.until(lambda: line.value.startswith("answer:"))


def test_quoted_values_hold_blanks_and_numbers_are_whole() -> None:
    fields = VerdictFilter(registry.load("accord"), (), lambda _item: False)
    query = fields.parse('a option:"no one" b')
    assert query.text == "a b"
    assert query.fields == (("option", "no one"),)
    assert fields.parse("12:30 x").text == "12:30 x"
    assert fields.completion("zoe answer:w") == "zoe answer:wrong"
    assert fields.completion("z") is None


def test_values_that_would_need_quotes_or_that_a_terminal_obeys_are_not_completed() -> None:
    question = Question("1", "story", "", "Is it so?", ("yes", "no"), 0)
    verdicts = [
        verdict_on(question, first_options(question), Status.OK, (0,))._replace(
            tags={"place": place}
        )
        for place in ("", "in town", "in\x1b[2J", "inside")
    ]
    fields = VerdictFilter(registry.load("accord"), verdicts, lambda _item: False)
    assert fields.completion("place:i") == "place:inside"
    assert fields.completion("place:") == "place:inside"


async def recorded_run(name: str) -> tuple[str, list[Verdict]]:
    """Ask a model the first bundled items of a benchmark; returns the run and its verdicts."""
    benchmark = registry.load(name)
    model = HashingModel(replace(INFO, abilities=INFO.abilities | {Ability.GENERATE}))
    path = benchmark.samples()
    source = QuestionSource(benchmark, benchmark.open(path), limit=40)
    with Store(paths.runs()) as store:
        plan = plan_for(model, source, path, form=Form.BASE, scoring=Scoring.LOGLIKELIHOOD)
        evaluation = Evaluation(store, plan, model, source)
        async for _progress in evaluation.steps():
            pass
        return evaluation.run.id, store.verdicts(evaluation.run.id)


@mostly_slow(
    ("benchmark", "tags"),
    [
        ("accord", ("hops", "distractors")),
        ("com2", ("scenario",)),
        ("gita", ("state",)),
        ("abspyramid", ("relation",)),
    ],
)
async def test_a_recorded_run_is_filtered_by_the_tags_of_each_benchmark(
    benchmark: str, tags: tuple[str, ...]
) -> None:
    run, verdicts = await recorded_run(benchmark)
    async with opened(benchmark=benchmark, model=f"replay:{run}") as program:
        await program.until(lambda: program.browse.state and program.browse.state.run)
        for tag in tags:
            values = {v.tags[tag] for v in verdicts if v.tags.get(tag)}
            assert values
            for value in sorted(values)[:2]:
                expected = {v.item for v in verdicts if v.tags.get(tag) == value}
                assert await listed(program, f'{tag}:"{value}"') == expected
            right = {v.item for v in verdicts if v.tags.get(tag) == value and v.right}
            assert await listed(program, f'{tag}:"{value}" answer:right') == right
        option = verdicts[0].options[verdicts[0].answer or 0]
        chosen = {v.item for v in verdicts if any(option == v.options[i] for i in v.picked_options)}
        assert chosen <= await listed(program, f'option:"{option}"')


async def test_items_are_found_by_the_layer_that_they_reached() -> None:
    run, verdicts = await recorded_run("accord")
    benchmark = registry.load("accord")
    order = [layer.id for layer in benchmark.layers if not layer.aside]
    first: dict[str, str] = {}
    for verdict in verdicts:
        first.setdefault(verdict.item, "end")
    for layer in reversed(order):
        first |= {v.item: layer for v in verdicts if v.layer == layer and v.right is False}
    async with opened(benchmark="accord", model=f"replay:{run}") as program:
        await program.until(lambda: program.browse.state and program.browse.state.run)
        reached = sorted(set(first.values()))
        assert len(reached) > 1
        for layer in reached:
            expected = {item for item, each in first.items() if each == layer}
            assert await listed(program, f"reached:{layer}") == expected
        all_of_them = await listed(program, "reached:")
        assert all_of_them == set(first)


def only_first_layer(run: Run, state: RunState) -> Run:
    """The run as if only its first layer had been asked before it came to this state."""
    with Store(paths.runs()) as store:
        first = [v for v in store.verdicts(run.id) if v.layer == "story_class"]
        if state is RunState.IMPORTED:
            return store.add(replace(run.plan, collection_hash="log"), first, {})
        begun = store.start(replace(run.plan, fingerprint=state.value))
        for seq, verdict in enumerate(first):
            store.record(begun.id, seq, verdict, "", 0.0)
        store.set_state(begun.id, state)
        return store.run(begun.id)


@pytest.mark.parametrize("how", [RunState.CANCELLED, RunState.PAUSED, RunState.IMPORTED])
async def test_an_item_asked_one_of_its_layers_is_not_shown_as_right_at_every_layer(
    how: RunState,
) -> None:
    run = only_first_layer(recorded_story_run("Knows", always(True)), how)
    async with opened(model=f"replay:{run.id}", benchmark="gita") as program:
        await program.until(lambda: program.browse.state and program.browse.state.run)
        state = program.browse.state
        assert state is not None
        asked = {verdict.item for verdict in state.verdicts()}
        assert asked
        items = map(state.collection.item, range(len(state.collection)))
        ladders = {item.id: build_rungs(state.benchmark, item, Setting()) for item in items}
        several = {
            item
            for item, rungs in ladders.items()
            if sum(rung.question is not None for rung in rungs) > 1
        }
        assert several
        assert {item for item in several if state.mark(item) is not None} == set()
        assert not await listed(program, "reached:end") & several
        assert await listed(program, "answer:right") == asked


def test_answers_that_were_not_read_are_found() -> None:
    benchmark = registry.load("gita")
    item = benchmark.open(benchmark.samples()).item(0)
    question = benchmark.question(item, Setting(), "story_class")
    assert question is not None
    written = Answer(text="hm", scoring=Scoring.GENERATED)
    unread = verdict_on(question, written, Status.NO_ANSWER, ())
    fields = VerdictFilter(benchmark, [unread], lambda _item: False)
    for typed, holds in (
        ("answer:unread", True),
        ("answer:right", False),
        ("answer:wrong", False),
        ("status:no_answer", True),
        ("option:true", False),
        ("reached:story_class", True),
        ("reached:end", False),
    ):
        assert fields.holds(question.item, fields.parse(typed).fields) is holds, typed
