"""`abspyramid annotate` in a terminal, and `abspyramid votes`."""

from __future__ import annotations

import json
import re
import signal
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from core.annotation.session import Annotating, Interlude
from core.annotation.tasks import Task
from core.annotation.votes import VoteFolder
from core.benchmarks.abspyramid.annotation import begin, open_annotation
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.text.errors import DataError
from tests.cli.support import in_process_of_its_own, ok, run
from tests.terminals import Terminal, terminal_of

ROWS = [
    {"event": "<a cat> chased a mouse", "concept": "animal", "type": "noun", "label": 0},
    {"event": "a cat <chased> a mouse", "concept": "ate", "type": "verb"},
    {"event": "<a cat chased a mouse>", "concept": "a hunt", "type": "event"},
]
VOTES = {"v": 0, "i": 1, "u": 2}


@pytest.fixture
def tuples(tmp_path: Path) -> Path:
    path = tmp_path / "tuples.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    return path


def vote(folder: Path, name: str, letters: str) -> None:
    sitting = Annotating(open_annotation(folder).votes, name, "")
    if isinstance(sitting.present, Interlude):
        sitting.forward()
    for letter in letters:
        assert isinstance(sitting.present, Task)
        sitting.answer((VOTES[letter],))
    sitting.close()


@pytest.fixture
def voted(tmp_path: Path, tuples: Path) -> Path:
    """Five people: 5 valid; 2 valid and 3 invalid, then again 3 valid; 4 ungrammatical."""
    out = tmp_path / "out"
    begin(out, tuples)
    for name, votes in zip("ABCDE", ("vvu", "vvu", "viu", "viu", "viv"), strict=True):
        vote(out, name, votes)
    for name, letter in zip("ABCDE", "vvvii", strict=True):
        vote(out, name, letter)
    return out


def test_what_was_voted_is_told_with_agreement(voted: Path) -> None:
    found = ok("abspyramid", "votes", voted, "--json").json
    assert found["votes_per_tuple"] == 5
    assert found["states"] == {
        "valid": 1, "invalid": 0, "ungrammatical": 1, "open": 0, "reannotate": 0, "dropped": 1,
    }  # fmt: skip
    first = found["agreement"]["first_round"]
    assert (first["items"], first["raters"]) == (3, 5)
    # Pairs of ten: 10 of 5 v; 1 + 3 of 2 v and 3 i; 6 of 4 u and 1 v.
    assert first["pairwise"] == pytest.approx(20 / 30)
    expected = (8 / 15) ** 2 + (3 / 15) ** 2 + (4 / 15) ** 2
    assert first["kappa"] == pytest.approx((20 / 30 - expected) / (1 - expected))
    assert first["kappa_interval"] is None
    assert found["tuples"][1] == {
        "event": "a cat <chased> a mouse", "concept": "ate", "type": "verb", "state": "dropped",
        "first_round": {"valid": 2, "invalid": 3}, "again": {"valid": 3, "invalid": 2},
    }  # fmt: skip
    assert [one["name"] for one in found["annotators"]] == list("ABCDE")
    told = ok("abspyramid", "votes", voted).out
    assert "66.67%" in told
    assert re.search(r"Fleiss' kappa -?0\.\d{3}, no interval: too few, over 3 tuples", told)


def test_decided_tuples_are_exported_and_nothing_is_overwritten(
    voted: Path, tmp_path: Path
) -> None:
    to = tmp_path / "train.json"
    assert ok("abspyramid", "votes", voted, "--export", to, "--json").json["exported"] == 1
    (one,) = read_tuples(to)
    assert (one.marked, one.concepts, one.label) == ("<a cat> chased a mouse", ("animal",), True)
    ran = run("abspyramid", "votes", voted, "--export", to)
    assert ran.code == 2
    assert "there already" in ran.err
    ok("abspyramid", "votes", voted, "--export", to, "--force")


@pytest.mark.parametrize("part", ["annotation.json", "tuples.jsonl", "disqualified.jsonl", "votes"])
def test_an_export_takes_the_place_of_no_part_of_an_annotation(voted: Path, part: str) -> None:
    ok("abspyramid", "votes", voted, "--disqualify", "B")
    before = {path: path.read_bytes() for path in voted.rglob("*") if path.is_file()}
    to = max((voted / "votes").iterdir()) if part == "votes" else voted / part
    ran = run("abspyramid", "votes", voted, "--export", to, "--force")
    assert (ran.code, "belongs to an annotation" in ran.err) == (2, True), ran.err
    assert {path: path.read_bytes() for path in voted.rglob("*") if path.is_file()} == before


def test_an_export_takes_the_place_of_no_votes_wherever_they_are(
    voted: Path, tmp_path: Path
) -> None:
    sent = max((voted / "votes").iterdir()).rename(tmp_path / "sent.jsonl")
    before = sent.read_bytes()
    ran = run("abspyramid", "votes", voted, "--export", sent, "--force")
    assert (ran.code, "belongs to an annotation" in ran.err) == (2, True), ran.err
    assert sent.read_bytes() == before


def test_the_folder_that_is_made_for_votes_is_its_owner_s_alone(
    tmp_path: Path, tuples: Path
) -> None:
    begin(tmp_path / "for" / "votes", tuples)
    made = (tmp_path / "for", tmp_path / "for" / "votes")
    assert [folder.stat().st_mode & 0o777 for folder in made] == [0o700, 0o700]


