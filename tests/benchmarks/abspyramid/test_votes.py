"""The votes on the bundled tuples, and what the documents say of them."""

from __future__ import annotations

import json
from collections import Counter

import pytest
import yaml

from core.files.shipped import samples
from core.statistics.kappa import ratings

FOLDER = samples() / "abspyramid"


@pytest.fixture(scope="module")
def tuples() -> list[dict[str, str | int]]:
    file = FOLDER / "Detection" / "merged_dataset" / "test.json"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def votes() -> list[tuple[str, ...]]:
    """The three votes on each tuple."""
    document = yaml.safe_load((FOLDER / "votes.yaml").read_text(encoding="utf-8"))
    readers = [reader.replace(" ", "") for reader in document["readers"]]
    return list(zip(*readers, strict=True))


def test_every_tuple_has_three_votes_and_the_label_of_the_majority(
    tuples: list[dict[str, str | int]], votes: list[tuple[str, ...]]
) -> None:
    assert {len(each) for each in votes} == {3}
    assert [row["label"] for row in tuples] == [int(each.count("1") > 1) for each in votes]


@pytest.mark.parametrize("relation", ["noun", "verb", "event", "all"])
def test_the_agreement_is_the_one_in_the_readme(
    relation: str, tuples: list[dict[str, str | int]], votes: list[tuple[str, ...]]
) -> None:
    chosen = [
        each for row, each in zip(tuples, votes, strict=True) if relation in (row["type"], "all")
    ]
    found = ratings(Counter(each) for each in chosen)
    assert found is not None
    assert found.kappa is not None
    alike = sum(len(set(each)) == 1 for each in chosen)
    line = f"| {relation} | {len(chosen):,} | {alike:,} | {found.kappa:.3f} |"
    assert line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()


def test_references_are_the_valid_concepts(tuples: list[dict[str, str | int]]) -> None:
    valid: dict[tuple[str | int, str | int], list[str | int]] = {}
    for row in tuples:
        if row["label"]:
            valid.setdefault((row["event"], row["type"]), []).append(row["concept"])
    file = FOLDER / "Generation" / "merged_dataset" / "test.json"
    for line in file.read_text(encoding="utf-8").splitlines():
        instance = json.loads(line)
        assert set(instance["concept"]) == set(valid[instance["event"], instance["type"]])
