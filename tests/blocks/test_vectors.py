"""Vectors from files: what NumPy and JSON wrote, and nothing that is none."""

from __future__ import annotations

import io
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.vectors import MOST_NUMBERS, read_vector
from core.text.errors import CommonsenseError, DataError, NotFoundError


def saved(array: Any, **more: Any) -> bytes:
    handle = io.BytesIO()
    np.save(handle, array, **more)
    return handle.getvalue()


def read(folder: Path, data: bytes) -> tuple[float, ...]:
    path = folder / "v"
    path.write_bytes(data)
    return read_vector(path)


@pytest.mark.parametrize("kind", ["<f4", ">f8", "<f2", "<i4", "u1"])
def test_what_numpy_wrote(tmp_path: Path, kind: str) -> None:
    assert read(tmp_path, saved(np.array([1, 0, 7], kind))) == (1.0, 0.0, 7.0)


def test_a_json_list(tmp_path: Path) -> None:
    assert read(tmp_path, b" [1, -2.5, 1e3]\n") == (1.0, -2.5, 1000.0)
    assert read(tmp_path, b"[]") == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[1, true]",
        b'["1"]',
        b"[1, NaN]",
        b'{"a": 1}',
        b"[[1]]",
        b"[" * 100_000,
        b"[1" + b"0" * 400 + b"]",
        saved(np.ones((2, 2))),
        saved(np.array(["x"])),
        saved(np.array([1 + 2j])),
        saved(np.array([{}], object), allow_pickle=True),
        saved(np.ones(9))[:-3],
        saved(np.ones(9)) + b"x",
        saved(np.ones(9))[:9],
        saved(np.ones(3)).replace(b"(3,)", b"(9" + b"9" * 30 + b",)"),
        b"\x93NUMPY\x09\x00",
        b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16,
    ],
)
def test_what_is_no_vector(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(DataError) as raised:
        read(tmp_path, data)
    assert raised.value.hint


def test_limits(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="more than"):
        read(tmp_path, saved(np.zeros(MOST_NUMBERS + 1, "<f4")))
    with pytest.raises(DataError, match="larger than"):
        read(tmp_path, b" " * 5_000_000)
    with pytest.raises(NotFoundError):
        read_vector(tmp_path / "none")
    with pytest.raises(DataError, match="folder"):
        read_vector(tmp_path)
    with pytest.raises(DataError, match="regular"):
        read_vector(Path("/dev/zero"))


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_read_or_refused(data: bytes, numpy: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(CommonsenseError):
        read(Path(folder), (b"\x93NUMPY\x01\x00" if numpy else b"") + data)
