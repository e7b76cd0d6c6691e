"""Writes one tensor row by row as a safetensors file, and maps it back.

The format is a length of 8 bytes, a JSON header of that length and the numbers. The header is
written with room for the count of rows, so that memory stays flat and no byte is moved at the end.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from core.system.typed_values import ready
from core.text.errors import DataError

TENSOR = "states"
"""The name of the tensor."""
MOST_HEADER = 1_000_000
"""Most bytes of a header that is read."""
_LENGTH = struct.Struct("<Q")
_SIZES = {"F16": 2, "F32": 4}
_MOST_ROWS = 10**12


@dataclass(frozen=True, slots=True)
class TensorHeader:
    """What a file holds."""

    kind: str
    """"F16" or "F32"."""
    shape: tuple[int, ...]
    """Of the whole tensor, its rows first."""
    metadata: Mapping[str, str]
    start: int = 0
    """Where the numbers begin, in bytes from the beginning of the file."""

    @property
    def row_bytes(self) -> int:
        """Length of a row."""
        return _SIZES[self.kind] * math.prod(self.shape[1:])


def rows_begun(path: Path, kind: str, row_shape: Sequence[int], metadata: Mapping[str, str]) -> int:
    """How many whole rows are in a file that a `TensorWriter` with the same header has begun."""
    header = TensorHeader(kind, (_MOST_ROWS, *row_shape), metadata)
    numbers = path.stat().st_size - _LENGTH.size - len(_packed(header, 0))
    return max(0, numbers // header.row_bytes)


class TensorWriter:
    """Appends rows to an open file, whose first `rows` rows it keeps."""

    def __init__(
        self,
        handle: BinaryIO,
        kind: str,
        row_shape: Sequence[int],
        metadata: Mapping[str, str],
        rows: int = 0,
    ) -> None:
        self._handle = handle
        self._header = TensorHeader(kind, (_MOST_ROWS, *row_shape), metadata)
        self._room = len(_packed(self._header, 0))
        self.rows = rows
        """How many rows there are."""
        handle.seek(self._end)
        handle.truncate()

    def append(self, numbers: bytes) -> None:
        """Append whole rows."""
        count, rest = divmod(len(numbers), self._header.row_bytes)
        if rest:
            raise ValueError("not whole rows")
        self._handle.write(numbers)
        self.rows += count

    def finish(self) -> None:
        """Write the header."""
        header = TensorHeader(
            self._header.kind, (self.rows, *self._header.shape[1:]), self._header.metadata
        )
        self._handle.seek(0)
        self._handle.write(_LENGTH.pack(self._room) + _packed(header, self._room))

    @property
    def _end(self) -> int:
        return _LENGTH.size + self._room + self.rows * self._header.row_bytes


def _packed(header: TensorHeader, room: int) -> bytes:
    """The header as JSON, filled with blanks to a length; that of other programs is aligned too."""
    end = header.shape[0] * header.row_bytes
    document = {
        "__metadata__": dict(header.metadata),
        TENSOR: {"dtype": header.kind, "shape": header.shape, "data_offsets": [0, end]},
    }
    packed = json.dumps(document, separators=(",", ":")).encode("ascii")
    return packed.ljust(room or -(-len(packed) // 8) * 8)


class _Tensor(msgspec.Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def read_header(path: Path) -> TensorHeader:
    """The header of a file of one tensor; raises `DataError` for any other file, and `OSError`."""
    with path.open("rb") as handle:
        (length,) = _LENGTH.unpack(handle.read(_LENGTH.size).ljust(_LENGTH.size, b"\0"))
        raw = handle.read(min(length, MOST_HEADER))
        size = handle.seek(0, 2)
    try:
        entries = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        metadata = msgspec.json.decode(
            entries.pop("__metadata__", msgspec.Raw(b"{}")), type=ready(dict[str, str])
        )
        tensor = msgspec.json.decode(entries[TENSOR], type=ready(_Tensor))
    except (msgspec.MsgspecError, RecursionError, KeyError, ValueError) as error:
        raise _unreadable(path) from error
    header = TensorHeader(tensor.dtype, tensor.shape, metadata, _LENGTH.size + length)
    whole = (
        length <= MOST_HEADER
        and len(entries) == 1
        and tensor.dtype in _SIZES
        and len(tensor.shape) > 1
        and min(tensor.shape) >= 0
        and tensor.data_offsets == (0, tensor.shape[0] * header.row_bytes)
        and size == header.start + tensor.data_offsets[1]
    )
    if not whole:
        raise _unreadable(path)
    return header


def _unreadable(path: Path) -> DataError:
    return DataError(
        f"This is no safetensors file with a tensor “{TENSOR}” alone.",
        where=path,
        hint="`activations` writes such files.",
    )
