"""Two runs, question by question."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answers.scoring import score_answer
from core.contract import registry
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Answer, Form, OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.exchange.importers.lm_eval import read
from core.runs.comparison import ALL_RIGHT, Comparison, NotComparableError, compare
from core.runs.comparison_tables import conditions_and_left_out, figures_table, layers_table
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store
from core.text.errors import RunError
from tests.runs.models import HashingModel

PLAN = Plan("org/First 7B", "f" * 64, "shapes", "/data/towers.json", "c" * 64)


def verdict(item: str, layer: str, answer: int | None, gold: int | None = 1) -> Verdict:
    return Verdict(
        item, layer, Setting(), ("no", "yes"), (), answer, gold, Status.OK, Scoring.GENERATED,
        digest=f"{item} {layer}",
    )  # fmt: skip


def add(store: Store, model: str, verdicts: list[Verdict], plan: Plan = PLAN) -> Run:
    run = store.start(replace(plan, model=model, fingerprint=model))
    for seq, each in enumerate(verdicts):
        store.record(run.id, seq, each, "", 0.0)
    store.set_state(run.id, RunState.DONE)
    return store.run(run.id)


def compared(store: Store, first: list[Verdict], second: list[Verdict]) -> Comparison:
    return compare(store, add(store, "first", first).id, add(store, "second", second).id)


answers = st.lists(
    st.tuples(st.sampled_from(["stands", "culprit"]), st.integers(0, 20), *[st.integers(0, 1)] * 2),
    min_size=1,
    max_size=40,
    unique_by=lambda each: each[:2],
)


@given(answers)
@settings(max_examples=40, deadline=None)
def test_the_four_cells_of_a_layer_count_every_common_question_once(
    asked: list[tuple[str, int, int, int]],
) -> None:
    with Store(Path("never"), create=False) as store:
        result = compared(
            store,
            [verdict(str(item), layer, first) for layer, item, first, _ in asked],
            [verdict(str(item), layer, second) for layer, item, _, second in asked],
        )
    for layer in result.layers:
        rows = [each[2:] for each in asked if each[0] == layer.layer]
        cells = layer.both_right, layer.first_only, layer.second_only, layer.both_wrong
        assert cells == tuple(rows.count(cell) for cell in [(1, 1), (1, 0), (0, 1), (0, 0)])
        assert layer.n == len(rows)
    assert len(result.flips) == sum(first != second for *_, first, second in asked)
    assert sum(result.first_failures.values()) == len({item for _, item, *_ in asked})


def test_only_equal_questions_are_compared(store: Store) -> None:
    first = [
        verdict("arch", "stands", 1),
        verdict("wall", "stands", 1),
        verdict("hut", "stands", 0),
    ]
    second = [
        verdict("arch", "stands", 0)._replace(digest="another text"),
        verdict("wall", "stands", 0)._replace(options=("yes", "no")),
        verdict("hut", "stands", 1),
        verdict("tower", "stands", 1),
    ]
    result = compared(store, first, second)
    [layer] = result.layers
    assert (layer.n, layer.second_only) == (1, 1)
    assert (result.only_first, result.only_second) == (2, 3)


def test_a_question_without_a_known_answer_is_no_difference(store: Store) -> None:
    first = [verdict("arch", "stands", 1, None), verdict("hut", "stands", 1)]
    second = [verdict("arch", "stands", 0, None), verdict("hut", "stands", 1)]
    result = compared(store, first, second)
    assert result.layers[0].n == 1
    assert result.flips == ()


def test_an_item_without_a_known_answer_is_not_counted_as_all_right(store: Store) -> None:
    first = [verdict("arch", "stands", 1, None), verdict("hut", "stands", 1)]
    second = [verdict("arch", "stands", 0, None), verdict("hut", "stands", 0)]
    result = compared(store, first, second)
    assert result.first_failures == {(ALL_RIGHT, "stands"): 1}


def test_an_item_fails_in_its_first_wrong_layer(store: Store) -> None:
    result = compared(
        store,
        [verdict("arch", "culprit", 0), verdict("arch", "stands", 0), verdict("hut", "stands", 1)],
        [verdict("arch", "culprit", 0), verdict("arch", "stands", 1), verdict("hut", "stands", 1)],
    )
    assert result.first_failures == {("stands", "culprit"): 1, (ALL_RIGHT, ALL_RIGHT): 1}


def test_partial_credit_is_compared_beside_right_answers(store: Store) -> None:
    def several(item: int, *answers: int) -> Verdict:
        plain = verdict(str(item), "stands", None, None)
        return plain._replace(options=tuple("abc"), multiple=True, answers=answers, golds=(0, 1))

    [layer] = compared(
        store,
        [several(item, 0, 1) for item in range(6)],
        [several(item, 0) for item in range(6)],
    ).layers
    assert (layer.difference.first, layer.difference.second) == (1, 0)
    assert layer.soft is not None
    assert (layer.soft.first, layer.soft.second) == (1, 0.5)
    assert layer.soft_p == pytest.approx(2 / 2**6, abs=0.01)


def test_other_conditions_than_the_model_are_named(store: Store) -> None:
    first = add(store, "first", [verdict("arch", "stands", 1)])
    plan = replace(PLAN, shots=3, shot_rule="random", limit=5)
    second = add(store, "second", [verdict("arch", "stands", 1)], plan)
    unlike = compare(store, first.id, second.id).unlike
    assert unlike == (
        "worked examples: 0 / 3",
        "choice of worked examples: none / random",
        "limit of items: none / 5",
    )


def test_one_model_asked_in_two_ways_is_called_that(store: Store) -> None:
    """And a seed that one of the two never used makes no difference."""
    asked = [verdict("arch", "stands", 1)]
    first = add(store, "one", asked, replace(PLAN, shot_rule="random", seed=0))
    second = add(store, "one", asked, replace(PLAN, shots=2, shot_rule="random", seed=1234))
    third = add(store, "other", asked, replace(PLAN, shots=2, shot_rule="random", seed=7))
    said = [line for line, _role in conditions_and_left_out(compare(store, first.id, second.id))]
    assert said == ["One model, asked in two ways: worked examples: 0 / 2"]
    said = [line for line, _role in conditions_and_left_out(compare(store, second.id, third.id))]
    assert said == ["The runs differ in more than the model: seed: 1234 / 7"]


def test_other_items_wordings_and_quantisations_are_named(store: Store) -> None:
    plan = replace(PLAN, collection="/data/new.json", collection_hash="1234567890")
    plan = replace(plan, prompts=(("falls", PromptTemplate("", "Does {shape} fall or not?")),))
    ids = []
    for each, quantisation in ((PLAN, "F16"), (plan, "Q4_K_M")):
        run = store.start(replace(each, fingerprint=quantisation), quantisation=quantisation)
        store.record(run.id, 0, verdict("arch", "stands", 1), "", 0.0)
        ids.append(run.id)
    unlike = compare(store, *ids).unlike
    assert unlike == (
        "own wording: none / falls “Does {shape} fall or not…”",
        "quantisation: F16 / Q4_K_M",
        f"items: {Path(PLAN.collection).name} ({PLAN.collection_hash[:8]}) / new.json (12345678)",
    )


def test_runs_under_two_settings_are_paired_by_item(store: Store) -> None:
    def under(value: str, right: int) -> list[Verdict]:
        setting = Setting((("foot", value),)) if value else Setting()
        return [
            verdict(str(item), layer, int(item < right))._replace(
                setting=setting,
                options=("no", "yes", value),
                digest=f"{item} {layer} {value if layer == 'stands' else ''}",
            )
            for layer in ("stands", "culprit")
            for item in range(10)
        ]

    plain = add(store, "one", under("", 7))
    cone = add(store, "one", under("cone", 3), replace(PLAN, setting=(("foot", "cone"),)))
    other_file = replace(PLAN, setting=(("foot", "cone"),), collection_hash="d" * 64)
    elsewhere = add(store, "one", under("cone", 3), other_file)
    comparison = compare(store, plain.id, cone.id)
    stands = next(layer for layer in comparison.layers if layer.layer == "stands")
    cells = stands.both_right, stands.first_only, stands.second_only, stands.both_wrong
    assert cells == (3, 4, 0, 3)
    assert (comparison.same_questions, comparison.only_first, comparison.only_second) == (0, 0, 0)
    flip = comparison.flips[0]
    assert (flip.first.options, flip.second.options) == (
        '["no", "yes", ""]',
        '["no", "yes", "cone"]',
    )
    said = [line for line, _role in conditions_and_left_out(comparison)]
    assert said == [
        "One model, asked in two ways: setting: none / foot=cone",
        "Paired by item, since the questions differ: 0 of 20 pairs were asked the same.",
    ]
    # An id may stand for another item in another file.
    with pytest.raises(NotComparableError, match="share no question"):
        compare(store, plain.id, elsewhere.id)


def test_figures_of_parts_are_compared_and_left_out_of_the_table(store: Store) -> None:
    benchmark = registry.load("abspyramid")
    source = QuestionSource(benchmark, benchmark.open(benchmark.samples()), limit=40)
    says_yes = Answer((OptionScore(-1.0), OptionScore(-2.0)))
    verdicts = [
        score_answer(question, says_yes, benchmark.score)
        for layer in benchmark.layers
        for _position, question in source.questions(layer, None)
        if not question.open
    ]
    plan = replace(PLAN, benchmark="abspyramid")
    comparison = compare(store, *(add(store, name, verdicts, plan).id for name in ("one", "two")))
    parts = [figure for figure in comparison.figures if figure.detail]
    assert any(figure.name.startswith("noun: ") for figure in parts)
    assert all(figure.difference in (0, None) for figure in parts)
    table = figures_table(comparison)
    assert table is not None
    assert not {row[0].text for row in table.rows} & {figure.name for figure in parts}


async def test_figures_of_other_items_are_not_compared_under_two_settings(store: Store) -> None:
    accord = registry.load("accord")
    collection = accord.open(accord.samples())
    ids = []
    for setting in ({}, {"implied": "C"}):
        source = QuestionSource(accord, collection, setting, limit=12)
        model = HashingModel()
        plan = plan_for(model, source, accord.samples(), form=Form.BASE)
        evaluation = Evaluation(store, plan, model, source)
        async for _ in evaluation.steps():
            pass
        ids.append(evaluation.run.id)
    comparison = compare(store, *ids)
    counts = {layer.layer: layer.n for layer in comparison.layers}
    assert (counts["bare"], counts["answer"]) == (12, 12)
    assert comparison.same_questions is not None
    assert 12 <= comparison.same_questions < 48
    # The implied answer is the gold one in all questions of the first run and in few of the other.
    assert {figure.name for figure in comparison.figures} == {"bare question", "hop 1", "hop 2"}


def test_a_copy_of_a_collection_under_another_name_is_no_difference(store: Store) -> None:
    copy = replace(PLAN, collection="/elsewhere/copy.json")
    runs = [add(store, name, [verdict("arch", "stands", 1)], plan)
            for name, plan in (("one", PLAN), ("two", copy))]  # fmt: skip
    assert compare(store, *(run.id for run in runs)).unlike == ()


def test_wordings_that_begin_alike_are_unlike_and_equal_ones_are_not(store: Store) -> None:
    begin = "Does {shape} fall, or does it"
    wordings = [("", f"{begin} stand?"), ("", f"{begin} stay?"), ("Answer. ", f"{begin} stay?")]
    short = [("", "Falls {shape}?")]
    ids = []
    for number, wording in enumerate([*wordings, *short, *short]):
        plan = replace(
            PLAN, prompts=(("falls", PromptTemplate(*wording)),), fingerprint=f"{number}"
        )
        run = store.start(plan)
        store.record(run.id, 0, verdict("arch", "stands", 1), "", 0.0)
        ids.append(run.id)
    for one, other in pairwise(ids[:3]):
        [unlike] = compare(store, one, other).unlike
        first, second = unlike.removeprefix("own wording: ").split(" / ")
        assert first != second
        assert first.startswith("falls “Does {shape} fall, or do…” (")
    [unlike] = compare(store, ids[2], ids[3]).unlike
    assert unlike.endswith(" / falls “Falls {shape}?”")
    assert compare(store, ids[3], ids[4]).unlike == ()


def test_how_answers_were_read_is_named_as_it_was(store: Store) -> None:
    written = verdict("arch", "stands", 1)
    scored = written._replace(scoring=Scoring.LOGLIKELIHOOD)
    usual = add(store, "usual", [scored])
    chosen = add(store, "chosen", [scored], replace(PLAN, scoring=Scoring.LOGLIKELIHOOD))
    assert compare(store, usual.id, chosen.id).unlike == ()
    other = add(store, "written", [written], replace(PLAN, scoring=Scoring.GENERATED))
    assert compare(store, usual.id, other.id).unlike == ("scoring: log-likelihood / generated",)


def test_only_what_decides_the_questions_is_named_where_runs_share_none(store: Store) -> None:
    first = add(store, "first", [verdict("arch", "stands", 1)])
    plan = replace(PLAN, shots=3, collection="/data/new.json", collection_hash="1234567890")
    other = add(store, "other", [verdict("hut", "stands", 1)], plan)
    with pytest.raises(RunError, match=f"{first.id} and {other.id} share no question") as caught:
        compare(store, first.id, other.id)
    assert "items: " in caught.value.hint
    assert "new.json (12345678)" in caught.value.hint
    assert "worked examples" not in caught.value.hint


def test_a_run_without_answers_is_named_where_runs_share_no_question(store: Store) -> None:
    first = add(store, "first", [verdict("arch", "stands", 1)])
    empty = add(store, "empty", [], replace(PLAN, form=Form.CHAT))
    with pytest.raises(RunError, match="share no question") as caught:
        compare(store, first.id, empty.id)
    assert caught.value.hint.startswith(f"Nothing is answered yet in these runs: {empty.id}")


def test_runs_that_cannot_be_compared_are_refused(store: Store) -> None:
    first = add(store, "first", [verdict("arch", "stands", 1)])
    elsewhere = add(store, "other", [verdict("hut", "stands", 1)])
    with pytest.raises(RunError, match="share no question"):
        compare(store, first.id, elsewhere.id)
    reworded = replace(PLAN, setting=(("glue", "on"),))
    unlike = add(store, "unlike", [verdict("hut", "stands", 1)], reworded)
    with pytest.raises(RunError, match="These are unlike: setting: none / glue=on"):
        compare(store, first.id, unlike.id)
    foreign = add(store, "foreign", [], replace(PLAN, benchmark="gita"))
    with pytest.raises(RunError, match="two benchmarks: shapes and gita"):
        compare(store, first.id, foreign.id)


def test_the_released_logs_of_two_models_differ_by_chance(store: Store, shared_data: Path) -> None:
    ids = []
    for model in ("gemma-2-9b", "Meta-Llama-3.1-8B"):
        log = read(shared_data / "gita4calamita" / "logs" / model)
        plan = replace(PLAN, model=model, fingerprint=model, benchmark="gita")
        ids.append(add(store, model, list(log.verdicts), plan).id)
    comparison = compare(store, *ids)
    story, accuracy = comparison.layers[0], comparison.figures[0]
    assert (story.both_right + story.first_only, story.n) == (208, 356)
    assert story.both_right + story.second_only == 217
    assert (story.first_only, story.second_only) == (74, 83)
    assert story.p == pytest.approx(0.523, abs=5e-4)
    # The families of stories in the release.
    assert story.difference.clusters == 117
    assert accuracy.name == "Accuracy"
    assert accuracy.interval == pytest.approx(story.difference.interval, abs=1e-3)


def test_the_figures_leave_out_items_of_one_id_with_different_texts(store: Store) -> None:
    def asked(item: str, text: str, answer: int) -> Verdict:
        known = verdict(item, "stands", answer)._replace(tags={"falls": "no"})
        return known._replace(digest=f"{item} {text}")

    result = compared(
        store,
        [asked("arch", "x", 1), asked("hut", "x", 1), asked("tower", "x", 0)],
        [asked("arch", "x", 1), asked("hut", "x", 0), asked("tower", "another", 1)],
    )
    [layer] = result.layers
    figure = result.figures[0]
    assert (layer.n, layer.difference.first, layer.difference.second) == (2, 1.0, 0.5)
    assert (figure.first, figure.second) == (1.0, 0.5)


def test_answers_that_were_inferred_are_counted(store: Store) -> None:
    known = [verdict(str(index), "stands", 1) for index in range(3)]
    inferred = [known[0], *(each._replace(scoring=Scoring.INFERRED) for each in known[1:])]
    result = compared(store, known, inferred)
    assert result.layers[0].inferred == (0, 2)
    said = [line for line, _role in conditions_and_left_out(result)]
    assert said[-1] == (
        "Inferred from what a later layer was asked about: stands, 0 in A and 2 in B of 3."
    )


def test_a_figure_that_is_a_share_has_the_interval_of_its_layer(store: Store) -> None:
    def asked(second: bool) -> list[Verdict]:
        right = [index % (3 if second else 2) == 0 for index in range(200)]
        return [
            verdict(str(index), "stands", int(each))._replace(tags={"falls": "no"})
            for index, each in enumerate(right)
        ]

    result = compared(store, asked(second=False), asked(second=True))
    [layer], figure = result.layers, result.figures[0]
    assert figure.difference == pytest.approx(layer.difference.difference)
    assert figure.interval == pytest.approx(layer.difference.interval)


@pytest.mark.parametrize(("items", "shown"), [(5, "−.833"), (6, "−.857 ▼")])
def test_no_difference_is_marked_that_its_test_does_not_find(
    store: Store, items: int, shown: str
) -> None:
    """One question in which both are right keeps the interval from having no width."""
    names = [str(index) for index in range(items)]
    first = [verdict(name, "stands", 1) for name in [*names, "both"]]
    second = [verdict(name, "stands", 0) for name in names] + [verdict("both", "stands", 1)]
    result = compared(store, first, second)
    interval = result.layers[0].difference.interval
    assert interval is not None
    assert interval[1] < 0
    [row] = layers_table(result).rows
    assert row[4].text == shown


def test_a_difference_without_an_interval_says_why(store: Store) -> None:
    result = compared(store, [verdict("arch", "stands", 1)], [verdict("arch", "stands", 0)])
    note = layers_table(result).note
    assert "No interval: too few independent cases" in note
    wide = [verdict(str(i), "stands", i % 2) for i in range(20)]
    other = [verdict(str(i), "stands", i % 3 == 0) for i in range(20)]
    wider = compare(store, add(store, "third", wide).id, add(store, "fourth", other).id)
    assert "No interval" not in layers_table(wider).note
