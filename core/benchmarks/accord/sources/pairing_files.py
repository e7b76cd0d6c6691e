"""Reads pairing templates from our YAML, or from the authors' CSV files, one for each question."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate
from core.benchmarks.accord.sources.qa_schemas import end_named
from core.benchmarks.accord.sources.qa_yaml import SUFFIXES
from core.benchmarks.accord.sources.qa_yaml import read_pairings as read_yaml
from core.files.csv_table import csv_rows
from core.text.errors import DataError

_COLUMNS = ("placement", "term", "type_", "description", "surface_form")
_NEEDED = ("placement", "term", "type_", "surface_form")

Pairings = Mapping[str, tuple[PairingTemplate, ...]]
"""Pairing templates by the id of their question."""


def read_pairings(path: Path) -> tuple[Pairings, list[DataError]]:
    """The pairing templates of a source, and the errors of those that cannot be read.

    Whether a question can have them is checked by `qa_source.Questions.paired`.

    Args:
        path: a YAML file, a CSV file named after its question, or a folder of such CSV files.

    Raises:
        DataError: when nothing can be read.
    """
    try:
        is_folder = path.is_dir()
        files = sorted(path.glob("*.csv")) if is_folder else [path]
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"This cannot be read: {why}.", where=path) from error
    if not is_folder and path.suffix.lower() in SUFFIXES:
        return read_yaml(path)
    if not files:
        raise DataError(
            "No pairing templates were found in this folder.",
            where=path,
            hint="Looked for *.csv, one file for each question.",
        )
    pairings: dict[str, tuple[PairingTemplate, ...]] = {}
    errors: list[DataError] = []
    for file in files:
        try:
            pairings[file.stem] = read_csv(file)
        except DataError as error:
            if not is_folder:
                raise
            errors.append(error)
    return pairings, errors


def read_csv(path: Path) -> tuple[PairingTemplate, ...]:
    """The templates of one question, a row each: placement, term, type_, surface_form.

    Columns may be in any order; `description` repeats the skill and is not read.
    Raises `DataError` with the line.
    """
    pairings = []
    for where, row in csv_rows(path, _COLUMNS, _NEEDED):
        try:
            end = end_named(row["placement"])
            pairings.append(PairingTemplate(row["type_"], end, row["term"], row["surface_form"]))
        except PairingError as error:
            raise DataError.of(error, where=where) from error
    if not pairings:
        raise DataError("There is no pairing template in it.", where=path)
    return tuple(pairings)
