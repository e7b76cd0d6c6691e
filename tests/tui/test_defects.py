"""A worker that ends in an error nobody expected shows it where its result was awaited."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import tui
from core.contract import registry
from core.models import resolver
from core.runs.evaluation import Evaluation
from tests.tui.run_panes import running, shown
from tests.tui.support import WIDE, Opened, opened, until, widget_text
from tui.app.app import CommonsenseApp
from tui.browse import models_screen
from tui.browse.model_list import ModelList
from tui.browse.models_screen import ModelsScreen
from tui.runs import runs_screen
from tui.runs.run_list import RunList
from tui.runs.running import RunPhase
from tui.runs.runs_screen import RunsScreen
from tui.shell.model_holder import ModelPhase

WORDS = "A defect of this program (ZeroDivisionError)"


def defect(*_given: Any, **_named: Any) -> Any:
    raise ZeroDivisionError


async def test_a_defect_of_loading_a_model_ends_the_loading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resolver, "load_model", defect)
    app = CommonsenseApp(benchmark="gita", model="demo")
    async with app.run_test(size=WIDE) as pilot:
        program = Opened(app, pilot)
        await until(pilot, lambda: app.model_state.phase is ModelPhase.FAILED)
        assert WORDS in app.model_state.error
        assert WORDS in program.live
        assert "m chooses a model" in program.ladder
        assert any("ZeroDivisionError" in line for line in app.log_lines)


async def test_a_defect_of_opening_a_collection_stands_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as program:
        monkeypatch.setattr(registry, "open_collection", defect)
        accord = registry.load("accord")
        program.browse.browse(accord, accord.samples())
        await program.until(lambda: WORDS in program.story)
        assert program.browse.item_text.border_title == "Something went wrong"


async def test_a_defect_of_a_run_ends_it_with_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Evaluation, "_pending", defect)
    async with opened() as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.FAILED)
        await program.until(lambda: WORDS in shown(program))
        assert not program.app.collection_runs.asking


async def test_a_defect_of_asking_an_item_leaves_no_layer_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as program:
        model = program.app.model_state.model
        monkeypatch.setattr(type(model), "score", defect)
        await program.ask()
        await program.until(lambda: WORDS in program.live)
        assert "Asking…" not in program.ladder


async def test_a_defect_of_reading_the_runs_stands_in_their_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs_screen, "list_runs", defect)
    async with opened() as program:
        await program.press("f3")
        await program.until(lambda: isinstance(program.app.screen, RunsScreen))
        runs = program.app.screen.query_one(RunList)
        await program.until(lambda: WORDS in widget_text(runs))


async def test_a_defect_of_looking_for_models_stands_below_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(models_screen, "find_models", defect)
    async with opened() as program:
        await program.press("m")
        await program.until(lambda: isinstance(program.app.screen, ModelsScreen))
        models = program.app.screen.query_one(ModelList)
        await program.until(lambda: WORDS in widget_text(models))


def test_every_class_whose_workers_do_not_end_the_program_reports_their_defects() -> None:
    """Such a worker is a method of the class, or belongs to a screen of which it is a part."""
    silent = []
    for path in Path(tui.__file__).parent.rglob("*.py"):
        for kind in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(kind, ast.ClassDef):
                continue
            methods = [
                each
                for each in kind.body
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            works = any(
                "exit_on_error=False" in ast.unparse(mark)
                for each in methods
                for mark in each.decorator_list
            )
            bases = {ast.unparse(base).partition("[")[0] for base in kind.bases}
            reports = {each.name for each in methods} & {"on_worker_state_changed", "worker_failed"}
            if works and not reports and not bases & {"ExplainedDialogue", "ItemScreen", "Shell"}:
                silent.append(kind.name)
    assert silent == []
