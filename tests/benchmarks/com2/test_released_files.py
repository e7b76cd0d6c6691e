"""Files of released Com² questions: arrays, lines, folders, damage, and the command line."""

from __future__ import annotations

import bz2
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.collection import open_items
from core.benchmarks.com2.item import Scenario
from core.benchmarks.com2.scenarios import agrees, derive
from core.contract.setting import Setting
from core.files import rows as rows_module
from core.text.errors import DataError, NotFoundError
from tests.benchmarks.com2.damage import open_damaged
from tests.benchmarks.com2.released_rows import BAKERY, BUTTER, case, main_rows, row

BENCH = Com2()


def write(path: Path, rows: object) -> Path:
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return path


def test_a_case_has_facts_suspects_among_its_options_and_the_hard_prompt(tmp_path: Path) -> None:
    one_text = case(type="counterfactual", facts="1. The tent was locked.\n\n2. It rained.")
    several = case(type="decision", A="A, B")
    opened = open_items(write(tmp_path / "hard.json", [case(), one_text, several]))
    assert [opened.entry(i).detail for i in range(3)] == [
        "intervention, case",
        "counterfactual, case",
        "decision, case",
    ]
    first, second, third = (opened.item(i) for i in range(3))
    assert first.hard
    assert first.case is not None
    assert first.case.facts == ("The tent was locked at nine.", "The groom had soil on his boots.")
    assert second.case.facts == ("The tent was locked.", "It rained.")
    assert third.tasks[0].released == {0, 1}
    question = BENCH.question(first, Setting(), "answer")
    assert question is not None
    assert question.gold == 0
    assert question.tags["part"] == "hard"
    assert "1. The tent was locked at nine." in question.text


def test_good_rows_open_and_bad_rows_are_reported_by_line(tmp_path: Path) -> None:
    rows = [row(), "no row", row(type="why"), row(question="And the last one?")]
    path = write(tmp_path / "main.json", rows)
    opened = open_items(path)
    assert [opened.entry(i).id for i in range(len(opened))] == ["main-1", "main-4"]
    lines = path.read_text(encoding="utf-8").splitlines()
    places = [int(error.where.rpartition(":")[2]) for error in opened.errors]
    assert lines[places[0] - 1].strip() == '"no row",'
    assert lines[places[1] - 1].strip() == "{"
    assert '"why"' in "\n".join(lines[places[1] - 1 : places[1] + 20])
    assert opened.item(opened.find("main-4")).tasks[0].question == "And the last one?"


def test_broken_json_in_an_array_spoils_only_its_row(tmp_path: Path) -> None:
    path = tmp_path / "main.json"
    good = json.dumps(row())
    path.write_text(f'[{good},\n{{"type": direct}},\n{good}\n]', encoding="utf-8")
    opened = open_items(path)
    assert len(opened) == 2
    assert [error.where for error in opened.errors] == [f"{path}:2"]


def test_json_lines_open_as_an_array_does(tmp_path: Path) -> None:
    rows = [row(), case(), row(type="train?"), {"type": "direct", **{"question": "Why?"}}]
    rows.append({"type": "reco", "question": "So?", "options": ["a", "b"], "answer": "B) b"})
    array = open_items(write(tmp_path / "main.json", rows))
    text = "\n".join(json.dumps(one) for one in rows)
    lined = tmp_path / "main.jsonl"
    lined.write_text(text, encoding="utf-8-sig")
    packed = tmp_path / "packed.jsonl.bz2"
    packed.write_bytes(bz2.compress(text.encode()))
    lines = open_items(lined)
    assert len(array) == len(lines) == len(open_items(packed)) == 3
    assert [e.where.rpartition(":")[2] for e in lines.errors] == ["3", "4"]
    for i in range(3):
        assert lines.item(i).tasks == array.item(i).tasks == open_items(packed).item(i).tasks
    (tmp_path / "one.jsonl").write_text(json.dumps(row()), encoding="utf-8")
    (tmp_path / "one.json").write_text("\n" + json.dumps(row(), indent=2), encoding="utf-8")
    assert len(open_items(tmp_path / "one.jsonl")) == len(open_items(tmp_path / "one.json")) == 1


