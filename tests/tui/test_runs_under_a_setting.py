"""A run with a setting, an order or a wording of its own, opened again on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from core.contract import registry
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Form, Scoring, Verdict
from core.contract.view import Role
from core.files import paths
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Run
from core.runs.store import Store
from tests.mostly_slow import mostly_slow
from tests.runs.models import HashingModel
from tests.tui.support import Opened, opened
from tests.tui.test_marks import marked, state_of
from tests.tui.test_verdict_filter import listed
from tui.runs.marks import mark_of

pytestmark = pytest.mark.usefixtures("demo_model")

REWORDED = PromptTemplate("", "Here is a story.\n{story}\nCould it happen? Answer:")


async def recorded(
    name: str,
    setting: Mapping[str, str] | None = None,
    order: int = 0,
    wording: Mapping[str, PromptTemplate] | None = None,
) -> tuple[Run, list[Verdict]]:
    """Ask a model bundled items in a certain way; returns the run and its verdicts."""
    benchmark, model = registry.load(name), HashingModel()
    path = benchmark.samples()
    limit = 24 if name == "com2" else None
    source = QuestionSource(benchmark, benchmark.open(path), setting, limit, order, wording)
    scoring = Scoring.LOGLIKELIHOOD
    with Store(paths.runs()) as store:
        plan = plan_for(model, source, path, form=Form.BASE, scoring=scoring)
        evaluation = Evaluation(store, plan, model, source)
        async for _progress in evaluation.steps():
            pass
        return evaluation.run, store.verdicts(evaluation.run.id)


async def all_marked(program: Opened, verdicts: Sequence[Verdict]) -> int:
    """Check every row of a run, and the ladders of the first 60; returns how many items failed."""
    state = state_of(program)
    await program.until(lambda: state.run is not None)
    by_item: dict[str, dict[str, Verdict]] = {}
    for verdict in verdicts:
        by_item.setdefault(verdict.item, {})[verdict.layer] = verdict
    for place in range(min(60, len(state.collection))):
        state.open(place)
        answers = {r.layer.id: r.verdict for r in state.rungs() if r.verdict is not None}
        expected = by_item.get(state.item.id, {})
        assert answers.keys() == expected.keys(), state.item.id
        assert {layer: v.right for layer, v in answers.items()} == {
            layer: v.right for layer, v in expected.items()
        }
        mark = state.mark(state.item.id)
        assert mark == mark_of(state.rungs()), state.item.id
    counted = {layer.id for layer in state.benchmark.layers if not layer.aside}
    failed = {v.item for v in verdicts if v.right is False and v.layer in counted}
    marks = {item: state.mark(item) for item in by_item}
    assert {item for item, mark in marks.items() if mark and mark.role is Role.BAD} == failed
    return len(failed)


@mostly_slow(
    ("benchmark", "key", "value"),
    [
        ("com2", "thinking", "on"),
        ("gita", "instructions", "italian"),
        ("accord", "implied", "B"),
    ],
)
async def test_a_run_with_a_setting_marks_every_row_and_fills_every_ladder(
    benchmark: str, key: str, value: str
) -> None:
    run, verdicts = await recorded(benchmark, {key: value})
    assert run.plan.setting == ((key, value),)
    async with opened(benchmark=benchmark, model=f"replay:{run.id}") as program:
        failed = await all_marked(program, verdicts)
        assert failed
        assert await listed(program, "answer:wrong") == {
            v.item for v in verdicts if v.right is False
        }
        await program.press("escape", "exclamation_mark")
        box = program.browse.query_one("#list-box")
        total = len(state_of(program).collection)
        await program.until(lambda: str(box.border_subtitle) == f"{failed} of {total} failed")
        assert all("✗" in line for line in program.list.split("\n") if line.strip())
        assert "first failure" in program.ladder.lower()


async def test_the_setting_of_a_run_is_undone_like_any_other_and_leaves_with_the_run() -> None:
    run, _verdicts = await recorded("gita", {"instructions": "italian"})
    async with opened(model=f"replay:{run.id}") as program:
        state = state_of(program)
        await program.until(lambda: dict(state.key[1]) == {"instructions": "italian"})
        assert "not asked" not in program.ladder.lower()
        assert "instructions=italian" in " ".join(program.ladder.split())
        await program.press("u")
        assert not state.key[1]
        assert "not asked" in program.ladder.lower()
        assert all(map(marked, program.list.split("\n")[:9])), "rows are those of the run"
        await program.press("ctrl+r", "j")
        assert dict(state.key[1]) == {"instructions": "italian"}
        program.app.load_model("demo")
        await program.until(lambda: state.run is None)
        assert not state.key[1]
        assert not any(map(marked, program.list.split("\n")))


async def test_a_run_in_another_order_is_shown_as_it_was_asked() -> None:
    run, verdicts = await recorded("accord", order=1)
    async with opened(benchmark="accord", model=f"replay:{run.id}") as program:
        assert await all_marked(program, verdicts)
        state = state_of(program)
        turned = [v for v in verdicts if v.order != tuple(sorted(v.order))]
        assert turned
        for verdict in turned:
            state.open(state.collection.find(verdict.item))
            (rung,) = [r for r in state.rungs() if r.layer.id == verdict.layer]
            assert rung.question is not None
            assert rung.verdict is not None
            assert rung.question.order == verdict.order
            assert rung.verdict.gold == rung.question.gold
            if verdict.answer is not None and rung.verdict.answer is not None:
                assert verdict.order[rung.verdict.answer] == verdict.answer
                answer, shown = verdict.scores[verdict.answer], rung.verdict.scores
                assert shown[rung.verdict.answer] == answer
        before = [rung.verdict for rung in state.rungs()]
        await program.press("space")
        await program.until(lambda: program.browse.asking.busy is None)
        assert [r.verdict and r.verdict.answer for r in state.rungs()] == [
            verdict and verdict.answer for verdict in before
        ]


async def test_a_run_in_other_words_is_shown_with_these_words() -> None:
    run, verdicts = await recorded("gita", wording={"story_class": REWORDED})
    async with opened(model=f"replay:{run.id}") as program:
        assert await all_marked(program, verdicts)
        question = state_of(program).rungs()[0].question
        assert question is not None
        assert question.base().startswith("Here is a story.")
