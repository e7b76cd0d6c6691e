"""Files of votes: nothing that was voted is lost, and files merge."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.annotation.people import Disqualified, checked_name, file_stem, key_of
from core.annotation.votes import Round, VoteFile, VoteFolder
from core.text.errors import DataError, SettingError

ROOT = Path(__file__).parents[2]
WORKER = """
import sys
import time
from pathlib import Path
from core.annotation.votes import Round, VoteFile
file = VoteFile(Path(sys.argv[1]), sys.argv[2])
for number in range(int(sys.argv[3])):
    file.vote(f"t{number}", Round.FIRST, "odd")
    print(number, flush=True)
"""


def give(folder: Path, name: str, *votes: tuple[str, str], at: Round = Round.FIRST) -> None:
    file = VoteFile(folder, name)
    for task, choice in votes:
        file.vote(task, at, choice)
    file.close()


def chosen(folder: Path, task: str, at: Round = Round.FIRST) -> dict[str, str]:
    return {key: ballot.choice for key, ballot in VoteFolder(folder).on(task, at).items()}


def test_the_latest_vote_of_each_round_counts(tmp_path: Path) -> None:
    give(tmp_path, "Anna", ("t1", "odd"), ("t1", "even"))
    give(tmp_path, "Ben", ("t1", "odd"))
    give(tmp_path, "anna ", ("t1", "none"), at=Round.AGAIN)
    assert chosen(tmp_path, "t1") == {"anna": "even", "ben": "odd"}
    assert chosen(tmp_path, "t1", Round.AGAIN) == {"anna": "none"}
    assert len(list(tmp_path.iterdir())) == 2
    assert VoteFolder(tmp_path).names == {"anna": "Anna", "ben": "Ben"}


def test_no_vote_that_was_acknowledged_is_lost_to_a_kill(tmp_path: Path) -> None:
    for _ in range(3):
        before = len(VoteFolder(tmp_path).tasks)
        with subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path), "Anna", "100000"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            wanted = before + 20
            said = -1
            while said < wanted:
                said = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
            said = max([said, *(int(line) for line in process.stdout if line.endswith("\n"))])
        kept = VoteFolder(tmp_path).tasks
        assert {f"t{number}" for number in range(said + 1)} <= kept
    give(tmp_path, "Anna", ("after", "odd"))
    assert "after" in VoteFolder(tmp_path).tasks


def test_votes_of_several_programs_are_read_while_they_are_written(tmp_path: Path) -> None:
    names = ("Anna", "Ben", "Cleo")
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path), name, "150"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        for name in names
    ]
    votes = VoteFolder(tmp_path)
    while any(program.poll() is None for program in programs):
        votes.refresh()
        time.sleep(0.01)
    votes.refresh()
    assert [program.returncode for program in programs] == [0, 0, 0]
    assert [len(votes.of(name)) for name in names] == [150, 150, 150]


@given(st.integers(1, 400))
def test_an_incomplete_last_line_is_ignored_and_removed(
    tmp_path_factory: pytest.TempPathFactory, cut: int
):
    folder = tmp_path_factory.mktemp("votes")
    give(folder, "Anna", ("t1", "odd"), ("t2", "odd"), ("t3", "odd"))
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    kept = whole[: max(0, len(whole) - cut)]
    file.write_bytes(kept)
    # A line that lacks nothing but its end is a whole vote.
    finished = kept.count(b"\n") + kept.endswith(b"}")
    assert len(VoteFolder(folder).tasks) == finished
    give(folder, "Anna", ("t9", "even"))
    assert VoteFolder(folder).tasks == {f"t{n + 1}" for n in range(finished)} | {"t9"}


@pytest.mark.parametrize("leads_somewhere", [True, False])
def test_what_a_link_leads_to_is_neither_cut_nor_written(
    tmp_path: Path, leads_somewhere: bool
) -> None:
    other = tmp_path / "letter.txt"
    if leads_somewhere:
        other.write_text("without a line break")
    for name in (f"{file_stem('Anna')}.jsonl", "disqualified.jsonl"):
        (tmp_path / name).symlink_to(other)
    with pytest.raises(DataError, match="not a regular file"):
        VoteFile(tmp_path, "Anna")
    with pytest.raises(DataError, match="not a regular file"):
        Disqualified(tmp_path / "disqualified.jsonl").decide("Anna", counts=False)
    assert other.exists() is leads_somewhere
    assert not leads_somewhere or other.read_text() == "without a line break"


@pytest.mark.parametrize("replaced", [True, False])
def test_a_vote_in_a_file_that_has_gone_is_not_said_to_be_kept(
    tmp_path: Path, replaced: bool
) -> None:
    file = VoteFile(tmp_path, "Anna")
    (path,) = tmp_path.iterdir()
    path.unlink()
    if replaced:
        path.touch()
    with pytest.raises(DataError, match="removed or replaced"):
        file.vote("t1", Round.FIRST, "odd")
    file.close()


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    votes = VoteFolder(tmp_path)
    (tmp_path / "aa.jsonl").write_text("not JSON\n")
    give(tmp_path, "Ben", ("t1", "odd"))
    with pytest.raises(DataError, match=r"aa\.jsonl:1"):
        votes.refresh()
    assert votes.tasks == {"t1"}


def test_a_malformed_vote_is_reported_with_its_line(tmp_path: Path) -> None:
    give(tmp_path, "Anna", ("t1", "odd"))
    (file,) = tmp_path.iterdir()
    with file.open("ab") as handle:
        handle.write(b'{"annotator": "Anna", "round": 7}\n')
    with pytest.raises(DataError) as caught:
        VoteFolder(tmp_path)
    assert caught.value.where == f"{file}:2"


def test_a_vote_of_a_name_that_nobody_can_have_is_reported(tmp_path: Path) -> None:
    give(tmp_path, "Anna", ("t1", "odd"))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b'"Anna"', b'"Anna\\u0000"'))
    with pytest.raises(DataError, match="a name that nobody can have"):
        VoteFolder(tmp_path)


def test_a_name_is_shown_on_one_line(tmp_path: Path) -> None:
    give(tmp_path, "Anna", ("t1", "odd"))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b'"Anna"', b'"Anna\\r\\n Bruni"'))
    assert list(VoteFolder(tmp_path).names.values()) == ["Anna Bruni"]


def test_files_merge_in_any_order_however_often(tmp_path: Path) -> None:
    for name in ("Anna", "Ben", "Cleo"):
        give(tmp_path / name, name, ("t1", "odd"), ("t2", "even"), ("t1", "even"))
    files = [next((tmp_path / name).iterdir()) for name in ("Anna", "Ben", "Cleo")]
    found = []
    for attempt in range(3):
        random.Random(attempt).shuffle(files)
        merged = tmp_path / f"merged{attempt}"
        merged.mkdir()
        (merged / "all.jsonl").write_bytes(b"".join(file.read_bytes() for file in files))
        for number, file in enumerate(files):
            shutil.copy(file, merged / f"{number}.jsonl")
        votes = VoteFolder(merged)
        found.append({task: dict(votes.on(task, Round.FIRST)) for task in ("t1", "t2")})
    assert found[0] == found[1] == found[2]
    assert {ballot.choice for ballot in found[0]["t1"].values()} == {"even"}


def test_votes_of_others_are_seen_as_they_come_and_go(tmp_path: Path) -> None:
    votes = VoteFolder(tmp_path)
    assert not votes.refresh()
    give(tmp_path, "Ben", ("t1", "odd"))
    assert votes.refresh()
    assert not votes.refresh()
    give(tmp_path, "Ben", ("t2", "odd"))
    assert votes.refresh()
    assert votes.tasks == {"t1", "t2"}
    next(tmp_path.iterdir()).unlink()
    votes.refresh()
    assert not votes.tasks


def test_two_windows_of_one_person_are_refused(tmp_path: Path) -> None:
    file = VoteFile(tmp_path, "Anna")
    with pytest.raises(DataError, match="another window"):
        VoteFile(tmp_path, "ANNA")
    VoteFile(tmp_path, "Ben").close()
    file.close()
    VoteFile(tmp_path, "Anna").close()


def test_a_full_disk_is_reported_and_leaves_no_partial_line(tmp_path: Path) -> None:
    program = """
