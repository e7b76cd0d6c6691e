"""Tuples are known by their beginning, so that no other benchmark reads them first."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.dataset_files import is_released
from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.gita.benchmark import Gita
from tui.app.recognition import recognise

ROW = '{"event": "<a cat> sat", "concept": "animal", "label": 1, "type": "noun"}'


@pytest.mark.parametrize(
    "text", [f"{ROW}\n", ROW, f"\n{ROW}\nnot json", f"\ufeff{ROW}", '{"concept": 1, "event": 2}']
)
def test_data_are_recognised_by_their_first_row(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text, encoding="utf-8")
    assert is_released(path)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00\xff", b"[" * 100_000, b'["event", "concept"]', b'{"event": "<a> b"}', b"event"],
)
def test_other_data_are_not_recognised(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    assert not is_released(path)
    assert not is_released(tmp_path)
    assert not is_released(tmp_path / "absent")


def test_the_samples_of_others_are_not_claimed() -> None:
    assert is_released(AbsPyramid().samples())
    for other in (Gita(), Com2()):
        paths = [other.samples(), *other.samples().glob("*")]
        assert not [path for path in paths if is_released(path)]


def test_no_other_benchmark_reads_what_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{ROW}\n", encoding="utf-8")
    tried: list[str] = []
    for other in (Gita, Com2):
        monkeypatch.setattr(other, "open", lambda self, path: tried.append(self.name))
    benchmark, collection = recognise(path, print)
    assert (benchmark.name, len(collection), tried) == ("abspyramid", 1, [])
