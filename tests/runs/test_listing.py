"""The columns of a list of runs that fit."""

from __future__ import annotations

from core.runs.listing import fitting

IMPORTANT = ("model", "right", "layer", "unread", "date", "state", "shots", "time")
COLUMNS = {
    "model": ["model", "small", "small"],
    "right": ["right", ".500", ".250"],
    "state": ["state", "done", "done"],
    "date": ["date", "2026-01-02", "2026-01-02"],
    "time": ["time", "10:00", "11:00"],
    "shots": ["shots", "0", "2"],
}


def shown(room: int, **changed: list[str]) -> list[str]:
    return [*fitting(COLUMNS | changed, IMPORTANT, room, len)]


def test_columns_that_tell_runs_apart_stay_longer_than_those_that_say_the_same() -> None:
    assert shown(80) == [*COLUMNS]
    assert shown(19) == ["model", "right", "shots"]
    assert shown(19, shots=["shots", "2", "2"]) == ["model", "right", "state"]


def test_a_time_does_not_stand_without_its_date() -> None:
    assert shown(31) == ["model", "right", "date", "shots"]


def test_the_list_of_one_run_has_the_most_important_columns() -> None:
    one = {name: texts[:2] for name, texts in COLUMNS.items()}
    assert [*fitting(one, IMPORTANT, 19, len)] == ["model", "right", "state"]
