"""Annotating tuples: the paper's rules, and the released format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.annotation.rounds import State
from core.annotation.session import Annotating, Interlude
from core.annotation.tasks import Task
from core.benchmarks.abspyramid.annotation import begin, decide, open_annotation, task_of, tuple_id
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.benchmarks.abspyramid.wordnet import find_wordnet
from core.text.errors import DataError, NotFoundError, SettingError

ROWS = [
    {"event": "<a cat> chased a mouse", "concept": "animal", "type": "noun"},
    {"event": "a cat <chased> a mouse", "concept": "ate", "type": "verb"},
    {"event": "<a cat chased a mouse>", "concept": "a hunt", "type": "event"},
]
VOTES = {"v": 0, "i": 1, "u": 2}


@pytest.fixture
def write(tmp_path: Path):
    def _write(rows: list[dict[str, object]], name: str = "given.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return _write


def vote(folder: Path, name: str, *rounds: str) -> None:
    """Vote on the tuples in order with one letter each; each text is a round for this person."""
    sitting = Annotating(open_annotation(folder).votes, name, "")
    if isinstance(sitting.present, Interlude):
        sitting.forward()
    for letter in "".join(rounds):
        assert isinstance(sitting.present, Task)
        sitting.answer((VOTES[letter],))
    sitting.close()


def shown(row: dict[str, str], folder: Path) -> list[tuple[str, str]]:
    """The passages of a row's task, each with what is marked in it."""
    path = folder / "one.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    (one,) = read_tuples(path)
    return [(p.text, p.text[p.start : p.end]) for p in task_of(one).passages]


def test_the_concept_is_shown_in_the_place_of_the_instance(tmp_path: Path) -> None:
    assert shown(ROWS[0], tmp_path) == [
        ("a cat chased a mouse", "a cat"),
        ("animal chased a mouse", "animal"),
    ]
    assert shown(ROWS[1], tmp_path) == [
        ("a cat chased a mouse", "chased"),
        ("a cat ate a mouse", "ate"),
    ]
    assert shown(ROWS[2], tmp_path) == [
        ("a cat chased a mouse", "a cat chased a mouse"),
        ("a hunt", "a hunt"),
    ]


def test_verbs_come_with_their_meanings() -> None:
    wordnet = find_wordnet()
    if wordnet is None:
        pytest.skip("needs WordNet: apt install wordnet-base")
    head = "a cat chased a mouse"
    verb = AbstractTuple(head, 6, 12, Relation.VERB, ("pursue it",), None, "")
    first, second = task_of(verb, wordnet).passages[2:]
    assert first.aside
    assert first.caption == "“chased” in WordNet"
    assert first.text.startswith("go after with the intent to catch")
    assert second.text
    noun = AbstractTuple(head, 0, 5, Relation.NOUN, ("animal",), None, "")
    assert len(task_of(noun, wordnet).passages) == len(task_of(verb).passages) == 2


# "2 or 3 out of 5 annotators vote for valid" is no agreement (appendix A.4).
@pytest.mark.parametrize(
    ("votes", "decided"),
    [
        ("vvvvv", "valid"), ("vvvvi", "valid"), ("vvvii", None), ("vviii", None), ("vvvuu", None),
        ("viiii", "invalid"), ("iiiii", "invalid"), ("viiuu", "invalid"), ("vvvvu", "valid"),
        ("iiuuu", "ungrammatical"), ("vvuuu", "ungrammatical"), ("v", "valid"), ("i", "invalid"),
        ("vvi", None), ("vvvvvvvvii", "valid"), ("vvvvvvviii", None),
    ],
)  # fmt: skip
def test_votes_are_aggregated_as_in_the_paper(votes: str, decided: str | None) -> None:
    names = {"valid": "v", "invalid": "i", "ungrammatical": "u"}
    assert decide({name: votes.count(letter) for name, letter in names.items()}) == decided


@given(st.integers(0, 9), st.integers(0, 9))
def test_valid_and_invalid_votes_are_symmetric(valid: int, invalid: int) -> None:
    other = {"valid": "invalid", "invalid": "valid", None: None}
    if valid + invalid:
        found = decide({"valid": valid, "invalid": invalid})
        assert decide({"valid": invalid, "invalid": valid}) == other[found]