def test_a_folder_opens_all_its_files_and_those_further_down(tmp_path: Path) -> None:
    deep = tmp_path / "Com2" / "benckmark" / "com2"
    deep.mkdir(parents=True)
    write(deep / "main.json", [row(), row(type="decision", answer="A, B")])
    write(deep / "hard.json", [case()])
    (deep / "notes.txt").write_text("nothing", encoding="utf-8")
    opened = open_items(tmp_path)
    assert [opened.entry(i).id for i in range(3)] == ["hard-1", "main-1", "main-2"]
    assert len(opened.content_hash) == 64
    assert opened.matching("MARROW") == [0]
    assert list(opened.matching("")) == [0, 1, 2]
    with pytest.raises(NotFoundError, match="main-1"):
        opened.find("main-11")
    write(deep / "relations.json", [{"causal_relation": {}}])
    with pytest.raises(DataError, match="both"):
        open_items(tmp_path)


def test_files_of_the_same_name_have_items_of_different_ids(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "main.json", [row()])
    opened = open_items(tmp_path)
    assert len({opened.entry(i).id for i in range(len(opened))}) == 2


def test_repairs_are_listed_with_file_and_line_and_shown_with_the_item(tmp_path: Path) -> None:
    path = write(tmp_path / "main.json", [row(), row(answer="A) Something else")])
    opened = open_items(path)
    (repair,) = opened.repairs
    assert repair.where.startswith(f"{path}:")
    assert "main-2" in repair.what
    assert "letter counts" in repr(BENCH.view(opened.item(1), Setting()).sections)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"[1, 2]",
        b"null",
        b"[[",
        b"{",
        b"\xff\xfe[\x00]\x00",
        b"\x00" * 9,
        b'"a"',
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.json.bz2", "a.jsonl.bz2"])
def test_a_file_without_any_item_is_a_typed_error(
    tmp_path: Path, content: bytes, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(bz2.compress(content) if name.endswith("bz2") else content)
    with pytest.raises(DataError):
        open_items(path)
    path.write_bytes(content)
    with pytest.raises(DataError):
        open_items(path)
    with pytest.raises(DataError):
        open_items(tmp_path / "missing" / name)


def test_a_changed_file_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "main.json", [row(), row(type="reco")])
    opened = open_items(path)
    path.write_text("[", encoding="utf-8")
    with pytest.raises(DataError):
        opened.item(1)
    with pytest.raises(DataError, match="changed"):
        _ = opened.content_hash


def test_hostile_text_is_kept_as_plain_text(tmp_path: Path) -> None:
    path = write(tmp_path / "main.json", [row(question="\x1b[2J\u202eWhy?", type="direct")])
    shown = run("show", "com2", "main-1", "--data", str(path))
    assert "\x1b" not in shown.stdout
    assert "\u202e" not in shown.stdout
    assert "Why?" in shown.stdout


def run(*words: str) -> subprocess.CompletedProcess[str]:
    made = "from tui.cli.start import main; main()"
    command = [sys.executable, "-c", made, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)


def test_the_command_line_shows_items_and_lists_questions(tmp_path: Path) -> None:
    write(tmp_path / "main.json", [row(), row(type="intervention", chains=[BAKERY, BUTTER])])
    write(tmp_path / "hard.json", [case()])
    shown = run("show", "com2", "main-2", "--data", str(tmp_path))
    assert "The croissants come out flat" in shown.stdout
    assert "The released answer is another one" in shown.stdout
    printed = run("questions", "com2", "--data", str(tmp_path), "--jsonl").stdout
    asked = [json.loads(line) for line in printed.splitlines()]
    finals = [question for question in asked if question["layer"] == "answer"]
    assert [question["item"] for question in finals] == ["hard-1", "main-1", "main-2"]
    assert sum(question["layer"].startswith("link-") for question in asked) == 8


