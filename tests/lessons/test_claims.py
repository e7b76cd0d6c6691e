"""Claims are computed: each holds where it is so, and does not where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.ladder import climb
from core.contract.question import Form, Verdict
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.lessons.bound_lesson import bind
from core.lessons.checker import candidates, check, come_true
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import named
from core.lessons.skeleton import skeleton
from core.models.protocol import Model
from core.models.resolver import load_model
from core.runs.ladder import Answered, LadderEvent, QuestionAsked, ladder
from core.text.errors import ModelError
from tests.lessons.support import FirstOption, lesson, with_check, write
from tests.runs.models import BlockModel, HashingModel

KETTLE = "{hops: 2, distractors: 0, implied: A}"
"""A world in which the first option is right."""


async def holds(folder: Path, model: Model, item: str, claim: str, **more: str) -> bool | None:
    """Whether a claim holds of an item with a model."""
    bound_lesson = bind(with_check(folder, item, claim, more.pop("benchmark", "gita"), **more))
    (checked,) = [one async for one in check(bound_lesson, model)]
    return checked.holds


async def answers(model: Model, benchmark: Benchmark, item: Item) -> list[Verdict]:
    """The verdicts of an item's ladder."""
    rungs = build_rungs(benchmark, item, Setting())
    events = [event async for event in ladder(model, benchmark, rungs, form=Form.BASE)]
    return [event.verdict for event in events if isinstance(event, Answered)]


FACTS = {
    "gold: {layer: answer, is: A}": True,
    "gold: {layer: answer, is: B}": False,
    "gold: {layer: answer, is: gold}": True,
    "silent: hop-5": True,
    "silent: hop-1": False,
    "node: {is: forced, role: forced}": True,
    "node: {is: forced, role: distractor}": False,
    "node: {is: '2', happens: yes}": True,
    "node: {is: '2', happens: no}": False,
    "statement: {is: choice-A, role: evidence}": True,
    "statement: {is: choice-A, role: plain}": False,
    "gold: {layer: answer, is: attic}": True,
    "gold: {layer: answer, is: kitchen}": False,
    "tagged: {layer: answer, hops: '2', variant: anti-factual}": True,
    "tagged: {layer: answer, hops: '1'}": False,
}
ANSWERS = {
    "right: answer": True,
    "wrong: answer": False,
    "right: [hop-1, answer]": True,
    "right: bare": False,
    "wrong: [bare, answer]": False,
    "first failure: nowhere": True,
    "first failure: anywhere": False,
    "first failure: answer": False,
    "answer: {layer: answer, is: A}": True,
    "answer: {layer: answer, is: gold}": True,
    "answer: {layer: bare, is: B}": False,
    "same answer: {layer: answer, with: {implied: B}}": True,
    "other answer: {layer: answer, with: {implied: B}}": False,
    # Of five options e^0 to e^-4: 1 / (1 + e^-1 + e^-2 + e^-3 + e^-4) = 0.6364.
    "share: {layer: answer, of: A, at least: 0.636, at most: 0.637}": True,
    "share: {layer: answer, of: gold, at least: 0.637}": False,
    "share: {layer: answer, of: B, at most: 0.2}": False,
    "of all: {when: {answer: {layer: answer, is: A}}, set: {hops: 1}, at least: 1}": True,
    "of all: {when: {answer: {layer: answer, is: A}}, set: {hops: 1}, at most: 0.9}": False,
    # The first option is right where it is implied, and nowhere else.
    "gap: {when: {right: answer}, set: {implied: A}, than: {implied: B}, at least: 1}": True,
    "gap: {when: {right: answer}, set: {implied: B}, than: {implied: A}, at least: 0}": False,
    "all: [{right: answer}, {wrong: bare}]": True,
    "all: [{right: answer}, {right: bare}]": False,
    "none: [{wrong: answer}, {right: bare}]": True,
    "none: [{right: answer}, {right: bare}]": False,
}


@pytest.mark.parametrize("claim", [*FACTS, *ANSWERS])
async def test_a_claim_holds_exactly_where_it_is_so(tmp_path: Path, claim: str) -> None:
    model = FirstOption()
    expected = (FACTS | ANSWERS)[claim]
    more = {"benchmark": "accord", "setting": KETTLE}
    assert await holds(tmp_path, model, "kettle", claim, **more) is expected
    if claim in FACTS:
        assert not model.asked


@pytest.mark.parametrize("item", ["0", "0-O0", "5-C0", "9-O0", "13-C0"])
async def test_the_first_failure_is_that_of_the_ladder(tmp_path: Path, item: str) -> None:
    model, gita = HashingModel(), registry.load("gita")
    collection = registry.open_collection(gita, gita.samples())
    story = collection.item(collection.find(item))
    verdicts = await answers(model, gita, story)
    failure = climb(verdicts).first_failure or "nowhere"
    for layer in ("nowhere", *(verdict.layer for verdict in verdicts)):
        claim = f"first failure: {layer}"
        assert await holds(tmp_path, model, f"'{item}'", claim) is (layer == failure)


