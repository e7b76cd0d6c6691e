"""What the programs of ACCORD's authors wrote opens, and faults are told with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.sources.pairing_files import read_pairings
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.suites.artefact_groups import Group, read_groups
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, paths
from core.benchmarks.accord.trees.skills import End, Skills
from core.benchmarks.accord.trees.tree import Template, Tree
from core.text.errors import DataError

SKILLS = Skills.shipped()


def template(source: str, skill: str, target: str) -> dict[str, str]:
    return {"source_id": source, "relation_type": skill, "target_id": target}


TREE = {"templates": [template("V3", "part_of", "V0"), template("V0", "spatial", "V7")]}
QA_TEMPLATE = {
    "source": {"identifier": "pairing_source", "term": None},
    "relation": {
        "type_": "spatial",
        "description": "spatial",
        "surface_form": "Suppose that {} [[does|does not]] appear near {}",
    },
    "target": {"identifier": "pairing_target", "term": "lantern"},
}


def copy(known: str, answer: str, between: str) -> dict[str, Any]:
    """A two-hop copy: spatial(between, lantern) and part_of(answer, between)."""
    return {
        "identifier": known,
        "pairing_template": template("V0", "spatial", "V7"),
        "pairing": ["V7", "lantern"],
        "qa_template": QA_TEMPLATE,
        "answer_id": "V3",
        "reasoning_hops": 2,
        "anti_factual_ids": ["V0"],
        "mapping": {"V3": f"/c/en/{answer}", "V0": f"/c/en/{between}", "V7": "/c/en/lantern"},
    }


DATA = [copy("I0", "old_kettle", "moss"), copy("I1", "harbour", "soup/n")]
FAMILY = {"tree": TREE, "data_ids": ["I0", "I1"], "data_map": None}
GROUP = {
    "identifier": "G0",
    "data_ids": {"A": "I0", "B": "I1"},
    "mapping_map": {"A": None, "B": {**DATA[1]["mapping"], "V0": "/c/en/sand"}},
    "data_map": None,
}


def lines(path: Path, *rows: object) -> Path:
    """JSON lines; a text stands as it is."""
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def groups(
    folder: Path, *rows: object, family: object = FAMILY, data: list[Any] = DATA
) -> tuple[list[Group], list[DataError]]:
    """The groups of three files as the authors' program leaves them."""
    errors: list[DataError] = []
    found = read_groups(
        lines(folder / "groups.jsonl", *rows),
        lines(folder / "families.jsonl", family),
        lines(folder / "data.jsonl", *data),
        SKILLS,
        errors,
    )
    return list(found), errors


def test_the_authors_matrix_opens(tmp_path: Path) -> None:
    reductions = tmp_path / "reductions.csv"
    reductions.write_text(
        "relation1,relation2,case,reduction_type,reduction_order\n"
        "spatial,part_of,4,spatial,REVERSE\n",
        encoding="utf-8",
    )
    matrix = Matrix.read(reductions, SKILLS)
    reduced = matrix.reduce(Template(1, "spatial", 2), Template(0, "part_of", 1))
    assert reduced is not None
    assert reduced.template == Template(0, "spatial", 2)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not as expected"),
        ({"templates": [{"source_id": "V0"}]}, "not as expected"),
        ({"templates": []}, "A tree has"),
        ({"templates": [template("V0", "near", "V1")]}, "no skill “near”"),
        ({"templates": [template("V0", "spatial", "V0")]}, "cycle"),
        ({"templates": [template("V0", "spatial", "V1")] * 2}, "cycle"),
        (
            {"templates": [template("V0", "spatial", "V1"), template("V2", "spatial", "V3")]},
            "beyond",
        ),
    ],
)
def test_a_faulty_tree_is_reported_and_the_others_open(
    tmp_path: Path, row: object, said: str
) -> None:
    faulty = {"tree": row, "data_ids": ["X0"]} if isinstance(row, dict) else row
    path = lines(tmp_path / "families.jsonl", FAMILY, "", faulty, FAMILY)
    errors: list[DataError] = []
    found = read_groups(
        lines(tmp_path / "groups.jsonl", GROUP),
        path,
        lines(tmp_path / "data.jsonl", *DATA),
        SKILLS,
        errors,
    )
    assert [group.id for group in found] == ["G0"]
    assert [error.where for error in errors] == [f"{path}:3"]
    assert said in errors[0].what


def test_a_group_has_its_tree_its_pairing_and_the_terms_of_each_copy(tmp_path: Path) -> None:
    (group,), errors = groups(tmp_path, GROUP)
    assert errors == []
    assert group.tree == Tree((Template(0, "part_of", 1), Template(1, "spatial", 2)))
    assert group.pairing == Pairing(1, End.TARGET)
    assert (group.answer_variable, group.hops, group.anti_factual) == (0, 2, frozenset({1}))
    assert group.template == PairingTemplate(
        "spatial",
        End.TARGET,
        "lantern",
        QA_TEMPLATE["relation"]["surface_form"],  # type: ignore[index]
    )
    assert group.copies == {
        "A": ("old kettle", "moss", "lantern"),
        "B": ("harbour", "sand", "lantern"),
    }
    assert group.origin.endswith("groups.jsonl:1")


