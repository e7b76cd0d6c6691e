"""Ctrl-C does not leave the program: it says what does."""

from __future__ import annotations

from core.files.config import Config
from tests.pilots import notices
from tests.tui.support import until
from tui.app.app import CommonsenseApp
from tui.authoring.wizard import WizardScreen
from tui.shell.model_holder import ModelPhase

NO_MODEL = "/nowhere.gguf"


def told(app: CommonsenseApp) -> list[str]:
    return [notice for notice in notices(app) if "leaves the program" in notice]


async def said(config: Config | None = None, *before: str) -> list[str]:
    """What ctrl+c says, after some keys."""
    app = CommonsenseApp(benchmark="gita", model=NO_MODEL, config=config)
    async with app.run_test() as pilot:
        # A person's keys are taken before a model is looked for.
        await until(pilot, lambda: app.model_state.phase is ModelPhase.FAILED)
        if before:
            await pilot.press(*before)
            await until(pilot, lambda: isinstance(app.screen, WizardScreen))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: bool(told(app)))
        assert app.is_running
        return told(app)


async def test_it_names_the_key_of_the_program() -> None:
    assert await said() == ["q leaves the program."]


async def test_it_names_a_persons_own_key() -> None:
    assert await said(Config(keymap={"app.quit": "f7, f11"})) == ["f7 leaves the program."]


async def test_where_that_key_leads_elsewhere_the_one_that_always_works_is_named() -> None:
    """In the wizard `q` leaves the wizard."""
    assert await said(None, "n") == ["ctrl+q leaves the program."]
