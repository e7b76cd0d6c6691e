"""Reads a vector that is to be added between a model's blocks: a JSON list or a NumPy file."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import msgspec

from core.files.regular_file import read_regular
from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters

MOST_NUMBERS = 65_536
"""Numbers of a vector: more than any model is wide."""
MOST_BYTES = 4 * 2**20
_NUMPY = b"\x93NUMPY"
_HEADER = re.compile(
    rb"\{'descr': '(?P<kind>[<>|](?:[iu][1248]|f[248]))', 'fortran_order': (?:True|False), "
    rb"'shape': \((?P<count>\d{1,9}),\), \}\s*"
)
_FORM = "Write a JSON list of numbers, or save the vector with numpy.save."


def read_vector(path: Path) -> tuple[float, ...]:
    """The numbers of a file: a JSON list, or an array of one dimension that NumPy wrote.

    Whether they are as many as what they are added to is wide, and finite in 32 bits, is for the
    model to say. Raises `NotFoundError`, `DataError`.
    """
    where = escape_control_characters(str(path))
    try:
        raw = read_regular(path, MOST_BYTES, DataError, name="The vector", hint=_FORM)
    except FileNotFoundError:
        raise NotFoundError("There is no such file.", where=where, hint=_FORM) from None
    read = _array if raw.startswith(_NUMPY) else msgspec.json.Decoder(list[float]).decode
    try:
        numbers = read(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError, struct.error) as error:
        raise DataError(f"This is no vector: {error}.", where=where, hint=_FORM) from None
    if len(numbers) > MOST_NUMBERS:
        raise DataError(f"These are more than {MOST_NUMBERS:,} numbers.", where=where, hint=_FORM)
    return tuple(map(float, numbers))


def _array(raw: bytes) -> list[float]:
    """An array as `numpy.save` writes it; raises `ValueError`.

    Its header is Python, so only the one form that NumPy itself writes is taken.
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
