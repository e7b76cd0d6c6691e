"""Reads the header of a GGUF file, trusting nothing that it claims.

The format (ggml's docs/gguf.md, versions 2 and 3): magic, version, counts, then typed keys and
values, then the name, shape, type and place of every tensor. Every length is checked against
the size of the file before anything of that length is read, so a hostile header costs no more
than its own bytes.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.files.regular_file import open_regular_file
from core.text.errors import ModelError, NotFoundError
from core.text.language import _

Value = int | float | bool | str | tuple[int, ...]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_PAIRS = 4_096
_MOST_TENSORS = 65_536
_MOST_HEADER = 256 * 2**20
_KEPT_TEXT = 1_000
_KEPT_NUMBERS = 512
_MOST_TEXTS = 4_000_000
"""Most texts in all lists together: vocabularies with their merges have up to a million."""
_SHORT_TEXT = 4_096
_SCALARS = {
    kind: f"<{form}" for kind, form in zip((*range(8), 10, 11, 12), "BbHhIif?Qqd", strict=True)
}
"""The `struct` format of each type of value."""
_WHOLE = frozenset({0, 1, 2, 3, 4, 5, 10, 11})
_TEXT, _ARRAY = 8, 9
_QUANTISATIONS = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
    38: "MXFP4",
}


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says of itself."""

    values: dict[str, Value]
    """Numbers, short lists of whole numbers, and texts cut to a thousand characters."""
    parameters: int
    """Elements of all tensors."""
    size: int
    """Bytes of the header."""

    @property
    def architecture(self) -> str:
        """Such as "llama"; empty where the file does not tell."""
        return self.text("general.architecture")

    @property
    def quantisation(self) -> str:
        """How most weights are stored, such as "Q4_K_M"; empty where unknown."""
        return _QUANTISATIONS.get(self.number("general.file_type", -1), "")

    def text(self, key: str) -> str:
        """A text, or an empty one."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str, default: int = 0) -> int:
        """A whole number; of a list the greatest."""
        value = self.values.get(key, default)
        if isinstance(value, tuple):
            return max(value, default=default)
        return value if isinstance(value, int) else default

    def of_architecture(self, key: str, default: int = 0) -> int:
        """A number that the file keeps under its architecture's name."""
        return self.number(f"{self.architecture}.{key}", default)


