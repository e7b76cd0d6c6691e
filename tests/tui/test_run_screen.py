"""A run over the collection: figures as they come, pause, cancel, going on where it was."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from core.contract.question import OptionScore, Prompt, Verdict
from core.files import paths
from core.models.llama.client import LlamaModel
from core.runs.records import RunState
from core.runs.store import Store
from tests.pilots import notices
from tests.tui.run_panes import running, shown
from tests.tui.support import Opened, many_stories, opened
from tests.tui.test_resuming import state_of, stopped_demo, wait_for
from tui.runs.run_pane import RunPane
from tui.runs.running import RunPhase


class Held:
    """Lets the first answers of the model through, and holds the next until it is let go on."""

    def __init__(self) -> None:
        self.left = 12
        self.on = asyncio.Event()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Runs that are going as long as a test wants it, however fast the machine is."""
    gate, score = Held(), LlamaModel.score

    async def slow(
        self: LlamaModel, prompt: Prompt, options: Sequence[str]
    ) -> tuple[OptionScore, ...]:
        gate.left -= 1
        if gate.left < 0:
            await gate.on.wait()
        return await score(self, prompt, options)

    monkeypatch.setattr(LlamaModel, "score", slow)
    return gate


async def test_a_run_ends_with_figures_that_carry_count_interval_and_baseline(
    few_stories: Path,
) -> None:
    async with opened(path=few_stories) as program:
        await program.press("r")
        await program.until(lambda: "space asks the model all 42 items" in shown(program))
        await program.press("space")
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        text = shown(program)
        summary = running(program).summary
        accuracy = summary.figures[0]
        assert accuracy.name == "Accuracy"
        assert accuracy.n == 42
        assert f"{accuracy.right}/42" in text
        assert "always" in text
        assert "not a result" in text
        assert text.count("asked,") == 3
        assert "Conditions: zero-shot, base prompt, log-likelihood answers." in text


def known(program: Opened) -> Sequence[Verdict]:
    """What the paused run has answered so far."""
    return running(program).answers.verdicts


async def test_pause_holds_the_run_and_space_goes_on(held: Held, tmp_path: Path) -> None:
    async with opened(path=many_stories(tmp_path / "stories.json", 60)) as program:
        await program.run_all()
        await program.until(lambda: bool(running(program).layers))
        await program.press("p")
        await program.until(lambda: running(program).phase is RunPhase.PAUSED)
        held.on.set()
        await program.until(lambda: "Paused" in shown(program))
        await program.press("space")
        await program.until(lambda: running(program).phase is RunPhase.DONE)


async def test_the_figures_of_a_paused_run_count_all_that_was_asked(
    held: Held, tmp_path: Path
) -> None:
    async with opened(path=many_stories(tmp_path / "stories.json", 60)) as program:
        await program.run_all()
        await program.until(lambda: any(p.done > 2 for p in running(program).layers.values()))
        await program.press("p")
        await program.until(lambda: running(program).phase is RunPhase.PAUSED)
        held.on.set()
        await program.until(
            lambda: running(program).summary.figures[0].n == len(known(program)) > 0
        )


async def test_a_cancelled_run_keeps_what_was_answered_and_goes_on_from_there(
    held: Held, tmp_path: Path
) -> None:
    async with opened(path=many_stories(tmp_path / "stories.json", 60)) as program:
        await program.run_all()
        await program.until(lambda: any(p.done > 2 for p in running(program).layers.values()))
        await program.press("s")
        await program.until(lambda: running(program).phase is RunPhase.STOPPED)
        with Store(paths.runs()) as store:
            (run,) = store.runs()
            kept = len(store.verdicts(run.id))
        assert kept > 2
        held.on.set()
        await program.press("space")
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        with Store(paths.runs()) as store:
            (run,) = store.runs()
            assert run.state is RunState.DONE
            assert len(store.verdicts(run.id)) > kept


async def test_the_run_goes_on_while_one_browses_and_keeps_the_model_to_itself(
    held: Held, tmp_path: Path
) -> None:
    async with opened(path=many_stories(tmp_path / "stories.json", 60)) as program:
        await program.run_all()
        await program.until(lambda: bool(running(program).layers))
        run = running(program)
        await program.press("escape", "space")
        assert run.busy
        assert program.browse.asking.busy is None
        title = partial(getattr, program.browse.query_one("#list-box"), "border_title")
        await program.until(lambda: title() == "Items, being asked")
        before = sum(progress.done for progress in run.layers.values())
        held.on.set()
        await program.until(
            lambda: sum(progress.done for progress in run.layers.values()) > before + 5
        )
        await program.until(lambda: not run.busy)
        await program.until(lambda: title() == "Items")


async def test_cancelling_a_ladder_leaves_a_paused_run_alone(held: Held, tmp_path: Path) -> None:
    async with opened(path=many_stories(tmp_path / "stories.json", 60)) as program:
        await program.run_all()
        await program.until(lambda: bool(running(program).layers))
        run = running(program)
        await program.press("p")
        await program.until(lambda: run.phase is RunPhase.PAUSED)
        held.on.set()
        await program.press("escape", "j", "space", "space")
        await program.until(lambda: program.browse.asking.busy is None)
        assert run.phase is RunPhase.PAUSED
        await program.run_all()
        await program.until(lambda: run.phase is not RunPhase.PAUSED)
        assert run.phase in {RunPhase.GOING, RunPhase.DONE}, run.error


