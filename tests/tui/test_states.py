"""Every state that shows nothing, or an error, says what happened and which key to press."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.widgets import Static

from core.files import paths
from core.files.config import Config
from tests.pilots import notices
from tests.tui.screen_host import ScreenHost
from tests.tui.support import opened, until
from tui.authoring.wizard import WizardScreen
from tui.browse.export_dialogue import ExportScreen
from tui.browse.live_pane import TABS
from tui.browse.models_screen import ModelsScreen
from tui.runs.run_pane import RunKeys, describe_run
from tui.runs.running import RunPhase
from tui.shell.command import READABLE
from tui.shell.commands import COMMANDS
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.prompts import AskText, existing_path
from tui.widgets.bars import TopBar

NO_MODEL = "/nowhere.gguf"
KEYS = {READABLE.get(key, key) for command in COMMANDS for key in command.keys}


def names_a_key(text: str) -> bool:
    """Whether a text names a key to press: with "press", or as what does something."""
    flat = " ".join(text.split())
    after = re.findall(r"[Pp]ress (\S+?)[.,;]? ", f"{flat} ")
    before = re.findall(
        r"(?:^|[\s;:])(\S+) (?:in the \w+ )?"
        r"(?:chooses?|asks?|cancels?|goes|go|pauses?|lists|enter|writes)\b",
        flat,
    )
    return any(key.rstrip(".,;") in KEYS for key in (*after, *before))


def test_the_judge_of_these_tests_is_not_pleased_by_everything() -> None:
    assert names_a_key("m chooses a model")
    assert names_a_key("No item contains this. Press esc to see all again.")
    assert not names_a_key("The engine has said nothing yet.")
    assert not names_a_key("Nobody chooses anything here.")


async def test_no_item_found() -> None:
    async with opened(model=NO_MODEL) as program:
        await program.press("slash", *"zzzz")
        await program.until(lambda: "No item" in program.list)
        await program.until(lambda: "No item" in program.story)
        assert names_a_key(program.story)
        assert names_a_key(program.list)
        await program.press("escape")
        await program.until(lambda: "No item" not in program.list)


async def test_no_item_found_is_told_where_only_the_list_is_in_sight() -> None:
    async with opened(model=NO_MODEL, size=(60, 20)) as program:
        await program.press("slash", *"zzzz")
        await program.until(lambda: "Press esc" in program.list)


async def test_a_collection_without_items(tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    file.write_text("{}")
    async with opened(path=file, model=NO_MODEL) as program:
        await program.until(lambda: bool(program.story.strip()))
        assert names_a_key(program.story), program.story


async def test_a_collection_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{")
    async with opened(path=file, model=NO_MODEL) as program:
        assert "broken.json" in program.story.replace("\n", "").replace(" ", "")
        assert "Press C to open another collection." in " ".join(program.story.split())


async def test_no_model_and_a_model_that_failed() -> None:
    async with opened(model=NO_MODEL) as program:
        assert program.app.model_state.phase is ModelPhase.FAILED
        assert names_a_key(program.ladder), program.ladder
        assert names_a_key(program.live), program.live
        assert "m chooses another" in program.browse.query_one(TopBar).model
        await program.press("space")
        assert names_a_key(notices(program.app)[-1])


async def test_a_models_name_is_cut_only_where_it_has_no_room() -> None:
    async with opened(size=(60, 20)) as program:
        bar = program.browse.query_one(TopBar)
        room = 60 - len(bar.opened[0]) - len("demo ") - 6
        for length, shown in ((room, "n" * room), (room + 1, "n" * (room - 1) + "…")):
            bar.model = "n" * length
            assert bar.right(60)[0][0].strip() == shown


async def test_a_model_that_is_loading() -> None:
    async with opened(model=NO_MODEL) as program:
        program.app.set_model_state(ModelState(ModelPhase.LOADING, "demo"))
        await program.pilot.pause()
        assert "m chooses another" in program.ladder


@pytest.mark.parametrize("tab", [name for name, _ in TABS])
async def test_an_empty_tab(tab: str) -> None:
    async with opened(model=NO_MODEL) as program:
        log = program.browse.live.tab(tab)
        log.replace("")
        program.browse.live.open_tab(tab)
        await program.pilot.pause()
        assert names_a_key(log.render_line(0).text), log.render_line(0).text


@pytest.mark.parametrize("phase", list(RunPhase))
async def test_a_run_in_every_phase(phase: RunPhase) -> None:
    async with opened(model=NO_MODEL) as program:
        await program.press("r")
        await program.until(lambda: bool(program.app.collection_runs.all))
        running = program.app.collection_runs.all[0]
        running.phase = phase
        for earlier in (False, True):
            running.finished_earlier = earlier
            sentence, _ = describe_run(running, RunKeys("space", "esc", "A"))
            assert names_a_key(sentence), sentence


async def test_a_run_without_a_model() -> None:
    async with opened(model=NO_MODEL) as program:
        await program.press("r", "space")
        assert names_a_key(notices(program.app)[-1])


async def test_no_models_and_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = ScreenHost(lambda: ModelsScreen(Config(), ModelState()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "No GGUF file" in app.text())
        await until(pilot, lambda: "No run is recorded yet" in app.text())
        notes = " ".join(text for text, _ in app.screen.notes.values())
        assert "press enter to type a path" in notes
        assert "Press r" in notes
        assert "press enter" in app.shown("#now")


async def test_a_path_that_does_not_exist() -> None:
    app = ScreenHost(lambda: AskText("Path", "", str(paths.data() / "no"), existing_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "no such file" in app.text())
        assert names_a_key(app.shown(".error")), app.shown(".error")


async def test_an_export_that_cannot_be_written(tmp_path: Path) -> None:
    async with opened(model=NO_MODEL) as program:
        await program.press("e")
        await program.until(lambda: isinstance(program.app.screen, ExportScreen))
        screen = program.app.screen
        assert isinstance(screen, ExportScreen)
        screen.query_one("Input").value = str(tmp_path / "no" / "such" / "a\x00b.html")
        await program.press("enter")
        said = screen.query_one("#said", Static)
        await program.until(lambda: str(said.content) not in {"", "Writing…"})
        assert names_a_key(str(said.content)), said.content


async def test_an_answer_in_the_wizard_that_cannot_stand() -> None:
    async with opened(model=NO_MODEL) as program:
        await program.press("n")
        await program.until(lambda: isinstance(program.app.screen, WizardScreen))
        screen = program.app.screen
        assert isinstance(screen, WizardScreen)
        await program.until(lambda: screen.step is not None)
        await program.press("enter")
        keys = str(screen.query_one("#keys", Static).content)
        assert "enter" in keys
        assert "esc" in keys
        assert "leave" in keys