async def test_figures_are_those_of_the_graph(tmp_path: Path) -> None:
    # Noisy-or by hand: 0.9 for the film, 0.9 * 0.5 for the skid; seen, it makes the film certain.
    model, noisy = FirstOption(), "{mechanism: noisy-or}"
    seen = "{mechanism: noisy-or, event.skid: observe=1}"
    done = "{mechanism: noisy-or, event.skid: do=1}"
    for setting, node, low, high in (
        (noisy, "film", 0.9, 0.9),
        (noisy, "skid", 0.45, 0.45),
        (seen, "film", 1, 1),
        (done, "film", 0.9, 0.9),
    ):
        claim = f"node: {{is: {node}, at least: {low}, at most: {high}}}"
        more = {"benchmark": "com2", "setting": setting}
        assert await holds(tmp_path, model, "ring-road:decision", claim, **more)
        claim = f"node: {{is: {node}, at most: {low - 0.05}}}"
        assert not await holds(tmp_path, model, "ring-road:decision", claim, **more)


async def test_blocks_are_read_where_there_are_some(tmp_path: Path) -> None:
    item, layer = "0-O0", "story_class"
    early = f"settles: {{layer: {layer}, at most: 0}}"
    late = f"settles: {{layer: {layer}, at least: 1}}"
    found = [await holds(tmp_path, BlockModel(), item, claim) for claim in (early, late)]
    assert sorted(found, key=bool) == [False, True]
    led = await holds(tmp_path, BlockModel(), item, f"led: {{layer: {layer}}}")
    # Of two options, another leads somewhere exactly where the last does not lead everywhere.
    assert led is found[1]
    assert await holds(tmp_path, FirstOption(), item, early) is None


async def test_a_prior_is_compared_with_the_content_free_prompt(demo_model: None) -> None:
    lesson = bind(named("6"))
    model = await load_model("demo")
    try:
        found = [one async for one in check(lesson, model)]
    finally:
        await model.close()
    (one,) = [one for one in found if one.claim.startswith("leads without item")]
    assert one.holds
    assert "after 1 blocks, after 1 of them" in one.found


async def test_a_model_that_fails_is_no_claim_that_fails(tmp_path: Path) -> None:
    model = HashingModel(fails_after=0)
    bound_lesson = bind(with_check(tmp_path, '"0"', "right: story_class", "gita"))
    (checked,) = [one async for one in check(bound_lesson, model)]
    assert checked.holds is None
    assert "The engine ended" in checked.found


PREDICTED = """
- say: Look.
  item: kettle
  set: {implied: A}
  predict:
    ask: What?
    options:
      - {text: one, when: {right: answer}}
      - {text: two, when: {wrong: answer}}
      - {text: three, when: {answer: {layer: answer, is: A}}}
"""


async def test_exactly_one_prediction_has_to_come_true(tmp_path: Path) -> None:
    bound_lesson = bind(lesson(tmp_path, PREDICTED, "accord"))
    (checked,) = [one async for one in check(bound_lesson, FirstOption())]
    assert checked.holds is False
    assert "one; three" in checked.found
    two = "\n".join(PREDICTED.splitlines()[:-1])
    (checked,) = [one async for one in check(bind(lesson(tmp_path, two, "accord")), FirstOption())]
    assert checked.holds is True


async def test_the_answer_to_a_layer_comes_true_and_is_reported(tmp_path: Path) -> None:
    steps = "- {say: Look., item: 0-O0, predict: {ask: What, layer: story_class}}"
    bound_lesson = bind(lesson(tmp_path, steps))
    step = bound_lesson.lesson.steps[0]
    events: list[LadderEvent] = []
    evidence = bound_lesson.evidence(
        bound_lesson.bind_step(step), FirstOption(), on_event=events.append
    )
    assert step.prediction is not None
    assert await come_true(step.prediction, evidence) == (0,)
    assert await come_true(step.prediction, evidence) == (0,)
    asked, answered = events
    assert isinstance(asked, QuestionAsked)
    assert isinstance(answered, Answered)
    assert asked.rung.question == answered.rung.question
    assert (answered.verdict.layer, answered.verdict.answer) == ("story_class", 0)


async def test_without_a_model_only_facts_are_told(tmp_path: Path) -> None:
    bound_lesson = bind(with_check(tmp_path, '"0"', "right: story_class", "gita"))
    step = bound_lesson.lesson.steps[0]
    with pytest.raises(ModelError, match="no model"):
        await step.checks[0].judge(bound_lesson.evidence(bound_lesson.bind_step(step)))


async def test_candidates_are_the_items_of_which_all_is_true(tmp_path: Path) -> None:
    bound_lesson = bind(
        lesson(
            tmp_path,
            """
            - {say: One., item: 0-O0, check: [{right: story_class}, {wrong: conflict_detec}]}
            - {say: Two., check: [{statement: {is: 3, role: break}}]}
            """,
        )
    )
    model, gita, collection = FirstOption(), bound_lesson.benchmark, bound_lesson.collection
    expected = []
    for position in range(len(collection)):
        item = collection.item(position)
        right = {verdict.layer: verdict.right for verdict in await answers(model, gita, item)}
        sentences = gita.view(item, Setting()).sections[0].statements
        missed = right["story_class"] and right.get("conflict_detec") is False
        if missed and sentences[2].role == "break":
            expected.append(collection.entry(position).id)
    assert expected
    (scene,) = bound_lesson.scenes()
    assert [one async for one in candidates(bound_lesson, scene, model, 99)] == expected
    assert [one async for one in candidates(bound_lesson, scene, model, 1)] == expected[:1]


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
def test_a_lesson_to_begin_with_runs_as_it_is(tmp_path: Path, name: str) -> None:
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    file = write(tmp_path / "new.yaml", "")
    file.write_text(skeleton(benchmark, collection), encoding="utf-8")
    bound_lesson = bind(read_lesson(file))
    assert bound_lesson.lesson.title.languages == ("en", "it")
    assert any(step.prediction for step in bound_lesson.lesson.steps)