async def test_a_paused_run_does_not_go_on_while_an_item_is_asked(
    held: Held, tmp_path: Path
) -> None:
    async with opened(path=many_stories(tmp_path / "stories.json", 60)) as program:
        await program.run_all()
        await program.until(lambda: bool(running(program).layers))
        run = running(program)
        await program.press("p")
        await program.until(lambda: run.phase is RunPhase.PAUSED)
        held.left = 0
        await program.press("escape", "space")
        await program.until(lambda: program.browse.asking.busy is not None)
        await program.run_all()
        assert run.phase is RunPhase.PAUSED
        assert "An item is being asked" in notices(program.app)[-1]
        held.on.set()
        await program.until(lambda: program.browse.asking.busy is None)
        await program.press("space")
        await program.until(lambda: run.phase is RunPhase.DONE)


async def test_a_paused_run_is_not_forgotten_when_another_over_its_items_goes_on(
    held: Held, tmp_path: Path
) -> None:
    data = many_stories(tmp_path / "stories.json", 60)
    run = await stopped_demo(data=data)
    async with opened(path=data, size=(140, 40)) as program:
        await program.run_all()
        [paused] = program.app.collection_runs.all
        await program.until(lambda: bool(paused.layers))
        await program.press("p", "escape")
        await program.until(lambda: paused.paused)
        held.on.set()
        program.app.resume_run(run)
        await wait_for(program, run)
        await program.until(lambda: not program.app.collection_runs.asking)
        assert paused in program.app.collection_runs.all
        program.app.collection_runs.start_or_pause(paused)
        assert paused.busy
        await paused.cancel()
        assert state_of(paused.run_id) is RunState.CANCELLED


async def test_enter_starts_a_run_that_had_to_wait_for_an_item(
    held: Held, few_stories: Path
) -> None:
    held.left = 0
    async with opened(path=few_stories) as program:
        await program.press("space")
        await program.until(lambda: program.browse.asking.busy is not None)
        await program.press("r")
        await program.until(lambda: "space asks the model all" in shown(program))
        await program.press("enter")
        assert "An item is being asked" in notices(program.app)[-1]
        held.on.set()
        await program.until(lambda: program.browse.asking.busy is None)
        await program.press("enter")
        await program.until(lambda: running(program).phase is RunPhase.DONE)


async def test_a_run_that_was_complete_says_that_it_finished_earlier(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        assert "Done: run" in shown(program)
        assert "earlier" not in shown(program)
        run_id, figures = running(program).run_id, running(program).summary.figures
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        assert f"Finished earlier: run {run_id}; nothing was asked." in shown(program)
        assert "not a result" in shown(program)
        assert running(program).summary.figures == figures


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)])
async def test_each_profile_is_explained_in_a_line(
    size: tuple[int, int], few_stories: Path
) -> None:
    async with opened(size=size, path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        for _ in program.browse.benchmark.profiles:
            await program.press("v")
            profile = running(program).summary.profile
            pane = program.app.screen.query_one(RunPane)
            rows = ["".join(span.text for span in row) for row in pane.draw(pane.size.width)]
            at = next(i for i, row in enumerate(rows) if f"profile {profile}" in row)
            note = program.browse.benchmark.profile_notes[profile]
            assert " ".join(rows[at + 1 : at + 3]).split()[:4] == note.split()[:4]
            assert len(note) <= 76


async def test_every_scoring_profile_can_be_seen(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        seen = set()
        for _ in program.browse.benchmark.profiles:
            await program.press("v")
            seen.add(running(program).summary.profile)
        assert seen == set(program.browse.benchmark.profiles)


async def test_a_replayed_run_tells_what_it_cannot_answer(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        run_id = running(program).run_id
    async with opened(path=few_stories, model=f"replay:{run_id}") as program:
        await program.press("v", "tab", "full_stop")
        await program.press("space")
        await program.until(lambda: "This run has no answer to: " in " ".join(notices(program.app)))
        assert "m chooses a model" in " ".join(notices(program.app))
    async with opened(benchmark="accord", model=f"replay:{run_id}") as program:
        await program.run_all()
        await program.until(lambda: "is over items of GITA" in " ".join(notices(program.app)))
        assert running(program).phase is RunPhase.IDLE


async def test_a_replayed_run_shows_its_own_figures_and_records_nothing(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        run_id, figures = running(program).run_id, running(program).summary.figures
    async with opened(path=few_stories, model=f"replay:{run_id}") as program:
        await program.press("j")
        await program.ask()
        assert f"recorded: run {run_id}, zero-shot, base prompt" in " ".join(program.ladder.split())
        assert "not a result" in " ".join(program.ladder.split())
        bar = program.app.screen.query("TopBar").first().render_line(0).text
        assert "(recorded)" in bar
        assert "demonstration" in bar
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.LOADED)
        assert running(program).summary.figures == figures
        words = " ".join(shown(program).split())
        assert f"recorded: run {run_id}, zero-shot, base prompt, log-likelihood answers." in words
        assert "Conditions" not in words
        with Store(paths.runs()) as store:
            assert len(store.runs()) == 1
