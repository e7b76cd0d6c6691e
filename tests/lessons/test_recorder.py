"""Recording a lesson: what is asked becomes its steps; and answers that were recorded earlier."""

from __future__ import annotations

import asyncio
import gc
import weakref
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.widgets import Input, OptionList, Static

from core.contract import registry
from core.contract.question import Form, Question
from core.contract.setting import Setting
from core.files import paths
from core.lessons.bound_lesson import bind
from core.lessons.checker import check
from core.lessons.lesson import Pointing
from core.lessons.lesson_reader import MOST_STEPS, read_lesson
from core.lessons.library import bundled, named, own_folder
from core.lessons.recorder import TO_FILL_IN, Recorder
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from core.text.errors import NotFoundError
from tests.cli.support import ok, run
from tests.lessons.showing import opened_lesson
from tests.lessons.support import FirstOption, lesson, write
from tests.runs.models import HashingModel
from tests.tui.support import opened, until
from tui.lessons.follow_screen import FollowScreen
from tui.shell.model_holder import ModelPhase
from tui.shell.prompts import AskText, PickOne


def asked(item: str, layer: str, **values: str) -> tuple[str, Setting, Question]:
    """What a layer asks of a bundled story, with the item and its setting."""
    benchmark = registry.load("gita")
    collection = registry.open_collection(benchmark, benchmark.samples())
    found = collection.item(collection.find(item))
    setting = Setting.of(benchmark.switches(found), values)
    question = benchmark.question(found, setting, layer)
    assert question is not None
    return item, setting, question


async def test_what_was_asked_is_a_lesson_that_holds(tmp_path: Path) -> None:
    recorder = Recorder("gita", None)
    recorder.record(*asked("0-O0", "story_class"))
    recorder.record(*asked("0-O0", "conflict_detec"))
    recorder.record(*asked("0-O0", "story_class"))
    recorder.record(*asked("0", "story_class", variant="0-O0", s1="È così: #1 {“a”}"))
    recorder.record(*asked("0", "story_class"))
    file = tmp_path / "mine.yaml"
    file.write_text(recorder.lesson("mine: yes?"), encoding="utf-8")
    read = read_lesson(file)
    assert read.title.spoken("en") == "mine: yes?"
    first, second, third, fourth = read.steps
    assert all(step.say.spoken("") == TO_FILL_IN for step in read.steps)
    assert first.point is not None
    assert (first.point.kind, first.point.ref) == (Pointing.RUNG, "story_class")
    assert first.prediction is not None
    assert first.prediction.layer == "story_class"
    # Ten pairs are more than there are keys to count hands with.
    assert second.prediction is not None
    assert len(second.prediction.options) == 2
    assert dict(third.setting) == {"variant": "0-O0", "s1": "È così: #1 {“a”}"}
    assert (fourth.item, dict(fourth.setting)) == ("0", {})
    found = [one async for one in check(bind(read), FirstOption())]
    assert found
    assert all(one.holds for one in found)


def test_a_lesson_has_no_more_steps_than_it_may(tmp_path: Path) -> None:
    recorder = Recorder("gita", None)
    _, setting, question = asked("0", "story_class")
    for number in range(MOST_STEPS + 5):
        recorder.record(str(number), setting, question)
    assert recorder.full
    file = tmp_path / "long.yaml"
    file.write_text(recorder.lesson("long"), encoding="utf-8")
    assert len(read_lesson(file).steps) == MOST_STEPS


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(min_size=1, max_size=40))
def test_whatever_was_typed_is_read_back(tmp_path: Path, value: str) -> None:
    recorder = Recorder("gita", None)
    _, _, question = asked_once()
    recorder.record(f"i{value}", {"s1": f"“{value}”"}, question)
    file = tmp_path / "typed.yaml"
    file.write_text(recorder.lesson("typed"), encoding="utf-8")
    (step,) = read_lesson(file).steps
    assert (step.item, dict(step.setting)) == (f"i{value}", {"s1": f"“{value}”"})


KNOWN: list[tuple[str, Setting, Question]] = []


def asked_once() -> tuple[str, Setting, Question]:
    """One question, made once for all examples."""
    if not KNOWN:
        KNOWN.append(asked("0", "story_class"))
    return KNOWN[0]


