"""The reduction matrix: the paper's 17, and those of a person's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.trees.matrix import (
    COLUMNS,
    Case,
    Growth,
    Matrix,
    MatrixError,
    Order,
    Reduction,
    case_of,
)
from core.benchmarks.accord.trees.path import kinds
from core.benchmarks.accord.trees.skills import End, SkillError, Skills
from core.benchmarks.accord.trees.tree import Template
from tests.benchmarks.accord.random_trees import SKILLS

MATRIX = Matrix.shipped()
HEADER = ",".join(COLUMNS) + "\n"
# What is absorbed at the answer variable a: the pairing's skill and the pairing variable's end.
ABSORBED = {
    ("spatial", "source"): "spatial:source part_of:source type_of:target",
    ("spatial", "target"): "spatial:target part_of:target type_of:target",
    ("causal", "source"): "causal:source type_of:target",
    ("causal", "target"): "causal:target type_of:target",
    ("part_of", "source"): "part_of:source type_of:target",
    ("part_of", "target"): "part_of:target",
    ("type_of", "source"): "type_of:source",
    ("type_of", "target"): "type_of:target",
    ("used_for", "source"): "used_for:source requires:target",
    ("used_for", "target"): "used_for:target type_of:target causal:target",
    ("requires", "source"): "requires:source",
    ("requires", "target"): "requires:target type_of:target",
}


def test_17_of_78_pairs_reduce() -> None:
    pairs = MATRIX.pairs()
    assert len(pairs) == 21
    assert sum(pair.ways for pair in pairs) == 78
    assert sum(len(pair.reductions) for pair in pairs) == 17 == len(MATRIX.entries)
    empty = {(pair.first, pair.second) for pair in pairs if not pair.reductions}
    assert empty == {
        ("spatial", "causal"),
        ("spatial", "used_for"),
        ("spatial", "requires"),
        ("causal", "part_of"),
        ("causal", "requires"),
        ("part_of", "used_for"),
        ("part_of", "requires"),
    }


@pytest.mark.parametrize("kind", ABSORBED)
def test_templates_that_a_pairing_absorbs(kind: tuple[str, str]) -> None:
    skill, end = kind
    expected = {tuple(word.split(":")) for word in ABSORBED[kind].split()}
    found = MATRIX.absorbed(skill, End(end))
    assert {(growth.skill, growth.end) for growth in found} == expected
    assert len(found) == len(expected)


def test_every_kind_of_pairing_is_in_the_table() -> None:
    assert [(skill, end.value) for skill, end in kinds(MATRIX)] == list(ABSORBED)


@pytest.mark.parametrize(
    ("second", "case", "back"),
    [
        (Template(1, "spatial", 2), Case.CHAIN, Case.BACK),
        (Template(2, "spatial", 1), Case.TARGETS, Case.TARGETS),
        (Template(0, "spatial", 2), Case.SOURCES, Case.SOURCES),
        (Template(2, "spatial", 0), Case.BACK, Case.CHAIN),
        (Template(2, "spatial", 3), Case.NONE, Case.NONE),
        (Template(1, "spatial", 0), Case.NONE, Case.NONE),
    ],
)
def test_cases_name_the_shared_ends(second: Template, case: Case, back: Case) -> None:
    first = Template(0, "spatial", 1)
    assert case_of(first, second) is case
    assert case_of(second, first) is back is case.swapped


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        (("type_of", 0, 1), ("spatial", 1, 2), ("spatial", 0, 2)),
        (("spatial", 0, 1), ("type_of", 2, 1), ("spatial", 0, 2)),
        (("part_of", 0, 1), ("spatial", 1, 2), ("spatial", 0, 2)),
        (("used_for", 0, 1), ("requires", 2, 1), ("used_for", 0, 2)),
        (("causal", 0, 1), ("used_for", 1, 2), ("used_for", 0, 2)),
        (("requires", 0, 1), ("requires", 1, 2), ("requires", 0, 2)),
    ],
)
def test_reductions_join_the_outer_variables(
    first: tuple[str, int, int], second: tuple[str, int, int], result: tuple[str, int, int]
) -> None:
    one, two, three = (Template(s, name, t) for name, s, t in (first, second, result))
    reduced = MATRIX.reduce(one, two)
    assert reduced is not None
    assert reduced.template == three
    assert reduced.entry.skill == three.skill


@given(
    st.sampled_from(SKILLS),
    st.sampled_from(SKILLS),
    st.sampled_from([(0, 1, 1, 2), (0, 1, 2, 1), (1, 0, 1, 2), (1, 0, 2, 1)]),
)
def test_the_order_of_the_two_does_not_matter(
    one: str, two: str, ends: tuple[int, int, int, int]
) -> None:
    first, second = Template(ends[0], one, ends[1]), Template(ends[2], two, ends[3])
    there, back = MATRIX.reduce(first, second), MATRIX.reduce(second, first)
    assert (there is None) == (back is None)
    if there and back:
        assert there.template == back.template
        assert {there.template.source, there.template.target} == {0, 2}
        assert back.entry == there.entry.mirrored
        assert there.entry.mirrored.mirrored == there.entry


def test_an_entry_reads_as_a_rule() -> None:
    entry = MATRIX.entry("spatial", "part_of", Case.BACK)
    assert str(entry) == "spatial(y, x) & part_of(z, y) => spatial(z, x)"


def read(tmp_path: Path, rows: str, *, header: str = HEADER) -> Matrix:
    path = tmp_path / "reductions.csv"
    path.write_text(header + rows, encoding="utf-8")
    return Matrix.read(path, Skills.shipped())


def test_a_matrix_of_ones_own_opens(tmp_path: Path) -> None:
    matrix = read(tmp_path, "spatial,causal,3,causal,REVERSE\r\n\r\n")
    assert matrix.entries == (
        Reduction("spatial", "causal", Case.SOURCES, "causal", Order.REVERSE),
    )
    reduced = matrix.reduce(Template(0, "causal", 1), Template(0, "spatial", 2))
    assert reduced is not None
    assert reduced.template == Template(1, "causal", 2)
    # causal(a, p) would become causal(p, z): the pairing variable would change ends.
    assert matrix.absorbed("causal", End.SOURCE) == ()
    assert matrix.absorbed("causal", End.TARGET) == ()
    assert sum(len(pair.reductions) for pair in matrix.pairs()) == 1


def test_both_orders_of_a_pair_may_be_written_if_they_agree(tmp_path: Path) -> None:
    agreed = "spatial,part_of,1,spatial,MAINTAIN\npart_of,spatial,4,spatial,REVERSE\n"
    matrix = read(tmp_path, agreed)
    assert matrix.absorbed("spatial", End.SOURCE) == (Growth("part_of", End.SOURCE),)


@pytest.mark.parametrize(
    ("rows", "line", "what"),
    [
        ("spacial,causal,1,causal,MAINTAIN\n", 2, "no skill “spacial”"),
        ("\nspatial,x,1,causal,MAINTAIN\n", 3, "no skill “x”"),
        ("spatial,causal,5,causal,MAINTAIN\n", 2, "not a case"),
        ("spatial,causal,0,causal,MAINTAIN\n", 2, "not a case"),
        ("spatial,causal,,causal,MAINTAIN\n", 2, "not a case"),
        ("spatial,causal,1,near,MAINTAIN\n", 2, "not closed"),
        ("spatial,causal,1,causal,KEEP\n", 2, "not an order"),
        ("spatial,causal,1,causal\n", 2, "4 cells"),
        ("spatial,causal,1,causal,MAINTAIN\n" * 2, 3, "twice"),
        (
            "spatial,causal,1,causal,MAINTAIN\ncausal,spatial,4,causal,MAINTAIN\n",
            3,
            "the other way round",
        ),
        (
            "spatial,causal,1,causal,MAINTAIN\ncausal,spatial,4,spatial,REVERSE\n",
            3,
            "the other way round",
        ),
        ("spatial,spatial,2,spatial,MAINTAIN\n", 2, "the other way round"),
        ('spatial,"causal,1\n', 2, "not CSV"),
    ],
)
def test_faults_are_reported_with_their_line(
    tmp_path: Path, rows: str, line: int, what: str
) -> None:
    with pytest.raises((MatrixError, SkillError), match=what) as caught:
        read(tmp_path, rows)
    assert caught.value.where == f"{tmp_path / 'reductions.csv'}:{line}"
    assert caught.value.hint


@pytest.mark.parametrize(("header", "what"), [("", "empty"), (HEADER, "no reduction")])
def test_an_empty_matrix_is_refused(tmp_path: Path, header: str, what: str) -> None:
    with pytest.raises(MatrixError, match=what):
        read(tmp_path, "", header=header)


def test_another_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MatrixError, match="column “a” is not known"):
        read(tmp_path, "", header="a,b,c,d,e\n")


def test_a_binary_or_missing_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reductions.csv"
    with pytest.raises(MatrixError, match="no such file"):
        Matrix.read(path, Skills.shipped())
    path.write_bytes(HEADER.encode() + b"\xff")
    with pytest.raises(MatrixError, match="UTF-8") as caught:
        Matrix.read(path, Skills.shipped())
    assert caught.value.where == f"{path}:2"


def test_a_case_without_a_shared_variable_is_refused() -> None:
    entry = Reduction("spatial", "causal", Case.NONE, "causal", Order.MAINTAIN)
    with pytest.raises(MatrixError, match="shares no variable"):
        Matrix.of(Skills.shipped(), [entry])
