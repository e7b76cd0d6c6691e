"""Appending whole lines to a file, also where the disk takes only a part of one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.suites.files import ITEMS
from core.files.line_file import append_line, cut_incomplete_line, incomplete_line
from core.text.errors import DataError
from tests.benchmarks.accord.suites import bundled_questions, generator, written
from tests.files.room import room_for


@given(st.binary(max_size=200_000))
def test_what_stands_behind_the_last_line_break_is_cut_off(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("lines") / "lines"
    for content in (raw, raw + b"\n" + b"x" * 150_000):
        path.write_bytes(content)
        with path.open("r+b") as handle:
            assert incomplete_line(handle.fileno()) == content[content.rfind(b"\n") + 1 :]
            cut_incomplete_line(handle.fileno())
        assert path.read_bytes() == content[: content.rfind(b"\n") + 1]


def test_a_line_for_which_there_is_no_room_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = os.open(tmp_path / "lines", os.O_RDWR | os.O_CREAT)
    append_line(file, b"first")
    with room_for(10), pytest.raises(OSError, match="too large"):
        append_line(file, b"second")
    append_line(file, b"third", sync=True)
    os.close(file)
    assert (tmp_path / "lines").read_bytes() == b"first\nthird\n"


def test_a_suite_whose_last_line_does_not_fit_is_not_called_finished(tmp_path: Path) -> None:
    made = generator((1, 2), questions=bundled_questions(1))
    whole = written(made, tmp_path / "whole").read_bytes()
    with room_for(len(whole) - 5), pytest.raises(DataError, match="cannot be written"):
        written(made, tmp_path / "short")
    items = tmp_path / "short" / ITEMS
    assert items.read_bytes() == whole[: whole.rfind(b"\n", 0, -1) + 1]
    written(made, tmp_path / "short", resume=True)
    assert items.read_bytes() == whole