def test_a_file_of_the_released_shape_is_read_whole(tmp_path: Path) -> None:
    opened = open_items(write(tmp_path / "main.json", main_rows()))
    assert len(opened) == 2500
    assert list(opened.errors) == []
    said = [repair.what.partition(": ")[2] for repair in opened.repairs]
    # Sixes and fours, final full stops and missing chains are no defects.
    assert sum("Counterfactual_of_given_event" in what for what in said) == 224
    assert sum("twice" in what for what in said) == 8
    assert len(said) == 224 + 8
    derived: Counter[tuple[str, bool]] = Counter()
    for item in map(opened.item, range(2500)):
        (task,) = item.tasks
        found = derive(item, task)
        assert task.released == ({0, 2, 4} if task.multiple else {2})
        assert agrees(task, found) in {True, None}
        assert found.gold is not None or "not derivable" in found.why
        derived[task.scenario.value, found.gold is not None] += 1
        if task.scenario is Scenario.TRANSITION and item.id.endswith("7"):
            assert BENCH.view(item, Setting()).sections
    assert derived == {
        ("direct", True): 500,
        ("transition", True): 500,
        ("decision", False): 500,
        ("intervention", True): 270,
        ("intervention", False): 230,
        ("counterfactual", True): 500,
    }


@pytest.mark.parametrize("kind", ["intervention", "counterfactual"])
def test_a_released_item_also_asks_for_a_link_that_is_broken(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / "main.json", [row(type=kind, chains=[BAKERY, BUTTER], answer="B")])
    item = open_items(path).item(0)
    asked = [BENCH.question(item, Setting(), f"link-{i}") for i in range(1, 6)]
    golds = [question.gold for question in asked if question is not None]
    # What is imagined is brought about by nothing: the link to it is not asked.
    assert golds == [0] * (4 if kind == "intervention" else 3)
    found = BENCH.question(item, Setting(), "broken")
    assert found is not None
    assert found.gold == 1


def test_ten_thousand_rows_hold_no_item_in_memory(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(row(question=f"Question {i}?")) for i in range(10_000))
    path = tmp_path / "train.jsonl"
    path.write_text(text, encoding="utf-8")
    opened = open_items(path)
    assert len(opened) == 10_000
    assert opened.item(opened.find("train-9999")).tasks[0].question == "Question 9998?"
    assert opened.entry(4321).label == "Question 4321?"


def test_a_line_that_is_too_long_is_skipped_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "LONGEST_LINE", 2000)
    path = tmp_path / "main.jsonl"
    long = json.dumps(row(question="Why? " * 2**19))
    path.write_text(f"{json.dumps(row())}\n{long}\n{json.dumps(case())}\n", encoding="utf-8")
    opened = open_items(path)
    assert [error.where for error in opened.errors] == [f"{path}:2"]
    assert [opened.item(i).hard for i in range(len(opened))] == [False, True]


def test_rows_by_key_and_in_splits_open(tmp_path: Path) -> None:
    by_key = open_items(write(tmp_path / "keys.json", {"one": row(), "two": case()}))
    splits = open_items(write(tmp_path / "splits.json", {"train": [row()], "test": [case()]}))
    for opened in (by_key, splits):
        assert [opened.item(i).hard for i in range(len(opened))] == [False, True]


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    for i in range(101):
        write(tmp_path / f"{i}.json", [row()])
    with pytest.raises(DataError, match="101 files"):
        open_items(tmp_path)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data(), name=st.sampled_from(["a.json", "a.jsonl", "a.jsonl.bz2"]))
def test_any_damage_to_a_file_is_read_around_or_is_a_typed_error(
    tmp_path: Path, data: st.DataObject, name: str
) -> None:
    rows = [row(), case(), row(type="decision", answer="A, C")]
    opened = open_damaged(tmp_path / name, rows, data)
    if opened is None:
        return
    for i in range(len(opened)):
        assert opened.item(i).id == opened.entry(i).id
    assert len(opened) + len(opened.errors) >= 1
