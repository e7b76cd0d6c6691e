"""Activations as a safetensors file, with an index of its rows beside it.

While it is written, the rows are in `FILE.part` and what they are in `FILE.part.jsonl`, a line for
each question, so that an interrupted command goes on where it stopped. The index is Parquet where
pyarrow is installed, else JSON lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec
import numpy as np

from core.exchange.exporters.document import ExportError
from core.exchange.exporters.files import check_free, draft, not_written
from core.files import paths
from core.files.installation import command_to_add_extra
from core.files.lock_file import locked
from core.files.regular_file import open_own
from core.files.tensor_file import TensorWriter, rows_begun
from core.studies.activations import ActivationRow, QuestionStates, index_record
from core.system.typed_values import ready
from core.text.errors import DataError

ENDING = ".safetensors"
_GROUP = 10_000
"""Rows of the index that are written at once."""
_decode_row = msgspec.json.Decoder(ActivationRow).decode
_decode = msgspec.json.Decoder(tuple[ActivationRow, ...]).decode


class ActivationFile:
    """A file that is being written. Close it, or use it in a `with` statement."""

    def __init__(
        self, path: Path, metadata: Mapping[str, str], blocks: int, width: int, *, half: bool,
        force: bool = False,
    ) -> None:  # fmt: skip
        """Begin a file, or go on with the part of one that has equal metadata.

        Args:
            path: ends in `ENDING`.
            metadata: what identifies the rows: model, collection, positions, blocks.
            blocks: how many blocks a row has.
            width: of the residual stream.
            half: whether numbers are kept in 16 bits.
            force: whether a file, or the part of another one, is overwritten.

        Raises `ExportError`.
        """
        check_free(path, force=force, ending=ENDING)
        for index in _index_names(path):
            check_free(index, force=True)
        self.path = paths.destination(path)
        self._half = half
        self._part = self.path.with_name(f"{self.path.name}.part")
        self._lines = self.path.with_name(f"{self._part.name}.jsonl")
        kind = "F16" if half else "F32"
        head = msgspec.json.encode([kind, blocks, width, dict(metadata)], order="sorted") + b"\n"
        with ExitStack() as files:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                lock = files.enter_context(locked(self._part))
                self._data = files.enter_context(open_own(self._part))
                self._index = files.enter_context(open_own(self._lines))
                if not lock.is_of(self._part):  # The other program has just finished it.
                    raise BlockingIOError
            except BlockingIOError as error:
                raise ExportError(
                    "Another program is just writing this file.", where=self.path
                ) from error
            except OSError as error:
                raise not_written(Path(error.filename or self.path), error) from error
            lines = self._kept_lines(head, force=force)
            counts = [len(_decode(line)) for line in lines]
            # A person, or a power cut, may have taken rows and left their lines.
            there = rows_begun(self._part, kind, (blocks, width), metadata)
            while sum(counts) > there:
                counts.pop()
            lines = lines[: len(counts)]
            self._index.seek(len(head) + sum(map(len, lines)) if lines else 0)
            self._index.truncate()
            if not lines:
                self._index.write(head)
            self._writer = TensorWriter(self._data, kind, (blocks, width), metadata, sum(counts))
            self._files = files.pop_all()
        self.questions = len(lines)
        """How many questions are in it already."""

    def _kept_lines(self, head: bytes, *, force: bool) -> list[bytes]:
        """The index lines of an interrupted command; raises `ExportError` for another one's."""
        first = self._index.readline()
        if first == head:
            # The last question's rows may not all be there.
            return [line for line in self._index if line.endswith(b"\n")][:-1]
        if first and not force:
            raise ExportError(
                "The part of another file is there, which was not finished.",
                where=self._part,
                hint="Remove it, or overwrite it with --force.",
            )
        return []

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._writer.rows

    def add(self, states: QuestionStates) -> None:
        """Append the rows of the next question; raises `ExportError`."""
        numbers = states.states
        if self._half:
            with np.errstate(over="ignore"):
                numbers = numbers.astype("<f2")
            if not np.isfinite(numbers[np.isfinite(states.states)]).all():
                raise ExportError(
                    f"A number of item {states.index[0].item} does not fit 16 bits.",
                    where=self.path,
                    hint="Leave --half out.",
                )
        with self._naming_the_file():
            self._writer.append(numbers.tobytes())
            self._data.flush()
            self._index.write(msgspec.json.encode(states.index) + b"\n")
            self._index.flush()
        self.questions += 1

    def finish(self) -> Path:
        """Put the file and its index in their places; returns the index. Raises `ExportError`."""
        with self._naming_the_file():
            self._writer.finish()
            for handle in (self._data, self._index):
                handle.flush()
                os.fsync(handle.fileno())
            index = self._write_index()
            self._part.replace(self.path)
            self.close()
            self._lines.unlink()
        return index

    def close(self) -> None:
        """Leave the file as it is; raises `ExportError`."""
        with self._naming_the_file():
            self._files.close()

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """Turn an error of the disk into an `ExportError` that names the file."""
        try:
            yield
        except OSError as error:
            raise not_written(self.path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _write_index(self) -> Path:
        rows = _index_rows(self._index)
        kept, other = _index_names(self.path)
        try:
            with draft(kept, force=True) as handle:
                _write_parquet(handle, rows)
        except ImportError:
            kept, other = other, kept
            with draft(kept, force=True) as handle:
                handle.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
        other.unlink(missing_ok=True)
        return kept


def _index_names(path: Path) -> tuple[Path, Path]:
    """How the index of a file may be called."""
    base = path.with_suffix("").name
    return path.with_name(f"{base}.index.parquet"), path.with_name(f"{base}.index.jsonl")


def index_of(path: Path) -> Path:
    """The index beside a file; raises `DataError` where there is none."""
    for index in _index_names(path):
        if index.is_file():
            return index
    raise DataError(
        "There is no index beside this file.",
        where=path,
        hint="`activations` writes one, FILE.index.parquet or FILE.index.jsonl.",
    )


def read_index(path: Path) -> list[dict[str, Any]]:
    """The index beside a file, a record for each row; raises `DataError`, and `OSError`."""
    index = index_of(path)
    try:
        if index.suffix == ".parquet":
            rows = msgspec.convert(_parquet_records(index), ready(list[ActivationRow]))
        else:
            with index.open("rb") as lines:
                rows = [_decode_row(line) for line in lines]
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DataError(
            "This is no index of activations.",
            where=index,
            hint="Write the file anew with `activations`.",
        ) from error
    return [index_record(row) for row in rows]


def _parquet_records(path: Path) -> list[dict[str, Any]]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise DataError(
            "Parquet files need pyarrow, which is not installed.",
            where=path,
            hint=command_to_add_extra("parquet"),
        ) from error
    records: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return records


def _index_rows(lines: BinaryIO) -> Iterator[ActivationRow]:
    lines.seek(0)
    lines.readline()
    for line in lines:
        yield from _decode(line)


def _write_parquet(file: BinaryIO, rows: Iterable[ActivationRow]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(
        [
            ("row", pa.int64()), ("item", pa.string()), ("layer", pa.string()),
            ("group", pa.string()), ("position", pa.int64()), ("span", pa.int64()),
            ("role", pa.string()), ("text", pa.string()), ("options", pa.list_(pa.string())),
            ("scores", pa.list_(pa.float64())), ("gold", pa.int64()), ("right", pa.bool_()),
        ]
    )  # fmt: skip
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        group: list[dict[str, Any]] = []
        for row in rows:
            group.append(index_record(row))
            if len(group) == _GROUP:
                writer.write_table(pa.Table.from_pylist(group, schema))
                group = []
        writer.write_table(pa.Table.from_pylist(group, schema))