def test_five_votes_two_rounds_and_the_released_format(tmp_path: Path, write) -> None:
    out = tmp_path / "out"
    begun = begin(out, write(ROWS))
    assert begun.votes.rules.votes == 5
    for name, votes in zip("abcd", ("vii", "vii", "vvi", "vvi"), strict=True):
        vote(out, name, votes)
    # The fifth sees to it that two tuples are decided, and one is not: 2 valid, 3 invalid.
    vote(out, "e", "iii")
    states = [each.state for _, each in open_annotation(out).votes.standings()]
    assert states == [State.DECIDED, State.REANNOTATE, State.DECIDED]
    for name in "abcde":
        vote(out, name, "v")
    found = open_annotation(out)
    written = tmp_path / "train.json"
    written.write_text(found.released(), encoding="ascii")
    released = [json.loads(line) for line in found.released().splitlines()]
    assert released == [{**row, "label": label} for row, label in zip(ROWS, (1, 1, 0), strict=True)]
    again = list(read_tuples(written))
    assert [one.label for one in again] == [True, True, False]
    assert [tuple_id(one) for one in again] == [tuple_id(one) for one in found.tuples]


def test_neither_disputed_nor_ungrammatical_tuples_are_released(tmp_path: Path, write) -> None:
    out = tmp_path / "out"
    begin(out, write(ROWS))
    for name, votes in zip("abcde", ("uvv", "uvv", "uvv", "viv", "vii"), strict=True):
        vote(out, name, votes)
    for name, letter in zip("abcde", "vvviu", strict=True):
        vote(out, name, letter)
    found = open_annotation(out)
    standings = [each for _, each in found.votes.standings()]
    assert [each.state for each in standings] == [State.DECIDED, State.DROPPED, State.DECIDED]
    assert standings[0].choice == "ungrammatical"
    assert [one.relation for one, _ in found.labelled()] == ["event"]


def test_labels_are_not_shown_and_each_concept_is_one_question(tmp_path: Path, write) -> None:
    rows = [
        {"event": "<a cat> sat", "concept": ["animal", "pet"], "type": "noun", "label": 1},
        {"event": "<a cat> sat", "concept": "pet", "type": "noun", "label": 0},
    ]
    found = begin(tmp_path / "out", write(rows))
    assert [(one.concepts, one.label) for one in found.tuples] == [
        (("animal",), None),
        (("pet",), None),
    ]


def test_the_qualification_test_needs_18_of_20(tmp_path: Path, write) -> None:
    rows = [
        {"event": f"<cat {n}> sat", "concept": "animal", "type": "noun", "label": n % 2}
        for n in range(200)
    ]
    test = begin(tmp_path / "a", write(ROWS), write(rows, "test.jsonl")).votes.test
    assert test is not None
    assert (test.questions, test.to_pass) == (20, 18)
    assert len(set(test.drawn("Anna"))) == 20
    assert test.drawn("Anna") == test.drawn(" anna")
    assert test.drawn("Anna") != test.drawn("Ben")
    short = begin(tmp_path / "b", write(ROWS), write(rows[:7], "short.jsonl")).votes.test
    assert short is not None
    assert (short.questions, short.to_pass) == (7, 7)
    # The folder keeps the test, so that it need not be named again.
    assert begin(tmp_path / "b", write(ROWS)).votes.test is not None


def test_a_started_annotation_refuses_other_tuples(tmp_path: Path, write) -> None:
    out, test = tmp_path / "out", [{**ROWS[0], "label": 1}]
    begin(out, write(ROWS), write(test, "test.jsonl"), votes=3)
    assert begin(out, write(ROWS)).votes.rules.votes == 3
    with pytest.raises(DataError, match="other tuples"):
        begin(out, write(ROWS[:2]))
    with pytest.raises(DataError, match="other test"):
        begin(out, write(ROWS), write([{**ROWS[0], "label": 0}], "other.jsonl"))
    with pytest.raises(SettingError, match="3 votes"):
        begin(out, write(ROWS), votes=5)
    with pytest.raises(SettingError):
        begin(tmp_path / "new", write(ROWS), votes=0)


@pytest.mark.parametrize(
    ("rows", "test", "said"),
    [
        ([], None, "no tuple"),
        (ROWS, [ROWS[0]], "right answer"),
        (ROWS, [], "no question"),
        (
            [{"event": "<a cat> sat", "concept": ["a[SEP]b"], "type": "noun"}],
            None,
            "released format",
        ),
    ],
)
def test_tuples_that_cannot_be_annotated_are_refused(
    tmp_path: Path, write, rows, test, said: str
) -> None:
    path = None if test is None else write(test, "test.jsonl")
    with pytest.raises(DataError, match=said):
        begin(tmp_path / "out", write(rows), path)
    with pytest.raises(NotFoundError):
        open_annotation(tmp_path / "out")


@pytest.mark.parametrize("body", ["[]", '{"votes": 0}', '{"votes": 5, "x": 1}', "\x00", ""])
def test_a_broken_folder_is_reported(tmp_path: Path, write, body: str) -> None:
    begin(tmp_path / "out", write(ROWS))
    (tmp_path / "out" / "annotation.json").write_text(body, encoding="ascii")
    with pytest.raises(DataError, match=r"no annotation|0 votes"):
        open_annotation(tmp_path / "out")
