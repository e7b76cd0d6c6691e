"""Answers from a file, judged as a run's answers are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.benchmarks.com2.answer_files import read_answers
from core.contract.question import Status, Verdict
from core.text.errors import DataError

FOUR = ["Pump the cellar", "Drain the bend", "Paint the line", "Move the bus"]
RELEASED = "A) Pump the cellar  \nB) Drain the bend  \nC) Paint the line  \nD) Move the bus"
DIRECT: dict[str, Any] = {"type": "direct", "options": FOUR, "gold": "B", "answer": "B"}
DECISION: dict[str, Any] = {"type": "decision", "options": FOUR, "gold": "A, B, D", "answer": "A"}


def read_rows(folder: Path, *rows: Any) -> list[Verdict]:
    file = folder / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return read_answers(file)


def one(folder: Path, row: dict[str, Any], **more: Any) -> Verdict:
    (found,) = read_rows(folder, {**row, **more})
    return found


@pytest.mark.parametrize("gold", ["B", "b)", "B) Drain the bend.", ["B"], 1, "Drain the bend"])
def test_answers_are_accepted_in_several_spellings(tmp_path: Path, gold: Any) -> None:
    found = one(tmp_path, DIRECT, gold=gold)
    assert (found.gold, found.answer, found.credit) == (1, 1, 1.0)


@pytest.mark.parametrize("gold", ["A, B, D", "A,B,D.", ["A", "B", "D"], "D and A, B", [0, 1, 3]])
def test_rows_may_have_several_right_options(tmp_path: Path, gold: Any) -> None:
    assert one(tmp_path, DECISION, gold=gold).golds == (0, 1, 3)


def test_options_may_be_one_text_as_released(tmp_path: Path) -> None:
    assert one(tmp_path, DIRECT, options=RELEASED).options == tuple(FOUR)


@pytest.mark.parametrize(
    ("answer", "credit"),
    [("A, B, D", 1.0), ("B, A", 2 / 3), ("D", 1 / 3), ("A, C", 0.0), (None, 0.0), ([], 0.0)],
)
def test_part_of_the_right_options_earns_its_share(
    tmp_path: Path, answer: Any, credit: float
) -> None:
    assert one(tmp_path, DECISION, answer=answer).credit == pytest.approx(credit)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("B", Status.OK),
        (None, Status.NO_ANSWER),
        ("", Status.NO_ANSWER),
        ("A, B", Status.AMBIGUOUS),
        ("E", Status.OUT_OF_RANGE),
        (7, Status.OUT_OF_RANGE),
    ],
)
def test_verdicts_keep_how_an_answer_was_parsed(
    tmp_path: Path, answer: Any, status: Status
) -> None:
    found = one(tmp_path, DIRECT, answer=answer)
    assert found.status is status
    assert found.right is (status is Status.OK)


def test_imported_replies_are_parsed_like_replies_of_a_model(tmp_path: Path) -> None:
    rows = [
        {**DIRECT, "text": "A) is tempting, but no. Answer: B)"},
        {**DIRECT, "text": "<think>Answer: B", "complete": False, "output_tokens": 9},
        {**DIRECT, "text": "I cannot say."},
    ]
    for row in rows:
        del row["answer"]
    right, cut, none = read_rows(tmp_path, *rows)
    assert (right.status, right.answer) == (Status.OK, 1)
    assert (cut.status, cut.output_tokens) == (Status.TRUNCATED, 9)
    assert none.status is Status.NO_ANSWER


def test_scenarios_are_found_by_our_name_and_the_released_name(tmp_path: Path) -> None:
    found = read_rows(tmp_path, {**DIRECT, "type": "reco"}, {**DECISION, "part": "hard", "id": "x"})
    assert [v.tags for v in found] == [
        {"scenario": "transition", "part": "main"},
        {"scenario": "decision", "part": "hard"},
    ]
    assert found[1].item == "x"


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ([1], "JSON object"),
        ({**DIRECT, "golds": "B"}, "golds"),
        ({**DIRECT, "type": "why"}, "why"),
        ({**DIRECT, "type": ["direct"]}, "direct"),
        ({**DIRECT, "part": "hard"}, "hard direct"),
        ({**DIRECT, "part": ["hard"]}, "hard"),
        ({**DIRECT, "options": "A) x"}, "options"),
        ({**DIRECT, "options": ["x", ""]}, "An option is empty"),
        ({**DIRECT, "gold": None}, "gold"),
        ({**DIRECT, "gold": "A, B"}, "gold"),
        ({**DIRECT, "gold": "E"}, "gold"),
        ({**DIRECT, "gold": "The answer is B."}, "gold"),
        ({**DIRECT, "gold": "B) Drain the cellar"}, "gold"),
        ({**DIRECT, "gold": "Not B"}, "gold"),
        ({**DIRECT, "gold": -1}, "gold"),
        ({**DECISION, "gold": ["A", "perhaps D"]}, "perhaps D"),
        ({**DIRECT, "answer": "none of them"}, "none of them"),
        ({**DIRECT, "gold": {"a": 1}}, "letter"),
        ({**DIRECT, "answer": True}, "letter"),
        ({**DIRECT, "text": "B"}, "either"),
        ({"type": "direct", "options": FOUR, "gold": "B"}, "either"),
        ({**DIRECT, "output_tokens": -1}, "output_tokens"),
        ({**DIRECT, "output_tokens": True}, "output_tokens"),
        ({**DIRECT, "complete": "no"}, "complete"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(tmp_path: Path, row: Any, what: str) -> None:
    with pytest.raises(DataError) as caught:
        read_rows(tmp_path, DIRECT, row)
    assert what in caught.value.what
    assert caught.value.where.endswith("answers.jsonl:2")


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"[]", b"{", b"\xff\xfe", b"nonsense"])
def test_a_file_without_answers_is_a_typed_error(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(raw)
    with pytest.raises(DataError):
        read_answers(file)


def test_a_folder_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(DataError):
            read_answers(path)
