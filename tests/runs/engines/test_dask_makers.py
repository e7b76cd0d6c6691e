"""Suites, curations and synthesised items that workers make are those of one process."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from core.benchmarks.accord.suites.files import ITEMS, read_manifest
from core.benchmarks.accord.suites.plan import tasks
from core.benchmarks.accord.suites.recipe import Recipe, lines, parts
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.com2.synthesis.pipeline import JOURNAL
from core.text.errors import DataError
from tests.benchmarks.abspyramid.curation import parses
from tests.benchmarks.abspyramid.curation.parses import text_of, write_conllu
from tests.cli.support import ok
from tests.mostly_slow import mostly_slow
from tests.runs.engines.clusters import Workers

SYNTHESIS = Path(__file__).parents[2] / "benchmarks" / "com2" / "recorded" / "events.txt"


@pytest.fixture
def spread(dask_workers: Workers) -> tuple[str, ...]:
    """The words that have the workers do the work."""
    return ("--engine", "dask", "--address", dask_workers.address)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@mostly_slow("relevance", ["random", "distance"])
def test_a_suite_is_the_same_byte_for_byte(
    relevance: str, spread: tuple[str, ...], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    sizes = "1-3" if relevance == "random" else "2"
    command = ("accord", "generate", "--sizes", sizes, "--limit", "6", "--per-cell", "2")
    command = (*command, "--seed", "3", "--relevance", relevance)
    ok(*command, "--out", here)
    ok(*command, "--out", there, *spread)
    assert files(there) == files(here)
    # Stopped in the middle of a line and of a cell.
    whole = (here / ITEMS).read_bytes()
    (there / ITEMS).write_bytes(whole[: len(whole) // 2])
    ok(*command, "--out", there, *spread, "--resume")
    assert files(there) == files(here)


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_a_suite_by_likelihood_is_the_same_byte_for_byte(
    spread: tuple[str, ...], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    command = ("accord", "generate", "--sizes", "1", "--limit", "1", "--relevance", "likelihood")
    ok(*command, "--model", "demo", "--out", here)
    ok(*command, "--model", "demo", "--out", there, *spread)
    assert files(there) == files(here)


def test_a_worker_with_other_questions_is_refused(tmp_path: Path) -> None:
    recipe = Recipe(None, None, None, (1,), 1, 0, Rule.FREE, 1, 13, distance=False)
    ok("accord", "generate", "--sizes", "1", "--limit", "2", "--out", tmp_path / "suite")
    other = read_manifest(tmp_path / "suite")
    with pytest.raises(DataError, match="A worker finds other questions"):
        lines(recipe, other, ())


def test_parts_of_a_suite_are_long_and_divide_no_cell() -> None:
    recipe = Recipe(None, None, None, (1, 2, 3), 3, 0, Rule.FREE, 4, 13, distance=False)
    every = list(tasks(recipe.generator(lambda remark: None).questions, (1, 2, 3), 3))
    divided = list(parts(iter(every)))
    assert [task for part in divided for task in part] == every
    assert len(divided) > 1
    assert all(len(part) >= 32 for part in divided[:-1])
    for before, after in pairwise(divided):
        assert (before[-1].question, before[-1].pairing, before[-1].cell) != (
            after[0].question,
            after[0].pairing,
            after[0].cell,
        )


@pytest.mark.usefixtures("demo_model")
def test_a_curation_is_the_same_byte_for_byte(spread: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("conllu", reason="needs conllu: make install-tests")
    here, there = tmp_path / "here", tmp_path / "there"
    made = (parses.CAT, parses.SHE_WON)
    events = tmp_path / "events.txt"
    events.write_text("\n".join(map(text_of, made)), encoding="utf-8")
    parsed = write_conllu(tmp_path / "parses.conllu", *made)
    command = ("abspyramid", "curate", events, "--parses", parsed, "--model", "demo")
    command = (*command, "--no-negatives", "--shots", "1")
    ok(*command, "--out", here)
    ok(*command, "--out", there, *spread)
    assert files(there) == files(here)
    assert len(files(here)) == 5


@pytest.mark.usefixtures("demo_model")
def test_synthesised_items_are_the_same(spread: tuple[str, ...], tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    command = ("com2", "synthesise", "--kind", "direct", "--n", "2", "--tries", "1")
    command = (*command, "--shots", SYNTHESIS, "--model", "demo")
    ok(*command, "--out", here)
    ok(*command, "--out", there, *spread)
    assert journal(there) == journal(here) != []


def journal(folder: Path) -> list[dict[str, object]]:
    """The lines of a provenance, but for the times."""
    rows = [json.loads(line) for line in (folder / JOURNAL).read_text("utf-8").splitlines()]
    return [{**row, "time": ""} for row in rows]
