"""Files of one item: how large they may be, and what is wrong in them is told by line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.documents import read_item
from core.contract.setting import Setting
from core.text.errors import DataError


def written(path: Path, events: int) -> Path:
    lines = [f"  e{i}: {{text: An event}}\n" for i in range(events)]
    path.write_text("".join(["events:\n", *lines]), encoding="utf-8")
    return path


def test_a_file_of_megabytes_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = written(tmp_path / "large.yaml", 200_000)
    assert path.stat().st_size > 5_000_000
    for read in (read_item, lambda file: Com2().open(file).item(0)):
        begun = time.process_time()
        with pytest.raises(DataError, match="larger than 100,000 bytes") as caught:
            read(path)
        assert caught.value.where == str(path)
        assert time.process_time() - begun < 2.5


def test_a_file_may_be_as_large_as_the_limit(tmp_path: Path) -> None:
    path = written(tmp_path / "full.yaml", 3000)
    full = 100_000 - path.stat().st_size
    with path.open("a", encoding="utf-8") as file:
        file.write("#" * full)
    assert len(read_item(path).graph.events) == 3000
    with path.open("a", encoding="utf-8") as file:
        file.write("#")
    with pytest.raises(DataError, match="larger"):
        read_item(path)


GRAPH = """\
events:
  a: {text: It rains, leak: 1}
  b: {text: The lane is wet}
  c: {text: A bus is late}
links:
  - {from: a, to: b}
  - {from: b, to: c}
"""


@pytest.mark.parametrize(
    ("more", "line", "what"),
    [
        ("  - {from: c, to: a}\n  - {from: a, to: q}\n", 8, "cycle through a, b, c"),
        ("  - {from: a, to: q}\n  - {from: c, to: a}\n", 8, "“q”, which is not there"),
        ("  - {from: a, to: c}\n  - {from: c, to: c}\n", 9, "“c” causes itself"),
        ("  - {from: a, to: b}\n", 8, "is there twice"),
        ("groups:\n  - {effect: c, rule: all-of, causes: [a]}\n", 9, "has no link to it"),
    ],
)
def test_a_malformed_graph_is_refused_with_its_line(
    tmp_path: Path, more: str, line: int, what: str
) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(GRAPH + more, encoding="utf-8")
    with pytest.raises(DataError, match=what) as caught:
        read_item(path)
    assert caught.value.where == f"{path}:{line}"


def test_events_with_the_same_text_stay_two_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(GRAPH.replace("A bus is late", "the lane is  wet."), encoding="utf-8")
    item = read_item(path)
    assert len(item.graph.events) == 3
    assert item.warnings == ("“b” and “c” have the same text and stay two events.",)
    assert item.warnings[0] in repr(Com2().view(item, Setting()).sections)
    assert read_item(written(tmp_path / "many.yaml", 50)).warnings[-1].endswith(": 41.")
    assert all(not read_item(file).warnings for file in Com2().samples().glob("[!A]*.yaml"))


def test_a_question_has_at_most_as_many_options_as_there_are_letters(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    task = "tasks:\n  direct:\n    question: What then?\n    options:\n"
    option = "      - {event: c}\n"
    path.write_text(GRAPH + task + option * 26, encoding="utf-8")
    assert len(read_item(path).tasks[0].options) == 26
    path.write_text(GRAPH + task + option * 27, encoding="utf-8")
    with pytest.raises(DataError, match="These are 27 options") as caught:
        read_item(path)
    assert caught.value.where == f"{path}:12"
    assert caught.value.hint == "Write at most 26: they are lettered A to Z."
