"""A benchmark of somebody else's that cannot be loaded takes nothing else down with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.registry import BrokenBenchmarkError
from core.runs.store import Store
from core.runs.summaries import profiles_of, summarise
from tests.cli.support import ok, recorded, run
from tests.fifth.support import BREAKS, installed_broken
from tui.app.recognition import recognise
from tui.cli.output import say


@pytest.fixture(params=BREAKS.values(), ids=BREAKS)
def _broken(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    with installed_broken(tmp_path / "site", request.param):
        yield


pytestmark = pytest.mark.usefixtures("_broken")


def test_loading_it_names_the_package_and_the_cause() -> None:
    with pytest.raises(BrokenBenchmarkError) as raised:
        registry.load("broken")
    assert raised.value.where == "package broken-package"
    assert type(raised.value.__cause__).__name__ in raised.value.what
    assert "\n" not in raised.value.what
    usable, broken = registry.loaded()
    assert [one.name for one in usable] == [n for n in registry.names() if n != "broken"]
    assert {"gita", "shapes"} <= {one.name for one in usable}
    assert [error.where for error in broken] == ["package broken-package"]


def test_naming_a_broken_benchmark_gives_one_message() -> None:
    ran = run("show", "broken", "x")
    assert ran.code == 2
    assert "broken-package" in ran.err
    assert len(ran.err.splitlines()) <= 3


def test_a_path_is_recognised_beside_a_broken_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = registry.load("shapes")
    benchmark, collection = recognise(shapes.samples(), say)
    assert benchmark.name == "shapes"
    assert len(collection) == 6
    assert "broken-package" in capsys.readouterr().err


def test_doctor_reports_a_broken_benchmark() -> None:
    ran = run("doctor", "--json")
    assert ran.code == 1
    checks = {check["name"]: check for check in ran.json["checks"]}
    assert checks["benchmark broken"]["ok"] is False
    assert "broken-package" in checks["benchmark broken"]["detail"]
    assert checks["benchmark shapes"]["ok"] is True


def test_logs_are_imported_beside_a_broken_benchmark(shared_data: Path, tmp_path: Path) -> None:
    logs = shared_data / "gita4calamita" / "logs" / "gemma-2-9b"
    imported = ok("import", "lm-eval", logs, "--store", tmp_path / "runs.sqlite", "--json")
    assert imported.json["benchmark"] == "gita"
    assert "broken-package" in imported.err


def test_a_run_of_a_broken_benchmark_shows_accuracy_and_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    run_id = recorded(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE runs SET benchmark = 'broken'")
    with Store(path) as store:
        assert profiles_of(store.run(run_id)) == ("plain",)
        summary = summarise(store, store.run(run_id))
    assert summary.figures[0].name == "Accuracy (stands)"
    assert any("broken-package" in note for note in summary.notes)
