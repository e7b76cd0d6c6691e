"""Reads the files of Inspect AI's logs: `.eval` archives and `.json` files, within limits.

An archive is a zip file with `header.json` (the log without its samples), `summaries.json` (a line
about each sample) and `samples/*.json` (all about each); one that was interrupted has only
`_journal/start.json`, `_journal/summaries/N.json` and the samples so far. Nothing is written to
disk, and member names are never used as paths.

Rows are taken out of the undecoded text one at a time, and of a row only the fields that are used
are decoded, each up to a size. So a small archive cannot become objects of many gigabytes, and a
JSON file is never held as a whole.
"""

from __future__ import annotations

import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from core.exchange.importers.json_stream import MOST_FIELD, JsonStream
from core.files.installation import command_to_add
from core.files.packed import MOST_RATIO, is_bomb
from core.files.regular_file import open_regular_file
from core.system.typed_values import ready
from core.text.errors import RunError
from core.text.escaping import escape_control_characters

LIMIT = 64 * 1024 * 1024
"""Most bytes of one member, unpacked, which is held at once."""
MOST_SAMPLES = 1_000_000
MOST_READ = 2**30
"""Most bytes of all members together, unpacked one after another, or of a JSON file."""
MOST_DIRECTORY = 16 * 2**20
"""Most bytes of an archive's directory."""
_BLOCK = 2**20
_ZSTANDARD = 93
_CONSTANT = re.compile(rb'("(?:[^"\\]++|\\.)*+(?:"|\\?\Z))|-?(?:NaN|Infinity)', re.DOTALL)


def _undecoded(kind: str, fields: str) -> type[msgspec.Struct]:
    """A type with these fields, each read as it stands, and empty where it is left out."""
    return msgspec.defstruct(kind, [(name, msgspec.Raw, msgspec.Raw()) for name in fields.split()])


_Header = _undecoded("Header", "eval plan status results error invalidated")
"""The used fields of a log without its samples."""
_Sample = _undecoded(
    "Sample", "id epoch input choices target metadata scores output model_usage error"
)
"""The used fields of a sample or of its summary."""
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Log:
    """A log: its header, and its samples one at a time."""

    header: Fields
    interrupted: bool
    summaries: Callable[[], Iterator[Fields]]
    """A line about each sample, with texts cut at 1,000 characters in an archive."""
    samples: Callable[[], Iterator[Fields]]
    """All about each sample; none in a log that was written without."""


