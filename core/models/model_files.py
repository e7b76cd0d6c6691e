"""Finds GGUF files, and computes their memory needs and fingerprints."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.models.gguf_header import Header, open_model, read_header
from core.models.memory import available_memory, context_for, needs_of
from core.text.errors import CommonsenseError, ModelError
from core.text.language import _

_DEPTH = 4
"""Folders below a searched folder that are entered: a Hugging Face cache needs three."""
_FOLDERS = 2000
"""Most folders that are entered below a searched one."""
_FILES = 300
"""Most model files that are found."""
_WHOLE = 64 * 2**20
_SAMPLES = 64
_SAMPLE = 64 * 2**10
_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One model on disk. Texts come from the file: show them, never obey them."""

    path: Path
    name: str
    """The file's name without its ending."""
    bytes: int
    """Of all of its parts."""
    quantisation: str = ""
    architecture: str = ""
    parameters: int = 0
    memory: int = 0
    """Estimated bytes with its context."""
    problem: str = ""
    """Why it cannot be loaded; empty if it can."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """A file that may be loaded, and the context it will have."""

    header: Header
    bytes: int
    context: int


def find_models(
    folders: Iterable[Path], looking_in: Callable[[Path], None] = lambda folder: None
) -> Iterator[Path]:
    """The GGUF files below the folders, each once, as they are found.

    Links to folders are not followed, so nothing is searched in a loop; folders that cannot be
    read are passed over. Of a model in several parts only the first is given, by which llama.cpp
    opens it; a vision projector is no model.

    Args:
        folders: those that do not exist are passed over.
        looking_in: called with each folder before it is searched.
    """
    seen: set[Path] = set()
    for top in folders:
        entered = 0
        for here, below, names in os.walk(top):
            folder = Path(here)
            looking_in(folder)
            entered += 1
            deep = len(folder.relative_to(top).parts) >= _DEPTH or entered >= _FOLDERS
            below[:] = [] if deep else sorted(name for name in below if name[0] != ".")
            for name in sorted(names):
                file = folder / name
                if not _is_first_part(name) or not _is_file(file):
                    continue
                real = file.resolve()
                if real not in seen:
                    seen.add(real)
                    yield file
                if len(seen) >= _FILES:
                    return
            if entered >= _FOLDERS:
                break


def check_memory(path: Path, context: int = 0, *, exact: bool = False) -> Inspected:
    """Look at a file before it is loaded.

    `context` is how many tokens its context takes at most, 0 for the usual; where `exact`, its
    key-value cache holds 32-bit numbers. Raises `NotFoundError` or `ModelError` when it is no
    usable GGUF file, or when its weights and a short context need more memory than is available.
    """
    header = read_header(path)
    size = sum(_size(part) for part in parts_of(path))
    if not header.parameters:
        raise ModelError(_("This file holds no weights."), where=path)
    try:
        needs = needs_of(header, size, exact=exact)
        context = context_for(header, needs, available_memory(), context)
    except ModelError as error:
        raise ModelError.of(error, where=path) from None
    return Inspected(header, size, context)


def fingerprint(path: Path) -> str:
    """Identifies a model's weights.

    Below 64 MiB: the SHA-256 of the whole file. Above: of its size, its header and 64 blocks of
    64 KiB spread evenly over the rest, so that a file of any size takes a moment. A model in
    several parts is one stream of bytes here. Raises `ModelError`, `NotFoundError`.
    """
    parts = parts_of(path)
    sizes = [_size(part) for part in parts]
    digest = hashlib.sha256()
    sampled = sum(sizes) >= _WHOLE
    for part, size in zip(parts, sizes, strict=True):
        start = read_header(part).size if sampled else 0
        with open_model(part) as file:
            try:
                for content in _samples(file, start, size) if sampled else _pieces(file, size):
                    digest.update(content)
            except OSError as error:
                raise ModelError(
                    _("This file cannot be read: {why}.", why=error.strerror),
                    where=part,
                ) from None
    return f"{'sampled-' if sampled else ''}sha256:{digest.hexdigest()}"


def parts_of(path: Path) -> tuple[Path, ...]:
    """The files of a model: one, or all the parts of one that was split, those that exist."""
    match = _PART.search(path.name)
    if match is None:
        return (path,)
    stem, count = path.name[: match.start()], int(match[2])
    names = (f"{stem}-{number:05d}-of-{count:05d}.gguf" for number in range(1, count + 1))
    return tuple(part for name in names if _is_file(part := path.with_name(name))) or (path,)


def describe(path: Path) -> ModelFile:
    """A model file by its header, with the memory it needs or the problem of loading it."""
    try:
        header = read_header(path)
        size = sum(_size(part) for part in parts_of(path))
    except CommonsenseError as error:
        return ModelFile(path, path.stem, 0, problem=error.what)
    needs = needs_of(header, size)
    context = context_for(header, needs, None)
    problem = ""
    try:
        context = context_for(header, needs, available_memory())
    except ModelError as error:
        problem = error.what
    return ModelFile(
        path,
        path.stem,
        size,
        header.quantisation,
        header.architecture,
        header.parameters,
        needs.total(context),
        problem,
    )


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """So many bytes from where the file stands, or fewer where it ends before.

    Each thread that read a large file at once would keep as much memory for itself.
    """
    while size > 0 and (piece := file.read(min(size, _SAMPLE))):
        size -= len(piece)
        yield piece


def _samples(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    """The size and the header of a file, then blocks spread evenly over the rest."""
    yield f"{size}\n".encode()
    yield from _pieces(file, start)
    for number in range(_SAMPLES):
        file.seek(start + (size - start) * number // _SAMPLES)
        yield file.read(_SAMPLE)


def _size(path: Path) -> int:
    """Bytes of a file; raises `NotFoundError`, or `ModelError` when it cannot be opened."""
    with open_model(path) as file:
        return os.fstat(file.fileno()).st_size


def _is_file(path: Path) -> bool:
    """Whether there is a regular file that may be looked at."""
    try:
        return path.is_file()
    except OSError:
        return False


def _is_first_part(name: str) -> bool:
    if not name.lower().endswith(".gguf") or name.lower().startswith("mmproj"):
        return False
    match = _PART.search(name)
    return match is None or int(match[1]) == 1
