"""Reads a vector to add to a block's output, from a JSON list or a NumPy file."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import msgspec

from core.files.regular_file import read_regular
from core.text.errors import DataError, NotFoundError

MOST_NUMBERS = 65_536
"""Most numbers of a vector: more than any model is wide."""
MOST_BYTES = 4 * 2**20
_NUMPY = b"\x93NUMPY"
_HEADER = re.compile(
    rb"\{'descr': '(?P<kind>[<>|](?:[iu][1248]|f[248]))', 'fortran_order': (?:True|False), "
    rb"'shape': \((?P<count>\d{1,9}),\), \}\s*"
)
_FORM = "Write a JSON list of numbers, or save the vector with numpy.save."


def read_vector(path: Path) -> tuple[float, ...]:
    """The numbers in a file: a JSON list, or a NumPy array of one dimension.

    The model checks their count, and that they are finite in 32 bits. Raises `NotFoundError`,
    `DataError`.
    """
    try:
        raw = read_regular(path, MOST_BYTES, DataError, name="The vector", hint=_FORM)
    except FileNotFoundError:
        raise NotFoundError("There is no such file.", where=path, hint=_FORM) from None
    read = _array if raw.startswith(_NUMPY) else msgspec.json.Decoder(list[float]).decode
    try:
        numbers = read(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError, struct.error) as error:
        raise DataError(f"This is no vector: {error}.", where=path, hint=_FORM) from None
    if len(numbers) > MOST_NUMBERS:
        raise DataError(f"These are more than {MOST_NUMBERS:,} numbers.", where=path, hint=_FORM)
    return tuple(map(float, numbers))


def _array(raw: bytes) -> list[float]:
    """Read an array as `numpy.save` writes it; raises `ValueError`.

    The header is Python code, so only the exact form that NumPy writes is accepted.
    """
    # Imported here because start-up should not wait for it.
    import numpy as np

    lengths = {1: "<H", 2: "<I"}
    version = raw[len(_NUMPY)] if len(raw) > len(_NUMPY) else 0
    if version not in lengths:
        raise ValueError(f"version {version} of NumPy's format")
    begin = len(_NUMPY) + 2 + struct.calcsize(lengths[version])
    (length,) = struct.unpack(lengths[version], raw[len(_NUMPY) + 2 : begin])
    header = _HEADER.fullmatch(raw, begin, begin + length)
    if header is None:
        raise ValueError("not an array of numbers with one dimension")
    kind, count = np.dtype(header["kind"].decode()), int(header["count"])
    numbers = raw[begin + length :]
    if len(numbers) != count * kind.itemsize:
        raise ValueError(f"{len(numbers)} bytes for {count} numbers")
    values: list[float] = np.frombuffer(numbers, kind).astype(np.float64).tolist()
    return values
