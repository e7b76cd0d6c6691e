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
    assert not any(each.unread for each in verdicts)
    assert summary.counts == {"not_read": 0}
    assert summary.notes == ()
    assert summary.tables == ()


def test_what_could_not_be_read_is_listed_with_its_text() -> None:
    long = "First " + "and then " * 100 + "\x1b[31mI cannot say."
    texts = ["It depends.", long, *["No idea."] * 40]
    unread = [
        verdict("links", Status.NO_ANSWER)._replace(item=str(place), text=text)
        for place, text in enumerate(texts)
    ]
    read = [verdict("links", Status.OK)] * 8
    summary = with_unread(Summary("plain", ()), [*read, *unread], {})
    (table,) = summary.tables
    assert table.title == "Not read: 42 of 50"
    assert [cell.text for cell in table.rows[0]] == [
        "0",
        "links",
        "no option is named",
        "It depends.",
    ]
    shown = table.rows[1][3].text
    assert shown.startswith("First and then")
    assert shown.endswith("I cannot say.")
    assert len(shown) < 250
    assert "\x1b" not in shown
    assert len(table.rows) == 30
    assert table.note == "The first 30 of 42."
