"""Ties are told below the figures of a run and of a comparison."""

from __future__ import annotations

from core.contract.question import Scoring, Status, Verdict
from core.runs.comparison_tables import conditions_and_left_out
from core.runs.store import Store
from core.runs.summaries import summarise
from tests.runs.test_comparison import add, compared, verdict

TOLD = "Counted as right, because the first of the tied options is the right one"


def scored(item: str, answer: int, status: Status) -> Verdict:
    return verdict(item, "stands", answer)._replace(
        status=status, scoring=Scoring.LOGLIKELIHOOD, tags={"falls": "no"}
    )


TIED = [
    scored("arch", 1, Status.TIE),
    scored("hut", 0, Status.TIE),
    scored("wall", 0, Status.TIE),
    scored("tower", 1, Status.OK),
]
CLEAR = [tied._replace(status=Status.OK) for tied in TIED]


def test_a_run_tells_its_ties_and_which_of_them_are_right(store: Store) -> None:
    notes = summarise(store, add(store, "tied", TIED)).notes
    assert f"Ties: 3 of 4 answers. {TOLD}: 1." in notes
    notes = summarise(store, add(store, "clear", CLEAR)).notes
    assert not any("Ties" in note for note in notes)


def test_a_comparison_tells_the_ties_of_either_run(store: Store) -> None:
    said = [line for line, _role in conditions_and_left_out(compared(store, CLEAR, TIED))]
    assert said == [f"Ties in B: 3 of 4 answers. {TOLD}: 1."]
