"""The published tables that ship with the program, by their names."""

from __future__ import annotations

from pathlib import Path

from core.exchange.published.reader import read_table
from core.exchange.published.table import PublishedTable
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion

_FOLDER = Path(__file__).parent
_ENDING = ".yaml"


def names() -> list[str]:
    """The names of all tables, in alphabetical order with numbers by their size."""
    return sorted((path.stem for path in _FOLDER.glob(f"*{_ENDING}")), key=_order)


def tables() -> list[PublishedTable]:
    """Every table, in the order of `names`; raises `DataError` for a damaged file."""
    return [read_table(_FOLDER / f"{name}{_ENDING}") for name in names()]


def tables_of(benchmark: str) -> list[PublishedTable]:
    """The tables of a benchmark, in the order of `names`; raises `DataError` for a damaged file."""
    mine = [name for name in names() if name.startswith(f"{benchmark}-")]
    return [read_table(_FOLDER / f"{name}{_ENDING}") for name in mine]


def table(name: str) -> PublishedTable:
    """The table of a name; raises `NotFoundError`, and `DataError` for a damaged file."""
    known = names()
    if name not in known:
        raise NotFoundError(
            f"There is no published table “{name}”.", hint=suggestion("Tables", known, name)
        )
    return read_table(_FOLDER / f"{name}{_ENDING}")


def _order(name: str) -> tuple[str, int, str]:
    stem, _, last = name.rpartition("-")
    return (stem, int(last), "") if last.isdecimal() else (name, 0, "")
