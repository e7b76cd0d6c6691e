"""What a person decides about pairing templates while they browse: applied, kept, never half."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.collection import QuestionCollection, open_collection
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.sources.pairing_decisions import Decisions, decisions_file
from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate
from core.benchmarks.accord.sources.reviews import read, written
from core.benchmarks.accord.switches import pairing_switch, situation, switches
from core.benchmarks.accord.task_layers import BARE
from core.benchmarks.accord.trees.skills import End
from core.contract.review import Review
from core.contract.setting import Setting
from core.text.errors import DataError

ACCORD = Accord()
SURFACE = "Suppose that {} [[appears|does not appear]] near {}"
FIRST = {"skill": "spatial", "term": "kettle", "end": "source", "surface": SURFACE}
KETTLE = {
    "id": "kettle",
    "question": "Where does the kettle whistle?",
    "choices": {"A": "attic", "B": "kitchen", "C": "garage"},
    "answer": "B",
    "concept": "kettle",
    "pairings": [
        FIRST,
        {"skill": "used_for", "term": "cooking", "end": "target", "surface": SURFACE},
    ],
}


def without(**changes: object) -> dict[str, object]:
    """The question without its pairings."""
    return {key: value for key, value in KETTLE.items() if key != "pairings"} | changes


def questions(folder: Path, *fields: dict[str, object]) -> Path:
    path = folder / "questions.yaml"
    path.write_text(json.dumps({"questions": list(fields or (KETTLE,))}), encoding="utf-8")
    return path


def item(path: Path, place: int = 0) -> AccordItem:
    """As it is after the program was closed and opened again."""
    return open_collection(path).item(place)


def states(found: AccordItem) -> list[tuple[str, bool]]:
    return [(one.state, one.decided) for one in ACCORD.suggestions(found)]


# -- deciding ------------------------------------------------------------------------------------


def test_each_decision_is_saved_and_applied(tmp_path: Path) -> None:
    path = questions(tmp_path)
    assert states(item(path)) == [("reviewed", False)] * 2
    ACCORD.review(item(path), "0", Review.REJECT)
    assert states(item(path)) == [("rejected", True), ("reviewed", False)]
    assert [p.skill for p in item(path).question.pairings] == ["used_for"]
    ACCORD.review(item(path), "1", Review.CONFIRM)
    assert states(item(path)) == [("rejected", True), ("confirmed", True)]
    ACCORD.review(item(path), "0", Review.EDIT, f"causal(steam, target): {SURFACE}")
    assert [(p.skill, p.term, p.end) for p in item(path).question.pairings] == [
        ("causal", "steam", End.TARGET),
        ("used_for", "cooking", End.TARGET),
    ]
    assert states(item(path))[0] == ("edited", True)
    for number in ("0", "1"):
        ACCORD.review(item(path), number, Review.UNDO)
    assert states(item(path)) == [("reviewed", False)] * 2
    assert item(path).question.pairings == item(path).suggested.pairings


def test_an_open_collection_applies_new_decisions(tmp_path: Path) -> None:
    collection = open_collection(questions(tmp_path))
    before = collection.item(0)
    assert collection.item(0) is before
    ACCORD.review(before, "0", Review.REJECT)
    after = collection.item(0)
    assert after is not before
    assert [p.skill for p in after.question.pairings] == ["used_for"]
    assert pairing_switch(before.question) is not None
    assert pairing_switch(after.question) is None


def test_a_question_without_accepted_templates_is_only_asked_bare(
    tmp_path: Path,
) -> None:
    path = questions(tmp_path)
    for number in ("0", "1"):
        ACCORD.review(item(path), number, Review.REJECT)
    found = item(path)
    assert found.question.pairings == ()
    assert "rejected" in found.unpaired
    assert [switch.key for switch in switches(found)] == ["reply"]
    empty = Setting.of(switches(found), {})
    assert situation(found, empty).instance is None
    assert ACCORD.question(found, empty, BARE) is not None
    assert len(ACCORD.suggestions(found)) == 2
    assert any(
        "rejected" in getattr(block, "text", "") for block in ACCORD.view(found, empty).sections
    )


def test_a_suggestion_by_vote_is_unreviewed_until_it_is_confirmed(tmp_path: Path) -> None:
    path = questions(tmp_path, without())
    found = item(path)
    assert [p.reviewed for p in found.question.pairings] == [False]
    assert states(found) == [("unreviewed", False)]
    setting = Setting.of(switches(found), {})
    assert "unreviewed pairing" in [badge.text for badge in ACCORD.view(found, setting).badges]
    ACCORD.review(found, "0", Review.CONFIRM)
    found = item(path)
    assert [p.reviewed for p in found.question.pairings] == [True]
    assert "unreviewed pairing" not in [b.text for b in ACCORD.view(found, setting).badges]


def test_a_question_without_any_vote_says_why(tmp_path: Path) -> None:
    odd = without(id="odd", concept="no such thing at all")
    silent = without(id="silent")
    del silent["concept"]
    collection = open_collection(questions(tmp_path, odd, silent))
    for place, why in ((0, "no assertion"), (1, "no concept")):
        found = collection.item(place)
        assert why in found.unpaired
        assert ACCORD.suggestions(found) == ()
        setting = Setting.of(switches(found), {})
        notes = [getattr(block, "text", "") for block in ACCORD.view(found, setting).sections]
        assert any(why in note and "bare question" in note for note in notes)


def test_a_changed_question_has_to_be_reviewed_again(tmp_path: Path) -> None:
    path = questions(tmp_path)
    ACCORD.review(item(path), "0", Review.REJECT)
    questions(tmp_path, KETTLE | {"question": "In which room does the kettle whistle?"})
    assert states(item(path)) == [("reviewed", False)] * 2


def test_decisions_that_conflict_with_later_templates_are_ignored(
    tmp_path: Path,
) -> None:
    path = questions(tmp_path, KETTLE | {"pairings": [FIRST]})
    ACCORD.review(item(path), "0", Review.EDIT, f"used_for(cooking, target): {SURFACE}")
    questions(tmp_path)
    found = item(path)
    assert found.suggested is not None
    assert found.question.pairings == found.suggested.pairings
    assert states(found) == [("edited", True), ("reviewed", False)]
    setting = Setting.of(switches(found), {})
    notes = [getattr(block, "text", "") for block in ACCORD.view(found, setting).sections]
    assert any("are not used" in note and "paired twice" in note for note in notes)
    ACCORD.review(found, "1", Review.REJECT)
    found = item(path)
    assert [p.skill for p in found.question.pairings] == ["used_for"]
    assert not found.undecided


# -- editing -------------------------------------------------------------------------------------

words = st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x2FF), min_size=1)


@given(
    st.sampled_from(["spatial", "causal", "part_of", "type_of", "used_for", "requires"]),
    st.lists(words, min_size=1, max_size=4),
    st.sampled_from(End),
    st.tuples(words, words).filter(lambda both: both[0] != both[1]),
)
def test_a_written_template_parses_to_the_same(
    skill: str, term: list[str], end: End, both: tuple[str, str]
) -> None:
    surface = f"Suppose {{}} [[{both[0]}|{both[1]}]] near {{}}"
    template = PairingTemplate(skill, end, ", ".join(term), surface)
    other = PairingTemplate("spatial", End.TARGET, "x", SURFACE)
    assert read(written(template), other) == template


@pytest.mark.parametrize(
    "text",
    [
        "",
        "spatial",
        f"spatial(kettle): {SURFACE}",
        f"spatial(kettle, left): {SURFACE}",
        f"spatial(, source): {SURFACE}",
        f"spatial( , source): {SURFACE}",
        "spatial(kettle, source):",
        "spatial(kettle, source): {} is near {}",
        "spatial(kettle, source): {} [[is|is]] near {}",
        "spatial(kettle, source): {} [[is|is not]] near",
        "spatial(kettle, source): {} [[is|is not]] {} {}",
        f"spacial(kettle, source): {SURFACE}",
        f"spatial(Kitchen, source): {SURFACE}",
        f"used_for(cooking, target): {SURFACE}",
        f"spatial(ket\x1b[2Jtle, source): {SURFACE}",
        f"spatial(ket\u202etle, source): {SURFACE}",
    ],
)
def test_an_invalid_edit_is_refused_and_nothing_is_written(text: str, tmp_path: Path) -> None:
    path = questions(tmp_path)
    with pytest.raises(PairingError) as refused:
        ACCORD.review(item(path), "0", Review.EDIT, text)
    assert "\x1b" not in str(refused.value)
    assert "\u202e" not in str(refused.value)
    assert not decisions_file().exists()
    assert states(item(path)) == [("reviewed", False)] * 2


def test_markup_in_an_edit_is_text(tmp_path: Path) -> None:
    path = questions(tmp_path)
    ACCORD.review(item(path), "0", Review.EDIT, f"spatial([red]kettle[/], source): {SURFACE}")
    assert item(path).question.pairings[0].term == "[red]kettle[/]"


# -- the file ------------------------------------------------------------------------------------


def test_two_concurrent_programs_lose_no_decision(tmp_path: Path) -> None:
    path = questions(tmp_path)
    one, other = open_collection(path), open_collection(path)
    mine, theirs = one.item(0), other.item(0)
    ACCORD.review(mine, "0", Review.REJECT)
    ACCORD.review(theirs, "1", Review.CONFIRM)
    assert states(item(path)) == [("rejected", True), ("confirmed", True)]
    assert states(other.item(0)) == states(item(path))


def test_a_failed_save_changes_nothing(tmp_path: Path) -> None:
    folder = decisions_file().parent
    folder.parent.mkdir(parents=True)
    folder.symlink_to(tmp_path / "nowhere" / "at all")
    collection = open_collection(questions(tmp_path))
    with pytest.raises(DataError, match="cannot be saved"):
        ACCORD.review(collection.item(0), "0", Review.REJECT)
    assert states(collection.item(0)) == [("reviewed", False)] * 2


@pytest.mark.parametrize("raw", [b"{\n", b"\xff\n", b"null\n", b"[" * 10**5])
def test_a_damaged_file_is_reported_with_its_line_and_never_overwritten(
    raw: bytes, tmp_path: Path
) -> None:
    path = questions(tmp_path)
    ACCORD.review(item(path), "0", Review.REJECT)
    file = decisions_file()
    whole = file.read_bytes()
    opened = open_collection(path)
    found = opened.item(0)
    file.write_bytes(whole + raw)
    with pytest.raises(DataError) as told:
        item(path)
    assert told.value.where.endswith(f"{file.name}:2")
    with pytest.raises(DataError):
        ACCORD.review(found, "1", Review.REJECT)
    assert file.read_bytes() == whole + raw


_DECIDING = """
import sys
from pathlib import Path
from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.collection import open_collection
from core.contract.review import Review
accord, collection = Accord(), open_collection(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    for place in range(len(collection)):
        for review in (Review.REJECT, Review.CONFIRM, Review.UNDO):
            accord.review(collection.item(place), "0", review)
"""


def test_a_kill_while_saving_leaves_a_complete_file(tmp_path: Path) -> None:
    many = [KETTLE | {"id": f"kettle {number}"} for number in range(40)]
    path = questions(tmp_path, *many)
    collection = open_collection(path)
    for place in range(20, 40):
        ACCORD.review(collection.item(place), "1", Review.REJECT)
    rng = random.Random(3)
    for _ in range(3):
        command = [sys.executable, "-c", _DECIDING, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(rng.uniform(0.05, 0.15))
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        assert 20 <= len(Decisions.read(decisions_file())) <= 40
    collection = open_collection(path)
    assert isinstance(collection, QuestionCollection)
    for place in range(20, 40):
        assert states(collection.item(place))[1] == ("rejected", True)