def test_an_annotation_takes_the_place_of_no_other_tuples(tmp_path: Path, tuples: Path) -> None:
    """Such as those of a curation, which hold more than an annotation keeps."""
    before = tuples.read_bytes()
    with pytest.raises(DataError, match="belongs to no annotation"):
        begin(tmp_path, tuples)
    assert tuples.read_bytes() == before
    begin(tmp_path / "out", tuples)
    (tmp_path / "out" / "annotation.json").unlink()
    begin(tmp_path / "out", tuples)  # One that was killed before it wrote the rules goes on.


def test_votes_of_the_disqualified_are_discarded_and_can_be_counted_again(voted: Path) -> None:
    found = ok("abspyramid", "votes", voted, "--disqualify", "b", "--json").json
    assert found["states"]["open"] == 3
    assert [one["disqualified"] for one in found["annotators"]] == [
        False, True, False, False, False,
    ]  # fmt: skip
    assert found["discarded_votes"] == 3
    assert found["agreement"]["first_round"] is None
    assert ok("abspyramid", "votes", voted, "--json").json["states"]["open"] == 3
    again = ok("abspyramid", "votes", voted, "--reinstate", "B", "--json").json
    assert again["states"]["open"] == 0
    ran = run("abspyramid", "votes", voted, "--disqualify", "F")
    assert ran.code == 2
    assert "A, B, C, D, E" in ran.err


def test_without_a_terminal_or_an_annotation_it_says_what_to_do(
    tmp_path: Path, tuples: Path
) -> None:
    out = tmp_path / "out"
    ran = in_process_of_its_own(
        "abspyramid", "annotate", str(tuples), "--person", "A", "--out", out
    )
    assert ran.code == 2
    assert "needs a terminal" in ran.err
    assert not out.exists()
    ran = run("abspyramid", "votes", tmp_path)
    assert ran.code == 2
    assert "no annotation" in ran.err


def annotating(path: Path, person: str, out: Path) -> AbstractContextManager[Terminal]:
    """`abspyramid annotate` in a small terminal."""
    words = ("abspyramid", "annotate", path, "--person", person, "--out", out)
    return terminal_of(*words, size=(60, 20))


def test_a_person_votes_in_a_terminal_leaves_and_goes_on(tmp_path: Path, tuples: Path) -> None:
    out = tmp_path / "out"
    with annotating(tuples, "Anna", out) as first:
        first.until("Before you begin")
        first.press("\r")
        first.until("1 of 3", "animal chased a mouse")
        first.press("v")
        first.until("2 of 3", "Saved: valid")
        first.press("q")
        assert first.finish() == 0
        assert b"Anna: 1 vote in" in first.raw
    with annotating(tuples, "anna", out) as second:
        second.until("2 of 3")
        second.press("2")
        second.until("3 of 3")
        second.press("\x7f")
        second.until("2 of 3", "● invalid")
    assert ok("abspyramid", "votes", out, "--json").json["annotators"][0]["votes"] == 2


def test_votes_that_were_removed_are_not_said_to_be_there(tmp_path: Path, tuples: Path) -> None:
    out = tmp_path / "out"
    with annotating(tuples, "Anna", out) as terminal:
        terminal.until("Before you begin")
        terminal.press("\r")
        terminal.until("1 of 3")
        terminal.press("v")
        terminal.until("Saved: valid")
        next((out / "votes").iterdir()).unlink()
        terminal.press("i")
        terminal.until("removed")
        terminal.press("q")
        assert terminal.finish() == 0
        assert b"Anna: 1 vote in" not in terminal.raw


def test_a_vote_beside_a_file_that_is_none_is_saved_and_the_file_told(
    tmp_path: Path, tuples: Path
) -> None:
    out = tmp_path / "out"
    with annotating(tuples, "Anna", out) as terminal:
        terminal.until("Before you begin")
        (out / "votes" / "zz.jsonl").write_text("not JSON\n")
        terminal.press("\r")
        terminal.until("1 of 3")
        terminal.press("v")
        terminal.until("2 of 3", "malformed")
        terminal.press("q")
        assert terminal.finish() == 0
        assert b"Anna: 1 vote in" in terminal.raw
        assert b"zz.jsonl:1" in terminal.raw


def test_no_vote_is_lost_when_the_program_is_killed(tmp_path: Path) -> None:
    many = tmp_path / "many.jsonl"
    row = {"concept": "animal", "type": "noun"}
    lines = (json.dumps({"event": f"<cat {n}> sat", **row}) for n in range(40))
    many.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    with annotating(many, "Anna", out) as terminal:
        terminal.until("Before you begin")
        terminal.press("\r")
        terminal.until("1 of 40")
        for n in range(12):
            terminal.press("viu"[n % 3])
            # What the screen says is saved has to be.
            terminal.until(f"{n + 2} of 40")
        terminal.process.kill(signal.SIGKILL)
        terminal.process.wait()
    given = VoteFolder(out / "votes").of("Anna").values()
    names = {"v": "valid", "i": "invalid", "u": "ungrammatical"}
    in_order = sorted(given, key=lambda ballot: ballot.first)
    assert [ballot.choice for ballot in in_order] == [names["viu"[n % 3]] for n in range(12)]
    with annotating(many, "Anna", out) as again:
        again.until("13 of 40")
