"""What a direction does to other benchmarks is measured where they are read out, with a control."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from core.contract import registry
from core.contract.question import Question
from core.models.blocks import Action, Edit, Part
from core.runs.questions import QuestionSource
from core.studies import other_questions
from core.studies.items_behind import Place
from core.studies.kinds import items_behind, report_of
from core.studies.other_questions import OtherQuestion, OtherQuestions
from core.studies.plan import Study
from core.studies.side_effects import (
    CONTROLS,
    KeptSideEffect,
    adjusted_p,
    edits_with_random,
    side_effect_figures,
)
from core.studies.subject import Case, Subject, task_layer
from tests.fifth.support import BREAKS, installed_broken, installed_shapes
from tests.studies.planted_model import Door, Doors, DoorsBenchmark
from tests.studies.test_merging import conducted, doors

ASKED = 10
Effects = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Measured:
    """A direction study of the doors, and what was measured beside it in another way."""

    study: Study
    effects: Effects
    patched: float
    """The change of a margin of Com², with the vector at a position that was counted here."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """With the fifth benchmark installed, and one that is broken."""
    folder = tmp_path_factory.mktemp("beside")

    async def work() -> Measured:
        async with doors(folder, 10) as subject:
            study = await conducted(subject, folder / "runs.sqlite", "direction")
            effects = {each["benchmark"]: each for each in (study.result or {})["side_effects"]}
            return Measured(study, effects, await patched(subject, study, effects["com2"]))

    with (
        pytest.MonkeyPatch.context() as patch,
        installed_shapes(),
        installed_broken(folder / "broken", BREAKS["raises"]),
    ):
        patch.setattr(other_questions, "MOST_QUESTIONS", ASKED)
        return asyncio.run(work())


async def patched(subject: Subject, study: Study, effect: dict[str, Any]) -> float:
    """What the exported vector does at the last token of the first question that is listed."""
    benchmark = registry.load("com2")
    collection = benchmark.open(benchmark.samples())
    layer = task_layer(QuestionSource(benchmark, collection), effect["layer"])
    item = collection.item(collection.find(effect["items"][0]["item"]))
    question = QuestionSource(benchmark, collection).question(collection.find(item.id), layer)
    assert question is not None
    prompt, options = subject.prompt(question), question.continuations()
    stop = len(await subject.blocks.tokens(prompt, options))
    vector = (study.result or {})["vector"]
    edit = Edit(
        Action.ADD, Part.RESIDUAL, vector["block"], stop - 1, stop, vector=tuple(vector["numbers"])
    )
    both = await subject.blocks.patch(prompt, options, [edit])
    right, wrong = question.gold or 0, 1 - (question.gold or 0)
    before, after = (
        scores[right].logprob - scores[wrong].logprob for scores in (both.plain, both.patched)
    )
    return after - before


@pytest.mark.slow
def test_a_side_effect_is_named_where_the_same_words_answer_and_nowhere_else(
    measured: Measured,
) -> None:
    # The planted model answers doors by the words yes and no, and so is Com² answered. GITA is
    # answered by true and false, of which it says nothing.
    assert measured.effects["com2"]["beyond_random"] is True
    assert measured.effects["com2"]["p"] == 1 / (1 + CONTROLS)
    assert measured.effects["com2"]["right_before"] == 0
    for name in ("gita", "abspyramid"):
        assert measured.effects[name]["beyond_random"] is False
        assert measured.effects[name]["change"] == pytest.approx(0, abs=1e-6)
    _finding, named, *others = report_of(measured.study).findings
    assert named.startswith("Side effect on com2 · link-1: 0 of 10 right before")
    assert "gita · story_class" in others[-1]


def test_the_vector_is_added_where_each_question_is_answered(measured: Measured) -> None:
    first = measured.effects["com2"]["items"][0]
    assert abs(measured.patched) > 10
    assert first["change"] == pytest.approx(measured.patched, abs=1e-6)


def test_every_installed_benchmark_takes_part_or_is_left_out_with_the_reason(
    measured: Measured,
) -> None:
    assert set(measured.effects) == {"gita", "accord", "com2", "abspyramid", "shapes"}
    assert measured.effects["shapes"]["n"] == 6
    accord = measured.effects["accord"]
    assert (accord["n"], accord["too_long"]) == (0, ASKED)
    said = report_of(measured.study).method
    [left_out] = [sentence for sentence in said if sentence.startswith("Left out")]
    assert "accord · hop-1: too long for the model's context 10" in left_out
    assert "package broken-package: Benchmark “broken” cannot be loaded" in left_out


def test_the_exported_table_has_the_side_effects_below_the_blocks(measured: Measured) -> None:
    report = report_of(measured.study)
    rows = [dict(zip(report.exported.columns, row, strict=True)) for row in report.exported.rows]
    assert [row["block"] for row in rows] == [0, 1, 2, 3, None, None, None, None]
    com2 = next(row for row in rows if row["questions"] == "com2 · link-1")
    effect = measured.effects["com2"]
    assert (com2["n"], com2["effect x 1"], com2["p"]) == (ASKED, effect["change"], effect["p"])
    assert com2["random x 1"] == effect["random"]


def test_the_items_behind_a_side_effect_are_those_of_its_benchmark(measured: Measured) -> None:
    report = report_of(measured.study)
    assert report.side_effects is not None
    names = [row[0] for row in report.side_effects.rows]
    place = Place(len(report.table.rows) + names.index("com2 · link-1"))
    behind = items_behind(measured.study, report, place)
    assert (behind.benchmark, len(behind.items)) == ("com2", ASKED)
    figures = [item.figures[0] or 0.0 for item in behind.items]
    assert figures == sorted(figures, reverse=True)
    assert np.mean(figures) == pytest.approx(measured.effects["com2"]["change"], abs=1e-5)
    assert {item.note for item in behind.items} == {"✗ → ✗"}


def test_random_directions_are_as_long_and_the_same_wherever_they_are_added() -> None:
    own, *others = edits_with_random(2, np.full(16, 3.0), seed=5)
    _, *longer = edits_with_random(1, np.full(16, 6.0), seed=5)
    assert own.vector == (3.0,) * 16
    assert {edit.block for edit in (own, *others)} == {2}
    assert {(edit.start, edit.stop) for edit in (own, *others)} == {(-1, 0)}
    assert [np.linalg.norm(edit.vector) for edit in others] == pytest.approx([12.0] * CONTROLS)
    for edit, twice in zip(others, longer, strict=True):
        assert np.array(twice.vector) == pytest.approx(2 * np.array(edit.vector))


def test_chance_names_any_layer_as_rarely_as_it_may() -> None:
    generator = np.random.default_rng(0)
    scales = np.array([[5.0], [0.1], [1.0], [0.01]])
    tries, named, found = 600, 0, 0
    for _ in range(tries):
        means = scales * generator.normal(size=(4, 1 + CONTROLS))
        named += min(adjusted_p(means)) <= 0.05
        means[1, 0] = 0.6
        found += adjusted_p(means)[1] <= 0.05
    assert named / tries <= 0.07
    assert found / tries > 0.9
    assert adjusted_p(np.zeros((2, 1 + CONTROLS))) == [1.0, 1.0]


def _other(item: Door, question: Question) -> OtherQuestion:
    case = Case(item, question.setting, question, question.base(), item.family)
    return OtherQuestion(case, item.id, None)


def test_questions_without_a_figure_are_counted_by_the_reason() -> None:
    collection, benchmark = Doors(4), DoorsBenchmark()
    source = QuestionSource(benchmark, collection)
    asked = [
        _other(collection.item(position), question)
        for position, question in source.questions(benchmark.layers[0], None)
    ]
    layer = OtherQuestions("doors", "open", "c" * 64, tuple(asked))
    effects = [KeptSideEffect(1.0, (0.5,) + (0.0,) * CONTROLS) for _ in asked]
    effects[1], effects[2], effects[3] = (
        KeptSideEffect(long=True),
        KeptSideEffect(),
        KeptSideEffect(-0.25, (0.5,) + (0.0,) * CONTROLS),
    )
    [figures] = side_effect_figures([layer], [effects])
    counted = tuple(figures[name] for name in ("n", "groups", "too_long", "no_score"))
    assert counted == (6, 4, 1, 1)
    assert (figures["right_before"], figures["right_after"]) == (5, 6)
    [nothing] = side_effect_figures([layer], [[KeptSideEffect(long=True)] * len(asked)])
    assert (nothing["n"], nothing["too_long"], "p" in nothing) == (0, 8, False)
