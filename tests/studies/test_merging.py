"""Shards measure together what the whole study measures, and merge into a study like it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.contract import registry
from core.contract.question import Form
from core.models.resolver import load_model
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import RunState
from core.runs.shards import Shard
from core.runs.store import Store
from core.studies import other_questions
from core.studies.conducting import conduct
from core.studies.kinds import KINDS
from core.studies.merging import MergedStudy, merge_stores
from core.studies.plan import Study
from core.studies.state_capture import KEPT, KeptState, capture_answers, two_option_cases
from core.studies.study_store import StudyStore
from core.studies.subject import Subject, task_layer
from core.text.errors import DataError, RunError
from tests.runs.models import BlockModel
from tests.studies.planted_model import Door, Doors, DoorsBenchmark, planted_model
from tests.studies.test_conducting import PLAN

ALL = [Shard(number, 2) for number in (1, 2)]
Values = dict[str, str]


@asynccontextmanager
async def doors(folder: Path, families: int) -> AsyncIterator[Subject]:
    """Some families of doors, with a model that reads them."""
    loaded = await load_model(str(planted_model(folder / "model.gguf")))
    try:
        source = QuestionSource(DoorsBenchmark(), Doors(families))
        yield await Subject.of(loaded, source, Path("doors"), task_layer(source, None))
    finally:
        await loaded.close()


async def conducted(subject: Subject, path: Path, kind: str, shard: Shard | None = None) -> Study:
    """A study, or what one shard of it can measure."""
    own = None if shard is None else subject.items_of(shard)
    with StudyStore(path) as store:
        study = store.start(subject.plan(kind, {}))
        work = KINDS[kind].work(subject, study.plan)
        await conduct(store, study, work, lambda _: None, own)
        return store.study(study.id)


def values(path: Path) -> Values:
    """All values on disk, by study and key."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT study || ' ' || key, value FROM study_values ORDER BY 1")
        return dict(rows.fetchall())


@pytest.fixture
def stores(tmp_path: Path) -> list[Path]:
    return [tmp_path / f"shard-{shard.number}.sqlite" for shard in ALL]


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    return tmp_path / "merged.sqlite"


@pytest.fixture
def few_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """One other benchmark is installed, with a question for each of two shards."""
    monkeypatch.setattr(registry, "names", lambda: ("gita",))
    monkeypatch.setattr(other_questions, "MOST_QUESTIONS", 2)


@pytest.mark.usefixtures("few_beside")
@pytest.mark.parametrize(
    ("kind", "families", "rounds"),
    [
        ("trace", 3, ["pair effects", "control"]),
        pytest.param("heads", 3, ["pair attribution effects", "control"], marks=pytest.mark.slow),
        pytest.param("probe", 10, ["state"], marks=pytest.mark.slow),
        ("direction", 10, ["state", "change", "besides"]),
    ],
)
async def test_shards_that_are_merged_after_every_stage_are_the_undivided_study(
    kind: str,
    families: int,
    rounds: list[str],
    stores: list[Path],
    merged: Path,
    tmp_path: Path,
) -> None:
    if kind == "probe":
        pytest.importorskip("sklearn", reason="probes need scikit-learn")
    async with doors(tmp_path, families) as subject:
        whole = await conducted(subject, tmp_path / "whole.sqlite", kind)
        for stages in rounds:
            measured = []
            for shard, path in zip(ALL, stores, strict=True):
                if merged.exists():
                    merge_stores([merged], path)
                before = values(path) if path.exists() else {}
                study = await conducted(subject, path, kind, shard)
                assert (study.state, study.result) == (RunState.PAUSED, None)
                new = values(path).keys() - before.keys()
                if stages != "besides":
                    items = subject.items_of(shard)
                    assert {key.rpartition("/")[2] for key in new} == items
                assert {key.split()[1].partition("/")[0] for key in new} == set(stages.split())
                measured.append(new)
            assert len(measured[0]) == len(measured[1])
            assert measured[0].isdisjoint(measured[1])
            _, [study_now] = merge_stores(stores, merged)
            assert study_now.study.state is RunState.PAUSED
        done = await conducted(subject, merged, kind)
    assert done.id == whole.id
    assert json.dumps(done.result) == json.dumps(whole.result)
    assert values(merged) == values(tmp_path / "whole.sqlite")


def put(path: Path, key: str, value: float, *, result: dict[str, Any] | None = None) -> None:
    """Keep a value of a study, and its result where it is done."""
    with StudyStore(path) as store:
        study = store.start(PLAN)
        store.kept(study.id).put(key, [value])
        if result is not None:
            store.finish(study.id, result)


def together(into: Path, *paths: Path) -> MergedStudy:
    """The one study of several stores, merged."""
    runs, [study] = merge_stores(paths, into)
    assert runs == []
    return study


