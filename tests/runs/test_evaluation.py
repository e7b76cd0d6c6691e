"""A whole collection asked: gates, order, stopping and going on."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from core.contract import registry
from core.contract.collection import Collection
from core.contract.question import Form, OptionScore, Prompt, Question, Scoring, Shot, Verdict
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.models.protocol import Ability
from core.runs.evaluation import Evaluation
from core.runs.ladder import Answered, QuestionAsked, ladder
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import RunState, prompt_hash
from core.runs.resuming import check_model, resumed_source
from core.runs.store import Store
from core.runs.summaries import DEMO, is_complete, summarise
from core.text.errors import DataError, LongPromptError, ModelError, RunError, SettingError
from tests.fifth.support import INSTALLED, towers
from tests.runs.models import INFO, HashingModel
from tests.runs.tower_runs import begin, finish

WORKER = [sys.executable, "-m", "tests.runs.worker"]
PLACE: dict[str, Any] = {
    "cwd": Path(__file__).parents[2],
    "env": os.environ | {"PYTHONPATH": str(INSTALLED)},
    "text": True,
}


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.01)


class Held:
    """A collection that gives no item until it may."""

    def __init__(self, collection: Collection) -> None:
        self.asked = Event()
        self.may_give = Event()
        self._collection = collection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collection, name)

    def __len__(self) -> int:
        return len(self._collection)

    def item(self, index: int) -> Any:
        self.asked.set()
        assert self.may_give.wait(60)
        return self._collection.item(index)


def begin_held(store: Store, data: Path) -> tuple[Evaluation, Held]:
    """A run, and its collection, which gives no item until it may."""
    model, benchmark = HashingModel(), registry.load("shapes")
    collection = benchmark.open(data)
    plan = plan_for(model, QuestionSource(benchmark, collection), data, form=Form.BASE)
    held = Held(collection)
    return Evaluation(store, plan, model, QuestionSource(benchmark, held)), held


def by_layer(verdicts: list[Verdict], layer: str) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.layer == layer]


async def test_a_gated_layer_asks_only_what_was_right_before(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel())
    await finish(evaluation)
    verdicts = store.verdicts(evaluation.run.id)
    first = by_layer(verdicts, "stands")
    falling_and_right = [v.item for v in first if v.right and v.tags["falls"] == "yes"]
    assert len(first) == 40
    assert 3 < len(falling_and_right) < 30
    assert [v.item for v in by_layer(verdicts, "culprit")] == falling_and_right
    # The third layer is not gated: it is asked of every tower that falls.
    assert [v.item for v in by_layer(verdicts, "top")] == [
        v.item for v in first if v.tags["falls"] == "yes"
    ]
    assert evaluation.run.state is RunState.DONE


async def test_what_is_recorded_is_what_the_model_got_and_said(store: Store, data: Path) -> None:
    model = HashingModel()
    evaluation = begin(store, data, model)
    await finish(evaluation)
    with sqlite3.connect(store.path) as db:
        rows = db.execute("SELECT prompt_hash, scores, seconds FROM verdicts ORDER BY seq")
        recorded = rows.fetchall()
    assert [row[0] for row in recorded] == [prompt_hash(prompt) for prompt in model.asked]
    assert all(row[2] > 0 for row in recorded)
    verdict = store.verdicts(evaluation.run.id)[0]
    assert [s.logprob for s in verdict.scores] == [s[0] for s in json.loads(recorded[0][1])]


async def test_progress_counts_up_to_the_end_of_each_layer(store: Store, data: Path) -> None:
    steps = await finish(begin(store, data, HashingModel(seconds=0.001)))
    for layer in ("stands", "culprit", "top"):
        mine = [step for step in steps if step.layer.id == layer]
        assert [step.done for step in mine] == list(range(mine[0].total + 1))
        assert mine[0].seconds_left is None
        assert mine[-1].seconds_left == 0
        assert mine[-1].right == sum(1 for s in mine if s.verdict and s.verdict.right)
        assert all(a.right <= b.right for a, b in pairwise(mine))


async def test_the_same_run_given_again_asks_nothing(store: Store, data: Path) -> None:
    first = begin(store, data, HashingModel())
    await finish(first)
    model = HashingModel()
    again = begin(store, data, model)
    await finish(again)
    assert again.run.id == first.run.id
    assert model.asked == []


@pytest.mark.parametrize(
    "other",
    [{"limit": 5}, {"setting": {"glue": "on"}}, {"form": Form.CHAT}, {"shots": 1}],
    ids=["limit", "setting", "form", "shots"],
)
async def test_another_plan_is_another_run(store: Store, data: Path, other: dict[str, Any]) -> None:
    first = begin(store, data, HashingModel())
    assert begin(store, data, HashingModel(), **other).run.id != first.run.id


async def test_other_weights_and_other_items_are_another_run(store: Store, data: Path) -> None:
    first = begin(store, data, HashingModel())
    weights = HashingModel(replace(INFO, fingerprint="e" * 64))
    assert begin(store, data, weights).run.id != first.run.id
    moved = data.with_name("moved.json")
    moved.write_bytes(data.read_bytes())
    assert begin(store, moved, HashingModel()).run.id == first.run.id
    data.write_text(json.dumps(towers(40, seed=8)))
    assert begin(store, data, HashingModel()).run.id != first.run.id


async def test_a_model_that_fails_leaves_a_run_that_goes_on(store: Store, data: Path) -> None:
    whole = begin(store, data, HashingModel(replace(INFO, fingerprint="whole")))
    await finish(whole)
    broken = begin(store, data, HashingModel(fails_after=45))
    with pytest.raises(ModelError):
        await finish(broken)
    assert broken.run.state is RunState.PAUSED
    assert broken.run.verdicts == 45
    model = HashingModel()
    again = begin(store, data, model)
    await finish(again)
    assert len(model.asked) == again.run.verdicts - 45
    assert store.verdicts(again.run.id) == store.verdicts(whole.run.id)


class ShortContext(HashingModel):
    """Takes prompts of so many characters."""

    most = 150

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        if len(str(prompt)) > self.most:
            raise LongPromptError("The prompt is long.", hint="Widen the context.")
        return await super().score(prompt, options)


async def test_questions_longer_than_the_context_are_left_and_all_others_asked(
    store: Store, data: Path
) -> None:
    other = HashingModel(replace(INFO, fingerprint="e" * 64))
    await finish(begin(store, data, other))
    lengths = sorted(len(str(prompt)) for prompt in other.asked)
    model = ShortContext()
    model.most = lengths[len(lengths) // 2]
    run = begin(store, data, model)
    with pytest.raises(LongPromptError, match=r"requests were longer.*all others are\. The first:"):
        await finish(run)
    assert run.run.state is RunState.PAUSED
    assert {len(str(prompt)) <= model.most for prompt in model.asked} == {True}
    assert len(store.verdicts(run.run.id)) == len(model.asked) > 0
    model.most = lengths[-1]
    again = begin(store, data, model)
    assert again.run.id == run.run.id
    await finish(again)
    assert again.run.state is RunState.DONE
    assert len(store.verdicts(run.run.id)) == len(lengths)


async def test_pause_waits_and_resume_goes_on(store: Store, data: Path) -> None:
    evaluation: Evaluation

    def pause(count: int) -> None:
        if count == 10:
            evaluation.pause()

    model = HashingModel(on_score=pause)
    evaluation = begin(store, data, model)
    task = asyncio.create_task(finish(evaluation))
    await until(
        lambda: len(model.asked) == 10 and store.run(evaluation.run.id).state is RunState.PAUSED
    )
    await asyncio.sleep(0.1)
    assert len(model.asked) == 10
    assert evaluation.paused
    assert len(store.verdicts(evaluation.run.id)) == 10
    evaluation.resume()
    steps = await task
    assert evaluation.run.state is RunState.DONE
    assert any(step.state is RunState.PAUSED for step in steps)


async def test_cancel_stops_the_question_in_progress_and_keeps_the_others(
    store: Store, data: Path
) -> None:
    reached = asyncio.Event()

    def reach(count: int) -> None:
        if count == 3:
            model.seconds = 600
            reached.set()

    model = HashingModel(on_score=reach)
    evaluation = begin(store, data, model)
    task = asyncio.create_task(finish(evaluation))
    await reached.wait()
    evaluation.cancel()
    await asyncio.wait_for(task, 60)
    assert evaluation.run.state is RunState.CANCELLED
    assert evaluation.run.verdicts == 2


async def test_cancel_leaves_what_others_ask_of_the_model_alone(store: Store, data: Path) -> None:
    """A person asks about one item while the run over all of them waits, then cancels the run."""

    class Thinking(HashingModel):
        def __init__(self) -> None:
            super().__init__()
            self.may_answer = asyncio.Event()

        async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
            found = await super().score(prompt, options)
            await self.may_answer.wait()
            return found

    model = Thinking()
    evaluation = begin(store, data, model)
    evaluation.pause()
    task = asyncio.create_task(finish(evaluation))
    await until(lambda: store.run(evaluation.run.id).state is RunState.PAUSED)
    benchmark = registry.load("shapes")
    item = benchmark.open(data).item(0)
    events = ladder(model, benchmark, build_rungs(benchmark, item, Setting()), form=Form.BASE)
    assert isinstance(await anext(events), QuestionAsked)
    first = asyncio.ensure_future(anext(events))
    await until(lambda: len(model.asked) == 1)
    evaluation.cancel()
    await asyncio.wait_for(task, 60)
    assert not first.done()
    model.may_answer.set()
    answered = await first
    assert isinstance(answered, Answered)
    assert answered.verdict.item == item.id
    assert evaluation.run.state is RunState.CANCELLED


async def test_cancel_ends_the_reading_of_a_large_collection(store: Store, data: Path) -> None:
    evaluation, collection = begin_held(store, data)
    task = asyncio.create_task(finish(evaluation))
    await until(collection.asked.is_set)
    evaluation.cancel()
    await asyncio.wait_for(task, 30)
    assert evaluation.run.state is RunState.CANCELLED
    collection.may_give.set()


async def test_the_program_lives_while_a_layer_is_read(store: Store, data: Path) -> None:
    evaluation, collection = begin_held(store, data)
    async with aclosing(evaluation.steps()) as steps:
        first = asyncio.ensure_future(anext(steps))
        await until(collection.asked.is_set)
        assert not first.done()
        collection.may_give.set()
        assert (await first).total == 40


async def test_a_closed_run_lets_go_of_the_store(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel())
    async with aclosing(evaluation.steps()) as steps:
        while (await anext(steps)).done < 3:
            pass
    assert evaluation.run.state is RunState.PAUSED
    assert evaluation.run.verdicts == 3
    with store.hold(evaluation.run.id):
        pass


async def test_cancel_ends_a_paused_run(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel())
    evaluation.pause()
    task = asyncio.create_task(finish(evaluation))
    await asyncio.sleep(0.05)
    evaluation.cancel()
    await asyncio.wait_for(task, 60)
    assert evaluation.run.state is RunState.CANCELLED
    assert evaluation.run.verdicts == 0


async def test_a_task_that_is_cancelled_leaves_a_paused_run(store: Store, data: Path) -> None:
    model = HashingModel(seconds=0.02)
    evaluation = begin(store, data, model)
    task = asyncio.create_task(finish(evaluation))
    await until(lambda: len(model.asked) > 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    run = store.run(evaluation.run.id)
    assert run.state is RunState.PAUSED
    assert run.verdicts > 0
    await finish(begin(store, data, HashingModel()))
    assert store.run(run.id).state is RunState.DONE


async def test_a_limit_asks_the_first_items_and_says_so(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel(), limit=7)
    await finish(evaluation)
    items = {v.item for v in store.verdicts(evaluation.run.id)}
    assert items == {f"tower {i}" for i in range(7)}
    assert any("first 7 items" in note for note in evaluation.summary().notes)


async def test_worked_examples_come_from_what_the_layer_asks(store: Store, data: Path) -> None:
    model = HashingModel()
    evaluation = begin(store, data, model, shots=2, seed=3)
    await finish(evaluation)
    verdicts = store.verdicts(evaluation.run.id)
    benchmark = registry.load("shapes")
    collection = benchmark.open(data)
    for layer in ("stands", "culprit", "top"):
        asked = [(p, v) for p, v in zip(model.asked, verdicts, strict=True) if v.layer == layer]
        items = [collection.item(collection.find(v.item)) for _, v in asked]
        pool = {benchmark.question(item, Setting(), layer).text for item in items}
        for prompt, verdict in asked:
            assert isinstance(prompt, str)
            examples = prompt.removeprefix("Towers are built from the bottom up.\n").split("\n\n")
            own = examples.pop()
            texts = [next(t for t in pool if example.startswith(t)) for example in examples]
            assert len(set(texts)) <= 2 == len(texts)
            parts = collection.item(collection.find(verdict.item)).parts
            assert own.startswith(f"The tower: {', then '.join(parts)}.")
    again = begin(store, data, HashingModel(), shots=2, seed=4)
    assert again.run.id != evaluation.run.id


async def test_a_killed_run_with_worked_examples_draws_the_same(store: Store, data: Path) -> None:
    plan = {"shots": 2, "shot_rule": "varied"}
    whole = begin(store, data, HashingModel(replace(INFO, fingerprint="whole")), **plan)
    await finish(whole)
    with pytest.raises(ModelError):
        await finish(begin(store, data, HashingModel(fails_after=50), **plan))
    again = begin(store, data, HashingModel(), **plan)
    await finish(again)
    assert store.verdicts(again.run.id) == store.verdicts(whole.run.id)


async def test_a_setting_holds_for_every_item(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel(), setting={"glue": "yes"})
    await finish(evaluation)
    verdicts = store.verdicts(evaluation.run.id)
    assert {v.setting.get("glue") for v in verdicts} == {"on"}
    assert {v.gold for v in verdicts} == {1}
    assert {v.layer for v in verdicts} == {"stands"}


async def test_a_setting_that_an_item_cannot_take_is_refused_before_asking(
    store: Store, data: Path
) -> None:
    with pytest.raises(SettingError, match="tower 0"):
        begin(store, data, HashingModel(), setting={"glue": "perhaps"})
    assert store.runs() == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"glue": "on"}, {"glue": "YES"}),
        ({"ground": "boat"}, {"ground": "on a boat"}),
        ({"foot": "a hat"}, {"foot": " a  hat "}),
        ({"copies": "2", "glue": "on"}, {"glue": "true", "copies": "02"}),
        ({}, {"glue": "no", "ground": "on a table", "copies": "1"}),
    ],
    ids=str,
)
async def test_a_setting_in_other_words_is_the_same_run(
    store: Store, data: Path, one: dict[str, str], other: dict[str, str]
) -> None:
    first = begin(store, data, HashingModel(), setting=one)
    second = begin(store, data, HashingModel(), setting=other)
    assert first.run.id == second.run.id
    assert dict(second.run.plan.setting) == one


async def test_a_value_that_some_items_have_anyway_is_kept(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    file.write_text(json.dumps([{"id": i, "parts": [i, i]} for i in ("cone", "ball")]))
    evaluation = begin(store, file, HashingModel(), setting={"foot": "cone"})
    assert evaluation.run.plan.setting == (("foot", "cone"),)
    await finish(evaluation)
    first, second = by_layer(store.verdicts(evaluation.run.id), "stands")
    assert (dict(first.setting), dict(second.setting)) == ({}, {"foot": "cone"})


async def test_names_that_mean_another_value_for_each_item_are_kept() -> None:
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    order = ("instructions", "italian")

    def planned(**setting: str) -> tuple[tuple[str, str], ...]:
        source = QuestionSource(gita, collection, setting)
        made = plan_for(HashingModel(), source, gita.samples(), form=Form.BASE)
        return made.setting

    assert planned(variant="order", instructions="in Italian") == (order, ("variant", "order"))
    assert planned(instructions="italian") == (order,)
    assert planned(instructions="as released") == planned(instructions="released") == ()


async def test_a_run_is_recorded_under_what_was_opened_not_what_lies_there_now(
    store: Store, tmp_path: Path
) -> None:
    gita = registry.load("gita")
    file = tmp_path / "stories.json"
    stories = json.loads(gita.samples().read_text("utf-8"))
    file.write_text(json.dumps(stories))
    other = tmp_path / "other.json"
    other.write_text(json.dumps(dict(list(stories.items())[:6])))
    collection = gita.open(file)
    before = collection.content_hash
    collection = gita.open(file)
    other.replace(file)
    model = HashingModel()
    source = QuestionSource(gita, collection)
    plan = plan_for(model, source, file, form=Form.BASE)
    assert plan.collection_hash == before
    assert gita.open(file).content_hash != before
    evaluation = Evaluation(store, plan, model, source)
    await finish(evaluation)
    assert evaluation.run.items == len(stories)


async def test_a_collection_that_changes_during_a_run_ends_it(store: Store, tmp_path: Path) -> None:
    gita = registry.load("gita")
    file = tmp_path / "stories.json"
    file.write_bytes(gita.samples().read_bytes())
    collection = gita.open(file)

    def change(count: int) -> None:
        if count == 3:
            file.write_bytes(file.read_bytes() + b"\n")

    model = HashingModel(on_score=change)
    source = QuestionSource(gita, collection)
    plan = plan_for(model, source, file, form=Form.BASE)
    evaluation = Evaluation(store, plan, model, source)
    with pytest.raises(DataError, match="changed since it was opened"):
        await finish(evaluation)
    assert evaluation.run.state is RunState.PAUSED


async def test_two_items_of_one_name_are_told_before_anything_is_asked(
    store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "twins.json"
    file.write_text(json.dumps([{"id": "twin", "parts": ["cone"]}] * 2))
    model = HashingModel()
    with pytest.raises(DataError, match="called “twin”"):
        await finish(begin(store, file, model))
    assert model.asked == []


@pytest.mark.parametrize("system", [True, False])
async def test_chat_models_get_turns(store: Store, data: Path, system: bool) -> None:
    info = replace(INFO, abilities=INFO.abilities | {Ability.CHAT}, system_turn=system)
    model = HashingModel(info)
    await finish(begin(store, data, model, form=Form.CHAT, limit=1))
    roles = [turn.role for turn in model.asked[0] if not isinstance(turn, str)]
    assert roles == (["system", "user"] if system else ["user"])


async def test_chat_form_is_refused_by_a_model_without_template(store: Store, data: Path) -> None:
    with pytest.raises(ModelError, match="chat template"):
        await finish(begin(store, data, HashingModel(), form=Form.CHAT))


async def test_the_summary_can_be_read_at_any_time(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel())
    seen = []
    async for progress in evaluation.steps():
        if progress.verdict is not None:
            summary = evaluation.summary()
            seen.append(summary.figures[0].n)
            assert any("will change" in note for note in summary.notes)
    assert seen[:40] == list(range(1, 41))
    [ties] = evaluation.summary().notes
    assert ties.startswith("Ties: 5 of 91 answers.")
    assert evaluation.summary() == summarise(store, store.run(evaluation.run.id))


async def test_a_run_that_goes_on_sums_up_what_was_answered_before(
    store: Store, data: Path
) -> None:
    with pytest.raises(ModelError):
        await finish(begin(store, data, HashingModel(fails_after=10)))
    again = begin(store, data, HashingModel())
    async with aclosing(again.steps()) as steps:
        await anext(steps)
        assert again.summary().figures[0].n == 10


async def test_a_summary_does_not_read_the_store(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel())
    await finish(evaluation)
    expected = summarise(store, store.run(evaluation.run.id))
    store.close()
    assert await asyncio.to_thread(evaluation.summary) == expected


@pytest.mark.parametrize(
    ("plan", "complete", "note"),
    [
        ({}, True, ""),
        ({"limit": 7}, False, "not comparable with figures over the whole collection"),
        ({"limit": 40}, True, ""),
        ({"limit": 1000}, True, ""),
        ({"setting": {"glue": "on"}}, False, "not comparable with figures over the items as they"),
        ({"setting": {"glue": "off"}}, True, ""),
    ],
    ids=["whole", "limit", "as many as there are", "more than there are", "setting", "default"],
)
@pytest.mark.parametrize("demo", [False, True])
async def test_what_a_run_is_not_comparable_with_is_said(
    store: Store, data: Path, plan: dict[str, Any], complete: bool, note: str, demo: bool
) -> None:
    evaluation = begin(store, data, HashingModel(replace(INFO, demo=demo)), **plan)
    assert is_complete(evaluation.run) is False
    await finish(evaluation)
    assert is_complete(evaluation.run) is complete
    assert evaluation.run.plan.demo is demo
    notes = [each for each in evaluation.summary().notes if not each.startswith("Ties:")]
    assert (DEMO in notes) is demo
    assert len(notes) == bool(note) + demo
    assert any(note in said for said in notes) or not note


async def test_a_run_that_was_begun_with_a_limit_beyond_its_items_goes_on(
    store: Store, data: Path
) -> None:
    model, benchmark = HashingModel(), registry.load("shapes")
    run = begin(store, data, model).run
    earlier = replace(run, plan=replace(run.plan, limit=1000))
    source = resumed_source(earlier, model, benchmark, benchmark.open(data))
    assert len(source.positions) == 40


async def test_a_run_does_not_go_on_with_another_number_of_layers_on_an_accelerator(
    store: Store, data: Path
) -> None:
    benchmark = registry.load("shapes")
    run = begin(store, data, HashingModel(replace(INFO, gpu_layers=12))).run
    now = HashingModel(replace(INFO, gpu_layers=33))
    with pytest.raises(RunError, match=r"computed 12 layers .* computes 33 now"):
        resumed_source(run, now, benchmark, benchmark.open(data))
    with pytest.raises(RunError, match="computed 12 layers"):
        check_model(run.plan, now)


async def test_a_second_program_is_refused(store: Store, data: Path) -> None:
    evaluation = begin(store, data, HashingModel())
    evaluation.pause()
    task = asyncio.create_task(finish(evaluation))
    await asyncio.sleep(0.05)
    other = subprocess.run(
        [*WORKER, store.path, data, "0"], capture_output=True, check=False, **PLACE
    )
    assert other.returncode != 0
    assert "RunError" in other.stderr
    assert "just recording" in other.stderr
    evaluation.resume()
    await task
    assert evaluation.run.state is RunState.DONE


def rows(path: Path) -> list[tuple[Any, ...]]:
    """All verdicts but for the time they took."""
    with sqlite3.connect(path) as db:
        return db.execute(
            """SELECT run, seq, item, layer, setting, options, scores, answer, gold, "right",
            status, scoring, text, tags, prompt_hash FROM verdicts ORDER BY seq"""
        ).fetchall()


def test_a_killed_run_goes_on_to_the_same_verdicts(tmp_path: Path, data: Path) -> None:
    whole = tmp_path / "whole.sqlite"
    subprocess.run([*WORKER, whole, data, "0"], check=True, capture_output=True, **PLACE)
    expected = rows(whole)
    store = tmp_path / "killed.sqlite"
    for stop_after in (1, 17, 12, 20):
        # Soon after, it waits for ever: a busy machine may be late with the kill.
        words = [*WORKER, store, data, "0.002", "0", str(stop_after + 1)]
        worker = subprocess.Popen(words, stdout=subprocess.PIPE, **PLACE)
        assert worker.stdout is not None
        said = [worker.stdout.readline() for _ in range(stop_after)]
        worker.kill()
        worker.wait()
        said += worker.stdout.readlines()
        assert not any(line.startswith("asked") for line in said)
        with Store(store, create=False) as opened:
            [run] = opened.runs()
            # Every verdict that was told of is there, and the dead program holds nothing.
            assert run.state is RunState.PAUSED
        kept = rows(store)
        assert kept == expected[: len(kept)]
        assert len(kept) >= stop_after
    last = subprocess.run([*WORKER, store, data, "0"], check=True, capture_output=True, **PLACE)
    assert last.stdout.splitlines()[-1] == f"asked {len(expected) - len(kept)}"
    assert rows(store) == expected


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
async def test_a_run_builds_each_question_once(
    store: Store, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    able = replace(INFO, abilities=frozenset({Ability.SCORE, Ability.GENERATE}))
    benchmark, model = registry.load(name), HashingModel(able)
    kind = type(benchmark)
    build, built = kind.question, Counter[tuple[str, str]]()

    def counted(
        self: Any, item: Any, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        built[item.id, layer] += 1
        return build(self, item, setting, layer, shots)

    monkeypatch.setattr(kind, "question", counted)
    path = benchmark.samples()
    source = QuestionSource(benchmark, benchmark.open(path), limit=6)
    plan = plan_for(model, source, path, form=Form.BASE, scoring=Scoring.LOGLIKELIHOOD)
    assert await finish(Evaluation(store, plan, model, source))
    assert model.asked
    assert set(built.values()) == {1}


async def test_chosen_items_are_asked_with_the_prompts_of_the_whole(
    tmp_path: Path,
) -> None:
    file = tmp_path / "towers.json"
    file.write_text(json.dumps(towers(12)))
    benchmark = registry.load("shapes")
    asked: dict[bool, list[Prompt]] = {}
    for some in (False, True):
        model = HashingModel()
        source = QuestionSource(benchmark, benchmark.open(file))
        plan = plan_for(
            model, source, file, form=Form.BASE, shots=2, chosen=(7, 2, 5) if some else ()
        )
        with Store(tmp_path / "runs.db") as store:
            evaluation = Evaluation(store, plan, model, source)
            assert [p async for p in evaluation.steps()]
            run = store.run(evaluation.run.id)
            assert run.plan.chosen == ((2, 5, 7) if some else ())
            assert run.items == (3 if some else 12)
        asked[some] = model.asked
    first_layer = [asked[False][position] for position in (2, 5, 7)]
    assert asked[True][:3] == first_layer


@pytest.mark.parametrize("towers", [[], [{"id": "arch", "parts": ["cube", "ball"]}]])
async def test_a_run_that_would_ask_nothing_is_refused_and_not_recorded(
    store: Store,
    tmp_path: Path,
    towers: list[dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "none.json"
    file.write_text(json.dumps(towers))
    monkeypatch.setattr(type(registry.load("shapes")), "question", lambda *_given: None)
    with pytest.raises(DataError, match="nothing to ask"):
        begin(store, file, HashingModel())
    assert store.runs() == []
