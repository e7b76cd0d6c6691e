"""A study goes on where it was stopped, and is recorded with its plan."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.runs.records import RunState
from core.studies.conducting import Report, StudyProgress, StudyWork, conduct
from core.studies.kinds import report_of
from core.studies.plan import StudyPlan
from core.studies.study_store import KeptValues, StudyStore
from core.text.errors import ModelError, NotFoundError, RunError, SettingError

PLAN = StudyPlan("trace", "org/Some Model 7B", "f" * 64, "gita", "/data", "c" * 64, "plausible")


class Measured(msgspec.Struct):
    effects: list[float | None]


def unheard(_: StudyProgress) -> None:
    """Told to nobody."""


def counting(measured: list[int], *, fails_at: int | None = None) -> StudyWork:
    """Work that measures five items, and remembers which it did."""

    async def work(kept: KeptValues, report: Report) -> dict[str, Any]:
        for item in range(5):
            if kept.get(f"item/{item}", Measured) is None:
                if item == fails_at:
                    raise ModelError("The engine ended.")
                measured.append(item)
                kept.put(f"item/{item}", Measured([item / 2, None]))
            report(StudyProgress("items", item + 1, 5))
            await asyncio.sleep(0)
        values = [kept.get(f"item/{item}", Measured) for item in range(5)]
        return {"sum": sum(each.effects[0] or 0 for each in values if each)}

    return work


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


async def test_a_study_that_was_left_measures_nothing_twice(path: Path) -> None:
    measured: list[int] = []
    with StudyStore(path) as store:
        study = store.start(PLAN)

        def leave(progress: StudyProgress) -> None:
            if progress.done == 2:
                task.cancel()

        task = asyncio.create_task(conduct(store, study, counting(measured), leave))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert store.study(study.id).state is RunState.PAUSED
    with StudyStore(path) as store:
        seen: list[StudyProgress] = []
        await conduct(store, store.start(PLAN), counting(measured), seen.append)
        done = store.study(study.id)
        again: list[StudyProgress] = []
        await conduct(store, done, counting(measured), again.append)
    assert measured == [0, 1, 2, 3, 4]
    assert [progress.done for progress in seen] == [1, 2, 3, 4, 5]
    assert (done.state, done.result) == (RunState.DONE, {"sum": 5.0})
    assert again == []


def test_studies_of_older_programs_keep_their_ids() -> None:
    assert PLAN.id == "trace-07042c7c2f"
    assert msgspec.structs.replace(PLAN, method=2).id != PLAN.id


async def test_a_study_that_is_refused_is_not_recorded(path: Path) -> None:
    async def refused(_kept: KeptValues, report: Report) -> dict[str, Any]:
        report(StudyProgress("items", 0, 5))
        raise SettingError("Layer hop-1 has no questions with two options.")

    with StudyStore(path) as store:
        with pytest.raises(SettingError):
            await conduct(store, store.start(PLAN), refused, unheard)
        assert store.studies() == []


async def test_a_study_that_failed_is_paused_and_keeps_what_it_measured(path: Path) -> None:
    measured: list[int] = []
    with StudyStore(path) as store:
        study = store.start(PLAN)
        with pytest.raises(ModelError):
            await conduct(store, study, counting(measured, fails_at=3), unheard)
        assert store.study(study.id).state is RunState.PAUSED
        await conduct(store, store.study(study.id), counting(measured), unheard)
    assert measured == [0, 1, 2, 3, 4]


async def test_one_program_at_a_time_conducts_a_study(path: Path) -> None:
    with StudyStore(path) as store, StudyStore(path) as other:
        study = store.start(PLAN)
        with store.hold(study.id), pytest.raises(RunError, match="Another program"):
            await conduct(other, study, counting([]), unheard)


def test_equal_plans_are_one_study_wherever_the_files_are(path: Path) -> None:
    moved = msgspec.structs.replace(PLAN, collection="/elsewhere", model="renamed")
    other = msgspec.structs.replace(PLAN, options=(("part", "attention"),))
    with StudyStore(path) as store:
        assert store.start(PLAN).id == store.start(moved).id
        assert store.start(other).id != PLAN.id
        assert [study.plan for study in store.studies()] == [PLAN, other]
        assert store.study(PLAN.id[:12]).plan == PLAN


def test_restarting_forgets_what_was_measured(path: Path) -> None:
    with StudyStore(path) as store:
        study = store.start(PLAN)
        store.kept(study.id).put("item/0", [1.0])
        store.finish(study.id, {"sum": 1})
        again = store.start(PLAN, restart=True)
        assert (again.state, again.result) == (RunState.PAUSED, None)
        assert store.kept(study.id).get("item/0", list[float]) is None


def test_an_unknown_study_is_not_found(path: Path) -> None:
    with StudyStore(path) as store:
        with pytest.raises(NotFoundError):
            store.study("trace-0")
        store.start(PLAN)
        with pytest.raises(NotFoundError, match="no study") as caught:
            store.study("trace-zz")
    assert PLAN.id in caught.value.hint


def test_a_beginning_that_several_studies_share_is_told_as_such(path: Path) -> None:
    other = msgspec.structs.replace(PLAN, seed=PLAN.seed + 1)
    with StudyStore(path) as store:
        ids = [store.start(PLAN).id, store.start(other).id]
        with pytest.raises(NotFoundError, match="Several studies begin with “trace-”") as caught:
            store.study("trace-")
    assert all(each in caught.value.hint for each in ids)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE studies SET plan = '{}'",
        "UPDATE studies SET plan = '['",
        "UPDATE studies SET state = 'odd'",
        "UPDATE studies SET result = '7'",
        "UPDATE studies SET id = 'trace-0123456789'",
    ],
)
def test_a_study_that_somebody_changed_is_told(path: Path, change: str) -> None:
    with StudyStore(path) as store:
        study = store.start(PLAN)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change)
    with StudyStore(path) as store:
        sound = store.start(msgspec.structs.replace(PLAN, seed=PLAN.seed + 1))
        assert store.studies() == [sound]
        [damaged] = store.damaged_studies()
        assert re.fullmatch(r"The record of study trace-[0-9a-f]+ is damaged\.", damaged.what)
        with pytest.raises((RunError, NotFoundError)):
            store.study(study.id)


def test_a_value_that_somebody_changed_is_told(path: Path) -> None:
    with StudyStore(path) as store:
        study = store.start(PLAN)
        store.kept(study.id).put("item/0", [1.0])
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("UPDATE study_values SET value = '{'")
        with pytest.raises(RunError, match="damaged"):
            store.kept(study.id).get("item/0", list[float])


@pytest.mark.parametrize("result", [{"n": 1}, {"roles": 7}, {}])
def test_a_result_that_somebody_changed_is_told(path: Path, result: dict[str, object]) -> None:
    with StudyStore(path) as store:
        study = store.start(PLAN)
        with pytest.raises(RunError, match="no result yet"):
            report_of(study)
        store.finish(study.id, result)
        with pytest.raises(RunError, match="damaged"):
            report_of(store.study(study.id))
