"""Causal relations are known by their beginning, packed or not; other data are left to a try."""

from __future__ import annotations

import bz2
import json
from pathlib import Path

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.recognition import is_causenet
from core.benchmarks.gita.benchmark import Gita
from tests.benchmarks.com2.released_rows import row
from tui.app.recognition import recognised

RELATION = {"causal_relation": {"cause": {"concept": "rain"}, "effect": {"concept": "flood"}}}
LINE = json.dumps(RELATION).encode() + b"\n"


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "r.jsonl.bz2"])
def test_data_are_recognised_by_the_first_lines_of_the_first_file(
    name: str, tmp_path: Path
) -> None:
    data = LINE * 3000 + b"not json"
    file = tmp_path / name
    file.write_bytes(bz2.compress(data) if name.endswith("bz2") else data)
    assert is_causenet(file)
    assert is_causenet(tmp_path)
    found = recognised(file)
    assert found is not None
    assert found.name == "com2"


def test_the_bundled_relations_are_recognised_and_nothing_else_that_is_bundled() -> None:
    (relations,) = Com2().more_samples()
    assert is_causenet(relations)
    assert not is_causenet(Com2().samples())
    assert not is_causenet(Gita().samples())


@pytest.mark.parametrize("data", [b"", b"BZh9", b"\x00\xff", json.dumps(row()).encode()])
@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.bz2", "r.txt"])
def test_data_of_other_benchmarks_are_not_recognised(
    name: str, data: bytes, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    assert not is_causenet(file)
    assert not is_causenet(tmp_path / "absent.jsonl")
