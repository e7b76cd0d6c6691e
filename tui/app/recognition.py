"""What a file is that was named without a benchmark: which one reads it, or which command."""

from __future__ import annotations

import re
import shlex
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.language import N_, _

_HEAD = 4096
_PROGRAM = "commonsense-tui"
_KINDS = (
    (rb"GGUF", N_("This is a model."), "browse --model {path}"),
    (rb"SQLite format 3\0", N_("This is a store of runs."), "runs list --store {path}"),
    (rb"ACCORDKB", N_("This is a compiled knowledge base."), "accord kb info {path}"),
    (
        rb"/a/\[/r/[^\t]*\t/r/",
        N_("This is a ConceptNet dump."),
        "accord kb build {path} --out FILE",
    ),
    (rb"(?ms)(?=.*^benchmark:)(?=.*^steps:)", N_("This is a lesson."), "lesson run {path}"),
)
"""A pattern that the beginning matches, what the file is, and the command that takes it."""


def recognised(path: Path) -> Benchmark | None:
    """The first installed benchmark that knows the data by their beginning, which takes no time.

    One that fails to tell knows nothing; `doctor` reports it.
    """
    for benchmark in registry.loaded()[0]:
        with suppress(registry.BrokenBenchmarkError):
            if benchmark.recognises(path):
                return benchmark
    return None


def recognise(
    path: Path, warn: Callable[[str], object], first: Benchmark | None = None
) -> tuple[Benchmark, Collection]:
    """The first installed benchmark that can open `path`, and the opened collection.

    A benchmark that recognises the data, else `first`, is tried before the others. `warn` is called
    with a message for each benchmark whose package is broken. Raises `DataError` if no benchmark
    can open it.
    """
    if (other := other_kind(path)) is not None:
        raise other
    warn_of_broken_benchmarks(warn)
    first_error: DataError | None = None
    known = recognised(path) or first
    for benchmark in sorted(registry.loaded()[0], key=lambda each: each is not known):
        try:
            return benchmark, registry.open_collection(benchmark, path)
        except registry.BrokenBenchmarkError as error:
            warn(str(error))
        except DataError as error:
            first_error = first_error or error
    raise first_error or DataError(
        "No benchmark is installed that could read this.", where=str(path)
    )


def warn_of_broken_benchmarks(warn: Callable[[str], object]) -> None:
    """Call `warn` with a message for each installed benchmark that cannot be used."""
    for error in registry.loaded()[1]:
        warn(str(error))


def other_kind(path: Path) -> DataError | None:
    """What a file is, with the command that takes it; None for what is not known here."""
    head = _head(path)
    for pattern, what, command in _KINDS:
        if re.match(pattern, head):
            words = command.format(path=shlex.quote(str(path)))
            return DataError(_(what), where=path, hint=f"{_PROGRAM} {words}")
    return None


def _head(path: Path) -> bytes:
    """The beginning of a file, unpacked; empty where it cannot be read."""
    try:
        with open_regular_file(path, DataError) as file:
            head = file.read(_HEAD)
        if head.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except (OSError, DataError, zlib.error):
        return b""
    return head
