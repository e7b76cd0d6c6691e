"""Sweeps: a suite that is generated when it is opened."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.suites.collection import SuiteCollection
from core.benchmarks.accord.suites.sweep import MOST_ITEMS, MOST_SIZE, open_sweep, sizes_of
from core.files.shipped import samples
from core.text.errors import DataError, SettingError
from core.text.escaping import escape_control_characters
from tests.benchmarks.accord.suites import bundled_questions, generator, lines_of

SAMPLES = samples() / "accord"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The bundled questions with their knowledge base, to lay a sweep beside."""
    (tmp_path / "questions.yaml").symlink_to(SAMPLES / "questions.yaml")
    (tmp_path / "knowledge").symlink_to(SAMPLES / "knowledge")
    return tmp_path


def sweep(folder: Path, text: str, name: str = "sweep.yaml") -> SuiteCollection:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return open_sweep(path)


def test_a_sweep_is_the_suite_that_the_command_generates(folder: Path) -> None:
    found = sweep(folder, "sizes: 1-2\nseed: 5\nper_cell: 2\n")
    lines = lines_of(generator((1, 2), 2, 5, questions=bundled_questions()))
    kept = [line for line in lines if not line.startswith(b'{"refused"')]
    assert len(found) == len(kept)
    assert found.content_hash == sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    assert bool(found.repairs) == (len(lines) > len(kept))


def test_a_sweep_opened_again_has_the_same_items(folder: Path) -> None:
    first, again = (sweep(folder, "sizes: 2\nseed: 3\n") for _ in range(2))
    assert first.content_hash == again.content_hash
    assert [first.entry(i) for i in range(len(first))] == [
        again.entry(i) for i in range(len(again))
    ]
    assert sweep(folder, "sizes: 2\nseed: 4\n").content_hash != first.content_hash
    assert sweep(folder, "sizes: 2\nseed: 3\nrule: cover\n").content_hash != first.content_hash


@pytest.mark.slow
def test_the_bundled_sweep_fills_its_grid_evenly() -> None:
    accord = Accord()
    assert tuple(accord.more_samples()) == (SAMPLES / "sweep.yaml",)
    found = accord.open(SAMPLES / "sweep.yaml")
    cells: Counter[tuple[int, int, bool]] = Counter()
    bare = 0
    for place in range(len(found)):
        item = found.item(place)
        if item.fixed is None:
            bare += 1
        else:
            structure = item.fixed.structure
            cells[structure.hops, structure.distractors, item.fixed.default] += 1
    assert bare == len(bundled_questions())
    for (hops, distractors, _), count in cells.items():
        assert cells[hops, distractors, True] == cells[hops, distractors, False] == count
    assert {hops + distractors for hops, distractors, _ in cells} == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "empty"),
        ("sizes: 0\n", 1, "no range"),
        ("seed: 2\nsizes: 3-1\n", 2, "no range"),
        ("sizes: [red]\u202e\n", 1, ""),
        ("size: 3\n", 1, "size"),
        ("seed: 1\n", 1, "sizes"),
        ("sizes: 2\nseed: -1\n", 2, "whole number"),
        ("sizes: 2\nseed: 1.5\n", 2, "whole number"),
        ("sizes: 2\nper_cell: 0\n", 2, "whole number"),
        ("sizes: 2\nper_cell: many\n", 2, ""),
        ("sizes: 2\nrule: gorw\n", 2, "grow"),
        ("sizes: 2\nsizes: 3\n", 2, ""),
        ("- sizes\n", 1, ""),
        ("sizes: &a 2\nseed: *b\n", 2, ""),
        ("sizes: [", 1, ""),
        ("sizes: \x00", 1, "control character"),
    ],
)
def test_a_faulty_sweep_is_reported_with_its_line(
    text: str, line: int | None, said: str, folder: Path
) -> None:
    with pytest.raises(DataError) as told:
        sweep(folder, text)
    error = told.value
    assert error.title == DataError("").title
    if line is not None:
        assert error.where.endswith(f"sweep.yaml:{line}")
    assert said in str(error) + error.hint
    assert "\u202e" not in str(error)


def test_a_large_sweep_is_refused_with_the_command_to_generate_it(folder: Path) -> None:
    with pytest.raises(DataError, match=f"{MOST_ITEMS:,} are the most") as told:
        sweep(folder, "sizes: 1-16\nper_cell: 100\n")
    assert "accord generate" in told.value.hint


def test_a_sweep_without_questions_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No questions"):
        sweep(tmp_path, "sizes: 1\n")


@given(st.integers(-3, 30), st.integers(-3, 30))
def test_ranges_of_sizes_are_parsed(first: int, last: int) -> None:
    if 1 <= first <= last <= MOST_SIZE:
        assert sizes_of(f" {first}-{last} ") == tuple(range(first, last + 1))
        assert sizes_of(str(first)) == (first,)
    else:
        with pytest.raises(SettingError):
            sizes_of(f"{first}-{last}")


@given(st.text(max_size=8))
def test_any_other_text_is_refused_with_a_printable_message(text: str) -> None:
    assume(not text.strip().replace("-", "").isdecimal())
    with pytest.raises(SettingError) as told:
        sizes_of(text)
    assert escape_control_characters(told.value.what) == told.value.what