def read_header(path: Path) -> Header:
    """Read a file's header.

    Raises `NotFoundError` when there is no such file and `ModelError` when it cannot be read,
    is not a GGUF file, or is shorter than its header claims.
    """
    with open_model(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise ModelError(_("This file is empty."), where=path, hint=_("Download it again."))
        try:
            return _read(_Cursor(file, size), size)
        except _BadHeaderError as error:
            raise ModelError(
                str(error), where=path, hint=_("Download it again, or choose another file.")
            ) from None
        except OSError as error:
            raise ModelError(
                _("This file cannot be read: {why}.", why=error.strerror),
                where=path,
            ) from None


def open_model(path: Path) -> BinaryIO:
    """Open a file that should hold a model; never waits on a pipe or a device.

    Raises `NotFoundError` or `ModelError`.
    """
    try:
        return open_regular_file(path, ModelError, hint="Name a .gguf file.")
    except FileNotFoundError:
        raise NotFoundError(
            _("There is no such model file."),
            where=path,
            hint=_("Name a .gguf file, or demo for the bundled model."),
        ) from None


class _BadHeaderError(Exception):
    """What is wrong, as a sentence."""


class _Cursor:
    """Reads forward through a header, and never past the end of the file."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._file_size = size
        self._limit = min(size, _MOST_HEADER)
        self.position = 0
        """Bytes read so far."""
        self._texts = 0
        """Texts of lists so far."""

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        self.check_room(count)
        self.position += count
        data = self._file.read(count)
        if len(data) < count:
            raise _BadHeaderError(_("This file became shorter while it was read."))
        return data

    def skip(self, count: int) -> None:
        """Pass over `count` bytes."""
        self.check_room(count)
        self.position += count
        self._file.seek(count, os.SEEK_CUR)

    def number(self, form: str) -> int:
        """The next number, by its `struct` format."""
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def text(self) -> str:
        """The next text, cut to what is worth keeping."""
        length = self.number("<Q")
        kept = self.take(min(length, 4 * _KEPT_TEXT))
        self.skip(length - len(kept))
        return kept.decode("utf-8", "replace")[:_KEPT_TEXT]

    def skip_texts(self, count: int) -> None:
        """Pass over `count` texts: a vocabulary has some hundred thousand."""
        self.check_room(8 * count)
        self._texts += count
        if self._texts > _MOST_TEXTS:
            raise _BadHeaderError(
                _("This file claims lists of {texts:,} texts.", texts=self._texts)
            )
        length_of = struct.Struct("<Q").unpack
        for _each in range(count):
            (length,) = length_of(self.take(8))
            if length < _SHORT_TEXT:
                self.take(length)  # faster than to seek
            else:
                self.skip(length)

    def check_room(self, count: int) -> None:
        """Refuse a length that the file cannot hold."""
        if count > self._limit - self.position:
            raise _BadHeaderError(
                _(
                    "This file is damaged or cut short: its header goes on past its {whole:,} "
                    "bytes.",
                    whole=self._file_size,
                )
            )


def _read(cursor: _Cursor, size: int) -> Header:
    if size < len(_MAGIC) or cursor.take(4) != _MAGIC:
        raise _BadHeaderError(_("This is not a GGUF file."))
    version = cursor.number("<I")
    if version not in _VERSIONS:
        raise _BadHeaderError(
            _("This file claims version {version} of GGUF, which is not known.", version=version)
        )
    tensors, pairs = cursor.number("<Q"), cursor.number("<Q")
    if tensors > _MOST_TENSORS or pairs > _MOST_PAIRS:
        raise _BadHeaderError(
            _(
                "This file claims {tensors:,} tensors and {pairs:,} keys: its header is damaged.",
                tensors=tensors,
                pairs=pairs,
            )
        )
    values: dict[str, Value] = {}
    for _each in range(pairs):
        key = cursor.text()
        value = _value(cursor)
        if value is not None:
            values[key] = value
    parameters, furthest = 0, -1
    for _each in range(tensors):
        elements, offset = _tensor(cursor)
        parameters += elements
        furthest = max(furthest, offset)
    _check_complete(cursor.position, furthest, values, size)
    return Header(values, parameters, cursor.position)


def _value(cursor: _Cursor) -> Value | None:
    kind = cursor.number("<I")
    if kind == _TEXT:
        return cursor.text()
    if kind == _ARRAY:
        return _array(cursor)
    return _scalar(cursor, kind)


def _scalar(cursor: _Cursor, kind: int) -> Value:
    form = _SCALARS.get(kind)
    if form is None:
        raise _BadHeaderError(_("This file holds a value of an unknown type ({kind}).", kind=kind))
    value: int | float | bool = struct.unpack(form, cursor.take(struct.calcsize(form)))[0]
    return value


def _array(cursor: _Cursor) -> Value | None:
    kind, count = cursor.number("<I"), cursor.number("<Q")
    if kind == _TEXT:
        cursor.skip_texts(count)
        return None
    form = _SCALARS.get(kind)
    if form is None:
        raise _BadHeaderError(_("This file holds a list of an unknown type ({kind}).", kind=kind))
    length = struct.calcsize(form)
    cursor.check_room(length * count)
    if kind in _WHOLE and count <= _KEPT_NUMBERS:
        return struct.unpack(f"<{count}{form[1]}", cursor.take(length * count))
    cursor.skip(length * count)
    return None


def _tensor(cursor: _Cursor) -> tuple[int, int]:
    """The elements of the next tensor and where its data begins, after the header."""
    cursor.text()
    dimensions = cursor.number("<I")
    if dimensions > 4:
        raise _BadHeaderError(
            _("This file holds a tensor of {dimensions} dimensions.", dimensions=dimensions)
        )
    elements = 1
    for _each in range(dimensions):
        elements *= cursor.number("<Q")
    cursor.number("<I")
    return elements, cursor.number("<Q")


def _check_complete(position: int, furthest: int, values: dict[str, Value], size: int) -> None:
    alignment = values.get("general.alignment", 32)
    step = alignment if isinstance(alignment, int) and alignment > 0 else 32
    start = -(-position // step) * step
    if furthest >= 0 and start + furthest >= size:
        raise _BadHeaderError(
            _(
                "This file is cut short: it has {size:,} bytes and needs more than {start:,}.",
                size=size,
                start=start + furthest,
            )
        )