import resource, signal, sys
from pathlib import Path
from core.annotation.votes import Round, VoteFile
from core.text.errors import DataError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = VoteFile(Path(sys.argv[1]), "Anna")
file.vote("t0", Round.FIRST, "odd")
resource.setrlimit(resource.RLIMIT_FSIZE, (150, resource.RLIM_INFINITY))
try:
    file.vote("t1", Round.FIRST, "odd")
except DataError as error:
    print(error)
"""
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert "cannot be written" in told.stdout
    (file,) = tmp_path.iterdir()
    assert file.read_bytes().count(b"\n") == 1
    assert file.read_bytes().endswith(b"\n")


@given(st.text(min_size=1, max_size=60))
def test_any_annotator_name_is_a_safe_file_name_or_refused(name: str) -> None:
    try:
        kept = checked_name(name)
    except SettingError:
        return
    assert file_stem(kept).replace("-", "a").isalnum()
    assert file_stem(kept).isascii()
    assert file_stem(kept) == file_stem(f" {kept.upper().lower()} ") or key_of(kept) != key_of(
        kept.upper().lower()
    )


def test_decisions_about_annotators_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "disqualified.jsonl"
    decided = Disqualified(path)
    decided.decide("Anna", counts=False)
    decided.decide("Ben", counts=False)
    decided.decide("ben", counts=True)
    again = Disqualified(path)
    assert "anna" in again
    assert "Ben" not in again
    path.write_text('{"annotator": "Anna"}\n', encoding="ascii")
    with pytest.raises(DataError) as caught:
        Disqualified(path)
    assert caught.value.where == f"{path}:1"
