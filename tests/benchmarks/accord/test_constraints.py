"""What a term must fulfil: each constraint by itself."""

from __future__ import annotations

import pytest

from core.benchmarks.accord.grounding.constraints import (
    Constraint,
    Tie,
    broken_by,
    compared,
    compared_text,
    reserved,
    rounds,
    taken,
)
from core.benchmarks.accord.trees.skills import End
from tests.benchmarks.accord.grounded import Facts, chain

FACTS = Facts(AtLocation=[("cat/n", "house"), ("dog", "house"), ("dog", "park")])


def tie(partner: str, end: End = End.SOURCE, *, factual: bool = False) -> Tie:
    return Tie(0, "AtLocation", end, 0, partner, factual)


@pytest.mark.parametrize("term", ["cat", "cat/n", "cat/v"])
def test_senses_do_not_hide_a_fact(term: str) -> None:
    assert broken_by(FACTS, tie("house"), term) is Constraint.FACT
    assert broken_by(FACTS, tie("park", factual=True), term) is Constraint.NO_FACT


def test_a_tie_has_the_end_of_the_candidate() -> None:
    assert broken_by(FACTS, tie("dog", End.TARGET), "park") is Constraint.FACT
    assert broken_by(FACTS, tie("dog", End.SOURCE, factual=True), "park") is Constraint.NO_FACT
    assert broken_by(FACTS, tie("x", End.TARGET), "park") is None
    assert broken_by(FACTS, tie("x", End.SOURCE), "park") is Constraint.COLUMN


@pytest.mark.parametrize(
    ("term", "partner", "factual", "broken"),
    [
        ("dog", "house", False, Constraint.FACT),
        ("cat", "park", False, None),
        ("fox", "park", False, Constraint.COLUMN),
        ("cat", "park", True, Constraint.NO_FACT),
        ("dog", "park", True, None),
    ],
)
def test_a_tie_reports_the_right_constraint(
    term: str, partner: str, factual: bool, broken: Constraint | None
) -> None:
    assert broken_by(FACTS, tie(partner, factual=factual), term) is broken


def test_terms_drawn_from_the_column_are_not_looked_up_there() -> None:
    assert broken_by(FACTS, tie("park"), "fox", drawn=True) is None


def test_terms_are_compared_without_case_and_sense() -> None:
    assert compared("Straße/n") == compared("strasse") == compared_text("STRASSE")
    assert compared_text("pay_debts") == "pay debts"
    # A text of a question has no sense, so "n/a" is not "n".
    assert compared_text("n/a") != compared_text("n")


def test_texts_of_the_question_are_reserved() -> None:
    forbidden = reserved(chain(2))
    assert forbidden == {
        "planet": Constraint.CONCEPT,
        "the planet": Constraint.PAIRING,
        "pay debts": Constraint.CHOICE,
        "galaxy": Constraint.CHOICE,
        "outer space": Constraint.CHOICE,
    }
    assert taken("galaxy", forbidden, ()) is Constraint.CHOICE
    assert taken("star", forbidden, {"star"}) is Constraint.REPEATED
    assert taken("star", forbidden, ()) is None


def test_rounds_are_distances_to_the_nearer_seed() -> None:
    #  V0 (pairing) - V1 - V2 - V3 (answer), and V1 - V4
    item = chain(3, 1)
    assert rounds(item.tree, item.path) == (0, 1, 1, 0, 2)
