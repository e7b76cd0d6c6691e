"""The table of limits says what the code has."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
ROW = re.compile(r"^\| [^|]+ \| ([\d,]+)(?: (MiB|GiB|KiB|bytes|s))? \| `([\w.]+)\.(\w+)` \|$", re.M)
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def test_every_limit_of_the_table_is_that_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("| limit | most | where |")[2].partition("\n\n")[0]
    rows = ROW.findall(table)
    assert len(rows) == table.count("\n| ")
    assert len(rows) > 30
    for number, unit, module, name in rows:
        most = int(number.replace(",", "")) * UNITS.get(unit, 1)
        assert getattr(import_module(module), name) == most, name
