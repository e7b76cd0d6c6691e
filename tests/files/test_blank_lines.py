"""Files of nothing but line breaks are given up, whoever reads them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from core.annotation.append_file import lines_from
from core.benchmarks.accord.knowledge.source_files import find_source
from core.files.row_file import shape
from core.files.rows import MOST_BLANK_LINES, lines
from core.text.errors import DataError

BLANK = b"\n" * (MOST_BLANK_LINES + 2)


def rows(path: Path) -> object:
    with path.open("rb") as handle:
        return list(lines(handle, str(path)))


def beginning(path: Path) -> object:
    with path.open("rb") as handle:
        return shape(handle, str(path))


def votes(path: Path) -> object:
    return list(lines_from(path, 0, 1))


@pytest.mark.parametrize("read", [rows, beginning, votes, find_source])
def test_a_file_that_is_blank_for_long_is_refused(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "rows.txt"
    path.write_bytes(BLANK + BLANK)
    with pytest.raises(DataError, match="more than 1,000,000 blank lines") as caught:
        read(path)
    assert caught.value.where.startswith(f"{path}:")


def test_as_many_blank_lines_as_that_are_read() -> None:
    text = b"\n" * MOST_BLANK_LINES + b"{}\n" + b"\n" * MOST_BLANK_LINES + b"{}\n"
    assert [row.line for row in lines(io.BytesIO(text), "x")] == [
        MOST_BLANK_LINES + 1,
        2 * MOST_BLANK_LINES + 2,
    ]
