"""What may be loaded: the bundled model, model files in the usual folders, recorded runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from core import paths
from core.errors import ModelError
from core.runs.records import Run
from core.runs.store import Store

_DEPTH = 4
"""Folders below a searched folder that are entered: a Hugging Face cache needs three."""
_FOLDERS = 2000
"""Most folders that are entered below a searched one."""
_FILES = 300
"""Most model files that are listed."""

_PART = re.compile(r"(?!mmproj).+?(-(?P<number>\d{5})-of-\d{5})?\.gguf", re.IGNORECASE | re.DOTALL)
"""The name of a model file: whole, or one of several parts. A vision projector is no model."""


class Kind(StrEnum):
    """The parts of the list, in their order."""

    DEMO = "demo"
    FILE = "file"
    RUN = "run"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that may be loaded."""

    source: str
    """What is loaded when it is picked: "demo", an absolute path, "replay:RUN"."""
    kind: Kind
    name: str
    facts: tuple[str, ...] = ()
    """Size, quantisation, parameters, architecture; of a run, what it asked."""
    fit: str = ""
    """Whether it fits into memory, in words; empty where that is no question."""
    trouble: str = ""
    """Why it cannot be loaded; empty if nothing is known against it."""

    def matches(self, text: str) -> bool:
        """Whether its name, place or facts contain `text`, ignoring case."""
        words = " ".join((self.name, self.source, *self.facts)).casefold()
        return text.casefold() in words


def folders(configured: Sequence[Path]) -> tuple[Path, ...]:
    """Where models are looked for, in order and without repeats."""
    home = Path.home()
    usual = (
        paths.models(),
        home / "models",
        home / ".lmstudio" / "models",
        home / ".cache" / "lm-studio" / "models",
        home / ".cache" / "llama.cpp",
        home / ".cache" / "huggingface" / "hub",
        Path.cwd(),
    )
    return tuple(dict.fromkeys(folder.expanduser().absolute() for folder in (*configured, *usual)))


def shortened(path: Path) -> str:
    """A path as a person reads it, from the home folder where it is below it."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def model_files(
    searched: Sequence[Path], looking_in: Callable[[Path], None] = lambda folder: None
) -> Iterator[Path]:
    """The GGUF files below the folders, each once, as they are found.

    Links to folders are not followed, so nothing is searched in a loop; folders that cannot be
    read are passed over. Of a model in several parts only the first is given, by which llama.cpp
    opens it.

    Args:
        searched: folders; those that do not exist are passed over.
        looking_in: told of each folder before it is searched.
    """
    seen: set[Path] = set()
    for top in searched:
        entered = 0
        for here, below, names in os.walk(top):
            folder = Path(here)
            looking_in(folder)
            entered += 1
            deep = len(folder.relative_to(top).parts) >= _DEPTH or entered >= _FOLDERS
            below[:] = [] if deep else sorted(name for name in below if name[0] != ".")
            for name in sorted(names):
                file = folder / name
                if not _is_first_part(name) or not file.is_file():
                    continue
                real = file.resolve()
                if real not in seen:
                    seen.add(real)
                    yield file
                if len(seen) >= _FILES:
                    return
            if entered >= _FOLDERS:
                break


def _is_first_part(name: str) -> bool:
    part = _PART.fullmatch(name)
    return part is not None and part["number"] in (None, "00001")


def recorded_runs(store: Path) -> list[Entry]:
    """The recorded runs, the newest first; raises `RunError`."""
    with Store(store, create=False) as opened:
        return [_run_entry(run) for run in reversed(opened.runs()) if run.verdicts]


def _run_entry(run: Run) -> Entry:
    facts = (
        run.plan.model,
        run.plan.benchmark,
        f"{run.items:,} {'item' if run.items == 1 else 'items'}",
        run.state.value,
    )
    return Entry(f"replay:{run.id}", Kind.RUN, run.id, facts)


DEMO = Entry(
    "demo", Kind.DEMO, "The bundled model", ("demonstration: its figures are not results",)
)
TYPED = Entry("", Kind.PATH, "type a path…")


def typed_entry(text: str) -> Entry:
    """The entry that a person means by what they typed; raises `ModelError`, `NotFoundError`."""
    wanted = text.strip()
    if wanted == DEMO.source:
        return DEMO
    if wanted.startswith("replay:"):
        with Store(paths.runs(), create=False) as opened:
            return _run_entry(opened.run(wanted.removeprefix("replay:").strip()))
    if not wanted:
        raise ModelError("Nothing was typed.", hint="Type the path of a GGUF file.")
    try:
        file = Path(wanted).expanduser().absolute()
        there = file.is_file()
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelError(f"This is no path: {error}.", where=wanted) from error
    if not there:
        raise ModelError("There is no such file.", where=str(file))
    return file_entry(file)


def file_entry(path: Path) -> Entry:
    """The entry of a model file: what its header says, and whether it fits into memory."""
    source = str(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as handle:
            magic = handle.read(4)
    except OSError as error:
        return Entry(source, Kind.FILE, path.name, trouble=f"It cannot be read: {error.strerror}.")
    facts = (human_bytes(size),)
    if magic != b"GGUF":
        return Entry(source, Kind.FILE, path.name, facts, trouble="This is not a GGUF file.")
    return _with_fit(Entry(source, Kind.FILE, path.name, facts), size)


def _with_fit(entry: Entry, need: int) -> Entry:
    """The entry with whether `need` bytes are there now."""
    free = free_memory()
    if free is None:
        return replace(entry, fit=f"needs {human_bytes(need)}")
    if need <= free:
        return replace(entry, fit=f"needs {human_bytes(need)} of {human_bytes(free)}")
    fit = f"needs {human_bytes(need)}, {human_bytes(free)} free"
    trouble = f"This model does not fit into memory: it {fit}. A smaller quantisation may fit."
    return replace(entry, fit=f"does not fit: {fit}", trouble=trouble)


def free_memory() -> int | None:
    """Bytes of memory that programs may still take; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


def human_bytes(n: int) -> str:
    """A number of bytes as a person reads it, in decimal units: 4.1 GB."""
    size = float(n)
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 9.95 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.0f} GB" if size >= 99.5 else f"{size:.1f} GB"