def test_merging_again_and_in_another_order_changes_nothing(
    stores: list[Path], merged: Path
) -> None:
    put(stores[0], "pair/a", 1)
    put(stores[1], "pair/b", 2)
    first = together(merged, *stores)
    assert (first.study.state, first.values, first.added) == (RunState.PAUSED, 2, 2)
    before = values(merged)
    for again in (stores, stores[::-1], [merged, stores[0]]):
        assert together(merged, *again) == MergedStudy(first.study, 2, 0)
    assert values(merged) == before


def test_values_that_differ_are_refused_by_name_and_nothing_is_added(
    stores: list[Path], merged: Path
) -> None:
    # A run of the first store would be added if the merge were not one transaction.
    model, benchmark = BlockModel(), registry.load("com2")
    source = QuestionSource(benchmark, benchmark.open(benchmark.samples()), limit=1)
    with Store(stores[0]) as store:
        store.start(plan_for(model, source, benchmark.samples(), form=Form.BASE))
    put(stores[0], "pair/b", 2)
    put(stores[0], "pair/a", 1)
    put(stores[1], "pair/a", 1.5)
    with pytest.raises(RunError, match="“pair/a” of study trace-") as caught:
        merge_stores(stores, merged)
    assert caught.value.where == f"{stores[0]}, {stores[1]}"
    assert values(merged) == {}
    with StudyStore(merged) as studies, Store(merged) as runs:
        assert studies.studies() == []
        assert runs.runs() == []
    together(merged, stores[1])
    with pytest.raises(RunError, match="pair/a") as caught:
        merge_stores(stores[:1], merged)
    assert caught.value.where == f"{merged}, {stores[0]}"


def test_a_study_that_is_done_somewhere_is_done_and_gets_no_more_values(
    stores: list[Path], merged: Path
) -> None:
    put(stores[0], "pair/a", 1)
    put(stores[1], "pair/b", 2, result={"n": 1})
    study = together(merged, *stores)
    assert (study.study.state, study.study.result) == (RunState.DONE, {"n": 1})
    assert study.values == 2
    put(stores[0], "state/late", 3)
    assert together(merged, stores[0]).added == 0
    put(stores[1], "pair/b", 2, result={"n": 2})
    with pytest.raises(RunError, match="The result of study trace-"):
        together(merged, stores[1])


class Twins(Doors):
    """Doors of which every two have one id."""

    def item(self, index: int) -> Door:
        return super().item(index - index % 2)


async def test_two_items_of_one_name_are_told_before_anything_is_measured(tmp_path: Path) -> None:
    async with doors(tmp_path, 2) as subject:
        twins = replace(subject, source=QuestionSource(DoorsBenchmark(), Twins(2)))
        with pytest.raises(DataError, match=f"called “{Doors(2).item(0).id}”"):
            await conducted(twins, tmp_path / "studies.sqlite", "trace")
    with StudyStore(tmp_path / "studies.sqlite", create=False) as store:
        assert store.studies() == []


def test_a_study_that_is_just_conducted_takes_nothing(stores: list[Path], merged: Path) -> None:
    put(stores[0], "pair/a", 1)
    put(stores[1], "pair/b", 2)
    together(merged, stores[0])
    with (
        StudyStore(merged) as store,
        store.hold(PLAN.id),
        pytest.raises(RunError, match="just recording"),
    ):
        together(merged, stores[1])
    assert len(values(merged)) == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE studies SET plan = '{}'",
        "UPDATE study_values SET value = x'00'",
        "UPDATE study_values SET key = x'00'",
    ],
)
def test_a_damaged_study_is_not_merged(change: str, stores: list[Path], merged: Path) -> None:
    put(stores[0], "pair/a", 1)
    with closing(sqlite3.connect(stores[0])) as db, db:
        db.execute(change)
    with pytest.raises(RunError, match="damaged"):
        together(merged, stores[0])
    assert values(merged) == {}


def test_the_kind_of_a_study_names_no_file_elsewhere(stores: list[Path], merged: Path) -> None:
    plan = msgspec.structs.replace(PLAN, kind="../elsewhere/trace")
    with StudyStore(stores[0]) as store, pytest.raises(RunError, match="damaged"):
        store.start(plan)
    with pytest.raises(RunError, match="damaged"):
        together(merged, stores[0])
    assert not list(merged.parent.glob("**/*.lock"))


async def test_a_state_of_another_size_is_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    async with doors(tmp_path, 1) as subject:
        cases = two_option_cases(subject, alike=True)
        key = f"{KEPT}{cases[0].question.layer}/{cases[0].item.id}"
        with StudyStore(path) as store:
            kept = store.kept(store.start(subject.plan("probe", {})).id)
            for state in (KeptState((-1.0, -2.0), b"1234"), KeptState((-1.0,), bytes(5 * 64 * 4))):
                kept.put(key, state)
                with pytest.raises(RunError, match="damaged"):
                    await capture_answers(subject, cases, kept, lambda _: None)
