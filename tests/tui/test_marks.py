"""Marks beside items and their ladders agree, whoever asked: a person, a variant, a run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.contract.question import OptionScore, Prompt
from core.contract.view import Role
from core.files import paths
from core.files.shipped import samples
from core.layout.ladder import ASIDE, fault_summary, outcome
from core.models.llama.client import LlamaModel
from core.runs.store import Store
from tests.tui.run_panes import run_all_with_an_example
from tests.tui.support import Opened, opened
from tests.tui.trace_panes import stand_on
from tui.browse.screen import BrowseScreen
from tui.browse.state import BrowseState
from tui.runs.marks import Mark, RunAnswers, mark_of
from tui.runs.run_screen import RunScreen
from tui.runs.running import RunPhase


def state_of(program: Opened) -> BrowseState:
    state = program.browse.state
    assert state is not None
    return state


def row(program: Opened, item_id: str) -> str:
    return next(line for line in program.list.split("\n") if item_id in line.split()[0])


def marked(row: str) -> bool:
    return "✓" in row or "✗" in row


async def ran(program: Opened) -> None:
    """Run over the collection to its end, and go back."""
    await program.run_all()
    screen = program.app.screen
    assert isinstance(screen, RunScreen)
    await program.until(lambda: screen.running.phase is RunPhase.DONE)
    await program.press("escape")
    await program.until(lambda: isinstance(program.app.screen, BrowseScreen))


async def test_what_an_item_was_answered_is_known_where_a_variant_shows_the_same() -> None:
    async with opened() as program:
        await program.ask()
        answered = [rung.verdict for rung in state_of(program).rungs()]
        assert answered[0] is not None
        await program.press("j", "v")
        await program.until(lambda: state_of(program).shown_id == "0")
        assert [rung.verdict for rung in state_of(program).rungs()] == answered
        assert "not asked" not in program.ladder.lower()


async def test_what_a_variant_was_answered_is_known_at_its_own_row() -> None:
    async with opened() as program:
        await program.press("v")
        shown = state_of(program).shown_id
        await program.ask()
        assert marked(row(program, shown))
        while state_of(program).item.id != shown:
            await program.press("j")
        assert all(rung.verdict for rung in state_of(program).rungs() if rung.question)


async def test_asking_again_takes_the_mark_away_until_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as program:
        await program.ask()
        assert marked(row(program, "0"))

        async def never(
            self: LlamaModel, prompt: Prompt, options: Sequence[str]
        ) -> tuple[OptionScore, ...]:
            await asyncio.Event().wait()
            return ()

        monkeypatch.setattr(LlamaModel, "score", never)
        await program.press("space")
        await program.until(lambda: program.browse.asking.busy is not None)
        await program.until(lambda: not marked(row(program, "0")))
        await program.press("space")
        await program.until(lambda: program.browse.asking.busy is None)
        assert not marked(row(program, "0"))
        assert "not asked" in program.ladder.lower()


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["gita", "accord"])
async def test_after_a_run_every_row_and_every_ladder_says_what_it_came_to(benchmark: str) -> None:
    async with opened(benchmark=benchmark) as program:
        await ran(program)
        state = state_of(program)
        seen: set[Role] = set()
        for place in range(len(state.collection)):
            state.open(place)
            expected = mark_of(state.rungs())
            assert state.mark(state.item.id) == expected, state.item.id
            if expected is not None:
                seen.add(expected.role)
        assert seen == {Role.GOOD, Role.BAD}
        assert any(map(marked, program.list.split("\n")))


async def test_the_answers_of_a_run_are_those_of_the_model_that_is_loaded(
    few_stories: Path,
) -> None:
    async with opened(path=few_stories) as program:
        await ran(program)
        assert all(map(marked, program.list.split("\n")[:9]))
        assert "not asked" not in program.ladder.lower()
        before = program.app.model_state.model
        program.app.load_model("person:Anna")
        await program.until(lambda: program.app.model_state.model not in (before, None))
        assert not any(map(marked, program.list.split("\n")))
        assert "not asked" in program.ladder.lower()
        program.app.load_model("demo")
        await program.until(lambda: all(map(marked, program.list.split("\n")[:9])))


async def test_a_key_lists_only_what_failed(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        box = program.browse.query_one("#list-box")
        await program.press("exclamation_mark")
        assert str(box.border_subtitle) == "42"
        await ran(program)
        failed = sum(
            (mark := state_of(program).mark(entry.id)) is not None and mark.role is Role.BAD
            for entry in map(state_of(program).collection.entry, range(42))
        )
        assert 0 < failed < 42
        await program.press("exclamation_mark")
        await program.until(lambda: str(box.border_subtitle) == f"{failed} of 42 failed")
        rows = [line for line in program.list.split("\n") if line.strip()]
        assert all("✗" in line for line in rows)
        await program.press("escape")
        await program.until(lambda: str(box.border_subtitle) == "42")


async def test_a_replayed_run_marks_the_rows_as_the_run_did(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await ran(program)
        state = state_of(program)
        ids = [state.collection.entry(place).id for place in range(len(state.collection))]
        marks = {item_id: state.mark(item_id) for item_id in ids}
        with Store(paths.runs(), create=False) as store:
            run_id = store.runs()[0].id
    failed = sum(mark is not None and mark.role is Role.BAD for mark in marks.values())
    assert failed
    async with opened(path=few_stories, model=f"replay:{run_id}") as program:
        state = state_of(program)
        await program.until(lambda: state.failed_any)
        assert {item_id: state.mark(item_id) for item_id in ids} == marks
        assert any(map(marked, program.list.split("\n")))
        box = program.browse.query_one("#list-box")
        await program.press("exclamation_mark")
        await program.until(lambda: str(box.border_subtitle) == f"{failed} of {len(ids)} failed")
        # Its figures, shown over the list, take no mark away.
        await program.run_all()
        screen = program.app.screen
        assert isinstance(screen, RunScreen)
        await program.until(lambda: screen.running.phase is RunPhase.LOADED)
        assert {item_id: state.mark(item_id) for item_id in ids} == marks
        # They come back with the model itself, whose newest run this is.
        program.app.load_model("demo")
        said = f"Marks and answers are those of run {run_id}."
        await program.until(lambda: said in program.live)
        assert {item_id: state.mark(item_id) for item_id in ids} == marks


async def test_a_replayed_run_marks_only_what_it_was_asked_about(tmp_path: Path) -> None:
    bundled = json.loads((samples() / "gita" / "stories.json").read_text(encoding="utf-8"))
    stories = dict(list(bundled.items())[:12])
    first, other = tmp_path / "first.json", tmp_path / "stories.json"
    first.write_text(json.dumps(stories), encoding="utf-8")
    stories[next(iter(stories))]["sentences"][0] = "Somebody else came."
    other.write_text(json.dumps(stories), encoding="utf-8")
    async with opened(benchmark="gita", path=first) as program:
        await ran(program)
        with Store(paths.runs(), create=False) as store:
            run_id = store.runs()[0].id
    async with opened(benchmark="gita", path=other, model=f"replay:{run_id}") as program:
        state = state_of(program)
        await program.until(lambda: state.failed_any)
        assert state.mark(state.collection.entry(0).id) is None
        assert any(state.mark(state.collection.entry(place).id) for place in range(1, 12))


YES_TO_EVERYTHING = "all-night-long-persony-s-dog-barks-at-th-b1d3:noun-dog"
"""About it the bundled model says yes to every concept, a false one among them."""


async def test_a_model_that_says_yes_to_everything_is_marked_by_a_person_and_by_a_run() -> None:
    async with opened(benchmark="abspyramid") as program:
        await stand_on(program, YES_TO_EVERYTHING)
        await program.ask()
        state = state_of(program)
        rungs = state.rungs()
        assert outcome(rungs)[1] is Role.GOOD
        assert fault_summary(rungs)
        run = RunAnswers(state.benchmark)
        for rung in rungs:
            if rung.verdict is not None:
                run.add(rung.verdict)
        assert run.mark(state.item.id) is None
        run.whole = True
        assert run.mark(state.item.id) == state.mark(state.item.id) == Mark(ASIDE, Role.GOOD)


async def test_a_run_draws_the_ladder_of_the_item_that_it_is_answered_about(
    few_stories: Path,
) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.press("escape")
        await program.until(lambda: isinstance(program.app.screen, BrowseScreen))
        await program.until(lambda: marked(program.list))
        await program.until(lambda: "not asked" not in program.ladder.lower())
        await program.until(lambda: not program.app.collection_runs.asking)
        assert "not asked" not in program.ladder.lower()
        assert all(map(marked, program.list.split("\n")[:9]))


async def test_the_ladder_says_how_the_run_was_asked_whose_answers_it_shows(
    few_stories: Path,
) -> None:
    async with opened(path=few_stories) as program:
        await run_all_with_an_example(program)
        await program.until(lambda: "in a run: 1-shot, base prompt" in words(program))
        assert "zero-shot" not in words(program)
        await program.ask()
        assert "zero-shot, base prompt" in words(program)
    async with opened(path=few_stories) as program:
        await program.until(lambda: "in a run: 1-shot, base prompt" in words(program))


def words(program: Opened) -> str:
    """What the ladder says, on one line."""
    return " ".join(program.ladder.split())
