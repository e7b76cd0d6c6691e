"""How many generated answers could not be read."""

from __future__ import annotations

from core.contract.question import UNREAD, Answer, Question, Scoring, Status, Verdict, verdict_on
from core.contract.summary import Summary
from core.runs.unread_answers import with_unread


def verdict(layer: str, status: Status, scoring: Scoring = Scoring.GENERATED) -> Verdict:
    question = Question("1", layer, "", "", ("yes", "no"), 0)
    picks = (0,) if status is Status.OK else ()
    return verdict_on(question, Answer(text="x", scoring=scoring), status, picks)


def test_answers_that_name_no_option_are_counted_by_layer() -> None:
    verdicts = [
        *(verdict("links", status) for status in UNREAD),
        *[verdict("links", Status.OK)] * 3,
        *[verdict("answer", Status.OK)] * 2,
    ]
    summary = with_unread(Summary("plain", (), {"asked": 9}), verdicts, {"links": "Links"})
    assert summary.counts == {
        "asked": 9,
        "not_read": 4,
        "links not_read": 4,
        "answer not_read": 0,
    }
    (note,) = summary.notes
    assert "Links, not read: 4 of 7" in note
    assert "answer, not read: 0 of 2" in note


def test_log_likelihoods_are_always_read() -> None:
    verdicts = [verdict("links", Status.NO_ANSWER, Scoring.LOGLIKELIHOOD)]
    summary = with_unread(Summary("plain", ()), verdicts, {})
    assert summary.counts == {"not_read": 0}
    assert summary.notes == ()
