"""What a model wrote: its thinking unfolded with a key, and a list of what could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.contract.question import UNREAD, Answer, Question, Scoring
from core.files import paths
from core.runs.store import Store
from tests.models.openai.faulty import END, FaultyServer, Reply, faulty_server
from tests.mostly_slow import mostly_slow
from tests.pilots import notices
from tests.tui.run_panes import running
from tests.tui.support import Opened, opened, widget_text
from tests.tui.test_runs_screen import always, open_runs, recorded_story_run
from tui.browse.ladder_pane import LadderPane
from tui.browse.screen import BrowseScreen
from tui.runs.run_screen import RunScreen
from tui.runs.running import RunPhase
from tui.runs.unread_screen import UnreadPane, UnreadScreen

THOUGHT = "Hens do not [bold]swim[/]."


@pytest.fixture
def thinker() -> Iterator[FaultyServer]:
    """A server that thinks and then says nothing that could be read."""
    deltas = [{"reasoning_content": THOUGHT}, {"content": "Perhaps\nso, perhaps not."}]
    raw = "".join(f"data: {json.dumps({'choices': [{'delta': d}]})}\n\n" for d in deltas)
    with faulty_server(Reply(raw=raw + END)) as server:
        yield server


def flat(text: str) -> str:
    return " ".join(text.split())


def unread(program: Opened) -> str:
    assert isinstance(program.app.screen, UnreadScreen)
    return widget_text(program.app.screen.query_one(UnreadPane))


async def test_a_key_unfolds_what_a_model_thought_and_folds_it_again(thinker: FaultyServer) -> None:
    async with opened(model=thinker.url) as program:
        await program.press("greater_than_sign")
        assert "nothing to unfold" in notices(program.app)[-1]
        ladder = program.browse.query_one(LadderPane)
        await program.press("space")
        await program.until(lambda: all(rung.verdict for rung in ladder.rungs if rung.question))
        await program.until(lambda: "▸ thought 4 words" in program.ladder)
        assert THOUGHT not in flat(program.ladder)
        await program.press("greater_than_sign")
        await program.until(lambda: THOUGHT in flat(program.ladder))
        assert "▾ thought 4 words" in program.ladder
        assert "so, perhaps not." in program.ladder
        assert ladder.has_focus
        await program.press("greater_than_sign")
        await program.until(lambda: THOUGHT not in flat(program.ladder))
        assert "▸ thought 4 words" in program.ladder


@mostly_slow("size", [(60, 20), (80, 24), (140, 40)], ids=lambda size: size[0])
async def test_answers_that_were_not_read_are_listed_with_their_texts_from_a_run(
    size: tuple[int, int], thinker: FaultyServer, few_stories: Path
) -> None:
    async with opened(path=few_stories, model=thinker.url, size=size) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        with Store(paths.runs()) as store:
            recorded = store.verdicts(running(program).run_id)
            assert store.unread(running(program).run_id) == recorded
        assert all(verdict.status in UNREAD for verdict in recorded)
        await program.press("asterisk")
        await program.until(lambda: "so, perhaps not." in unread(program))
        pane = program.app.screen.query_one(UnreadPane)
        assert pane.border_subtitle == f"{len(recorded)}"
        assert "no option is named" in unread(program)
        assert "▸ thought 4 words" in unread(program)
        await program.press("greater_than_sign")
        await program.until(lambda: THOUGHT in flat(unread(program)))
        await program.press("greater_than_sign", "j", "j", "enter")
        await program.until(lambda: isinstance(program.app.screen, BrowseScreen))
        state = program.browse.state
        assert state is not None
        await program.until(lambda: state.is_open and state.item.id == recorded[2].item)
        await program.until(lambda: "no option is named" in flat(program.ladder))


def writes_the_first_option(question: Question) -> Answer:
    """An answer in words that can be read."""
    return Answer(text=question.options[0], scoring=Scoring.GENERATED)


async def test_the_same_key_lists_them_from_the_runs_and_goes_back(
    thinker: FaultyServer, few_stories: Path
) -> None:
    async with opened(path=few_stories, model=thinker.url) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        recorded_story_run("org/Sure 7B", always(right=True))
        recorded_story_run("org/Writes 7B", writes_the_first_option)
        screen = await open_runs(program)
        models = [each.run.plan.model for each in screen.runs.runs]
        assert models == ["org/Writes 7B", "org/Sure 7B", "tiny"]
        await program.press("asterisk")
        await program.until(lambda: "Every written answer could be read." in unread(program))
        await program.press("asterisk", "j", "asterisk")
        await program.until(lambda: "This run has no written answers" in flat(unread(program)))
        await program.press("asterisk", "j", "asterisk")
        await program.until(lambda: "so, perhaps not." in unread(program))
        await program.press("y")
        assert program.app.clipboard == f"<think>{THOUGHT}</think>\nPerhaps\nso, perhaps not."
        await program.press("escape")
        await program.until(lambda: program.app.screen is screen)


async def test_before_a_run_has_asked_nothing_is_listed() -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: isinstance(program.app.screen, RunScreen))
        await program.press("asterisk")
        assert "Nothing was asked yet." in notices(program.app)[-1]
        assert isinstance(program.app.screen, RunScreen)