@contextmanager
def opened_log(path: Path) -> Iterator[Log]:
    """The log at a path; raises `RunError` when it is none, is damaged, or is too large."""
    try:
        with open_regular_file(
            path, RunError, name="This log", hint="Name an .eval or .json file."
        ) as handle:
            packed = handle.read(4) == b"PK\x03\x04"
            handle.seek(0)
            if not packed:
                yield _plain(path, handle)
                return
            with zipfile.ZipFile(_BoundedReads(handle)) as archive:
                yield _archive(path, _Members(path, handle, archive))
    except OSError as error:
        raise RunError(f"This log cannot be read: {error.strerror}.", where=path) from error
    except (zipfile.BadZipFile, struct.error, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise _archive_error("is damaged", error, path) from error
    except NotImplementedError as error:
        raise _archive_error("cannot be unpacked", error, path) from error


def _plain(path: Path, handle: BinaryIO) -> Log:
    where = str(path)
    if os.fstat(handle.fileno()).st_size > MOST_READ:
        raise RunError(
            f"This log has more than {MOST_READ // 2**20:,} MB.",
            where=path,
            hint="Import a part of it, or a log that was written without its events.",
        )
    stream = JsonStream(handle, where)
    header, place = _header(stream, where)
    if not isinstance(header.get("eval"), dict):
        raise RunError(
            "This is not a log of Inspect.",
            where=path,
            hint="Name the .eval or .json file that Inspect wrote.",
        )

    def samples() -> Iterator[Fields]:
        if place is not None:
            for row in _rows(stream, place, where):
                yield _fields(row, where)

    return Log(header, header.get("status") == "started", samples, samples)


def _header(stream: JsonStream, where: str) -> tuple[Fields, int | None]:
    """The used fields of a header, and where the samples begin in it."""
    values, place = stream.members(_Header.__struct_fields__, "samples")
    joined = b",".join(b'"%s":%s' % (name.encode(), raw) for name, raw in values.items())
    return _used(_struct(b"{%s}" % joined, _Header, where), where), place


def _archive(path: Path, members: _Members) -> Log:
    finished = "header.json" in members
    name = "header.json" if finished else "_journal/start.json"
    if name not in members:
        raise RunError(
            "This archive is not a log of Inspect.",
            where=path,
            hint="It has neither header.json nor _journal/start.json.",
        )
    where = f"{path}: {name}"
    header, _place = _header(JsonStream(io.BytesIO(members.read(name)), where), where)
    if not isinstance(header.get("eval"), dict):
        raise RunError("This log is damaged: its header cannot be read.", where=where)

    def samples() -> Iterator[Fields]:
        for member in members.under("samples/"):
            yield _fields(members.read(member), f"{path}: {member}")

    def summaries() -> Iterator[Fields]:
        journal = members.under("_journal/summaries/")
        listed = sorted(journal, key=lambda member: (len(member), member))
        if "summaries.json" in members:
            listed = ["summaries.json"]
        if not listed:
            yield from samples()
        for member in listed:
            place = f"{path}: {member}"
            listing = JsonStream(io.BytesIO(members.read(member)), place)
            for row in _rows(listing, 0, place):
                yield _fields(row, place)

    return Log(header, not finished, summaries, samples)


class _BoundedReads(io.BufferedIOBase):
    """An open archive of which little is read at once, so that its directory is not too large."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle

    def read(self, size: int | None = -1, /) -> bytes:
        """Read; raises `BadZipFile` for more than `MOST_DIRECTORY` bytes."""
        if size is not None and size > MOST_DIRECTORY:
            raise zipfile.BadZipFile(f"its directory has more than {MOST_DIRECTORY // 2**20} MB")
        return self._handle.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a place."""
        return self._handle.seek(offset, whence)

    def tell(self) -> int:
        """The place."""
        return self._handle.tell()

    def seekable(self) -> bool:
        """True: it is a regular file."""
        return True


class _Members:
    """The members of an archive, unpacked in memory one at a time."""

    def __init__(self, path: Path, handle: BinaryIO, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._handle = handle
        self._archive = archive
        self._left = MOST_READ

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    def under(self, folder: str) -> Sequence[str]:
        """The names of the JSON files in a folder, in archive order."""
        return [
            name
            for name in self._archive.NameToInfo
            if name.startswith(folder) and name.endswith(".json")
        ]

    def read(self, name: str) -> bytearray:
        """A member, unpacked."""
        info = self._archive.getinfo(name)
        where = f"{self._path}: {name}"
        if info.flag_bits & 1:
            raise RunError("This archive is encrypted.", where=where)
        if info.compress_size > LIMIT:
            raise _too_large(self._path, LIMIT)
        raw = bytearray()
        with self._unpacked(info, where) as stream:
            while block := stream.read(_BLOCK):
                raw += block
                if len(raw) > min(self._left, LIMIT):
                    raise _too_large(self._path, min(self._left, LIMIT))
                if is_bomb(len(raw), info.compress_size):
                    what = f"This unpacks to more than {MOST_RATIO} times its size."
                    raise RunError(what, where=where, hint="It is damaged or no log of Inspect.")
        self._left -= len(raw)
        return raw

    @contextmanager
    def _unpacked(self, info: zipfile.ZipInfo, where: str) -> Iterator[Any]:
        if info.compress_type != _ZSTANDARD:
            try:
                with self._archive.open(info) as stream:
                    yield stream
            except NotImplementedError as error:
                raise RunError(
                    f"Compression method {info.compress_type} cannot be unpacked.", where=where
                ) from error
            return
        try:
            import zstandard
        except ImportError as error:
            raise RunError(
                "This log is compressed with Zstandard, for which a package is missing.",
                where=where,
                hint=f"Install it ({command_to_add('zstandard')}), or write the log as JSON: "
                "inspect log convert --to json.",
            ) from error
        # zipfile does not know this method, so the packed bytes are located by the local header:
        # 30 bytes, the last four of them the lengths of the name and of the extra field.
        self._handle.seek(info.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", self._handle.read(4))
        self._handle.seek(name_length + extra_length, 1)
        packed = self._handle.read(info.compress_size)
        try:
            with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
                packed
            ) as stream:
                yield stream
        except zstandard.ZstdError as error:
            raise _archive_error("is damaged", error, where) from error


def _rows(stream: JsonStream, place: int, where: str) -> Iterator[bytes]:
    """The samples of an array, undecoded; raises `RunError` for too many."""
    for count, row in enumerate(stream.rows(place), 1):
        if count > MOST_SAMPLES:
            raise RunError(f"This log has more than {MOST_SAMPLES:,} samples.", where=where)
        yield row


def _fields(raw: bytes | bytearray, where: str) -> Fields:
    """The used fields of a sample."""
    return _used(_struct(raw, _Sample, where), where)


def _struct(raw: bytes | bytearray, kind: type[Any], where: str) -> Any:
    """An object with its fields undecoded."""
    # JSON has no such numbers, but Inspect writes them.
    if b"NaN" in raw or b"Infinity" in raw:
        raw = _CONSTANT.sub(lambda match: match[1] or b"null", raw)
    try:
        return msgspec.json.decode(raw, type=ready(kind))
    except RecursionError as error:
        raise RunError("This log is nested too deeply.", where=where) from error
    except msgspec.ValidationError as error:
        part = "header" if kind is _Header else "samples"
        raise RunError(f"This log is damaged: its {part} cannot be read.", where=where) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _not_json(error, where) from error


def _used(fields: Any, where: str) -> dict[str, Any]:
    """The fields of an object, decoded one by one."""
    values = {}
    for name in fields.__struct_fields__:
        raw = getattr(fields, name)
        size = len(memoryview(raw))
        if not size:
            continue
        if size > MOST_FIELD:
            raise RunError(
                f"The field “{name}” of this log has more than {MOST_FIELD // 2**20} MB.",
                where=where,
            )
        try:
            values[name] = json.loads(bytes(raw))
        except RecursionError as error:
            raise RunError("This log is nested too deeply.", where=where) from error
        except ValueError as error:
            raise _not_json(error, where) from error
    return values


def _not_json(error: Exception, where: str) -> RunError:
    return RunError(f"This is not JSON: {escape_control_characters(str(error))}.", where=where)


def _archive_error(what: str, error: Exception, where: str | Path) -> RunError:
    return RunError(f"This archive {what}: {escape_control_characters(str(error))}.", where=where)


def _too_large(path: Path, most: int) -> RunError:
    return RunError(
        f"This log unpacks to more than {most // 1024 // 1024} MB.",
        where=path,
        hint="Import a part of it, or a log that was written without its events.",
    )