async def test_a_lesson_is_recorded_while_one_browses_and_asks() -> None:
    async with opened() as program:
        app = program.app

        async def pick(place: int) -> None:
            await program.press("f8")
            await program.until(lambda: isinstance(app.screen, PickOne))
            await program.pilot.pause()
            await program.press(*["j"] * place, "enter")

        await pick(len(bundled()) + 1)
        await program.until(
            lambda: program.browse.state is not None and bool(program.browse.state.on_answer)
        )
        await program.ask()
        await program.press("v")
        await program.ask()
        state = program.browse.state
        assert state is not None
        answered = {
            rung.layer.id for rung in state.rungs() if rung.verdict is not None and rung.question
        }
        await pick(len(bundled()) + 1)
        await program.until(lambda: isinstance(app.screen, AskText))
        await program.pilot.pause()
        await program.press(*"../x", "enter")
        said = app.screen.query_one(".error", Static)
        await program.until(lambda: bool(str(said.content)))
        assert isinstance(app.screen, AskText)
        app.screen.query_one(Input).value = "mine"
        await program.press("enter")
        await program.until(lambda: not isinstance(app.screen, AskText))
        await program.until(lambda: state.on_answer is None)
    written = own_folder() / "mine.yaml"
    read = named("mine")
    assert read.path == written
    assert {step.item for step in read.steps} == {"0"}
    changed = [step for step in read.steps if step.setting]
    assert {step.point.ref for step in changed if step.point} == answered
    assert len(read.steps) > len(changed)
    assert "mine" in ok("lesson", "list").out
    # A loop runs here, and the command begins one of its own.
    await asyncio.to_thread(ok, "lesson", "check", "mine")
    before = written.read_text(encoding="utf-8")
    assert run("lesson", "new", written).code == 2
    assert written.read_text(encoding="utf-8") == before


async def test_the_menu_stays_small_whatever_the_own_lessons_hold() -> None:
    own_folder().mkdir(parents=True)
    for number in range(40):
        (own_folder() / f"broken-{number:02}.yaml").write_text("")
    titled = write(own_folder() / "long.yaml", "- {say: Look., item: 0-O0}")
    text = titled.read_text(encoding="utf-8")
    titled.write_text(text.replace("title: One", f"title: {'x' * 9000}"), encoding="utf-8")
    async with opened(model="none.gguf") as program:
        app = program.app
        await program.press("f8")
        await program.until(lambda: isinstance(app.screen, PickOne))
        lines = [str(option.prompt) for option in app.screen.query_one(OptionList).options]
        assert len(lines) == len(bundled()) + 3
        assert all(len(line) < 150 for line in lines)
        (warning,) = [one for one in app._notifications if one.severity == "warning"]
        assert "broken-00.yaml" in warning.message
        assert len(warning.message) < 1200


async def test_what_is_recorded_does_not_keep_a_collection_that_another_replaces() -> None:
    async with opened(model="none.gguf") as program:
        await program.press("f8")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.pilot.pause()
        await program.press(*["j"] * (len(bundled()) + 1), "enter")
        await program.until(lambda: program.browse.state.on_answer is not None)
        before = weakref.ref(program.browse.state)
        accord = registry.load("accord")
        program.browse.browse(accord, accord.samples())
        await program.until(lambda: program.browse.benchmark is accord)
        await program.until(lambda: program.browse.state is not None)
        await program.until(lambda: [gc.collect(), before() is None][1])


async def test_a_running_lesson_is_followed_from_the_browser() -> None:
    async with opened(model="none.gguf") as program:
        await program.press("f8")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.pilot.pause()
        await program.press(*["j"] * len(bundled()), "enter")
        await program.until(lambda: isinstance(program.app.screen, FollowScreen))
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.browse)


RECORDED = """
- say: First.
  item: 0-O0
  predict: {ask: What is it, layer: story_class}
  after: Said.
  check:
    - same answer: {layer: story_class, with: {s1: Un gatto dorme.}}
- say: Second.
  set: {s1: Un gatto dorme.}
  predict: {ask: And now, layer: story_class}
  after: Not said.
"""


async def test_recorded_answers_are_called_so_and_what_lacks_is_told(tmp_path: Path) -> None:
    benchmark = registry.load("gita")
    path = benchmark.samples()
    model = HashingModel()
    collection = registry.open_collection(benchmark, path)
    source = QuestionSource(benchmark, collection)
    plan = plan_for(model, source, path, form=Form.BASE)
    paths.runs().parent.mkdir(parents=True)
    with Store(paths.runs()) as store:
        evaluation = Evaluation(store, plan, model, source)
        async for _ in evaluation.steps():
            pass
        name = f"replay:{evaluation.run.id}"
    async with opened_lesson(lesson(tmp_path, RECORDED), model=name) as shown:
        assert shown.app.model_state.phase is ModelPhase.READY
        await shown.press("r")
        assert f"[recorded] {model.info.name}" in shown.hands
        assert shown.after == "Said."
        await shown.press("space")
        assert "recorded" not in shown.hands
        await shown.press("r")
        revealed = shown.screen.player.result
        assert revealed is not None
        assert revealed.lacking
        assert "The recording has no answer to this" in shown.hands
        assert shown.after == ""
        await shown.press("backspace")
        assert (shown.said, shown.after) == ("First.", "Said.")
        assert f"[recorded] {model.info.name}" in shown.hands
        shown.app.load_model("none.gguf")
        await until(shown.pilot, lambda: not shown.screen.player.revealed)
        await shown.settle()
        assert "recorded" not in shown.hands


def test_a_lesson_of_a_name_that_there_is_not() -> None:
    with pytest.raises(NotFoundError):
        named("mine")
