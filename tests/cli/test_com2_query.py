"""`com2 query` and `com2 separate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import in_process_of_its_own, ok, run

WET = """\
events:
  rain: {text: It rains, leak: 0.3}
  hose: {text: Someone hoses the road, leak: 0.2}
  wet: {text: The road is wet, leak: 0.1}
  skid: {text: A car skids}
links:
  - {from: rain, to: wet, strength: 0.9}
  - {from: hose, to: wet, strength: 0.6}
  - {from: wet, to: skid, strength: 0.5}
  - {from: rain, to: skid, strength: 0.2}
"""


@pytest.fixture
def road(tmp_path: Path) -> Path:
    path = tmp_path / "road.yaml"
    path.write_text(WET)
    return path


def test_the_three_verbs(road: Path) -> None:
    seen = ok("com2", "query", road, "--observe", "wet=1", "--json").json
    wet = 1 - 0.7 * 0.8 * 0.9
    assert seen["p"]["rain"] == pytest.approx(0.3 / wet, abs=1e-9)
    assert (seen["method"], seen["se"], seen["rung"]) == ("exact", {}, "see")
    done = ok("com2", "query", road, "--do", "wet=1", "--json").json
    assert done["p"]["rain"] == pytest.approx(0.3, abs=1e-9)
    assert done["rung"] == "do"
    words = ("--observe", "wet=1", "--imagine", "rain=0")
    imagined = ok("com2", "query", road, *words, "--json").json
    assert imagined["p"]["rain"] == 0
    assert imagined["p"]["wet"] == pytest.approx((1 - 0.8 * 0.9) / wet, abs=1e-9)
    assert imagined["rung"] == "imagine"
    assert list(seen["p"]) == ["rain", "hose", "wet", "skid"]


def test_strengths_count_under_noisy_or_only(road: Path) -> None:
    do = ("--do", "rain=1", "--do", "hose=0")
    assert ok("com2", "query", road, *do, "--json").json["p"]["skid"] == pytest.approx(1)
    noisy = ok("com2", "query", road, *do, "--mechanism", "noisy-or", "--json").json
    wet = 1 - 0.9 * 0.1
    assert noisy["p"]["skid"] == pytest.approx(1 - 0.8 * (1 - 0.5 * wet), abs=1e-9)


def test_drawn_worlds_come_with_their_error(road: Path) -> None:
    words = ("com2", "query", road, "--observe", "skid=1", "--mechanism", "noisy-or", "--json")
    exact = ok(*words).json["p"]
    drawn = ok(*words, "--samples", "50000", "--seed", "3").json
    assert drawn["method"] == "sampled"
    assert 0 < drawn["n"] < 50_000
    for event, p in exact.items():
        assert abs(drawn["p"][event] - p) <= 5 * drawn["se"][event] + 1e-12
    assert ok(*words, "--samples", "50000", "--seed", "3").json == drawn


def test_a_swap_of_causes_is_told(road: Path) -> None:
    seen = ("--observe", "rain=1", "--observe", "hose=0", "--observe", "wet=1")
    words = ("com2", "query", road, *seen, "--mechanism", "noisy-or", "--imagine", "rain=0")
    assert not ok(*words, "--json").json["depends_on_mechanism"]
    swap = (*words, "--imagine", "hose=1")
    assert ok(*swap, "--json").json["depends_on_mechanism"]
    assert "depends on mechanism choice" in ok(*swap).out.lower()


def test_for_people_it_names_the_rung_and_the_mechanism(road: Path) -> None:
    first, *lines = ok("com2", "query", road, "--mechanism", "noisy-or").out.splitlines()
    assert first == "see · noisy-or, illustrative · exact"
    assert lines[0].split() == ["0.3000", "rain:", "It", "rains"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--do", "rian=1"), "Did you mean “rain”?"),
        (("--do", "rain"), "not an event with 0 or 1"),
        (("--observe", "rain=2"), "not an event with 0 or 1"),
        (("--do", "=1"), "not an event with 0 or 1"),
        (("--do", "rain=1", "--do", "rain=0"), "set to 0 and to 1"),
        (("--do", "rain=1", "--observe", "rain=0"), "observed to be the other"),
        (("--do", "rain=1", "--imagine", "rain=0"), "set by do()"),
        (("--do", "rain=1", "--observe", "wet=0"), "cannot be: wet=0"),
        (("--mechanism", "nosy-or"), "Did you mean “noisy-or”?"),
    ],
)
def test_what_cannot_be_answered_is_a_persons_mistake(
    road: Path, words: tuple[str, ...], said: str
) -> None:
    ran = run("com2", "query", road, *words, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_cycle_and_a_missing_file_are_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "cycle.yaml"
    path.write_text(
        "events: {a: {text: A}, b: {text: B}}\nlinks: [{from: a, to: b}, {from: b, to: a}]\n"
    )
    ran = run("com2", "query", path)
    assert ran.code == 2
    assert "cycle through a, b" in ran.err
    assert str(path) in ran.err
    ran = run("com2", "query", tmp_path / "none.yaml")
    assert ran.code == 2
    assert "none.yaml" in ran.err
    assert "or the id of one, such as ring-road" in ran.err


def test_of_a_folder_one_graph_must_be_named(road: Path, tmp_path: Path) -> None:
    other = road.read_text(encoding="utf-8")
    folder = tmp_path / "graphs"
    folder.mkdir()
    (folder / "one.yaml").write_text(other, encoding="utf-8")
    assert ok("com2", "query", folder, "--json").json["p"]
    (folder / "two.yaml").write_text(other, encoding="utf-8")
    ran = run("com2", "query", folder)
    assert ran.code == 2
    assert "one graph, and this is a folder" in ran.err
    assert f"com2 query ID --data {folder}" in ran.err
    assert ok("com2", "query", "two", "--data", folder, "--json").json["p"]


def test_separate_tells_what_to_adjust_for(road: Path) -> None:
    told = ok("com2", "separate", road, "wet", "skid", "--json").json
    assert told == {
        "separated": False,
        "separator": None,
        "adjustment": ["rain"],
        "given_adjusts": False,
    }
    given = ok("com2", "separate", road, "wet", "skid", "--given", "rain")
    assert "connected given rain" in given.out
    assert "enough to adjust for" in given.out
    apart = ok("com2", "separate", road, "rain", "hose", "--json").json
    assert apart["separated"]
    assert apart["separator"] == []
    assert not ok("com2", "separate", road, "rain", "hose", "--given", "skid", "--json").json[
        "separated"
    ]


def test_a_line_break_in_an_id_or_text_begins_no_line_of_output(tmp_path: Path) -> None:
    path = tmp_path / "forged.yaml"
    path.write_text(
        'events:\n  "a\\n  1.0000  fake": {text: x}\n  b: {text: "y\\n  1.0000  z: forged"}\n'
        '  c: {text: "z\\n"}\nlinks: [{from: "a\\n  1.0000  fake", to: b}, {from: b, to: c}]\n'
    )
    assert ok("com2", "query", path).out.splitlines() == [
        "see · boolean · exact",
        "  0.0000  a␊  1.0000  fake: x",
        "  0.0000  b: y␊  1.0000  z: forged",
        "  0.0000  c: z",
    ]
    told = ok("com2", "separate", path, "a\n  1.0000  fake", "c", "--given", "b").out
    assert told.splitlines() == [
        "a␊  1.0000  fake and c are separated given b.",
        "Smallest separator: b.",
        "Adjust for: nothing.",
        "What is given is not enough to adjust for.",
    ]


def test_separate_refuses_one_event_twice(road: Path) -> None:
    ran = run("com2", "separate", road, "rain", "rain")
    assert ran.code == 2
    assert "named twice" in ran.err


def test_it_works_in_a_process_of_its_own(road: Path) -> None:
    ran = in_process_of_its_own("com2", "query", road, "--do", "rain=1", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["p"]["wet"] == 1