def test_the_fold_reaches_the_answer_variable_of_a_group_in_the_recorded_hops(
    tmp_path: Path,
) -> None:
    (group,), _ = groups(tmp_path, GROUP)
    reached = {path.hops: path for path in paths(group.tree, Matrix.shipped(), group.pairing)}
    assert reached[group.hops].answer_variable == group.answer_variable


def test_a_group_of_one_template_contains_its_data(tmp_path: Path) -> None:
    data = {
        label: {
            **copy("", term, ""),
            "answer_id": "V0",
            "reasoning_hops": 1,
            "anti_factual_ids": [],
            "mapping": {"V0": f"/c/en/{term}", "V7": "/c/en/lantern"},
        }
        for label, term in (("A", "kettle"), ("B", "harbour"))
    }
    row = {"identifier": "G1", "data_ids": {}, "mapping_map": {}, "data_map": data}
    errors: list[DataError] = []
    path = lines(tmp_path / "groups.jsonl", row)
    (group,) = read_groups(path, None, None, SKILLS, errors)
    assert group.tree == Tree((Template(0, "spatial", 1),))
    assert group.copies == {"A": ("kettle", "lantern"), "B": ("harbour", "lantern")}
    assert errors == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"data_ids": {"A": "I9"}}, "no tree is known of “I9”"),
        ({"data_ids": {}}, "no copy"),
        ({"mapping_map": {"A": {"V9": "x"}}}, "too many terms"),
        ({"identifier": None}, "not as expected"),
        ({"data_map": {"A": {}}}, "not as expected"),
    ],
)
def test_a_faulty_group_is_reported_and_the_others_open(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    found, errors = groups(tmp_path, GROUP, {**GROUP, **changed}, GROUP)
    assert len(found) == 2
    assert [error.where for error in errors] == [f"{tmp_path / 'groups.jsonl'}:2"]
    assert said in errors[0].what


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"answer_id": "V9"}, "differ in more"),
        ({"anti_factual_ids": []}, "differ in more"),
        ({"pairing": ["V0", "lantern"]}, "differ in more"),
    ],
)
def test_copies_that_differ_in_more_than_terms_are_refused(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    found, errors = groups(tmp_path, GROUP, data=[DATA[0], {**DATA[1], **changed}])
    assert found == []
    assert said in errors[0].what


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"answer_id": "V9"}, "no variable “V9”"),
        ({"anti_factual_ids": ["V9"]}, "no variable “V9”"),
        ({"pairing": ["V3", "lantern"]}, "at no end"),
        ({"pairing_template": template("V7", "spatial", "V0")}, "not in the tree"),
        ({"qa_template": {}}, "missing required field `source`"),
        ({"mapping": {"V3": "a", "V0": "b"}}, "no term for V7"),
    ],
)
def test_copies_that_do_not_fit_their_tree_are_refused(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    group = {**GROUP, "mapping_map": {}}
    found, errors = groups(tmp_path, group, data=[{**row, **changed} for row in DATA])
    assert found == []
    assert said in errors[0].what


def test_faults_of_the_other_files_are_reported_with_their_lines(tmp_path: Path) -> None:
    found, errors = groups(tmp_path, GROUP, data=[*DATA, DATA[0], {}])
    assert len(found) == 1
    assert [error.where for error in errors] == [
        f"{tmp_path / 'data.jsonl'}:3",
        f"{tmp_path / 'data.jsonl'}:4",
    ]
    found, errors = groups(tmp_path, GROUP, family={"tree": {"templates": []}})
    assert found == []
    assert [error.where for error in errors] == [
        f"{tmp_path / 'families.jsonl'}:1",
        f"{tmp_path / 'groups.jsonl'}:1",
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data())
def test_any_spoilt_field_is_reported_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    rows: Any = json.loads(json.dumps([GROUP, FAMILY, *DATA]))
    place, key = rows, data.draw(st.sampled_from(range(len(rows))))
    while isinstance(inner := place[key], dict | list) and inner and data.draw(st.booleans()):
        place = inner
        key = data.draw(
            st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner)))
        )
    place[key] = data.draw(VALUES)
    group, family, *copies = map(json.dumps, rows)
    found, errors = groups(tmp_path_factory.mktemp("rows"), group, family=family, data=copies)
    # Either nothing was lost by the change, or what was lost is told.
    assert found or errors
    assert all(":" in error.where for error in errors)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_in_every_file(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    path, table = folder / "a.jsonl", folder / "a.csv"
    path.write_bytes(raw)
    table.write_bytes(raw)
    errors: list[DataError] = []
    assert list(read_groups(path, None, None, SKILLS, errors)) == []
    assert bool(errors) == bool(raw.removeprefix(b"\xef\xbb\xbf").strip())
    with pytest.raises(DataError):
        read_pairings(table)
