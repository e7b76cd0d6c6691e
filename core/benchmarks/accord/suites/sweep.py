"""A sweep: a suite of the questions in a folder that is generated on opening.

Its settings are in a file `sweep.yaml`: `sizes` ("1-5"), and optionally `per_cell`, `seed` and
`rule`. The same file, questions and knowledge base give the same items on every machine.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from core.benchmarks.accord.collection import open_collection
from core.benchmarks.accord.suites.collection import SuiteCollection
from core.benchmarks.accord.suites.generator import Generator
from core.benchmarks.accord.suites.plan import tasks
from core.benchmarks.accord.trees.rules import Rule
from core.contract.about import read_about
from core.contract.collection import About
from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.text.errors import DataError, SettingError
from core.text.escaping import quoted

MOST_ITEMS = 20_000
"""Most items that are generated on opening; larger suites must be generated into a folder."""
MOST_SIZE = 16
SUFFIX = "sweep.yaml"
_KEYS = ("sizes", "per_cell", "seed", "rule")
_Read = TypeVar("_Read")
_SIZES = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")


def is_sweep(path: Path) -> bool:
    """Whether a path is the file of a sweep."""
    return path.name.endswith(SUFFIX)


def open_sweep(path: Path) -> SuiteCollection:
    """Generate the items of a sweep; raises `DataError`."""
    questions = open_collection(path.parent)
    with strict_yaml.data_errors():
        sizes, per_cell, seed, rule = _read(path)
    items = tuple(questions.item(index).question for index in range(len(questions)))
    paired = tuple(item for item in items if item.pairings)
    generator = Generator(paired, questions.grounds, sizes, per_cell, seed, rule)
    total = generator.manifest.total
    if total > MOST_ITEMS:
        raise DataError(
            f"This sweep has {total:,} items; {MOST_ITEMS:,} are the most.",
            where=path,
            hint="Generate it to a folder: commonsense-tui accord generate.",
        )
    lines = b"".join(generator.line(task) + b"\n" for task in tasks(paired, sizes, per_cell))
    errors: list[DataError] = []
    about = read_about(path.parent, errors) or About(title=path.parent.name)
    title = f"{about.title}: sweep over trees of {sizes[0]} to {sizes[-1]} templates"
    return SuiteCollection(
        str(path),
        lambda: io.BytesIO(lines),
        questions.grounds,
        replace(about, title=title),
    )


def sizes_of(words: str) -> tuple[int, ...]:
    """Parse a range of tree sizes such as "3" or "1-5"; raises `SettingError`."""
    match = _SIZES.fullmatch(words.strip())
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not 1 <= first <= last <= MOST_SIZE:
        raise SettingError(
            f"{quoted(words)} is no range of sizes.",
            where="sizes",
            hint=f"Write 3 or 1-5; trees have 1 to {MOST_SIZE} templates.",
        )
    return tuple(range(first, last + 1))


def _read(path: Path) -> tuple[tuple[int, ...], int, int, Rule]:
    root = strict_yaml.read(path, "The sweep")
    fields = root.members(_KEYS, ("sizes",), f"A sweep has {', '.join(_KEYS)}.")
    per_cell = _whole(fields["per_cell"], 1) if "per_cell" in fields else 1
    seed = _whole(fields["seed"], 0) if "seed" in fields else 0
    rule = _placed(fields["rule"], Rule.named) if "rule" in fields else Rule.FREE
    return _placed(fields["sizes"], sizes_of), per_cell, seed, rule


def _placed(value: Value, reader: Callable[[str], _Read]) -> _Read:
    """Parse a value as it is written; a `SettingError` of `reader` gets its line."""
    try:
        return reader(value.word())
    except SettingError as error:
        raise value.error(error.what, error.hint) from error


def _whole(value: Value, least: int) -> int:
    number = value.number()
    if not number.is_integer() or number < least:
        raise value.error(f"{value.name} must be a whole number from {least}.")
    return int(number)
