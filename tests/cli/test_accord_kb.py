"""`accord kb`: what was built generates the same suite as the files it was built of."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from core.files.shipped import samples
from tests.cli.support import in_process_of_its_own, ok, run

KNOWLEDGE = samples() / "accord" / "knowledge"
RELATIONS = {"AtLocation", "Causes", "PartOf", "IsA", "UsedFor", "HasPrerequisite"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("kb") / "bundled.kb"
    ok("accord", "kb", "build", KNOWLEDGE, "--out", out)
    return out


def rows() -> dict[str, set[tuple[str, str]]]:
    """The assertions of the bundled files, read without the program."""
    found = {}
    for file in KNOWLEDGE.glob("*.csv"):
        lines = file.read_text(encoding="utf-8").splitlines()
        found[file.stem] = {(line.split(",")[0], line.split(",")[1]) for line in lines}
    return found


def test_what_was_built_holds_every_assertion(built: Path) -> None:
    told = ok("accord", "kb", "info", built, "--json").json
    expected = rows()
    assert set(expected) == RELATIONS
    assert told["assertions"] == sum(map(len, expected.values()))
    (language,) = told["languages"].values()
    assert {name: one["assertions"] for name, one in language["relations"].items()} == {
        name: len(pairs) for name, pairs in expected.items()
    }
    for name, one in language["relations"].items():
        assert one["sources"] == len({source for source, _ in expected[name]})
        assert one["targets"] == len({target for _, target in expected[name]})


def test_built_or_not_the_items_are_the_same(built: Path, tmp_path: Path) -> None:
    words = ("accord", "generate", "--sizes", "1-3", "--limit", "3", "--seed", "2")
    items = []
    for name, kb in (("files", KNOWLEDGE), ("built", built)):
        ok(*words, "--kb", kb, "--out", tmp_path / name)
        ok("accord", "check", tmp_path / name, "--kb", kb)
        lines = (tmp_path / name / "items.jsonl").read_bytes().splitlines()
        items.append([json.loads(line) for line in lines])
    for one, other in zip(*items, strict=True):
        assert {k: v for k, v in one.items() if k != "knowledge"} == {
            k: v for k, v in other.items() if k != "knowledge"
        }


def test_building_twice_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = tmp_path / built.name
    made = in_process_of_its_own("accord", "kb", "build", KNOWLEDGE, "--out", again)
    assert made.code == 0, made.err
    assert again.read_bytes() == built.read_bytes()


def test_only_the_relations_asked_for_are_built(tmp_path: Path) -> None:
    out = tmp_path / "some.kb"
    words = ("--relations", "IsA, PartOf", "--out", out, "--json")
    (language,) = ok("accord", "kb", "build", KNOWLEDGE, *words).json["languages"].values()
    assert set(language["relations"]) == {"IsA", "PartOf"}


def test_lines_that_are_none_are_counted_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    folder.mkdir()
    text = b"kettle,kitchen\nonly one\n\xff\xfe,x\n,nothing\npan,kitchen\na\x1b[2Jb,kitchen\n"
    (folder / "AtLocation.csv").write_bytes(text)
    out = tmp_path / "out.kb"
    ran = in_process_of_its_own("accord", "kb", "build", folder, "--out", out)
    assert ran.code == 0
    assert "malformed" in ran.err
    assert f"{folder / 'AtLocation.csv'}:2" in ran.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", (ran.out + ran.err).replace("\n", ""))
    assert ok("accord", "kb", "info", out, "--json").json["assertions"] == 2


def test_a_damaged_file_is_told_by_info_and_by_generate(built: Path, tmp_path: Path) -> None:
    raw = bytearray(built.read_bytes())
    for name, damaged in {
        "cut.kb": bytes(raw[: len(raw) // 2]),
        "head.kb": bytes(raw[:20]),
        "empty.kb": b"",
        "zeroed.kb": bytes(len(raw)),
    }.items():
        path = tmp_path / name
        path.write_bytes(damaged)
        for words in (("kb", "info", path), ("generate", "--kb", path, "--out", tmp_path / "s")):
            ran = run("accord", *words)
            assert ran.code == 2, (name, ran.out)
            assert not ran.out
            assert str(path) in ran.err
            assert "Traceback" not in ran.err
        assert not (tmp_path / "s").exists()
    raw[-100] ^= 1
    flipped = tmp_path / "flipped.kb"
    flipped.write_bytes(raw)
    assert run("accord", "kb", "info", flipped).code == 2


@pytest.mark.parametrize("words", [("info",), ("build", "--out", "out.kb")])
def test_a_pipe_is_no_knowledge_base(words: tuple[str, ...], tmp_path: Path) -> None:
    """Reading from one that nobody writes to would never end."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    name, *options = words
    more = [str(tmp_path / one) if one == "out.kb" else one for one in options]
    ran = run("accord", "kb", name, pipe, *more)
    assert ran.code == 2
    assert "Traceback" not in ran.err
