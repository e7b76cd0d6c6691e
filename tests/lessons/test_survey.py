"""Claims are counted over a collection: rightly, once each, within limits, and kept."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.contract import registry
from core.contract.question import Form
from core.contract.setting import Setting
from core.layout.counts import count_sentence, draw_counts
from core.layout.rows import plain
from core.lessons import survey
from core.lessons.bound_lesson import BoundLesson, bind
from core.lessons.claim import Asked
from core.lessons.count_store import counts_file, store_count, stored_count
from core.lessons.survey import SEED, count, last_count
from core.lessons.typicality import check_typicality, count_like
from core.statistics.cluster_interval import mean_interval
from core.statistics.count import Count
from tests.asked import ask
from tests.lessons.support import FirstOption, lesson
from tests.runs.models import HashingModel

STEP = """
- say: Look.
  item: 0-O0
  check:
    - gold: {layer: story_class, is: "false"}
    - right: story_class
"""


def bound(folder: Path, steps: str = STEP, benchmark: str = "gita") -> BoundLesson:
    return bind(lesson(folder, steps, benchmark))


async def asked_of(one: BoundLesson, model: FirstOption | HashingModel) -> Asked:
    step = one.lesson.steps[0]
    return await count_like(step, step.checks[-1], one.evidence(one.bind_step(step), model))


async def counted(one: BoundLesson, model: FirstOption | HashingModel, most: int) -> Count:
    evidence = one.evidence(one.bind_step(one.lesson.steps[0]), model)
    counts = [each async for each in count(await asked_of(one, model), evidence, most=most)]
    return counts[-1]


async def test_it_is_the_share_of_the_items_with_the_same_facts(tmp_path: Path) -> None:
    """By hand: the first option is “false”, which every implausible story is."""
    one = bound(tmp_path)
    gita = registry.load("gita")
    most = 12
    order = random.Random(SEED).sample(range(len(one.collection)), most)
    questions = [gita.question(one.collection.item(i), Setting(), "story_class") for i in order]
    implausible = [q for q in questions if q is not None and q.options[q.gold or 0] == "false"]
    found = await counted(one, FirstOption(), most)
    assert (found.held, found.n) == (len(implausible), len(implausible))
    assert not found.complete


async def test_the_interval_takes_families_for_clusters(tmp_path: Path) -> None:
    one, model, most = bound(tmp_path, STEP.replace("right:", "wrong:")), HashingModel(), 24
    order = random.Random(SEED).sample(range(len(one.collection)), most)
    evidence = one.evidence(one.bind_step(one.lesson.steps[0]), model)
    outcomes = []
    for position in order:
        other = evidence.about(position, {})
        question = other.question("story_class")
        if question.gold is not None and question.options[question.gold] == "false":
            wrong = not (await other.verdict("story_class")).right
            outcomes.append((question.tags["story_id"], float(wrong)))
    found = await counted(one, model, most)
    assert found.held == sum(value for _, value in outcomes)
    assert found.interval == mean_interval(outcomes)


async def test_items_that_ask_the_same_count_once(tmp_path: Path) -> None:
    """The three stories of a family have one plausible story between them."""
    steps = STEP.replace("item: 0-O0", "item: 0-O0\n  set: {variant: plausible}")
    steps = steps.replace('is: "false"', 'is: "true"')
    one = bound(tmp_path, steps)
    whole = await counted(one, FirstOption(), len(one.collection))
    assert whole.complete
    assert whole.n == len({one.collection.entry(i).group for i in range(len(one.collection))})


async def test_a_count_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    one, model = bound(tmp_path), FirstOption()
    first = await counted(one, model, 6)
    asked = model.asked
    assert asked
    assert await counted(one, model, 6) == first
    assert model.asked == asked
    await counted(one, model, 7)
    assert model.asked > asked
    counts_file().write_text("{[", encoding="ascii")
    assert await counted(one, model, 6) == first


async def test_items_like_this_one_also_have_the_answers_that_the_step_checks_before(
    tmp_path: Path,
) -> None:
    gita, model = registry.load("gita"), HashingModel()
    collection = gita.open(gita.samples())
    second_wrong: dict[str, bool] = {}
    for index in range(len(collection)):
        item = collection.item(index)
        questions = (
            gita.question(item, Setting(), layer) for layer in ("story_class", "conflict_detec")
        )
        verdicts = [await ask(model, gita, each, Form.BASE) for each in questions if each]
        if len(verdicts) == 2 and verdicts[0].right:
            second_wrong[item.id] = not verdicts[1].right
    this = next(item for item, wrong in second_wrong.items() if wrong)
    steps = STEP.replace("0-O0", this) + "    - wrong: conflict_detec\n"
    found = await counted(bound(tmp_path, steps), model, 500)
    assert 0 < found.held < found.n
    assert (found.held, found.n) == (sum(second_wrong.values()), len(second_wrong))


async def test_time_ends_a_count_with_what_was_counted(tmp_path: Path) -> None:
    one = bound(tmp_path)
    evidence = one.evidence(one.bind_step(one.lesson.steps[0]), FirstOption())
    found = [
        each async for each in count(await asked_of(one, FirstOption()), evidence, seconds=-1.0)
    ]
    assert [(each.n, each.complete) for each in found] == [(0, False)]


async def test_a_count_that_time_ended_is_counted_again_and_the_larger_one_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, model = bound(tmp_path), FirstOption()
    # Each answer takes a second.
    monkeypatch.setattr(survey, "time", SimpleNamespace(monotonic=lambda: model.asked))

    async def within(seconds: float) -> Count:
        evidence = one.evidence(one.bind_step(one.lesson.steps[0]), model)
        asked = await asked_of(one, model)
        counts = [each async for each in count(asked, evidence, most=24, seconds=seconds)]
        return counts[-1]

    few = await within(2)
    more = await within(5)
    assert 0 < few.n < more.n
    assert few.out_of_time
    assert await within(2) == more, "what was counted before is not lost"
    whole = await within(100)
    assert more.n < whole.n
    assert not whole.out_of_time
    asked = model.asked
    assert await within(100) == whole
    assert model.asked == asked


async def test_other_languages_are_left_out(tmp_path: Path) -> None:
    steps = "- {say: Look., item: 'away-goal:direct', check: [right: answer]}"
    one = bound(tmp_path, steps, "com2")
    evidence = one.evidence(one.bind_step(one.lesson.steps[0]), FirstOption())
    found = await last_count(await asked_of(one, FirstOption()), evidence)
    com2 = registry.load("com2")
    order = random.Random(SEED).sample(range(len(one.collection)), 8)
    languages = [
        question.tags["language"]
        for i in order
        if (question := com2.question(one.collection.item(i), Setting(), "answer")) is not None
    ]
    assert found.n == languages.count("en") < len(languages)


@pytest.mark.parametrize(("mark", "surprising"), [("", True), ("\n  exception: yes", False)])
async def test_an_exception_has_to_be_marked(tmp_path: Path, mark: str, surprising: bool) -> None:
    # The first option, "false", is right of all implausible stories and wrong of the others.
    steps = "- say: Look.\n  item: '0'" + mark + "\n  check: [wrong: story_class]"
    rows = [each async for each in check_typicality(bound(tmp_path, steps), FirstOption())]
    (row,) = rows
    assert row.count is not None
    assert row.count.rare
    assert row.surprising is surprising


def test_the_store_forgets_what_is_not_a_count() -> None:
    store_count("a", Count(1, 2, (0.1, 0.9), complete=True))
    assert stored_count("a") == Count(1, 2, (0.1, 0.9), complete=True)
    text = counts_file().read_text(encoding="ascii").replace('"held": 1', '"held": 3')
    counts_file().write_text(text, encoding="ascii")
    assert stored_count("a") is None


def test_an_exception_is_called_one_on_screen() -> None:
    rare = Count(20, 82, (0.16, 0.35), complete=True)
    assert count_sentence(rare, ended=True) == (
        "This item is an exception: the same holds for only 20 of 82 items like it, "
        "24 % (95 % interval 16–35)."
    )
    usual = Count(3, 4, None, complete=False)
    assert count_sentence(usual, ended=True) == (
        "The same holds for 3 of the 4 items like this one, 75 %. They are a random sample."
    )
    assert not count_sentence(Count(1, 1, None, complete=True), ended=True)


@pytest.mark.parametrize("width", [24, 30, 48])
def test_a_grid_fits_its_pane(width: int) -> None:
    cell = Count(93, 107, (0.8, 0.92), complete=True)
    rows = draw_counts(
        "All", ["one hop", "two hops"], ["none", "1 distractor"], [[cell, None]] * 2, width, len
    )
    drawn = plain(rows)
    assert max(map(len, drawn.splitlines())) <= width
    assert drawn.count("87 %") == 2
    assert drawn.count("80–92") == 2
    assert "n = 107" in " ".join(drawn.split())
