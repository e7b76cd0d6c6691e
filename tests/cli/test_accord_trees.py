"""`accord count` and `accord trees`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.benchmarks.accord.trees.enumeration import trees
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.tree import Template, Tree, canonical_id, canonical_names
from tests.cli.support import ROOT, ok, run, spawn

HEADER = "relation1,relation2,case,reduction_type,reduction_order\n"


def test_counts_of_one_rule() -> None:
    found = ok("accord", "count", "--max-size", "5", "--rule", "free", "--json").json
    assert found["trees"] == {"1": 6, "2": 78, "3": 1228, "4": 23037, "5": 477768}
    assert found["paths"]["spatial:source"]["2"] == {"1": 26, "2": 3}
    assert found["paths"]["requires:source"]["4"] == {"1": 15358, "2": 1151, "3": 50, "4": 1}
    assert len(found["paths"]) == 12
    assert (found["matrix"]["reductions"], found["matrix"]["ways"]) == (17, 78)
    assert found["matrix"]["absorbed"]["part_of:target"] == ["part_of:target"]


def test_counts_of_several_rules() -> None:
    words = ("accord", "count", "--max-size", "4", "--rule", "cover,grow,free", "--json")
    found = ok(*words).json
    assert found["trees"] == found["rules"]["cover"]["trees"]
    assert {rule: counts["trees"]["4"] for rule, counts in found["rules"].items()} == {
        "cover": 1593,
        "grow": 785,
        "free": 23037,
    }
    assert found["rules"]["grow"]["paths"]["spatial:source"]["2"] == {"1": 6, "2": 3}


def test_counts_for_people() -> None:
    text = ok("accord", "count", "--max-size", "2", "--rule", "free, grow").out
    assert "17 of 78 ways to join two templates reduce" in text
    assert "spatial(x, y) & part_of(y, z) => spatial(x, z)" in text
    assert "78 trees of 2 templates" in text
    assert "17 trees of 2 templates" in text
    assert "spatial source, size 2: 26 + 3" in text


def test_every_tree_on_a_line() -> None:
    lines = ok("accord", "trees", "--size", "3", "--rule", "cover", "--jsonl").lines
    assert len({line["id"] for line in lines}) == len(lines) == 113
    for line in lines:
        tree = Tree(tuple(Template(**template) for template in line["templates"]))
        assert canonical_id(canonical_names(tree)[0]) == line["id"]
        assert list(line) == ["templates", "id"]
        assert list(line["templates"][0]) == ["source", "skill", "target"]


def test_the_lines_are_the_trees() -> None:
    lines = ok("accord", "trees", "--size", "4", "--jsonl").lines
    assert [line["id"] for line in lines] == [canonical_id(t) for t in trees(4, Matrix.shipped())]


def test_a_reader_may_stop_early() -> None:
    with spawn("accord", "trees", "--size", "7", "--jsonl") as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.stdout.close()
        assert len(first["templates"]) == 7
        assert process.wait(30) is not None
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_drawn_trees_follow_the_seed() -> None:
    words = ("accord", "trees", "--size", "12", "--sample", "5", "--jsonl", "--seed")
    first, again, other = (ok(*words, seed).lines for seed in ("3", "3", "4"))
    assert first == again != other
    assert len({line["id"] for line in first}) == 5
    assert all(len(line["templates"]) == 12 for line in first)


def test_more_than_there_are() -> None:
    assert len(ok("accord", "trees", "--size", "1", "--sample", "50", "--jsonl").lines) == 6


def test_trees_for_people() -> None:
    lines = ok("accord", "trees", "--size", "1").out.splitlines()
    assert len(lines) == 6
    assert lines[0].endswith("  causal(V0, V1)")


def test_own_skills_and_matrix(tmp_path: Path) -> None:
    skills, matrix = tmp_path / "skills.yaml", tmp_path / "matrix.csv"
    skills.write_text("near: {description: Where, surface: '{} {}', concept_net: AtLocation}\n")
    matrix.write_text(f"{HEADER}near,near,1,near,MAINTAIN\n")
    own = ("--skills", skills, "--matrix", matrix)
    found = ok("accord", "count", "--max-size", "3", *own, "--json").json
    assert found["trees"] == {"1": 1, "2": 3, "3": 8}
    assert found["matrix"]["pairs"] == {"near:near": ["near(x, y) & near(y, z) => near(x, z)"]}
    lines = ok("accord", "trees", "--size", "2", "--rule", "cover", *own, "--jsonl").lines
    assert [{t["skill"] for t in line["templates"]} for line in lines] == [{"near"}]


def test_what_an_own_matrix_changes_stands_beside_the_papers_counts(tmp_path: Path) -> None:
    """Without causal(x, y) & causal(y, z), with one for a pair that the paper leaves empty."""
    shipped = (ROOT / "core/benchmarks/accord/trees/reductions.csv").read_text("utf-8").splitlines()
    own = [line for line in shipped if not line.startswith("causal,causal")]
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("\n".join([*own, "spatial,causal,1,spatial,MAINTAIN"]) + "\n")
    words = ("accord", "count", "--max-size", "2", "--rule", "cover")
    text = ok(*words, "--matrix", matrix).out
    added = "spatial(x, y) & causal(y, z) => spatial(x, z)"
    assert f"  {added}  (not among the paper's)\n" in text
    assert "without the paper's causal(x, y) & causal(y, z) => causal(x, z)\n" in text
    assert "  17 trees of 2 templates\n" in text
    # Two causal templates made two pairings; one of both skills has spatial's, and absorbs there.
    assert "spatial source, size 2: 7 + 4  (the paper's: 6 + 3)\n" in text
    assert "spatial target, size 2: 7 + 3  (the paper's: 6 + 3)\n" in text
    assert "causal source, size 2: 4 + 1  (the paper's: 5 + 2)\n" in text
    assert "part_of source, size 2: 5 + 2\n" in text
    assert "the paper's" not in ok(*words).out


def test_skills_without_their_matrix(tmp_path: Path) -> None:
    skills = tmp_path / "skills.yaml"
    skills.write_text("near: {description: Where, surface: '{} {}', concept_net: AtLocation}\n")
    ran = run("accord", "count", "--skills", skills)
    assert ran.code == 2
    assert "There is no skill “spatial”" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("count", "--rule", "gorw"), "Did you mean “grow”?"),
        (("count", "--rule", "free,free"), "named twice"),
        (("count", "--max-size", "0"), "not counted"),
        (("count", "--max-size", "99"), "where: --max-size"),
        (("trees", "--size", "0"), "not enumerated"),
        (("trees", "--size", "9"), "can be sampled"),
        (("trees", "--size", "9"), "where: --size"),
        (("count", "--rule", "free,gorw"), "where: --rule"),
        (("trees", "--size", "99", "--sample", "1"), "not drawn"),
        (("trees", "--size", "2", "--rule", "x\x1b[2J"), "is not a rule"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], said: str) -> None:
    ran = run("accord", *words)
    assert ran.code == 2
    assert said in ran.err
    assert not ran.out
    assert "\x1b" not in ran.err


def test_a_broken_matrix_says_where(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(f"{HEADER}spatial,causal,9,causal,MAINTAIN\n")
    ran = run("accord", "trees", "--size", "2", "--matrix", matrix)
    assert ran.code == 2
    assert f"{matrix}:2" in ran.err
