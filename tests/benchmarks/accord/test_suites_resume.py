"""Suites that are killed at any moment and gone on with: the same bytes as without a kill."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.suites.files import BARE, ITEMS, MANIFEST, REFUSED, read_manifest
from core.benchmarks.accord.suites.generator import Progress, generate
from core.text.errors import DataError
from tests.benchmarks.accord.suites import bundled_questions, generator, lines_of, written
from tests.cli.support import in_process_of_its_own, ok, run, spawn

WORDS = ("accord", "generate", "--sizes", "1-4", "--seed", "3", "--limit", "12", "--out")
QUICK = (1, 2)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The suite as it is where nothing is killed."""
    folder = tmp_path_factory.mktemp("whole") / "suite"
    ok(*WORDS, folder)
    made = files(folder)
    assert sorted(made) == [ITEMS, MANIFEST]
    assert made[ITEMS].count(b"\n") == read_manifest(folder).total
    return made


def killed(folder: Path, *more: str, at: int) -> bool:
    """Generate in a process that is killed once its items have so many bytes.

    Returns whether it was: on a busy machine it may be done before.
    """
    items = folder / ITEMS
    with spawn(*WORDS, folder, *more) as process:
        while process.poll() is None and not (items.exists() and items.stat().st_size >= at):
            time.sleep(0.001)
        process.kill()
        return process.wait() == -signal.SIGKILL


# -- real processes ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_suite_killed_many_times_ends_with_the_same_bytes(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    folder, size = tmp_path / "suite", len(whole[ITEMS])
    rng = random.Random(11)
    moments = sorted(rng.randrange(1, int(size * 0.6)) for _ in range(2))
    kills = killed(folder, at=moments[0])
    for moment in moments[1:]:
        before = (folder / ITEMS).read_bytes()
        assert whole[ITEMS].startswith(before)
        # What was written stays, and a line that was half written is cut off.
        (folder / ITEMS).write_bytes(before[: len(before) - rng.randrange(1, 200)])
        kills += killed(folder, "--resume", at=max(moment, len(before)))
    assert kills >= 1
    assert whole[ITEMS].startswith((folder / ITEMS).read_bytes())
    ended = in_process_of_its_own(*WORDS, folder, "--resume")
    assert (ended.code, ended.out) == (0, f"{folder}\n"), ended.err
    assert files(folder) == whole


def test_a_suite_killed_before_its_first_item_resumes(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / MANIFEST).write_bytes(whole[MANIFEST])
    ok(*WORDS, folder, "--resume")
    assert files(folder) == whole


def test_a_suite_is_not_overwritten(tmp_path: Path, whole: dict[str, bytes]) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, raw in whole.items():
        (folder / name).write_bytes(raw[:-7])
    before = files(folder)
    for more in ((), ("--json",)):
        ran = run(*WORDS, folder, *more)
        assert ran.code == 2
        assert "There is a suite in this folder already." in ran.err
        assert "--resume" in ran.err
        assert not ran.out
        assert files(folder) == before


def test_resuming_a_finished_suite_changes_nothing(tmp_path: Path, whole: dict[str, bytes]) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, raw in whole.items():
        (folder / name).write_bytes(raw)
    found = ok(*WORDS, folder, "--resume", "--json").json
    lines = whole[ITEMS].splitlines()
    refused, bare = (sum(line.startswith(kind) for line in lines) for kind in (REFUSED, BARE))
    made = len(lines) - refused - bare
    assert found == {"suite": str(folder), "items": made, "bare": bare, "refused": refused}
    assert files(folder) == whole


