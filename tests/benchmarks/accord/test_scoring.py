"""The figures of ACCORD: both variants, errors by pairing, memory against statements."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.scoring import summarise, unfaithful
from core.benchmarks.accord.task_layers import ANSWER, BARE, TWIN
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
from core.contract.summary import Figure, Summary
from core.contract.view import Grid, Role
from core.runs.evaluation import Evaluation
from core.runs.listing import list_runs
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Plan
from core.runs.store import Store
from core.statistics.cluster_errors import clustered, wald
from core.statistics.cluster_interval import effective_cases, mean_interval
from core.statistics.proportion import wilson
from core.text.errors import NotFoundError
from core.text.language import speak
from tests.benchmarks.accord.suites import bundled_questions, generator, written
from tests.runs.models import HashingModel

ACCORD = Accord()
OPTIONS = ("A", "B", "C", "D", "E")
DEFAULT = 2
UNREAD = (Status.NO_ANSWER, Status.AMBIGUOUS, Status.TRUNCATED, Status.OUT_OF_RANGE)
Z = 1.959963984540054


def verdict(
    picked: int | None,
    gold: int = DEFAULT,
    *,
    layer: str = ANSWER,
    status: Status = Status.OK,
    pairing: str = "p",
    hops: int = 1,
    distractors: int = 0,
    skill: str = "spatial",
    question: str = "q",
    options: Sequence[str] = OPTIONS,
    scoring: Scoring = Scoring.LOGLIKELIHOOD,
    own: str = "",
) -> Verdict:
    """An answer to an item that implies `gold`; common sense says `DEFAULT`."""
    tags = {
        "question": question,
        "default": str(DEFAULT),
        "variant": "factual" if gold == DEFAULT else "anti-factual",
        "skill": skill,
        "pairing": pairing,
        "hops": str(hops),
        "distractors": str(distractors),
        "own": own,
    }
    asked = Question("i", layer, "", "", tuple(options), gold, tags=tags)
    answer = Answer(text="x", scoring=scoring)
    return verdict_on(asked, answer, status, () if picked is None else (picked,))


def bare_questions(number: int) -> list[Verdict]:
    """One verdict to each of so many questions, some of them right."""
    return [verdict(DEFAULT - (n % 3 > 0), layer=BARE, question=f"q{n}") for n in range(number)]


def figure(summary: Summary, name: str) -> Figure:
    (found,) = [one for one in summary.figures if one.name == name]
    return found


def table(summary: Summary, title: str) -> Grid:
    (found,) = [one for one in summary.tables if one.title == title]
    return found


def cells(grid: Grid) -> list[list[str]]:
    return [[cell.text for cell in row] for row in grid.rows]


def test_an_answer_of_unknown_size_counts_but_is_in_no_table_by_size() -> None:
    whole = verdict(DEFAULT, hops=2)
    other = whole._replace(tags={k: v for k, v in whole.tags.items() if k != "hops"})
    summary = summarise([whole, other], "paper")
    assert figure(summary, "factual").n == 2
    assert [f.name for f in summary.figures if "hop" in f.name] == ["factual, 2 hops"]
    assert cells(table(summary, "By hops")) == [["2", "1.00 (1/1)"]]
    assert any(note.startswith("1 answer without a number of hops") for note in summary.notes)
    assert not any("without a number" in note for note in summarise([whole], "paper").notes)


# -- one figure ----------------------------------------------------------------------------------


def test_an_accuracy_has_its_count_its_denominator_its_intervals_and_chance() -> None:
    """Seven of ten, over four pairings: by hand."""
    outcomes = {"a": [1, 1, 1], "b": [1, 0, 0], "c": [1, 1], "d": [1, 0]}
    verdicts = [
        verdict(DEFAULT if right else 0, pairing=name)
        for name, rights in outcomes.items()
        for right in rights
    ]
    found = figure(summarise(verdicts, "paper"), "factual")
    assert (found.right, found.n, found.value) == (7, 10, 0.7)
    assert {name: each.value for name, each in found.baselines.items()} == {
        "chance": 0.2,
        "best letter": 1.0,
    }
    assert found.baselines["best letter"].answers == f"always {ascii_uppercase[DEFAULT]}"
    # The verdicts are to one question, which leaves the variance between questions unknown.
    assert (found.interval, found.withheld) == (None, "too few questions")
    # Of residuals .3 and -.7 the clusters sum to .9, -1.1, .6 and -.4: their squares make 2.54.
    by_pairing = math.sqrt(2.54 * 4 / 3) / 10
    assert f"SE {math.sqrt(0.7 * 0.3 / 4):.3f}".replace("0.", ".") in found.note
    assert f"SE {by_pairing:.3f}".replace("0.", ".") in found.note
    assert "4 pairings" in found.note


def test_items_of_one_question_count_as_fewer_independent_items() -> None:
    """Four questions with 3, 1, 2 and 1 of 3, 3, 2 and 2 right: by hand."""
    outcomes = {"a": [1, 1, 1], "b": [1, 0, 0], "c": [1, 1], "d": [1, 0]}
    pairs = [(name, float(right)) for name, rights in outcomes.items() for right in rights]
    # Four clusters: a factor 4 / 3 of the variance, and Student's t with three degrees of freedom.
    by_variance = 0.7 * 0.3 / (2.54 / 100 * 4 / 3) * (Z / 3.182446305284263) ** 2
    assert effective_cases(pairs) == pytest.approx(by_variance)
    low, high = mean_interval(pairs) or (1.0, 0.0)
    assert (low, high) == pytest.approx(wilson(0.7 * by_variance, by_variance))
    assert effective_cases([("a", 1.0), ("a", 1.0), ("b", 1.0), ("c", 1.0)]) == 3
    assert effective_cases([("a", 1.0), ("a", 0.0), ("b", 1.0)]) is None
    alone = [(str(place), float(place % 3 == 0)) for place in range(30)]
    assert effective_cases(alone) == pytest.approx(30)
    assert "worth" not in figure(summarise(bare_questions(28), "paper"), "bare question").note
    # One of 30 clusters of ten is right: each counts as one case at most.
    together = [(place // 10, float(place // 10 == 0)) for place in range(300)]
    assert effective_cases(together) == pytest.approx(30 * (Z / 2.045229642132703) ** 2 * 29 / 30)


@given(st.integers(1, 400), st.data())
def test_wilson_is_the_interval_of_scores_not_rejected(n: int, data: st.DataObject) -> None:
    """Its ends are where the score test is just at z: (p - e)^2 = z^2 e (1 - e) / n."""
    right = data.draw(st.integers(0, n))
    low, high = wilson(right, n)
    p = right / n
    assert 0 <= low <= p <= high <= 1
    for end in (low, high):
        assert (p - end) ** 2 == pytest.approx(Z * Z * end * (1 - end) / n, abs=1e-9)


def test_wald_is_the_error_of_a_proportion() -> None:
    assert wald(0.5, 100) == 0.05
    assert wald(0.0, 3) == wald(1.0, 3) == 0.0
    assert wald(0.2, 16) == pytest.approx(0.1)


# -- clusters ------------------------------------------------------------------------------------

outcomes_of = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(0, 1)), min_size=1)


@given(outcomes_of)
def test_clustered_errors_are_those_of_the_sandwich(outcomes: list[tuple[str, float]]) -> None:
    """Least squares on a constant with clusters, in matrices: (X'X)^-1 (sum X'uu'X) (X'X)^-1."""
    names = sorted({name for name, _ in outcomes})
    found = clustered(outcomes)
    if len(names) < 2:
        assert found is None
        return
    y = np.array([value for _, value in outcomes])
    member = np.array([[name == each for each in names] for name, _ in outcomes], dtype=float)
    x = np.ones((len(y), 1))
    bread = np.linalg.inv(x.T @ x)
    u = y - (x @ bread @ x.T @ y)
    scores = member.T @ (x * u[:, None])
    meat = scores.T @ scores * len(names) / (len(names) - 1)
    assert found == pytest.approx(math.sqrt((bread @ meat @ bread)[0, 0]), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50))
def test_with_one_outcome_per_cluster_it_is_the_error_of_the_mean(values: list[float]) -> None:
    found = clustered((str(place), value) for place, value in enumerate(values))
    assert found == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)), abs=1e-9)


@given(outcomes_of, st.integers(2, 5))
def test_repeated_items_do_not_shrink_the_interval(
    outcomes: list[tuple[str, float]], times: int
) -> None:
    once, again = clustered(outcomes), clustered(outcomes * times)
    assert (once is None) is (again is None)
    assert once is None or again == pytest.approx(once, abs=1e-9)


def test_no_outcome_has_no_error() -> None:
    assert clustered([]) is None


# -- what is kept apart --------------------------------------------------------------------------


def test_factual_and_anti_factual_answers_are_never_pooled() -> None:
    verdicts = [verdict(DEFAULT)] * 3 + [verdict(0, gold=0)] + [verdict(DEFAULT, gold=0)] * 4
    summary = summarise(verdicts, "paper")
    assert (figure(summary, "factual").right, figure(summary, "factual").n) == (3, 3)
    assert (figure(summary, "anti-factual").right, figure(summary, "anti-factual").n) == (1, 5)
    assert not [one for one in summary.figures if one.n == 8]
    assert summary.counts["factual answers"] == 3
    assert summary.counts["anti-factual answers"] == 5


def test_context_unfaithfulness_is_a_default_answer_when_another_is_implied() -> None:
    verdicts = [
        verdict(DEFAULT),  # factual, right
        verdict(0),  # factual, wrong
        verdict(0, gold=0),  # anti-factual, right
        verdict(DEFAULT, gold=0),  # unfaithful
        verdict(DEFAULT, gold=4),  # unfaithful
        verdict(1, gold=0),  # wrong, but not from memory
        verdict(None, gold=0, status=Status.NO_ANSWER),
    ]
    assert [unfaithful(one) for one in verdicts] == [False] * 3 + [True, True] + [False] * 2
    every, parsed = (summarise(verdicts, profile) for profile in Accord.profiles)
    found = figure(every, "context unfaithfulness")
    # Always answering the place of the default choice would be unfaithful each time.
    assert {name: each.value for name, each in found.baselines.items()} == {
        "chance": 0.2,
        "best letter": 1.0,
    }
    assert found.baselines["best letter"].answers == f"always {ascii_uppercase[DEFAULT]}"
    assert (found.right, found.n) == (2, 5)
    assert figure(parsed, "context unfaithfulness").n == 4
    assert figure(parsed, "context unfaithfulness").value == 0.5
    remarks = [ACCORD.remark(one) for one in verdicts]
    assert [bool(remark) for remark in remarks] == [unfaithful(one) for one in verdicts]
    assert "Context unfaithful" in remarks[3]


def test_unreadable_answers_are_wrong_or_left_out_and_counted_apart() -> None:
    verdicts = [
        verdict(DEFAULT),
        verdict(0),
        *(verdict(None, status=status) for status in UNREAD),
    ]
    every, parsed = (summarise(verdicts, profile) for profile in Accord.profiles)
    assert (figure(every, "factual").right, figure(every, "factual").n) == (1, 6)
    assert (figure(parsed, "factual").right, figure(parsed, "factual").n) == (1, 2)
    assert every.counts == parsed.counts
    assert every.counts["unreadable"] == len(UNREAD)
    assert every.counts["answers"] == 6
    assert all(every.counts[f"status {status}"] == 1 for status in UNREAD)
    assert any("could be read" in note for note in parsed.notes)
    assert not any("could be read" in note for note in every.notes)


def test_a_tie_is_an_answer() -> None:
    summary = summarise([verdict(DEFAULT, status=Status.TIE)], "parsed")
    assert (figure(summary, "factual").right, figure(summary, "factual").n) == (1, 1)
    assert summary.counts["unreadable"] == 0


def test_the_bare_question_counts_once_however_often_it_was_asked() -> None:
    verdicts = [
        verdict(DEFAULT, layer=BARE, question="q1"),
        verdict(DEFAULT, layer=BARE, question="q1"),
        verdict(0, layer=BARE, question="q2"),
        verdict(1, gold=1),
    ]
    found = figure(summarise(verdicts, "paper"), "bare question")
    assert (found.right, found.n) == (1, 2)


def test_rungs_and_twins_have_figures_of_their_own() -> None:
    verdicts = [
        *(verdict(DEFAULT, layer=f"hop-{h}") for h in (1, 1, 2)),
        verdict(0, layer="hop-2"),
        verdict(DEFAULT, layer=TWIN),
    ]
    summary = summarise(verdicts, "paper")
    found = {one.name: (one.right, one.n) for one in summary.figures}
    assert found == {"hop 1": (2, 2), "hop 2": (1, 2), "factual twin": (1, 1)}
    assert not summary.tables
    assert summary.counts["answers"] == 0
    assert summary.counts["asked"] == 5


def test_chance_depends_on_the_number_of_options() -> None:
    verdicts = [verdict(DEFAULT), verdict(DEFAULT, options=OPTIONS[:3])]
    assert figure(summarise(verdicts, "paper"), "factual").baselines[
        "chance"
    ].value == pytest.approx((1 / 5 + 1 / 3) / 2)


def test_notes_warn_of_invalid_comparisons() -> None:
    same = [verdict(DEFAULT), verdict(0)]
    mixed = [*same, verdict(DEFAULT, scoring=Scoring.GENERATED)]
    own = [*same, verdict(DEFAULT, own="grounding")]
    said = [summarise(of, "paper").notes for of in (same, mixed, own)]
    assert ["different ways" in " ".join(notes) for notes in said] == [False, True, False]
    assert ["otherwise than in the paper" in " ".join(notes) for notes in said] == [
        False,
        False,
        True,
    ]


def test_no_verdicts_give_no_figures() -> None:
    summary = summarise([], "paper")
    assert summary.figures == ()
    assert summary.tables == ()
    assert summary.counts["answers"] == 0


def test_an_unknown_profile_is_a_typed_error() -> None:
    with pytest.raises(NotFoundError, match="generous"):
        ACCORD.summarise([], "generous")


# -- the tables ----------------------------------------------------------------------------------


def grid_verdicts() -> list[Verdict]:
    """Of each cell with h hops and d distractors h right and d + 1 wrong, of both variants."""
    made = []
    for gold in (DEFAULT, 0):
        wrong = 1 if gold == DEFAULT else DEFAULT
        for hops in (1, 2, 10):
            for distractors in (0, 3):
                where = {"hops": hops, "distractors": distractors}
                skill = "causal" if hops == 10 else "spatial"
                made += [
                    verdict(gold, gold, pairing=str(n), skill=skill, **where) for n in range(hops)
                ]
                made += [
                    verdict(wrong, gold, pairing=str(n), skill=skill, **where)
                    for n in range(distractors + 1)
                ]
    return made


def counts(text: str) -> tuple[int, int]:
    """The count of right answers and the denominator of a cell."""
    found = re.search(r"\((\d+)/(\d+)\)$", text)
    assert found, text
    return int(found[1]), int(found[2])


def test_the_grid_has_every_cell_with_its_count() -> None:
    summary = summarise(grid_verdicts(), "paper")
    for variant in ("factual", "anti-factual"):
        grid = table(summary, f"Hops and distractors, {variant}")
        assert grid.columns == ("hops", "0 distractors", "3 distractors")
        assert [row[0] for row in cells(grid)] == ["1", "2", "10"]
        for row in cells(grid):
            hops = int(row[0])
            assert counts(row[1]) == (hops, hops + 1)
            assert counts(row[2]) == (hops, hops + 4)
            assert row[1].startswith(f"{hops / (hops + 1):.2f}".removeprefix("0"))


def test_tables_by_hops_distractors_and_skill_show_both_variants_and_default_answers() -> None:
    summary = summarise(grid_verdicts(), "paper")
    by_hops = cells(table(summary, "By hops"))
    assert [row[0] for row in by_hops] == ["1", "2", "10"]
    for row in by_hops:
        right = 2 * int(row[0])
        assert counts(row[1]) == counts(row[2]) == (right, right + 5)
        assert row[3] == f"5/{right + 5}"
    assert [counts(row[1]) for row in cells(table(summary, "By distractors"))] == [
        (13, 16),
        (13, 25),
    ]
    by_skill = {row[0]: counts(row[1]) for row in cells(table(summary, "By skill"))}
    assert by_skill == {"causal": (20, 25), "spatial": (6, 16)}


def test_figures_by_hops_and_by_distractors_add_up_to_the_whole() -> None:
    summary = summarise(grid_verdicts(), "paper")
    whole = figure(summary, "anti-factual")
    for noun in ("hop", "distractor"):
        parts = [one for one in summary.figures if re.match(rf"anti-factual, \d+ {noun}", one.name)]
        assert sum(one.n for one in parts) == whole.n
        assert sum(one.right or 0 for one in parts) == whole.right


@given(st.integers(1, 6), st.integers(2, 7), st.integers(0, 12))
def test_accuracy_at_or_below_chance_is_marked(times: int, options: int, right: int) -> None:
    """Exactly at chance too, which sums of rounded shares would miss by a hair."""
    n = times * options
    names = tuple(f"option {place}" for place in range(options))
    verdicts = [verdict(0 if k < right else 1, gold=0, options=names) for k in range(n)]
    ((row),) = table(summarise(verdicts, "paper"), "By hops").rows
    assert row[1].role is (Role.BAD if min(right, n) <= times else Role.PLAIN)


# -- a recorded run ------------------------------------------------------------------------------


def test_the_figures_of_a_recorded_run_are_those_counted_by_hand(tmp_path: Path) -> None:
    """Every verdict of a run over a suite, counted again without the code of the figures."""
    folder = tmp_path / "suite"
    written(generator((1, 2, 3), questions=bundled_questions(8)), folder)

    async def work() -> tuple[Summary, list[Verdict]]:
        model, collection = HashingModel(), ACCORD.open(folder)
        source = QuestionSource(ACCORD, collection)
        plan = plan_for(model, source, folder, form=Form.BASE)
        with Store(tmp_path / "runs.sqlite") as store:
            evaluation = Evaluation(store, plan, model, source)
            async for _ in evaluation.steps():
                pass
            verdicts = list(store.verdicts(evaluation.run.id))
        return summarise(verdicts, "paper"), verdicts

    summary, verdicts = asyncio.run(work())
    collection = ACCORD.open(folder)
    items = {found.id: found for found in (collection.item(i) for i in range(len(collection)))}
    assert {one.item for one in verdicts} == set(items)
    right = {"bare question": [0, 0], "factual": [0, 0], "anti-factual": [0, 0]}
    memory = 0
    for one in verdicts:
        item = items[one.item]
        best = max(range(5), key=lambda place: one.scores[place].logprob)
        label = item.question.labels[best]
        if item.bare:
            name, implied = "bare question", item.question.answer
        else:
            assert item.fixed is not None
            implied = item.fixed.chosen
            name = "factual" if implied == item.question.answer else "anti-factual"
        right[name][0] += label == implied
        right[name][1] += 1
        memory += name == "anti-factual" and label == item.question.answer
    assert {name: [figure(summary, name).right, figure(summary, name).n] for name in right} == right
    unfaithfulness = figure(summary, "context unfaithfulness")
    assert (unfaithfulness.right, unfaithfulness.n) == (memory, right["anti-factual"][1])
    assert 0 < memory < unfaithfulness.n
    assert right["factual"][1] == right["anti-factual"][1] > 50


@pytest.mark.parametrize("gold", [0, DEFAULT])
def test_the_likeliest_option_is_the_answer(gold: int) -> None:
    asked = Question("i", ANSWER, "", "", OPTIONS, gold)
    scores = tuple(OptionScore(-1.0 if place == DEFAULT else -2.0) for place in range(5))
    made = ACCORD.score(asked, Answer(scores))
    assert made.answer == DEFAULT
    assert made.right is (gold == DEFAULT)


def test_a_list_of_runs_shows_the_whole_tree_and_a_hop_until_that_is_asked(tmp_path: Path) -> None:
    hop, whole = verdict(DEFAULT, layer="hop-1"), verdict(0, layer=ANSWER)
    begun, done = (Plan(model, model, ACCORD.name, "bundled", "") for model in ("one", "other"))
    with Store(tmp_path / "runs.sqlite") as store:
        store.add(begun, [verdict(DEFAULT, layer=BARE), hop], {})
        store.add(done, [hop, whole], {})
        speak("it")
        first, second = (listed.headline for listed in list_runs(store))
    assert first is not None
    assert second is not None
    assert (first.name, first.counted) == ("Hop 1", "1/1")
    assert (second.name, second.counted) == ("Albero intero", "0/1")
