"""Published figures stand beside a run only where nothing that is stated differs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.contract.question import Form, Scoring
from core.contract.summary import Figure, Summary
from core.exchange.published import library
from core.exchange.published.comparability import (
    NO_FIGURES,
    Comparability,
    comparability,
    hashed_layer,
)
from core.exchange.published.released import RELEASED
from core.exchange.published.table import RowKind
from core.runs.records import Plan, Run, RunState

RELEASED_GITA = RELEASED["gita", ""].hash
GITA = Run(
    "r",
    Plan("m", "f", "gita", "c", "h", form=Form.BASE, shots=3, shot_rule="random"),
    RunState.DONE,
    "",
    items=356,
    scorings=(Scoring.INFERRED, Scoring.LOGLIKELIHOOD),
)
GITA_FIGURES = Summary("unified", (Figure("Accuracy", 200, 356), Figure("Consistency", 9, 238)))


def gita(run: Run = GITA, summary: Summary = GITA_FIGURES, **more: object) -> Comparability:
    words = {"questions_hash": RELEASED_GITA} | more
    return comparability(run, summary, library.tables_of("gita"), **words)  # type: ignore[arg-type]


def planned(**changes: object) -> Run:
    return replace(GITA, plan=replace(GITA.plan, **changes))  # type: ignore[arg-type]


def test_rows_asked_in_the_same_form_stand_beside_a_run_over_the_released_stories() -> None:
    beside = gita()
    rows = {each.published.row for each in beside.comparable}
    assert rows == {"Meta-Llama-3.1-8B", "Meta-Llama-3.1-70B", "gemma-2-9b", "gemma-2-27b"}
    assert {each.figure.name for each in beside.comparable} == {"Accuracy", "Consistency"}
    assert all(each.published.metric == each.figure.name for each in beside.comparable)
    assert {each.not_stated for each in beside.comparable} == {()}
    [others] = beside.unlike
    assert len(others.rows) == 4
    assert others.reasons == ("chat prompt, here base",)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (planned(shots=0, shot_rule=""), "3-shot, here 0-shot"),
        (planned(shot_rule="varied"), "random examples, here varied"),
        (planned(limit=300), "only the first 300 items"),
        (planned(setting=(("instructions", "italian"),)), "items asked with instructions=italian"),
        (replace(GITA, state=RunState.PAUSED), "the run is not finished"),
        (
            replace(GITA, scorings=(Scoring.GENERATED,)),
            "log-likelihood answers, here generated",
        ),
        (
            replace(GITA, scorings=(Scoring.GENERATED, Scoring.LOGLIKELIHOOD)),
            "log-likelihood answers, here generated and log-likelihood",
        ),
    ],
)
def test_what_differs_is_named_and_nothing_stands_beside(run: Run, why: str) -> None:
    beside = gita(run)
    assert beside.comparable == ()
    assert beside.why_not == why


def test_other_stories_never_compare_whatever_their_number() -> None:
    assert gita(questions_hash="0" * 64).why_not == "other items, not the 356 released ones"
    few = gita(replace(GITA, items=42), questions_hash="0" * 64)
    assert few.why_not == "42 items, not the 356 released ones"
    bundled = gita(bundled=True)
    assert bundled.comparable == ()
    assert bundled.why_not == "bundled items, not the released ones"


def test_another_profile_does_not_compare() -> None:
    by_type = gita(summary=replace(GITA_FIGURES, profile="by-type"))
    assert by_type.why_not == "profile unified, here by-type"


def test_an_import_with_unasked_stories_does_not_compare() -> None:
    waiting = replace(GITA_FIGURES, counts={"conflict_detec waiting": 3})
    imported = replace(GITA, state=RunState.IMPORTED)
    assert gita(imported).comparable
    assert gita(imported, waiting).why_not == "questions without an answer"


def test_an_unknown_figure_has_nothing_beside_it() -> None:
    unknown = replace(
        GITA_FIGURES, figures=(Figure("Accuracy", 200, 356), Figure("Consistency", None, 238))
    )
    assert {each.figure.name for each in gita(summary=unknown).comparable} == {"Accuracy"}


def com2(**numbers: int) -> tuple[Run, Summary]:
    plan = Plan("m", "f", "com2", "c", "h", form=Form.CHAT)
    run = Run("r", plan, RunState.DONE, "", scorings=(Scoring.GENERATED,))
    figures = tuple(Figure(name.replace("_", " "), 1, n) for name, n in numbers.items())
    return run, Summary("paper", figures)


def test_com2_compares_by_the_numbers_of_table_1_and_names_what_is_not_stated() -> None:
    tables = library.tables_of("com2")
    beside = comparability(*com2(main_direct=500, hard_decision=418, main_transition=499), tables)
    assert {each.figure.name for each in beside.comparable} == {"main direct", "hard decision"}
    assert len(beside.comparable) == 2 * 16
    assert {each.not_stated for each in beside.comparable} == {("prompt form",)}
    own = comparability(*com2(main_direct=20), tables)
    assert own.why_not == "20 questions, not the 500 released ones"


def test_people_who_saw_the_graphs_do_not_stand_beside_a_model() -> None:
    beside = comparability(*com2(main_average=2500), library.tables_of("com2"))
    people = [rows for rows in beside.unlike if rows.table == "com2-people"]
    assert [rows.reasons for rows in people] == [("with the causal graphs shown",)]


def test_only_trivial_answers_of_abspyramid_stand_beside_an_untrained_model() -> None:
    plan = Plan("m", "f", "abspyramid", "c", "h")
    run = Run("r", plan, RunState.DONE, "", scorings=(Scoring.LOGLIKELIHOOD,))
    summary = Summary("paper", (Figure("noun: accuracy", 9, 9875), Figure("accuracy", 9, 22056)))
    beside = comparability(run, summary, library.tables_of("abspyramid"))
    assert {each.published.kind for each in beside.comparable} == {
        RowKind.RANDOM,
        RowKind.MAJORITY,
    }
    assert {each.published.table for each in beside.comparable} == {"abspyramid-table-4"}
    reasons = {reason for rows in beside.unlike for reason in rows.reasons}
    assert "over 1,000 tuples of each relation, sampled from the test set" in reasons
    assert "9,875 questions, not the 9,874 released ones" in reasons
    assert "trained (LoRA on all relations together), which a run does not record" in reasons


def test_without_published_figures_the_reason_says_so() -> None:
    plan = replace(GITA.plan, benchmark="accord")
    run = replace(GITA, plan=plan)
    assert comparability(run, GITA_FIGURES, library.tables()).why_not == NO_FIGURES


def test_the_numbers_of_released_questions_are_those_that_the_papers_print() -> None:
    printed = {
        name: {row.name: row.values for row in library.table(name).rows}
        for name in ("gita-table-2", "com2-table-1", "abspyramid-table-1")
    }
    assert printed["gita-table-2"]["All"] == (RELEASED["gita", ""].items,)
    counts = RELEASED["com2", ""].counts
    tasks = ("direct", "decision", "transition", "intervention", "counterfactual")
    for part in ("main", "hard"):
        *by_task, total = printed["com2-table-1"][part.capitalize()]
        assert [counts.get(f"{part} {task}") for task in tasks] == by_task
        assert counts[f"{part} average"] == total
    assert counts["overall"] == counts["main average"] + counts["hard average"]
    for split, column in (("test", 3), ("validation", 2)):
        own = RELEASED["abspyramid", split].counts
        for relation, values in printed["abspyramid-table-1"].items():
            assert own["" if relation == "All" else relation.lower()] == values[column]


def test_a_hash_is_known_of_gita_alone() -> None:
    assert hashed_layer("gita") == "story_class"
    assert hashed_layer("com2") == hashed_layer("none") == ""