@pytest.mark.parametrize(
    "other",
    [
        ("--seed", "4"),
        ("--sizes", "1-5"),
        ("--limit", "11"),
        ("--per-cell", "2"),
        ("--rule", "cover"),
        ("--relevance", "distance"),
    ],
)
def test_a_suite_with_other_inputs_is_not_resumed(
    other: tuple[str, str], tmp_path: Path, whole: dict[str, bytes]
) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, raw in whole.items():
        (folder / name).write_bytes(raw[: len(raw) // 2] if name == ITEMS else raw)
    before = files(folder)
    ran = run(*WORDS, folder, "--resume", *other)
    assert ran.code == 2
    assert "made of something else" in ran.err
    assert files(folder) == before


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    ran = run(*WORDS, tmp_path / "file" / "suite")
    assert ran.code == 2
    assert "cannot be written" in ran.err
    assert (tmp_path / "file").read_text() == "mine"


# -- every byte ----------------------------------------------------------------------------------


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.floats(0, 1), st.booleans())
def test_a_suite_truncated_at_any_byte_ends_with_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, share: float, resumed_twice: bool
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    made = generator(QUICK, questions=bundled_questions(1))
    items = written(made, folder)
    raw = items.read_bytes()
    items.write_bytes(raw[: int(share * len(raw))])
    if resumed_twice:
        steps = generate(made, folder, resume=True)
        for _ in zip(range(3), steps, strict=False):
            pass
        steps.close()
        assert raw.startswith(items.read_bytes())
    written(made, folder, resume=True)
    assert items.read_bytes() == raw == b"".join(line + b"\n" for line in lines_of(made))


def test_progress_includes_earlier_lines(tmp_path: Path) -> None:
    made = generator(QUICK, per_cell=2, questions=bundled_questions(2))
    every = list(generate(made, tmp_path))
    total = made.manifest.total
    assert [one.done for one in every] == list(range(total + 1))
    assert {one.total for one in every} == {total}
    refused = [one.refused for one in every]
    assert refused == sorted(refused)
    assert refused[-1] > 0
    items = tmp_path / ITEMS
    kept = items.read_bytes().splitlines(keepends=True)[:-3]
    items.write_bytes(b"".join(kept))
    again = list(generate(made, tmp_path, resume=True))
    assert again == every[-4:]
    assert again[-1] == Progress(total, total, refused[-1])


def test_an_items_file_without_a_manifest_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / ITEMS).write_text("mine\n")
    for resume in (False, True):
        with pytest.raises(DataError, match="no suite"):
            written(generator(QUICK), tmp_path, resume=resume)
    assert files(tmp_path) == {ITEMS: b"mine\n"}


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\x00", b"[" * 10**5])
def test_a_damaged_manifest_is_reported_and_not_touched(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(raw)
    with pytest.raises(DataError, match="manifest is damaged"):
        written(generator(QUICK), tmp_path, resume=True)
    assert files(tmp_path) == {MANIFEST: raw}


def test_another_format_is_reported(tmp_path: Path) -> None:
    made = generator(QUICK, questions=bundled_questions(1))
    written(made, tmp_path)
    manifest = tmp_path / MANIFEST
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(DataError, match="format 2"):
        written(made, tmp_path, resume=True)


def test_a_pipe_as_manifest_is_refused(tmp_path: Path) -> None:
    """Opening a pipe that nobody writes to would never return."""
    os.mkfifo(tmp_path / MANIFEST)
    with pytest.raises(DataError):
        written(generator(QUICK), tmp_path, resume=True)


def test_two_programs_cannot_write_the_same_suite(tmp_path: Path) -> None:
    first = generate(generator(), tmp_path / "suite")
    next(first)
    with pytest.raises(DataError, match="Another program"):
        next(generate(generator(), tmp_path / "suite", resume=True))
    for _ in first:
        pass
    assert list(generate(generator(), tmp_path / "suite", resume=True))


@pytest.mark.parametrize("text", ["", "A text without a line break"])
def test_a_suite_is_written_through_no_link(
    tmp_path: Path, whole: dict[str, bytes], text: str
) -> None:
    precious, folder = tmp_path / "precious.txt", tmp_path / "suite"
    precious.write_text(text)
    folder.mkdir()
    (folder / MANIFEST).write_bytes(whole[MANIFEST])
    (folder / ITEMS).symlink_to(precious)
    ran = run(*WORDS, folder, "--resume")
    assert ran.code == 2
    assert "not a regular file" in ran.err
    assert str(folder / ITEMS) in ran.err
    assert precious.read_text() == text
