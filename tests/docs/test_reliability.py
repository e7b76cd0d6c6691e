"""The page of promises says what the code has, and names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

from core.runs.schema import MIGRATIONS, VERSION

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_the_versions_that_are_migrated_are_those_of_the_code() -> None:
    assert list(MIGRATIONS) == list(range(min(MIGRATIONS), VERSION))
    [named] = re.findall(r"versions (\d+) to (\d+) of the tables", PAGE)
    assert tuple(map(int, named)) == (min(MIGRATIONS), max(MIGRATIONS))


def test_every_test_that_is_named_is_there() -> None:
    paths = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    attacks = re.findall(r"`python -m tools\.attack (\w+)`", PAGE)
    assert len(paths) > 5
    assert attacks
    paths += [f"tools/attack/{name}.py" for name in attacks]
    assert [path for path in paths if not (ROOT / path).is_file()] == []
