"""Files that never end, never answer, or change while they are read, given to every reader."""

from __future__ import annotations

import bz2
import gzip
import os
import shutil
import socket
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.attack.attempts import Tally, memory_limit, note
from tools.attack.readers import READERS, Reader, placed

TRIES = 1
"""Rounds over all kinds and readers."""
_LARGE = 50 * 2**20
_GAP = 20 * 2**30
_MOST_MIB = 8_000
Kind = Callable[[Reader, Path], object]
"""Makes the file of a reader at a path; what it returns is closed when it was read."""


def gap(reader: Reader, path: Path) -> None:
    """A sparse file of 20 GiB that begins as the good one does."""
    path.write_bytes(reader.seed()[:400])
    os.truncate(path, _GAP)


def folder(_reader: Reader, path: Path) -> None:
    """A folder with the name of a file."""
    path.mkdir()


def pipe(_reader: Reader, path: Path) -> None:
    """A named pipe that nobody writes to."""
    os.mkfifo(path)


def listening(_reader: Reader, path: Path) -> socket.socket:
    """A socket of this machine."""
    made = socket.socket(socket.AF_UNIX)
    here = os.open(path.parent, os.O_RDONLY)
    try:
        # The names of sockets are short.
        made.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)
    return made


def leading_to(target: str) -> Kind:
    """A link to a device, or to what the system computes."""

    def make(_reader: Reader, path: Path) -> None:
        path.symlink_to(target)

    return make


class _Pipe:
    """A pipe whose other end stays open, without a byte in it."""

    def __init__(self) -> None:
        self.ends = os.pipe2(os.O_NONBLOCK)

    def close(self) -> None:
        for end in self.ends:
            os.close(end)


def descriptor(_reader: Reader, path: Path) -> _Pipe:
    """A descriptor of this process that does not wait."""
    made = _Pipe()
    path.symlink_to(f"/proc/{os.getpid()}/fd/{made.ends[0]}")
    return made


class _Changing:
    """Another program that writes to the file as fast as it can."""

    def __init__(self, path: Path, change: Callable[[Path], None]) -> None:
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(path, change))
        self._thread.start()

    def _work(self, path: Path, change: Callable[[Path], None]) -> None:
        while not self._ended.wait(0.0005):
            change(path)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()


def growing(reader: Reader, path: Path) -> _Changing:
    """A file to which rows are added while it is read."""
    raw = reader.seed()
    path.write_bytes(raw)

    def change(path: Path) -> None:
        with path.open("ab") as handle:
            if handle.tell() < _LARGE:
                handle.write(raw)

    return _Changing(path, change)


def shrinking(reader: Reader, path: Path) -> _Changing:
    """A file that is cut and written again while it is read, as a careless program saves."""
    raw = reader.seed()
    path.write_bytes(raw)

    def change(path: Path) -> None:
        os.truncate(path, len(raw) // 3)
        with path.open("r+b") as handle:
            handle.write(raw)

    return _Changing(path, change)


def newlines(_reader: Reader, path: Path) -> None:
    """50 MB of line breaks."""
    path.write_bytes(b"\n" * _LARGE)


def broken_rows(_reader: Reader, path: Path) -> None:
    """50 MB of rows that are none."""
    path.write_bytes(b'{"a": tru\n' * (_LARGE // 10))


def brackets(_reader: Reader, path: Path) -> None:
    """50 MB of brackets that open."""
    path.write_bytes(b"[" * _LARGE)


def quotes(_reader: Reader, path: Path) -> None:
    """50 MB of one text without an end."""
    path.write_bytes(b'{"a": "' + b"\\u0041" * (_LARGE // 6))


def bomb(reader: Reader, path: Path) -> None:
    """A small packed file that is 2 GiB when it is unpacked."""
    if reader.packed == "bz2":
        path.write_bytes(bz2.compress(bytes(2**25)) * 64)
    elif reader.packed == "gzip":
        path.write_bytes(gzip.compress(bytes(2**24)) * 128)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", bytes(200 * 2**20))


SMALL: dict[str, Kind] = {
    "gap": gap,
    "folder": folder,
    "pipe": pipe,
    "socket": listening,
    "zeros": leading_to("/dev/zero"),
    "random": leading_to("/dev/urandom"),
    "full": leading_to("/dev/full"),
    "memory": leading_to("/proc/self/mem"),
    "status": leading_to("/proc/self/status"),
    "pagemap": leading_to("/proc/self/pagemap"),
    "loop": leading_to("loop"),
    "nowhere": leading_to("nowhere"),
    "descriptor": descriptor,
}
"""Kinds that cost nothing where they are refused as they should be."""
LARGE: dict[str, Kind] = {
    "growing": growing,
    "shrinking": shrinking,
    "newlines": newlines,
    "broken rows": broken_rows,
    "brackets": brackets,
    "quotes": quotes,
}
BOMB = "bomb"


@contextmanager
def made(name: str, reader: Reader, folder: Path) -> Iterator[Path]:
    """The file of a kind in the place of a reader's."""
    path = placed(reader, folder, b"")
    path.unlink()
    make = bomb if name == BOMB else (SMALL | LARGE)[name]
    owner = make(reader, path)
    try:
        yield path
    finally:
        if isinstance(owner, _Pipe | _Changing | socket.socket):
            owner.close()


def attack(kinds: tuple[str, ...], only: str = "", tally: Tally | None = None) -> Tally:
    """Give each reader each kind of file; bombs to those that unpack."""
    tally = tally or Tally("impossible")
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        for name, reader in READERS.items():
            for kind in kinds:
                if only not in f"{kind} {name}" or (kind == BOMB and not reader.packed):
                    continue
                note(f"impossible: {kind}, {name}")
                inside = Path(place, "file")
                inside.mkdir()
                refused = tally.refused
                with made(kind, reader, inside) as path, tally.attempt(f"{kind} for {name}"):
                    reader.read(path)
                if tally.refused == refused:
                    tally.endings[f"read without an error: {kind} for {name}"] += 1
                shutil.rmtree(inside)
    return tally


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    memory_limit(_MOST_MIB)
    tally = Tally("impossible")
    for _round in range(tries):
        attack((*SMALL, *LARGE, BOMB), only, tally)
    return tally
